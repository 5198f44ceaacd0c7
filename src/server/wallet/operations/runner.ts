import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { createWaits } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Mint, MintError, type MintLimit, type SwapPlan } from '../mint/mint.ts';
import { type Failure, type Operation, sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { Ledger } from './ledger.ts';
import { splitAmount, type WalletOutputs } from './outputs.ts';
import { feeTooHighFailure, tokenFailure } from './problems.ts';
import {
  attemptSwap,
  type Certainty,
  feeOf,
  findSigned,
  type OnStep,
  type ReplanReason,
  type SwapOutcome,
} from './swap-attempt.ts';

/** Options of {@link Runner.run}. */
interface RunOptions {
  /** No process has sent this swap yet. */
  fresh: boolean;
  /** When to stop retrying, in milliseconds since 1970. The first attempt is made in any case. */
  deadline: number;
}

/** The operation after a run, and how long the mint asked us to wait, in ms. */
interface RunResult {
  operation: Operation;
  retryAfterMs?: number;
}

/** Runs operations until they complete or fail. */
export interface Runner {
  /** Retries until the operation ends or the deadline passes. Calls for a running operation share its run. */
  run(operation: Operation, options: RunOptions): Promise<RunResult>;
  isRunning(operation: Operation): boolean;
  /** How many operations are running. */
  count(): number;
  /** Ends the waits between attempts and makes no new attempt. Resolves when nothing is running. */
  stop(): Promise<void>;
}

/** Observes what attempts reveal about other copies of the wallet and about the mint's limits. */
interface RunnerObserver {
  /** Called after an operation changed. */
  onChange(operation: Operation): void;
  /** The mint signed outputs of this plan for somebody else. Resolves when the counters are past those. */
  onCollision(plan: SwapPlan): Promise<void>;
  /** The mint refused a swap of this plan because of its size. */
  onLimit(limit: MintLimit, plan: SwapPlan): void;
  /** Somebody else spent proofs of this wallet. */
  onSpentElsewhere(): void;
}

/** Dependencies of a {@link Runner}. */
interface RunnerParts extends RunnerObserver {
  store: WalletStore;
  mint: Mint;
  ledger: Ledger;
  outputs: WalletOutputs;
  clock: Clock;
  logger: Logger;
  onStep: OnStep;
  confirmAfterMs: number;
}

/** How long an operation must look finished before that counts. An unanswered request may still arrive. */
export const CONFIRM_AFTER_MS = 30_000;

/** How long a mint that returned only some signatures has to return the others. */
const PART_KEPT_MS = 60 * 60_000;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;

/** The most replans per reason. Another copy of this wallet may be ahead of us many times in a row. */
const MOST_REPLANS: Readonly<Record<ReplanReason, number>> = { outdated: 3, outputs: 14, collision: 14 };

const NO_LONGER_TRIED: Failure = {
  code: 'mint_refused',
  message: 'The mint repeatedly refused the outputs of this swap. Try again later.',
};

/** Creates a {@link Runner}. It ends all pending operations, except those that are released. */
export const createRunner = ({
  store,
  mint,
  ledger,
  outputs,
  clock,
  logger,
  onStep,
  confirmAfterMs,
  onChange,
  onCollision,
  onLimit,
  onSpentElsewhere,
}: RunnerParts): Runner => {
  /** When each operation first looked finished, while that isn't certain. A restart begins anew. */
  const foundAt = new Map<number, number>();
  const running = new Map<string, Promise<RunResult>>();
  const waits = createWaits(clock);
  let stopped = false;

  const read = (operation: Operation): Operation => store.operations.get(operation.number) ?? operation;

  /** Creates new outputs for inputs that are certainly unspent. Returns a failure if that isn't possible. */
  const replan = async (
    operation: Operation,
    plan: SwapPlan,
    { why, keysets, certainty }: Extract<SwapOutcome, { kind: 'replan' }>,
    deadline: number,
  ): Promise<Failure | undefined> => {
    if (why === 'collision') await onCollision(plan);
    const { output } = keysets;
    const fee = feeOf(plan.inputs, keysets);
    if (fee === undefined) return tokenFailure('unknown_keyset');
    if (!output) return { code: 'mint_error', message: 'The mint has no active keyset.' };
    const { feeMax } = plan;
    if (feeMax !== undefined && fee > feeMax) return feeTooHighFailure(fee, feeMax);
    const sent = operation.kind === 'send' ? operation.amount : 0;
    const kept = sumOf(plan.inputs) - fee - sent;
    if (kept < 0 || kept + sent === 0) return tokenFailure('below_fee');
    const made = await outputs.make(output, kept, deadline);
    const send = sent === 0 ? [] : await mint.randomOutputs(output.id, splitAmount(output, sent));
    const { counters } = made;
    store.transaction(() => {
      outputs.record(made);
      store.operations.rewrite(
        operation,
        {
          plan: {
            keysetId: output.id,
            inputs: plan.inputs,
            keep: made.outputs,
            send,
            ...(counters ? { counters } : {}),
            ...(feeMax === undefined ? {} : { feeMax }),
          },
          amount: sent || kept,
          fee,
        },
        // Signatures of a collision are somebody else's, and a request that was refused at once never arrives
        // later.
        { keepOld: certainty === 'provisional' && why !== 'collision' },
      );
    });
    onStep('operation-replanned');
    return undefined;
  };

  /** Whether an outcome may count now. An uncertain one must be seen again later. */
  const isConfirmed = ({ number }: Operation, certainty: Certainty): boolean => {
    if (certainty === 'final') return true;
    const since = foundAt.get(number) ?? clock.now();
    foundAt.set(number, since);
    return clock.now() - since >= confirmAfterMs;
  };

  /** Checks whether the mint carried out an older plan, before the swap counts as somebody else's. */
  const completeWithOldPlan = async (operation: Operation): Promise<boolean> => {
    for (const sums of store.operations.oldPlans(operation.number)) {
      const { result } = await findSigned(mint, sums.plan);
      if (!result) continue;
      await ledger.complete(operation, result, { isReplayed: true, sums });
      return true;
    }
    return false;
  };

  const note = (operation: Operation, failure: Failure | undefined, confirming: boolean) => {
    const ofSend = operation.kind === 'send' && failure?.code === 'redemption_pending';
    const noted = ofSend && failure ? { ...failure, code: 'send_pending' as const } : failure;
    const before = operation.failure;
    if (
      operation.confirming === confirming &&
      before?.code === noted?.code &&
      before?.message === noted?.message
    )
      return;
    store.operations.noteFailure(operation.number, noted, confirming);
  };

  /**
   * Writes the outcome of an attempt. Returns whether the operation continues with new outputs, which were
   * never sent.
   */
  const settle = async (
    operation: Operation,
    plan: SwapPlan,
    attempted: SwapOutcome,
    deadline: number,
  ): Promise<boolean> => {
    const isOld = clock.now() - operation.createdAt >= PART_KEPT_MS;
    const outcome = (attempted.kind === 'in_flight' && isOld && attempted.inTheEnd) || attempted;
    const isEnd = outcome.kind === 'failed' || outcome.kind === 'replan';
    if (isEnd && !isConfirmed(operation, outcome.certainty)) {
      note(operation, operation.failure, true);
      return false;
    }
    // An attempt without an answer doesn't contradict an earlier outcome.
    if (outcome.kind !== 'unknown') foundAt.delete(operation.number);
    switch (outcome.kind) {
      case 'completed':
        await ledger.complete(operation, outcome.result, { isReplayed: outcome.replayed });
        return false;
      case 'failed': {
        const isSpent = (outcome.spent?.length ?? 0) > 0;
        if (isSpent && (await completeWithOldPlan(operation))) return false;
        ledger.fail(operation, outcome);
        if (outcome.limit) onLimit(outcome.limit, plan);
        if (outcome.collision) {
          onCollision(plan).catch((error: unknown) =>
            logger.debug({ err: error }, 'counters not yet passed'),
          );
        }
        if (isSpent && (operation.kind === 'send' || operation.kind === 'swap')) onSpentElsewhere();
        return false;
      }
      case 'replan': {
        const failure = await replan(operation, plan, outcome, deadline);
        if (failure) ledger.fail(operation, { failure, certainty: outcome.certainty });
        return !failure;
      }
      case 'unknown':
      case 'in_flight':
        note(operation, outcome.failure, false);
        return false;
    }
  };

  const tryUntil = async (first: Operation, { fresh, deadline }: RunOptions): Promise<RunResult> => {
    let operation = first;
    let mayHaveBeenSent = !fresh;
    let waitMs = FIRST_WAIT_MS;
    const replans: Record<ReplanReason, number> = { outdated: 0, outputs: 0, collision: 0 };
    for (;;) {
      const { plan } = operation;
      if (operation.state !== 'pending' || !plan) return { operation };
      const outcome = await attemptSwap(mint, plan, operation.fee, mayHaveBeenSent, onStep);
      if (outcome.kind === 'replan' && replans[outcome.why] >= MOST_REPLANS[outcome.why]) {
        ledger.fail(operation, { failure: NO_LONGER_TRIED, certainty: outcome.certainty });
        return { operation: read(operation) };
      }
      const replanned = await settle(operation, plan, outcome, deadline);
      // An unconfirmed outcome doesn't replace the plan.
      if (replanned && outcome.kind === 'replan') replans[outcome.why]++;
      operation = read(operation);
      if (operation.state !== 'pending') return { operation };
      mayHaveBeenSent = !replanned;
      if (replanned) continue;
      const retryAfterMs = outcome.kind === 'unknown' ? outcome.retryAfterMs : undefined;
      const delayMs = Math.max(waitMs, retryAfterMs ?? 0);
      if (stopped || clock.now() + delayMs > deadline) {
        return { operation, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      }
      await waits.wait(delayMs);
      if (stopped) return { operation };
      operation = read(operation);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  };

  return {
    isRunning: ({ id }) => running.has(id),
    count: () => running.size,
    run(operation, options) {
      const under = running.get(operation.id);
      if (under) return under;
      const run = tryUntil(operation, options)
        .catch((error: unknown): RunResult => {
          // The last step couldn't reach the mint, or no counters are left. Recovery tries again.
          if (error instanceof MintError || (error instanceof AppError && error.code === 'wallet_busy'))
            return { operation: read(operation) };
          // For example, the disk is full. Recovery finishes the operation later from the plan on disk.
          logger.error({ err: error, operation: operation.id }, 'an operation could not be finished');
          return { operation };
        })
        .finally(() => {
          running.delete(operation.id);
          outputs.operationEnded();
          const now = read(operation);
          if (now.state !== 'pending' || now.updatedAt !== operation.updatedAt) onChange(now);
        });
      running.set(operation.id, run);
      return run;
    },
    async stop() {
      stopped = true;
      waits.endAll();
      outputs.operationEnded();
      await Promise.all(running.values());
    },
  };
};
