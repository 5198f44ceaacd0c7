import type { Receipt, SentToken } from '../../shared/api/wallet.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { type createBalanceHistory, type createHistory, historyOf } from './history.ts';
import type { Idempotency } from './idempotency.ts';
import { type Mint, TokenError } from './mint/mint.ts';
import { normalizeMintUrl, pastedToken } from './mint/token-text.ts';
import { inputLimit } from './operations/input-limit.ts';
import { devModeError, ownTokenFailure } from './operations/problems.ts';
import { redeemedError, requireSent } from './operations/receive.ts';
import { createSpendLimit } from './operations/spend-limit.ts';
import { describeOperation, failureError, type Operation } from './store/operation.ts';
import type { WalletStore } from './store/wallet-store.ts';
import { makeTestToken, TEST_MINT } from './test-money.ts';
import { ownValidation } from './validate-token.ts';
import { keyedRoute, requireOperation, requireReadable, type WalletService } from './wallet.service.ts';

/** The DEV_MODE wallet's dependencies. It uses only the mint's `describe`, which opens no connection. */
interface DevWalletParts {
  store: WalletStore;
  clock: Clock;
  mint: Pick<Mint, 'describe'>;
  mintUrl: string;
  idempotency: Idempotency;
  history: ReturnType<typeof createHistory>;
  balance: WalletService['balance'];
  balanceHistory: ReturnType<typeof createBalanceHistory>;
  onChange(operation: Operation): void;
  /** Called after an operation's description changed. */
  onChanged(): void;
}

const NOT_CHECKED = 'dot-mi is running with test money, so it accepts every token without checking it.';

/**
 * Creates the DEV_MODE wallet. Every token is valid, every receive succeeds, and no request is sent to a mint. Only a
 * token of test money is limited to one receive, as real ones are. It has its own database, sends test money, and
 * refuses anything else that needs a mint.
 *
 * Stores the text of tokens that may be real, so that the real wallet can redeem them later.
 */
export const createDevWallet = ({
  store,
  clock,
  mint,
  mintUrl,
  idempotency,
  history,
  balance,
  balanceHistory,
  onChange,
  onChanged,
}: DevWalletParts): WalletService => {
  /** Returns undefined for text that isn't a token, which DEV_MODE also accepts. */
  const readToken = async (token: string) => {
    try {
      return await mint.describe(token, inputLimit(store));
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      return undefined;
    }
  };
  const refuse = (): never => {
    throw devModeError();
  };
  /** Finds the operation that received a token of test money. */
  const ownOf = ({ description, ys }: Awaited<ReturnType<Mint['describe']>>) =>
    description.mint === TEST_MINT && ys ? store.operations.ofInput(ys) : undefined;
  const sentOf = (operation: Operation): SentToken => {
    const { token, amount, fee, id } = requireSent(operation);
    return { token, amount, fee, operationId: id, simulated: true };
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
      priceOf: () => undefined,
    },
    async validate(token) {
      const read = await readToken(token);
      if (!read) return { valid: true, amount: 0, mint: mintUrl, message: NOT_CHECKED };
      const { locked: _locked, ...info } = read.description;
      const own = ownOf(read);
      return own ? ownValidation(info, own) : { valid: true, ...info, message: NOT_CHECKED };
    },

    receive: (token, key, attribution = {}, by) => {
      const request = { route: keyedRoute('receive', by), key, body: { token, ...attribution } };
      return idempotency.run(request, receiptOf, async (bind) => {
        const read = await readToken(token);
        const description = read?.description;
        const { amount, memo } = description ?? { amount: 0, memo: undefined };
        const operation = store.transaction(() => {
          const own = read && ownOf(read);
          if (own) throw failureError(ownTokenFailure(own));
          const written = requireOperation(
            store.operations.get(store.operations.addCompleted({ kind: 'receive', amount, memo })),
          );
          store.proofs.addSimulated(written.number, amount);
          if (read?.ys && description?.mint === TEST_MINT) {
            store.operations.addInputs(written.number, read.ys);
            const send = store.operations.sendOf(read.ys);
            if (send) store.operations.markSpent(send.number, false);
          } else if (description?.unit === 'sat') {
            store.testTokens.keep({
              operation: written.number,
              mint: normalizeMintUrl(description.mint),
              amount,
              ...(memo === undefined ? {} : { memo }),
              // Store the bare token, so that copies of it are recognized.
              token: pastedToken(token),
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

    operation(caller, id) {
      const operation = requireReadable(store, caller, id);
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
    changeMintAddress: async () => refuse(),
    async history(...page) {
      const { entries, ...rest } = await history(...page);
      return { entries: entries.map((entry) => ({ ...entry, simulated: true })), ...rest };
    },
    historyOfSend: (key) => historyOf(store, idempotency.operationOf({ route: 'send', key })),
    send: ({ amount, memo, maxFee }, key, by) => {
      const request = { route: keyedRoute('send', by?.id), key, body: { amount, memo, maxFee } };
      return idempotency.run(request, sentOf, async (bind) => {
        const limit = by && createSpendLimit({ store, clock }, by);
        limit?.requireLeft(amount);
        const token = makeTestToken(amount, memo);
        const { ys = [] } = await mint.describe(token, Number.POSITIVE_INFINITY);
        const operation = store.transaction(() => {
          const free = store.postings.sum('free');
          if (free < amount)
            throw new AppError(
              'insufficient_funds',
              `The wallet holds ${free} test sats, which is not enough to send ${amount} sat. Receive more, or send less.`,
            );
          const written = requireOperation(
            store.operations.get(store.operations.addCompleted({ kind: 'send', amount, memo, token })),
          );
          store.proofs.addSimulated(written.number, -amount);
          store.operations.addSent(written.number, ys);
          bind(written);
          limit?.charge(written);
          return written;
        });
        onChange(operation);
        return sentOf(operation);
      });
    },
    spentTodayByKey: async () => store.keyUse.todayByKey(),
    async reclaim(id) {
      const send = requireSent(requireOperation(store.operations.byId(id)));
      if (send.spent) throw redeemedError();
      const { number, amount, memo } = send;
      const operation = store.transaction(() => {
        const written = requireOperation(
          store.operations.get(
            store.operations.addCompleted({ kind: 'reclaim', amount, memo, reclaimsOperation: number }),
          ),
        );
        store.proofs.addSimulated(written.number, amount);
        store.operations.addInputs(written.number, store.operations.sentYs(number));
        store.operations.markSpent(number, true);
        return written;
      });
      onChange(operation);
      return { amount, fee: 0, operationId: operation.id, simulated: true };
    },
    createTestToken: (amount) => ({ token: makeTestToken(amount), amount }),
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
