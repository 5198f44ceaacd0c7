import type { Receipt } from '../../shared/api/wallet.ts';
import type { createHistory } from './history.ts';
import type { Idempotency } from './idempotency.ts';
import { type Mint, TokenError } from './mint.ts';
import { describeOperation, type Operation } from './operation.ts';
import { devModeError } from './problems.ts';
import { requireOperation, type WalletService } from './wallet.service.ts';
import type { WalletStore } from './wallet-store.ts';

/** What the wallet of DEV_MODE is made of. Of the mint only `describe` is used: it opens no connection. */
export interface DevWalletParts {
  store: WalletStore;
  mint: Pick<Mint, 'describe'>;
  mintUrl: string;
  idempotency: Idempotency;
  history: ReturnType<typeof createHistory>;
  balance: WalletService['balance'];
  onChange(operation: Operation): void;
}

/**
 * Makes the wallet of DEV_MODE: every token is valid, redeeming one always succeeds, and nobody is asked. Its ledger is a database
 * of its own. What would need real sats is refused.
 */
export const createDevWallet = ({
  store,
  mint,
  mintUrl,
  idempotency,
  history,
  balance,
  onChange,
}: DevWalletParts): WalletService => {
  const read = async (token: string) => {
    try {
      return await mint.describe(token);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      return { amount: 0, mint: mintUrl, memo: undefined, unit: undefined, proofs: undefined };
    }
  };
  const refuse = () => {
    throw devModeError();
  };

  return {
    async validate(token) {
      const { amount, mint: issuer, memo, unit, proofs } = await read(token);
      return {
        valid: true,
        amount,
        mint: issuer,
        ...(memo === undefined ? {} : { memo }),
        ...(unit === undefined ? {} : { unit }),
        ...(proofs === undefined ? {} : { proofs }),
      };
    },

    receive(token, key) {
      const receiptOf = ({ amount, fee, id }: Operation): Receipt => ({
        success: true,
        amount,
        mint: mintUrl,
        fee,
        operationId: id,
      });
      return idempotency.run({ route: 'receive', key, body: { token } }, receiptOf, async (bind) => {
        const { amount, memo } = await read(token);
        const operation = store.transaction(() => {
          const written = store.addOperation({ kind: 'receive', amount, fee: 0, expected: 0, memo }, true);
          store.addSimulated(amount);
          bind(written);
          return written;
        });
        onChange(operation);
        return receiptOf(operation);
      });
    },

    operation: (id) => describeOperation(requireOperation(store.operation(id))),
    balance,
    mintStatus: async () => ({ mint: mintUrl, state: 'simulated', checkedAt: null }),
    history,
    send: async () => refuse(),
    reclaim: async () => refuse(),
    seed: refuse,
    restore: async () => refuse(),
  };
};
