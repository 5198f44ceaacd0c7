import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { createWaits } from '../../platform/waits.ts';
import { type Mint, MintError, type MintLimit, type SwapPlan } from '../mint/mint.ts';
import { type Failure, type Operation, sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { Ledger } from './ledger.ts';
import type { WalletOutputs } from './outputs.ts';
import { tokenFailure } from './problems.ts';
import {
  attemptSwap,
  type Certainty,
  feeOf,
  findSigned,
  type OnStep,
  type ReplanReason,
  type SwapOutcome,
} from './swap-attempt.ts';

/** How a swap is tried. */
export interface RunOptions {
  /** This process has not yet sent it, and neither has one before. */
  fresh: boolean;
  /** Until when to go on trying, in milliseconds since 1970. One attempt is made in any case. */
  deadline: number;
}

/** How an operation stands after a run, and how long the mint wishes to be left alone. */
export interface RunResult {
  operation: Operation;
  retryAfterMs?: number;
}

/** Brings operations to their end. */
export interface Runner {
  /** Tries until the operation is final or the deadline has passed. Whoever asks for one that is being tried shares that run. */
  run(operation: Operation, options: RunOptions): Promise<RunResult>;
  isRunning(operation: Operation): boolean;
  /** How many operations are being tried. */
  count(): number;
  /** Waits between attempts end at once, and nothing new is tried; resolves when nothing is being tried any more. */
  stop(): Promise<void>;
}

/** Learns from attempts what others do with the wallet's words, and what the mint accepts. */
export interface RunnerObserver {
  /** Called after an operation changed. */
  onChange(operation: Operation): void;
  /** The mint has signed outputs of this plan for somebody else. Resolves when the counters are past what it signed. */
  onCollision(plan: SwapPlan): Promise<void>;
  /** The mint refused a swap of this plan for its size. */
  onLimit(limit: MintLimit, plan: SwapPlan): void;
  /** Proofs of this wallet were spent by somebody else. */
  onSpentElsewhere(): void;
}

/** What a runner needs. */
export interface RunnerParts extends RunnerObserver {
  store: WalletStore;
  mint: Mint;
  ledger: Ledger;
  outputs: WalletOutputs;
  clock: Clock;
  logger: Logger;
  onStep: OnStep;
  confirmAfterMs: number;
}

/**
 * What looks like the end of an operation counts when it looks so for this long, where an earlier request of it was never
 * answered: that one may still be on its way, longer than the mint may take for an answer.
 */
export const CONFIRM_AFTER_MS = 30_000;

/** A mint that returned only a part of the signatures has this long to return the others. */
export const PART_KEPT_MS = 60 * 60_000;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;

/**
 * A mint that refuses each new keyset it names, or all outputs, must not keep us busy. Another copy of this wallet may be ahead of us
 * many times in a row.
 */
const MOST_REPLANS: Readonly<Record<ReplanReason, number>> = { outdated: 3, outputs: 14, collision: 14 };

const NO_LONGER_TRIED: Failure = {
  code: 'mint_refused',
  message: 'The mint repeatedly refused the outputs of this swap. Try again later.',
};

/** Makes a {@link Runner}: the one place where an operation ends. */
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
  /** When operations were first found to be at their end, which is not sure yet. A start begins anew. */
  const foundAt = new Map<number, number>();
  const running = new Map<string, Promise<RunResult>>();
  const waits = createWaits(clock);
  let stopped = false;

  const read = (operation: Operation): Operation => store.operationByNumber(operation.number) ?? operation;

  /** Other outputs for inputs that are surely unspent. Returns a failure where that cannot be. */
  const replan = async (
    operation: Operation,
    plan: SwapPlan,
    { why, keysets, certainty }: Extract<SwapOutcome, { kind: 'replan' }>,
    deadline: number,
  ): Promise<Failure | undefined> => {
    if (why === 'collision') await onCollision(plan);
    const { outputId } = keysets;
    const fee = feeOf(plan.inputs, keysets);
    if (fee === undefined) return tokenFailure('unknown_keyset');
    if (outputId === undefined) return { code: 'mint_error', message: 'The mint has no active keyset.' };
    const sent = operation.kind === 'send' ? operation.amount : 0;
    const kept = sumOf(plan.inputs) - fee - sent;
    if (kept < 0 || kept + sent === 0) return tokenFailure('below_fee');
    const made = await outputs.make(outputId, kept, deadline);
    const send = sent === 0 ? [] : await mint.randomOutputs(outputId, await mint.split(outputId, sent));
    const { counters } = made;
    store.transaction(() => {
      outputs.record(made);
      store.replacePlan(
        operation,
        {
          plan: {
            keysetId: outputId,
            inputs: plan.inputs,
            keep: made.outputs,
            send,
            ...(counters ? { counters } : {}),
          },
          amount: sent || kept,
          fee,
          expected: kept,
        },
        // Signatures of a collision are somebody else's; and what was refused at once never arrives later.
        { keepOld: certainty === 'found' && why !== 'collision' },
      );
    });
    onStep('operation-replanned');
    return undefined;
  };

  /** Whether a finding may count now. One that is not sure is noted, and made again. */
  const isConfirmed = ({ number }: Operation, certainty: Certainty): boolean => {
    if (certainty === 'final') return true;
    const since = foundAt.get(number) ?? clock.now();
    foundAt.set(number, since);
    return clock.now() - since >= confirmAfterMs;
  };

  /** Before a swap counts as somebody else's: an older plan's request may have been the one that the mint did. */
  const completeWithOldPlan = async (operation: Operation): Promise<boolean> => {
    for (const sums of store.oldPlans(operation.number)) {
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
    store.noteFailure(operation.number, noted, confirming);
  };

  /** Writes what an attempt came to. Returns whether the operation goes on with other outputs, of which nothing was ever sent. */
  const settle = async (
    operation: Operation,
    plan: SwapPlan,
    attempted: SwapOutcome,
    deadline: number,
  ): Promise<boolean> => {
    const isOld = clock.now() - operation.createdAt >= PART_KEPT_MS;
    const verdict = (attempted.kind === 'underway' && isOld && attempted.inTheEnd) || attempted;
    const isEnd = verdict.kind === 'failed' || verdict.kind === 'replan';
    if (isEnd && !isConfirmed(operation, verdict.certainty)) {
      note(operation, operation.failure, true);
      return false;
    }
    // A mint that gives no answer says nothing against what was found before.
    if (verdict.kind !== 'unknown') foundAt.delete(operation.number);
    switch (verdict.kind) {
      case 'completed':
        await ledger.complete(operation, verdict.result, { isReplayed: verdict.replayed });
        return false;
      case 'failed': {
        const isSpent = (verdict.spent?.length ?? 0) > 0;
        if (isSpent && (await completeWithOldPlan(operation))) return false;
        ledger.fail(operation, verdict);
        if (verdict.limit) onLimit(verdict.limit, plan);
        if (verdict.collision) {
          onCollision(plan).catch((error: unknown) =>
            logger.debug({ err: error }, 'counters not yet passed'),
          );
        }
        if (isSpent && (operation.kind === 'send' || operation.kind === 'swap')) onSpentElsewhere();
        return false;
      }
      case 'replan': {
        const failure = await replan(operation, plan, verdict, deadline);
        if (failure) ledger.fail(operation, { failure, certainty: verdict.certainty });
        return !failure;
      }
      case 'unknown':
      case 'underway':
        note(operation, verdict.failure, false);
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
      const verdict = await attemptSwap(mint, plan, operation.fee, mayHaveBeenSent, onStep);
      if (verdict.kind === 'replan' && replans[verdict.why] >= MOST_REPLANS[verdict.why]) {
        ledger.fail(operation, { failure: NO_LONGER_TRIED, certainty: verdict.certainty });
        return { operation: read(operation) };
      }
      const replanned = await settle(operation, plan, verdict, deadline);
      // A finding that is not confirmed yet is no plan.
      if (replanned && verdict.kind === 'replan') replans[verdict.why]++;
      operation = read(operation);
      if (operation.state !== 'pending') return { operation };
      mayHaveBeenSent = !replanned;
      if (replanned) continue;
      const retryAfterMs = verdict.kind === 'unknown' ? verdict.retryAfterMs : undefined;
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
          // The mint could not be asked at the last step, or no counters are left: recovery tries again.
          if (error instanceof MintError || (error instanceof AppError && error.code === 'wallet_busy'))
            return { operation: read(operation) };
          // A full disk, for example: what was written before the mint was asked brings it to its end later.
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
