import type { Receipt } from '../../shared/api/wallet.ts';
import { bareToken } from '../../shared/bare-token.ts';
import type { createBalanceHistory, createHistory } from './history.ts';
import type { Idempotency } from './idempotency.ts';
import { type Mint, TokenError } from './mint/mint.ts';
import { normalizeMintUrl } from './mint/token-text.ts';
import { devModeError } from './operations/problems.ts';
import { describeOperation, type Operation } from './store/operation.ts';
import type { WalletStore } from './store/wallet-store.ts';
import { keyedRoute, requireOperation, type WalletService } from './wallet.service.ts';

/** Dependencies of the DEV_MODE wallet. It uses only `describe` of the mint, which opens no connection. */
interface DevWalletParts {
  store: WalletStore;
  mint: Pick<Mint, 'describe'>;
  mintUrl: string;
  idempotency: Idempotency;
  history: ReturnType<typeof createHistory>;
  balance: WalletService['balance'];
  balanceHistory: ReturnType<typeof createBalanceHistory>;
  onChange(operation: Operation): void;
  /** Called after a change of what is said about an operation. */
  onChanged(): void;
}

const NOT_CHECKED = 'dot-mi runs in DEV_MODE, which accepts every token without checking it.';

/**
 * Creates the DEV_MODE wallet. Every token is valid, every receive succeeds, and no mint is asked. It has its
 * own database, and refuses anything that needs real sats.
 *
 * Tokens that may be real are kept with their text, so that the real wallet can redeem them later.
 */
export const createDevWallet = ({
  store,
  mint,
  mintUrl,
  idempotency,
  history,
  balance,
  balanceHistory,
  onChange,
  onChanged,
}: DevWalletParts): WalletService => {
  /** Undefined for text that isn't a token. DEV_MODE accepts that too. */
  const readToken = async (token: string) => {
    try {
      return (await mint.describe(token)).description;
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      return undefined;
    }
  };
  const refuse = (): never => {
    throw devModeError();
  };
  const receiptOf = ({ amount, fee, id }: Operation): Receipt => ({
    success: true,
    amount,
    mint: mintUrl,
    fee,
    operationId: id,
    simulated: true,
  });

  return {
    charges: {
      create: async () => refuse(),
      pay: async () => refuse(),
      openAndPay: async () => refuse(),
      settle: async () => refuse(),
      release: async () => refuse(),
      refund: async () => refuse(),
      openAndReserve: async () => refuse(),
      prepaid: {
        open: async () => refuse(),
        read: refuse,
        topUp: async () => refuse(),
        refund: async () => refuse(),
      },
      get: refuse,
      list: refuse,
    },
    async validate(token) {
      const description = await readToken(token);
      if (!description) return { valid: true, amount: 0, mint: mintUrl, message: NOT_CHECKED };
      const { locked: _locked, ...info } = description;
      return { valid: true, ...info, message: NOT_CHECKED };
    },

    receive: (token, key, attribution = {}, by) => {
      const request = { route: keyedRoute('receive', by), key, body: { token, ...attribution } };
      return idempotency.run(request, receiptOf, async (bind) => {
        const description = await readToken(token);
        const { amount, memo } = description ?? { amount: 0, memo: undefined };
        const operation = store.transaction(() => {
          const written = requireOperation(
            store.operations.get(store.operations.addCompleted({ kind: 'receive', amount, memo })),
          );
          store.proofs.addSimulated(written.number, amount);
          if (description?.unit === 'sat') {
            store.testTokens.keep({
              operation: written.number,
              mint: normalizeMintUrl(description.mint),
              amount,
              ...(memo === undefined ? {} : { memo }),
              // Without white space and prefix, so that copies of one token are recognized.
              token: bareToken(token),
            });
          }
          store.attributions.set(written.number, attribution);
          bind(written);
          return written;
        });
        onChange(operation);
        return receiptOf(operation);
      });
    },

    operation(id) {
      const operation = requireOperation(store.operations.byId(id));
      return { ...describeOperation(operation, store.attributions.of(operation.number)), simulated: true };
    },
    attribute(id, attribution) {
      store.attributions.set(requireOperation(store.operations.byId(id)).number, attribution);
      onChanged();
      return { ok: true };
    },
    earned: store.attributions.earned,
    balance,
    check: async () => refuse(),
    balanceHistory,
    mintStatus: async () => ({ mint: mintUrl, state: 'simulated', checkedAt: null }),
    async history(...page) {
      const { entries, ...rest } = await history(...page);
      return { entries: entries.map((entry) => ({ ...entry, simulated: true })), ...rest };
    },
    historyOfSend: () => ({ entries: [] }),
    send: async () => refuse(),
    spentTodayByKey: async () => store.keyUse.todayByKey(),
    reclaim: async () => refuse(),
    release: async () => refuse(),
    seed: async () => refuse(),
    confirmSeed: async () => refuse(),
    newSeed: async () => refuse(),
    restore: async () => refuse(),
    rescan: async () => refuse(),
    testTokens: async () => ({ tokens: [] }),
    redeemTestToken: async () => refuse(),
    dropTestToken: async () => refuse(),
  };
};
