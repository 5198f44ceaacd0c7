import {
  attributeOperation,
  changeMintAddress,
  checkMint,
  checkProofs,
  confirmSeed,
  createTestToken,
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
import type { Base, Feature } from '../feature.ts';
import { StartError } from '../http/http-server.ts';
import { MINT_WORKER_URL } from '../locations.ts';
import { actingAgent, OPERATOR } from '../platform/caller.ts';
import { createMintCheck } from './check-mint.ts';
import { openWhenPossible } from './locked-wallet.ts';
import { type OpenWallet, openWallet, type WalletDeps } from './open-wallet.ts';
import { DatabaseInUseError } from './store/sqlite.ts';
import type { WalletService } from './wallet.service.ts';

export type { WalletDeps } from './open-wallet.ts';
export { type SeedVault, VaultUnavailableError } from './seed/seed-vault.ts';
export type { ChargeTerms } from './store/charges-table.ts';
export type { OnWalletEvent, OperationReport, WalletEvent } from './wallet-events.ts';

interface WalletFeatureDeps
  extends Pick<Base, 'config' | 'publish'>,
    Omit<WalletDeps, 'workerUrl' | 'publish' | 'publishCharge'> {
  /** True to fail if the wallet can't be opened. */
  isNeeded: boolean;
  /** Restarts the server once open requests have ended. Undefined if the host can't. */
  restart: (() => void) | undefined;
}

/** The wallet, as the other features use it. */
export interface Wallet extends Feature {
  /** Why the wallet's routes don't work. Only for the operator, because the text contains paths. */
  readonly problem: string | undefined;
  /** Throws `wallet_locked` and `wallet_damaged` while the wallet isn't open. */
  charges(): WalletService['charges'];
  readonly earned: WalletService['earned'];
  readonly spentTodayByKey: WalletService['spentTodayByKey'];
  /** Pays and receives as the operator, for dot-mi's own features. */
  readonly own: {
    send(amount: number): Promise<{ token: string; operationId?: string }>;
    receive(token: string): ReturnType<WalletService['receive']>;
    reclaim: WalletService['reclaim'];
  };
}

/**
 * Opens the wallet with {@link openWhenPossible}. Throws {@link StartError} if another dot-mi has it open, or if it
 * can't be opened but is needed.
 */
const openOrExplain = async ({
  config,
  publish,
  isNeeded,
  ...deps
}: WalletFeatureDeps): Promise<OpenWallet> => {
  const announce: WalletDeps['publish'] = (data) => publish({ name: 'wallet', data });
  const publishCharge: WalletDeps['publishCharge'] = (data) => publish({ name: 'charge', data });
  try {
    const wallet = await openWhenPossible(
      () => openWallet(config, { ...deps, workerUrl: MINT_WORKER_URL, publish: announce, publishCharge }),
      {
        ...deps,
        walletDirectory: config.walletDirectory,
        onUnlocked(service) {
          const { balance, pending } = service.balance();
          announce({ balance, pending, operation: null });
        },
      },
    );
    if (isNeeded && wallet.problem !== undefined)
      throw new StartError(`dot-mi could not start: ${wallet.problem}.`);
    return wallet;
  } catch (error) {
    if (error instanceof DatabaseInUseError)
      throw new StartError(`dot-mi could not start: ${error.message}.`);
    throw error;
  }
};

/** Opens the wallet. Throws {@link StartError}. */
export const createWallet = async (deps: WalletFeatureDeps): Promise<Wallet> => {
  const opened = await openOrExplain(deps);
  const wallet = opened.service;
  const check = createMintCheck(MINT_WORKER_URL, deps.mintTimeoutMs);
  return {
    routes(bind) {
      bind(validateToken, ({ body }, caller) => wallet.validate(caller, body.token));
      bind(receiveToken, ({ body: { token, agent, label }, headers }, caller) =>
        wallet.receive(caller, token, headers['idempotency-key'], {
          agent: actingAgent(caller, agent),
          label,
        }),
      );
      bind(attributeOperation, ({ params, body: { agent, label } }) =>
        wallet.attribute(params.operationId, { agent: agent ?? undefined, label: label ?? undefined }),
      );
      bind(getOperation, ({ params }, caller) => wallet.operation(caller, params.operationId));
      bind(getBalance, () => wallet.balance());
      bind(checkProofs, () => wallet.check());
      bind(getBalanceHistory, ({ query }) => wallet.balanceHistory(query.days));
      bind(getMint, () => wallet.mintStatus());
      bind(changeMintAddress, async ({ body }) => {
        const changed = await wallet.changeMintAddress(body.from);
        deps.restart?.();
        return { ...changed, restarting: deps.restart !== undefined };
      });
      bind(checkMint, ({ body }) => check(body.mintUrl));
      bind(listHistory, ({ query: { cursor, limit, sendKey, agent } }) =>
        sendKey === undefined ? wallet.history(cursor, limit, agent) : wallet.historyOfSend(sendKey),
      );
      bind(sendToken, ({ body, headers }, caller) => {
        const { key } = caller.kind === 'agent' ? caller : {};
        return wallet.send(
          body,
          headers['idempotency-key'],
          key && { id: key.id, satsPerDay: key.satsPerDay ?? 0, agent: actingAgent(caller, undefined) },
        );
      });
      bind(reclaimToken, ({ params }) => wallet.reclaim(params.operationId));
      bind(releaseOperation, ({ params }) => wallet.release(params.operationId));
      bind(getSeed, () => wallet.seed());
      bind(confirmSeed, ({ body }) => wallet.confirmSeed(body.words));
      bind(replaceMissingSeed, () => wallet.newSeed());
      bind(restoreWallet, ({ body }) => wallet.restore(body.mnemonic));
      bind(rescanWallet, () => wallet.rescan());
      bind(createTestToken, ({ body }) => wallet.createTestToken(body.amount));
      bind(listTestTokens, () => wallet.testTokens());
      bind(redeemTestToken, ({ params }) => wallet.redeemTestToken(params.tokenId));
      bind(dropTestToken, ({ params }) => wallet.dropTestToken(params.tokenId));
    },
    problem: opened.problem,
    charges: () => wallet.charges,
    // A wallet that opens late doesn't have its methods yet.
    earned: (...query) => wallet.earned(...query),
    spentTodayByKey: () => wallet.spentTodayByKey(),
    own: {
      send: (amount) =>
        deps.config.devMode ? wallet.createTestToken(amount) : wallet.send({ amount }, undefined),
      receive: (token) => wallet.receive(OPERATOR, token, undefined),
      reclaim: (id) => wallet.reclaim(id),
    },
    start: opened.start,
    close: opened.close,
  };
};
