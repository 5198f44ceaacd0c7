import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { createWaits } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Mint, MintError, type MintLimit, type SwapPlan } from '../mint/mint.ts';
import type { Operation, PendingOperation } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import {
  attempt,
  type Decision,
  type DecisionTimes,
  type Earlier,
  type Exchange,
  findSigned,
  type OnStep,
  type RefusalReason,
  type Refused,
  type Rewrite,
  type RewriteReason,
  type Wait,
  type WaitReason,
} from './decide.ts';
import type { Ledger } from './ledger.ts';
import { splitAmount, type WalletOutputs } from './outputs.ts';
import { type SeenWait, waitFailure } from './problems.ts';

/** Options for {@link Runner.run}. */
interface RunOptions {
  /** True if no process has sent this swap yet. */
  fresh: boolean;
  /** When to stop retrying, in milliseconds since 1970. There is always a first attempt. */
  deadline: number;
}

/** The operation after a run. */
export interface RunResult {
  operation: Operation;
  /** Why it failed, if it failed in this run. */
  refusal?: RefusalReason | undefined;
  /** Why it's still pending, according to the last attempt. */
  waiting?: WaitReason | undefined;
  /** How long the mint wants us to wait, in ms. */
  retryAfterMs?: number | undefined;
}

/** Runs operations until they complete or fail. */
export interface Runner {
  /** Retries until the operation ends or the deadline passes. Calls for a running operation share its run. */
  run(operation: PendingOperation, options: RunOptions): Promise<RunResult>;
  isRunning(operation: Operation): boolean;
  /** Returns how many operations are running. */
  count(): number;
  /** Ends the waits between attempts and makes no new attempt. Resolves when nothing is running. */
  stop(): Promise<void>;
}

/** Receives what attempts reveal about other copies of the wallet and about the mint's limits. */
interface RunnerObserver {
  /** Called after an operation changed. */
  onChange(operation: Operation): void;
  /** The mint signed this plan's outputs for someone else. Resolves when the counters have moved past them. */
  onCollision(plan: SwapPlan): Promise<void>;
  /** The mint refused this plan's swap because of its size. */
  onLimit(limit: MintLimit, plan: SwapPlan): void;
  /** Someone else spent this wallet's proofs. */
  onSpentElsewhere(): void;
  /** The mint calls these outside proofs spent. Resolves when it's clear whether a failed operation spent them. */
  onOutsideSpent(ys: readonly string[]): Promise<void>;
  /** The mint responded to this plan's swap with its signatures. */
  onFresh(plan: SwapPlan): void;
}

interface RunnerParts extends RunnerObserver {
  store: WalletStore;
  mint: Mint;
  ledger: Ledger;
  outputs: WalletOutputs;
  clock: Clock;
  logger: Logger;
  onStep: OnStep;
  times: DecisionTimes;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
/** How long a run waits for a mint that works on the inputs. After that, recovery continues. */
const WORKING_WAIT_MS = 5_000;

/** The limit for rewrites per reason. Another copy of this wallet may be ahead of us many times in a row. */
const MOST_REWRITES: Readonly<Record<RewriteReason, number>> = {
  keyset_outdated: 3,
  outputs_refused: 14,
  collision: 14,
};

const waitOf = (decision: Decision): Pick<RunResult, 'waiting' | 'retryAfterMs'> => {
  if (decision.kind !== 'wait') return {};
  const { why: waiting, until } = decision;
  return until.by === 'answer' ? { waiting, retryAfterMs: until.retryAfterMs } : { waiting };
};

/** Waits for the moment at which a refusal is confirmed, if that's soon, instead of asking several times before. */
const untilNextMs = ({ why, until }: Wait, waitMs: number, now: number): number => {
  const leftMs = why === 'confirming' ? until.at - now : Number.POSITIVE_INFINITY;
  return leftMs <= LONGEST_WAIT_MS ? Math.max(leftMs, 0) : waitMs;
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
  times,
  onChange,
  onCollision,
  onLimit,
  onSpentElsewhere,
  onOutsideSpent,
  onFresh,
}: RunnerParts): Runner => {
  /** When each operation first looked finished, until that's certain. Not kept across restarts. */
  const foundAt = new Map<number, number>();
  const running = new Map<string, Promise<RunResult>>();
  const waits = createWaits(clock);
  let stopped = false;

  const read = (operation: Operation): Operation => store.operations.get(operation.number) ?? operation;

  const exchangeOf = (operation: PendingOperation, plan: SwapPlan, earlier: Earlier): Exchange => ({
    ...plan,
    endpoint: 'swap',
    fee: operation.fee,
    isOwn: operation.kind === 'send' || operation.kind === 'swap',
    isLoose: operation.kind === 'restore',
    earlier,
    createdAt: operation.createdAt,
    looksFinishedSince: foundAt.get(operation.number),
  });

  /**
   * Gives an operation new outputs. The mint accepts its inputs only once, so an earlier request that still arrives
   * either comes too late, or its plan is the one that completes.
   */
  const rewrite = async (
    operation: PendingOperation,
    plan: SwapPlan,
    { why, output, fee, kept, sent }: Rewrite,
    deadline: number,
  ) => {
    if (why === 'collision') await onCollision(plan);
    const made = await outputs.make(output, kept, deadline, operation.kind !== 'receive');
    const send = sent === 0 ? [] : await mint.randomOutputs(output.id, splitAmount(output, sent));
    const { counters } = made;
    const { feeMax } = plan;
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
        // A collision's signatures belong to someone else.
        { keepOld: why !== 'collision' },
      );
    });
    onStep('operation-replanned');
  };

  /** Checks whether the mint carried out an older plan, before the swap counts as someone else's. */
  const completeWithOldPlan = async (operation: PendingOperation): Promise<boolean> => {
    for (const sums of store.operations.oldPlans(operation.number)) {
      const result = await findSigned(mint, sums.plan);
      if (!result) continue;
      await ledger.complete(operation, result, { isReplayed: true, sums });
      return true;
    }
    return false;
  };

  /** Records why an operation is still pending. While it's confirming, the earlier reason stays. */
  const note = (
    { number, kind, failure: before, confirming }: PendingOperation,
    wait: SeenWait | undefined,
  ) => {
    const failure = wait ? waitFailure(wait, kind) : before;
    if (confirming === !wait && isDeepStrictEqual(before, failure)) return;
    store.operations.noteFailure(number, failure, !wait);
  };

  /** Marks an operation as failed. Returns the reason, or undefined if it ended another way. */
  const refuse = async (
    operation: PendingOperation,
    plan: SwapPlan,
    refused: Refused,
  ): Promise<RefusalReason | undefined> => {
    const isSpent = (refused.spent?.length ?? 0) > 0;
    if (isSpent && (await completeWithOldPlan(operation))) return undefined;
    const isOwn = operation.kind === 'send' || operation.kind === 'swap';
    if (isSpent && !isOwn) await onOutsideSpent(refused.spent ?? []);
    // A person may have released it during the attempt.
    const isPending = read(operation).state === 'pending';
    ledger.fail(operation, refused);
    if (refused.why === 'too_large') onLimit(refused.limit, plan);
    if (refused.collision) {
      onCollision(plan).catch((error: unknown) => logger.debug({ err: error }, 'counters not yet passed'));
    }
    if (isSpent && isOwn) onSpentElsewhere();
    return isPending ? refused.why : undefined;
  };

  /** Carries out a decision. Returns why the operation failed, if it did. */
  const carryOut = async (
    operation: PendingOperation,
    plan: SwapPlan,
    decision: Decision,
    deadline: number,
  ): Promise<RefusalReason | undefined> => {
    const since = decision.kind === 'wait' ? decision.looksFinishedSince : undefined;
    if (since === undefined) foundAt.delete(operation.number);
    else foundAt.set(operation.number, since);
    switch (decision.kind) {
      case 'done':
        await ledger.complete(operation, decision.result, { isReplayed: decision.isReplayed });
        if (!decision.isReplayed) onFresh(plan);
        return undefined;
      case 'refused':
        return refuse(operation, plan, decision);
      case 'rewrite':
        await rewrite(operation, plan, decision, deadline);
        return undefined;
      case 'wait':
        note(operation, decision.why === 'confirming' ? undefined : decision);
        return undefined;
    }
  };

  const tryUntil = async (first: PendingOperation, { fresh, deadline }: RunOptions): Promise<RunResult> => {
    let operation: Operation = first;
    let earlier: Earlier = fresh ? 'none' : 'unanswered';
    let waitMs = FIRST_WAIT_MS;
    const startedAt = clock.now();
    const rewrites: Record<RewriteReason, number> = { keyset_outdated: 0, outputs_refused: 0, collision: 0 };
    for (;;) {
      if (operation.state !== 'pending') return { operation };
      const { plan } = operation;
      const exchange = exchangeOf(operation, plan, earlier);
      const attempted = await attempt(exchange, { mint, clock, onStep, times });
      let { decision } = attempted;
      if (decision.kind === 'rewrite' && ++rewrites[decision.why] > MOST_REWRITES[decision.why]) {
        decision = { kind: 'refused', why: 'rewritten_too_often', certainty: 'provisional' };
      }
      const refusal = await carryOut(operation, plan, decision, deadline);
      operation = read(operation);
      if (operation.state !== 'pending') return { operation, refusal };
      // The new outputs were never sent, but the old ones may be signed.
      const isNew = decision.kind === 'rewrite' && attempted.earlier !== 'unanswered';
      earlier = isNew ? 'none' : attempted.earlier;
      if (decision.kind === 'rewrite') continue;
      const waited = waitOf(decision);
      // Whoever asked needn't wait for a mint that works on something long, such as another wallet's payment.
      const isLong = waited.waiting === 'mint_working' && clock.now() - startedAt >= WORKING_WAIT_MS;
      const delayMs = Math.max(
        decision.kind === 'wait' ? untilNextMs(decision, waitMs, clock.now()) : waitMs,
        waited.retryAfterMs ?? 0,
      );
      if (stopped || isLong || clock.now() + delayMs > deadline) return { operation, ...waited };
      await waits.wait(delayMs);
      if (stopped) return { operation, ...waited };
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
          // The last step couldn't reach the mint, or no counters are left. Recovery retries.
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
