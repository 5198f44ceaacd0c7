import type {
  BackupWords,
  Balance,
  BalanceHistory,
  ConfirmedWords,
  History,
  MintStatus,
  OperationStatus,
  Receipt,
  Reclaimed,
  ReleasedOperation,
  Restored,
  SentToken,
  TestTokens,
  TokenValidation,
} from '../../shared/api/wallet.ts';
import { AppError } from '../platform/app-error.ts';
import type { Caller } from '../platform/caller.ts';
import type { ChargeService } from './charges/charge-book.ts';
import { type createBalanceHistory, type createHistory, historyOf } from './history.ts';
import type { Idempotency } from './idempotency.ts';
import type { MintWatch } from './mint/mint-watch.ts';
import { normalizeMintUrl } from './mint/token-text.ts';
import { nextRecheckAt } from './operations/ledger.ts';
import type { MintWallet } from './operations/mint-wallet.ts';
import { pendingError, seedMissingError, withAppErrors } from './operations/problems.ts';
import { inspectReclaim, type Receiver, type WalletContext } from './operations/receive.ts';
import type { Restorer } from './operations/restore.ts';
import type { SendRequest, Spender } from './operations/spend.ts';
import { createSpendLimit, type SpendingKey } from './operations/spend.ts';
import { mayReadOperation } from './owner.ts';
import type { Seed } from './seed/seed.ts';
import type { Attribution, EarnedGrouping, EarnedRow } from './store/attributions-table.ts';
import {
  type CompletedOperation,
  describeOperation,
  failureError,
  type Operation,
  sumOf,
} from './store/operation.ts';
import type { WalletStore } from './store/wallet-store.ts';
import type { TestTokenService } from './test-tokens.ts';
import { checkToken } from './validate-token.ts';

/** The body of a send. Amounts in sats. */
type SendOrder = Pick<SendRequest, 'amount' | 'memo' | 'maxFee'>;

/** The wallet as its routes call it. Amounts in sats. */
export interface WalletService {
  /** Customers' charges. */
  readonly charges: ChargeService;
  validate(caller: Caller, token: string): Promise<TokenValidation>;
  /** Each agent key has its own Idempotency-Keys. */
  receive(
    caller: Caller,
    token: string,
    key: string | undefined,
    attribution?: Attribution,
  ): Promise<Receipt>;
  /** Throws `operation_not_found`, also for one that the caller can't read. */
  operation(caller: Caller, id: string): OperationStatus;
  /** Sets the agent that an operation was for. Throws `operation_not_found`. */
  attribute(id: string, attribution: Attribution): { ok: true };
  balance(): Balance;
  /** Checks all proofs with the mint now. */
  check(): Promise<Balance>;
  balanceHistory(days: number): BalanceHistory;
  mintStatus(): Promise<MintStatus>;
  /**
   * Gives the wallet at `from` this mint's address, if this mint lists only its keysets. The change takes effect at the
   * next start. Throws `not_same_mint`.
   */
  changeMintAddress(from: string): Promise<{ mint: string }>;
  history(cursor: string | undefined, limit: number, agent?: string): Promise<History>;
  /** Returns the sats of completed receives that began in a period, in milliseconds since 1970. */
  earned(grouping: EarnedGrouping, fromMs: number, toMs: number, agent?: string): EarnedRow[];
  /** Returns the history that a send with this Idempotency-Key started. */
  historyOfSend(key: string): History;
  /**
   * Without `maxFee`, refuses a fee above a tenth of the amount or 100 sat, whichever is more. Throws
   * `spend_limit_reached` if the send would exceed the limit of the caller's agent key.
   */
  send(send: SendOrder, key: string | undefined, by?: SpendingKey): Promise<SentToken>;
  /** Returns what counts toward agent keys' limits today, by key id, in sats. */
  spentTodayByKey(): Promise<ReadonlyMap<string, number>>;
  reclaim(id: string): Promise<Reclaimed>;
  release(id: string): Promise<ReleasedOperation>;
  seed(): Promise<BackupWords>;
  confirmSeed(words: ConfirmedWords): Promise<{ backedUpAt: string }>;
  newSeed(): Promise<BackupWords>;
  restore(mnemonic: string): Promise<Restored>;
  rescan(): Promise<Restored>;
  /** Creates a token of test money. Amount in sats. Throws `real_money` without DEV_MODE. */
  createTestToken(amount: number): Promise<{ token: string; amount: number }>;
  testTokens(): Promise<TestTokens>;
  redeemTestToken(id: string): Promise<Pick<Receipt, 'amount' | 'fee' | 'operationId'>>;
  dropTestToken(id: string): Promise<{ ok: true }>;
}

interface WalletParts {
  context: WalletContext;
  receiver: Receiver;
  spender: Spender;
  idempotency: Idempotency;
  history: ReturnType<typeof createHistory>;
  watch: MintWatch;
  seed: Seed;
  restorer: Restorer;
  testTokens: TestTokenService;
  charges: ChargeService;
  balance(): Balance;
  balanceHistory: ReturnType<typeof createBalanceHistory>;
  foreignKeysets: MintWallet['foreignKeysets'];
  /** Gives the wallet at `from` this mint's address. */
  changeAddress(from: string): void;
  /** Called after the words or an operation's description changed. */
  onChanged(): void;
}

/** Returns the operation. Throws `operation_not_found` if it's undefined. */
export const requireOperation = (operation: Operation | undefined): Operation => {
  if (operation) return operation;
  throw new AppError(
    'operation_not_found',
    'The wallet has no operation with this id. Use the operationId from the response to the request that started it.',
  ).withHint({ route: 'GET /api/wallet/history', text: 'GET /api/wallet/history lists all operations.' });
};

/** Returns an operation that a caller can read. Throws `operation_not_found`. */
const requireReadable = (store: WalletStore, caller: Caller, id: string): Operation => {
  const operation = store.operations.byId(id);
  return requireOperation(operation && mayReadOperation(caller, operation, store) ? operation : undefined);
};

/** Returns a completed operation. For any other operation, throws the error that describes its state. */
const requireCompleted = (operation: Operation): CompletedOperation => {
  if (operation.state === 'completed') return operation;
  throw operation.state === 'failed' ? failureError(operation.failure) : pendingError(operation);
};

const RELEASED = {
  code: 'released',
  message: 'You released this operation. The wallet keeps checking whether the mint finished it after all.',
} as const;

/**
 * Releases a pending operation. The wallet's own proofs become free again, and others are returned as a token, which a
 * second call returns again. The wallet rechecks the operation like any failure that the mint never confirmed.
 *
 * Throws `not_releasable` if the operation has ended.
 */
const release = async (
  { store, mint, clock }: Pick<WalletContext, 'store' | 'mint' | 'clock'>,
  operation: Operation,
): Promise<ReleasedOperation> => {
  const { number, id, kind } = operation;
  const isReleased = operation.state === 'failed' && operation.isReleased;
  const plan = operation.state === 'pending' || isReleased ? operation.plan : undefined;
  if (!plan) {
    throw new AppError('not_releasable', 'You can only release a pending operation. This one has ended.');
  }
  const inWallet = kind === 'send' || kind === 'swap';
  // A send's or swap's inputs become free again, so a token of the same proofs must not be returned.
  const given = inWallet ? {} : { token: await mint.encode(plan.inputs, operation.memo) };
  const released: ReleasedOperation = { operationId: id, ...given, amount: sumOf(plan.inputs), inWallet };
  // A caller that lost the response gets the token again.
  if (isReleased) return released;
  store.transaction(() => {
    if (!store.operations.fail(number, RELEASED, nextRecheckAt(0, clock.now()), true)) {
      throw new AppError('not_releasable', 'This operation just ended, so there is nothing to release.');
    }
    store.operations.freeInputs(number);
    store.proofs.releaseHeld(number);
  });
  return released;
};

/** Returns a route's name for an Idempotency-Key. Each agent key has its own names. */
const keyedRoute = (route: 'receive' | 'send', agentKeyId: string | undefined): string =>
  agentKeyId === undefined ? route : `${route}/${agentKeyId}`;

/** Creates a mint's wallet. */
export const createWalletService = ({
  context,
  receiver,
  spender,
  idempotency,
  history,
  watch,
  seed,
  restorer,
  testTokens,
  charges,
  balance,
  balanceHistory,
  foreignKeysets,
  changeAddress,
  onChanged,
}: WalletParts): WalletService => {
  const { store, mintUrl, tokenShare } = context;

  const words = async (): Promise<BackupWords> => {
    const mnemonic = seed.mnemonic();
    if (mnemonic === undefined) throw seedMissingError();
    return { mnemonic, protection: seed.protection(), others: await seed.others() };
  };

  const receiptOf = (operation: Operation): Receipt => {
    const { amount, fee, id } = requireCompleted(operation);
    return { success: true, amount, mint: mintUrl, fee, operationId: id };
  };

  const sentOf = (operation: Operation): SentToken => {
    const completed = requireCompleted(operation);
    if (completed.kind !== 'send') throw new Error(`operation ${completed.id} is not a send`);
    const { amount, fee, id, token } = completed;
    return { token, amount, fee, operationId: id };
  };

  return {
    charges: charges,
    validate: (caller, token) =>
      withAppErrors(() =>
        checkToken(context, token, () => caller.kind !== 'operator' && tokenShare.takeRequest()),
      ),

    receive: (caller, token, key, attribution = {}) =>
      withAppErrors(() =>
        idempotency.run(
          {
            route: keyedRoute('receive', caller.kind === 'agent' ? caller.key.id : undefined),
            key,
            body: { token, ...attribution },
          },
          receiptOf,
          async (bind) => {
            const prepared = await receiver.inspect(token);
            const receive = () =>
              receiver.receive(prepared, (written) => {
                store.attributions.set(written.number, attribution);
                bind(written);
              });
            const { operation } = await (caller.kind === 'operator'
              ? receive()
              : tokenShare.redeem(prepared, receive));
            return receiptOf(operation);
          },
        ),
      ),

    operation(caller, id) {
      const operation = requireReadable(store, caller, id);
      return describeOperation(operation, store.attributions.of(operation.number));
    },
    attribute(id, attribution) {
      store.attributions.set(requireOperation(store.operations.byId(id)).number, attribution);
      onChanged();
      return { ok: true };
    },
    earned: store.attributions.earned,
    balance,
    check: () =>
      withAppErrors(async () => {
        await context.proofChecks.checkNow();
        return balance();
      }),
    balanceHistory,
    async mintStatus() {
      const status = await watch.status();
      const foreign = foreignKeysets();
      return { mint: mintUrl, ...status, ...(foreign.length > 0 ? { foreignKeysets: foreign } : {}) };
    },
    changeMintAddress: (from) =>
      withAppErrors(async () => {
        await context.mint.keysets(true);
        const other = foreignKeysets().find(({ mint, all }) => all && mint === normalizeMintUrl(from));
        if (!other)
          throw new AppError(
            'not_same_mint',
            `${mintUrl} doesn’t list exactly the keysets of that address, so nothing has changed. GET /api/wallet/mint reports whose keysets it lists.`,
          );
        changeAddress(other.mint);
        return { mint: mintUrl };
      }),
    history,
    historyOfSend: (key) => historyOf(store, idempotency.operationOf({ route: 'send', key })),

    send: ({ amount, memo, maxFee }, key, by) =>
      withAppErrors(() =>
        // SECURITY: an Idempotency-Key repeats a response with a token, so it works only for the same caller.
        idempotency.run(
          { route: keyedRoute('send', by?.id), key, body: { amount, memo, maxFee } },
          sentOf,
          async (bind) => {
            const limit = by && createSpendLimit(context, by);
            limit?.requireLeft(amount);
            return sentOf(await spender.send({ amount, memo, maxFee, bind, charge: limit?.charge }));
          },
        ),
      ),
    spentTodayByKey: async () => store.keyUse.todayByKey(),

    reclaim: (id) =>
      withAppErrors(async () => {
        const send = requireOperation(store.operations.byId(id));
        if (store.charges.paymentOfChange(send.number))
          throw new AppError(
            'not_reclaimable',
            'This token is a customer’s change or refund. dot-mi takes it back if nobody fetches it within 180 days.',
          );
        const redemption = await inspectReclaim(context, send);
        const { operation } = await receiver.receive(redemption, () => undefined);
        const done = requireCompleted(operation);
        return { amount: done.amount, fee: done.fee, operationId: done.id };
      }),

    async release(id) {
      const released = await release(context, requireOperation(store.operations.byId(id)));
      const operation = requireOperation(store.operations.byId(id));
      context.recovery.scheduleRecheck();
      context.onChange(operation);
      // The proofs are free again, but the mint may have spent them.
      if (released.inWallet) {
        context.proofChecks.doubt();
        context.checkSoon();
      }
      return released;
    },

    seed: words,
    async confirmSeed(confirmed) {
      const mnemonic = seed.mnemonic();
      if (mnemonic === undefined) throw seedMissingError();
      const own = mnemonic.split(' ');
      const isRight = ({ position, word }: ConfirmedWords[number]) =>
        own[position - 1] === word.normalize('NFKD').trim().toLowerCase();
      if (!confirmed.every(isRight)) {
        throw new AppError(
          'wrong_words',
          'These words don’t match the wallet’s backup words. Compare them with the words you wrote down.',
        );
      }
      const backedUpAt = new Date(context.clock.now()).toISOString();
      await seed.confirmBackup(backedUpAt);
      onChanged();
      return { backedUpAt };
    },
    async newSeed() {
      if (seed.mnemonic() !== undefined) {
        throw new AppError(
          'seed_present',
          'This wallet already has its backup words, so they were not changed.',
        );
      }
      const prepared = await seed.generate();
      store.transaction(() => {
        prepared.record();
        // The stored counters belong to the missing words.
        store.counters.reset();
        store.counters.forgetReusable();
      });
      prepared.use();
      onChanged();
      return words();
    },
    restore: (mnemonic) => withAppErrors(() => restorer.restore(mnemonic)),
    rescan: () => withAppErrors(() => restorer.rescan()),

    async createTestToken() {
      throw new AppError(
        'real_money',
        'This wallet holds real sats, and dot-mi gives away only test sats. To try them, start dot-mi with DEV_MODE=true.',
      );
    },
    testTokens: testTokens.list,
    redeemTestToken: testTokens.redeem,
    dropTestToken: testTokens.drop,
  };
};
