import type { OperationKind } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mint, Proof, ProofState, SwapResult } from '../mint/mint.ts';
import { type Failure, type Operation, sumOf } from '../store/operation.ts';
import type { OldPlan } from '../store/operations-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { FailedSwap, OnStep } from './swap-attempt.ts';

/** Writes how operations end, and updates the balance with them. */
export interface Ledger {
  /**
   * Credits the proofs of an operation. Rejects with `MintError` if the mint can't be asked.
   *
   * - `isReplayed`: the mint may have done it earlier, so only proofs that it reports as unspent are credited
   *   (NUT-07).
   * - `sums`: the plan that the mint carried out, with its sums, if it may be an older one.
   */
  complete(
    operation: Operation,
    result: SwapResult,
    options: { isReplayed: boolean; sums?: OldPlan | undefined },
  ): Promise<void>;
  /** Writes that an operation failed, and frees its proofs. */
  fail(operation: Operation, outcome: Omit<FailedSwap, 'kind'>): void;
}

/** Dependencies of a {@link Ledger}. */
interface LedgerParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  logger: Logger;
  onStep: OnStep;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * When to recheck a failure that the mint never confirmed, followed by every six hours for seven days. A mint
 * whose restore lags must not cost a send its random outputs.
 */
const RECHECK_AFTER_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const;
const LATER_RECHECK_MS = 6 * HOUR_MS;
const RECHECKS = RECHECK_AFTER_MS.length + (7 * 24 * HOUR_MS) / LATER_RECHECK_MS;

/** When an operation's next recheck is due, in milliseconds since 1970. Undefined after the last one. */
export const nextRecheckAt = (rechecksDone: number, nowMs: number): number | undefined =>
  rechecksDone >= RECHECKS ? undefined : nowMs + (RECHECK_AFTER_MS[rechecksDone] ?? LATER_RECHECK_MS);

const OWN_PROOFS_SPENT: Failure = {
  code: 'already_spent',
  message: 'Another copy of this wallet spent some of its proofs. The balance has been corrected. Try again.',
};

/** Failures for spent inputs of operations that redeem no token from outside. */
const SPENT_FAILURES: Partial<Record<OperationKind, Failure>> = {
  reclaim: {
    code: 'already_spent',
    message: 'This token has already been redeemed, so there is nothing to reclaim.',
  },
  send: OWN_PROOFS_SPENT,
  swap: OWN_PROOFS_SPENT,
};

/** Sends and swaps use the wallet's own proofs, so nobody gave them a bad token. */
const ofOwnProofs = ({ kind }: Operation, failure: Failure): Failure =>
  (kind === 'send' || kind === 'swap') && failure.code === 'invalid_signature'
    ? { ...failure, code: 'mint_refused', message: "The mint refused one of this wallet's own proofs." }
    : failure;

/** Creates a {@link Ledger}. */
export const createLedger = ({ store, mint, clock, logger, onStep }: LedgerParts): Ledger => {
  /** This way, the history always adds up to what the wallet holds. */
  const recordSpentElsewhere = (amount: number) => {
    if (amount > 0) store.operations.add({ kind: 'spent_elsewhere', amount, fee: 0, expected: 0 }, true);
  };

  const recordRecovered = (amount: number) => {
    if (amount > 0) store.operations.add({ kind: 'recovered', amount, fee: 0, expected: 0 }, true);
  };

  const statesOf = async (proofs: readonly Proof[], isReplayed: boolean): Promise<ProofState[]> =>
    isReplayed && proofs.length > 0
      ? mint.states(proofs.map(({ y }) => y))
      : proofs.map(() => 'UNSPENT' as const);

  return {
    async complete(operation, { keep, send }, { isReplayed, sums }) {
      const { number, kind, reclaimsOperation: subject } = operation;
      const plan = sums?.plan ?? operation.plan;
      const token = send.length > 0 ? await mint.encode(send, operation.memo) : undefined;
      const states = await statesOf(keep, isReplayed);
      const having = (state: ProofState) => keep.filter((_, index) => states[index] === state);
      store.transaction(() => {
        const hadFailed = store.operations.get(number)?.state === 'failed';
        if (!store.operations.complete(number, token)) return;
        if (sums) store.operations.setSums(number, sums);
        const inputYs = (plan?.inputs ?? []).map(({ y }) => y);
        const isOwn = kind === 'send' || kind === 'swap';
        // A token from outside may also hold proofs of ours, if somebody with our words exported them.
        // Another operation settles the proofs that it reserves, or the history would count them twice.
        const removed = isOwn && !hadFailed ? store.proofs.remove(inputYs) : store.proofs.removeFree(inputYs);
        if (isOwn) {
          // The operation had failed, and its inputs were written off.
          if (hadFailed) recordRecovered(sumOf(plan?.inputs ?? []) - removed);
        } else {
          store.operations.claimInputs(number, inputYs);
          recordSpentElsewhere(removed);
        }
        const unheld = (proofs: readonly Proof[]) => proofs.filter(({ y }) => !store.proofs.has(y));
        const [credited, held] = [unheld(having('UNSPENT')), unheld(having('PENDING'))];
        store.proofs.add(number, credited);
        // Not spendable yet. Recovery settles them later.
        store.proofs.add(number, held, number);
        recordSpentElsewhere(sumOf(keep) - sumOf(credited) - sumOf(held));
        if (plan?.counters && plan.counters.count > 0) {
          store.counters.markSigned(plan.keysetId, plan.counters.start + plan.counters.count - 1);
        }
        store.operations.addSent(
          number,
          send.map(({ y }) => y),
        );
        if (subject !== undefined) store.operations.markSpent(subject, true);
      });
      onStep('operation-completed');
      logger.info({ operation: operation.id, kind }, 'operation completed');
    },

    fail(operation, { failure, certainty, spent = [], unsigned = false, collision = false }) {
      const { number, kind, plan, reclaimsOperation: subject } = operation;
      const final = spent.length > 0 ? (SPENT_FAILURES[kind] ?? failure) : ofOwnProofs(operation, failure);
      // The signatures belong to another copy. Only outputs that left are worth asking for again.
      const isAnothers = collision && plan?.send.length === 0;
      // The mint may have carried out an older plan.
      const isConfirmed =
        (certainty === 'final' || isAnothers) && store.operations.oldPlans(number).length === 0;
      store.transaction(() => {
        if (!store.operations.fail(number, final, isConfirmed ? undefined : nextRecheckAt(0, clock.now())))
          return;
        store.operations.freeInputs(number);
        store.proofs.releaseHeld(number);
        // Another copy of this wallet spent proofs of ours, so the balance must no longer count them. A proof
        // that another operation reserves is left to that one, or the history would miss it.
        recordSpentElsewhere(store.proofs.removeFree(spent));
        const { keysetId, counters } = plan ?? {};
        if (unsigned && keysetId !== undefined && counters && counters.count > 0) {
          store.counters.reuse(keysetId, counters);
        }
        if (subject !== undefined && spent.length === plan?.inputs.length)
          store.operations.markSpent(subject, false);
      });
      onStep('operation-failed');
      logger.info({ operation: operation.id, kind, code: final.code }, 'operation failed');
    },
  };
};
