import {
  attributeOperation,
  checkMint,
  confirmSeed,
  dropTestToken,
  getBalance,
  getBalanceHistory,
  getMint,
  getOperation,
  getSeed,
  listHistory,
  listTestTokens,
  receiveToken,
  reclaimToken,
  redeemTestToken,
  releaseOperation,
  replaceMissingSeed,
  rescanWallet,
  restoreWallet,
  sendToken,
  validateToken,
} from '../../shared/api/wallet.ts';
import { forbiddenAgent } from '../http/access.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { CallingKey } from '../platform/request-notes.ts';
import type { MintCheck } from './check-mint.ts';
import type { WalletService } from './wallet.service.ts';

/** The routes of the wallet. A key of another root's agent acts for no agent, because this root can have its name. */
export const walletRoutes =
  (wallet: WalletService, rootId: string, check: MintCheck): Routes =>
  (bind) => {
    const ownAgent = (key: CallingKey | undefined) =>
      key?.agent?.rootId === rootId ? key.agent.id : undefined;
    bind(validateToken, ({ body }) => wallet.validate(body.token));
    bind(receiveToken, ({ body: { token, agent, label }, headers }, { key }) => {
      const own = ownAgent(key);
      if (key?.agent && own === undefined && agent !== undefined) throw forbiddenAgent(key.agent.id);
      if (own !== undefined && agent !== undefined && agent !== own) throw forbiddenAgent(own);
      return wallet.receive(token, headers['idempotency-key'], { agent: own ?? agent, label }, key?.id);
    });
    bind(attributeOperation, ({ params, body: { agent, label } }) =>
      wallet.attribute(params.operationId, { agent: agent ?? undefined, label: label ?? undefined }),
    );
    bind(getOperation, ({ params }) => wallet.operation(params.operationId));
    bind(getBalance, () => wallet.balance());
    bind(getBalanceHistory, ({ query }) => wallet.balanceHistory(query.days));
    bind(getMint, () => wallet.mintStatus());
    bind(checkMint, ({ body }) => check(body.mintUrl));
    bind(listHistory, ({ query: { cursor, limit, sendKey, agent } }) =>
      sendKey === undefined ? wallet.history(cursor, limit, agent) : wallet.historyOfSend(sendKey),
    );
    bind(sendToken, ({ body, headers }, { key }) =>
      wallet.send(
        body,
        headers['idempotency-key'],
        key && { id: key.id, satsPerDay: key.satsPerDay ?? 0, agent: ownAgent(key) },
      ),
    );
    bind(reclaimToken, ({ params }) => wallet.reclaim(params.operationId));
    bind(releaseOperation, ({ params }) => wallet.release(params.operationId));
    bind(getSeed, () => wallet.seed());
    bind(confirmSeed, ({ body }) => wallet.confirmSeed(body.words));
    bind(replaceMissingSeed, () => wallet.newSeed());
    bind(restoreWallet, ({ body }) => wallet.restore(body.mnemonic));
    bind(rescanWallet, () => wallet.rescan());
    bind(listTestTokens, () => wallet.testTokens());
    bind(redeemTestToken, ({ params }) => wallet.redeemTestToken(params.tokenId));
    bind(dropTestToken, ({ params }) => wallet.dropTestToken(params.tokenId));
  };
