import type { OperationKind } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { attemptSwap, type Certainty, feeOf, type OnStep, type Verdict } from './attempt.ts';
import type { Keysets, Mint, SwapPlan, SwapResult } from './mint.ts';
import type { Failure, Operation } from './operation.ts';
import type { MakeKeptOutputs } from './outputs.ts';
import { tokenFailure } from './problems.ts';
import type { WalletStore } from './wallet-store.ts';

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
  /** Waits between attempts end at once, and nothing new is tried; resolves when nothing is being tried any more. */
  stop(): Promise<void>;
}

/** What a runner needs. */
export interface RunnerParts {
  store: WalletStore;
  mint: Mint;
  keptOutputs: MakeKeptOutputs;
  clock: Clock;
  logger: Logger;
  onStep: OnStep;
  confirmAfterMs: number;
  /** Called after an operation changed. */
  onChange(operation: Operation): void;
}

/**
 * What looks like the end of an operation counts when it looks so for this long, where an earlier request of it was never
 * answered: that one may still be on its way, longer than the mint may take for an answer.
 */
export const CONFIRM_AFTER_MS = 30_000;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;

/** A mint that refuses each new keyset it names must not keep us busy. */
const MOST_REPLANS = 3;

const OWN_PROOFS_SPENT: Failure = {
  code: 'already_spent',
  message: 'Some proofs of this wallet were spent elsewhere; the balance is corrected. Try again.',
};

/** What spent inputs mean where it is not a token from outside that was spent. */
const SPENT_FAILURES: Partial<Record<OperationKind, Failure>> = {
  reclaim: { code: 'already_spent', message: 'The token has been redeemed; there is nothing to take back.' },
  send: OWN_PROOFS_SPENT,
  swap: OWN_PROOFS_SPENT,
};

const TO_BE_CONFIRMED: Failure = {
  code: 'redemption_pending',
  message: 'It looks as if this cannot be done; the wallet makes sure before it gives it up.',
};

const sum = (proofs: readonly { amount: number }[]) =>
  proofs.reduce((total, { amount }) => total + amount, 0);

/** Makes a {@link Runner}: the one place where an operation ends. */
export const createRunner = ({
  store,
  mint,
  keptOutputs,
  clock,
  logger,
  onStep,
  confirmAfterMs,
  onChange,
}: RunnerParts): Runner => {
  /** When operations were first found to be at their end, which is not sure yet. A start begins anew. */
  const foundAt = new Map<number, number>();
  const running = new Map<string, Promise<RunResult>>();
  const waits = new Set<() => void>();
  let stopped = false;

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        callOff();
        waits.delete(end);
        resolve();
      };
      const callOff = clock.after(ms, end);
      waits.add(end);
    });

  const read = (operation: Operation): Operation => store.operationByNumber(operation.number) ?? operation;

  const complete = async (operation: Operation, { keep, send }: SwapResult) => {
    const token = send.length > 0 ? await mint.encode(send, operation.memo) : undefined;
    store.transaction(() => {
      if (!store.complete(operation.number, token)) return;
      // Also those of a token from outside: it may have held proofs of ours, exported by somebody with our words.
      for (const { y } of operation.plan?.inputs ?? []) store.removeProof(y);
      store.addProofs(operation.number, keep);
      store.addSent(
        operation.number,
        send.map(({ y }) => y),
      );
      if (operation.subject !== undefined) store.markSpent(operation.subject, true);
    });
    onStep('operation-completed');
    logger.info({ operation: operation.id, kind: operation.kind }, 'operation completed');
  };

  const fail = (
    operation: Operation,
    failure: Failure,
    { spent = [], unsigned = false }: { spent?: readonly string[]; unsigned?: boolean } = {},
  ) => {
    const final = spent.length > 0 ? (SPENT_FAILURES[operation.kind] ?? failure) : failure;
    store.transaction(() => {
      if (!store.fail(operation.number, final)) return;
      store.freeInputs(operation.number);
      // Proofs of ours that somebody with our words spent: the balance must not go on counting them.
      for (const y of spent) store.removeProof(y);
      store.releaseHeld(operation.number);
      const { keysetId, counters } = operation.plan ?? {};
      if (unsigned && keysetId !== undefined && counters && counters.count > 0) {
        store.spareCounters(keysetId, counters);
      }
      if (operation.subject !== undefined && spent.length === operation.plan?.inputs.length) {
        store.markSpent(operation.subject, false);
      }
    });
    onStep('operation-failed');
    logger.info({ operation: operation.id, kind: operation.kind, code: final.code }, 'operation failed');
  };

  /** Other outputs for inputs that are surely unspent. Returns a failure where that cannot be. */
  const replan = async (
    operation: Operation,
    plan: SwapPlan,
    keysets: Keysets,
  ): Promise<Failure | undefined> => {
    const fee = feeOf(plan.inputs, keysets);
    if (fee === undefined) return tokenFailure('unknown_keyset');
    if (keysets.outputId === undefined)
      return { code: 'mint_error', message: 'The mint has no active keyset.' };
    const sent = operation.kind === 'send' ? operation.amount : 0;
    const kept = sum(plan.inputs) - fee - sent;
    if (kept < 0 || kept + sent === 0) {
      return { code: 'amount_below_fee', message: 'The amount is not more than the fee of the mint.' };
    }
    const { outputs, counters, nextCounter } = await keptOutputs(keysets.outputId, kept);
    const send =
      sent === 0 ? [] : await mint.randomOutputs(keysets.outputId, await mint.split(keysets.outputId, sent));
    store.transaction(() => {
      store.advanceCounter(keysets.outputId ?? '', nextCounter);
      store.replacePlan(
        operation.number,
        { keysetId: keysets.outputId ?? '', inputs: plan.inputs, keep: outputs, send, counters },
        { amount: sent || kept, fee, expected: kept },
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

  /** Writes what an attempt came to. Returns whether the operation goes on with other outputs, of which nothing was ever sent. */
  const settle = async (operation: Operation, plan: SwapPlan, verdict: Verdict): Promise<boolean> => {
    const isEnd = verdict.kind === 'failed' || verdict.kind === 'replan';
    if (isEnd && !isConfirmed(operation, verdict.certainty)) {
      if (operation.failure?.message !== TO_BE_CONFIRMED.message) {
        store.noteFailure(operation.number, TO_BE_CONFIRMED);
      }
      return false;
    }
    // A mint that gives no answer says nothing against what was found before.
    if (verdict.kind !== 'unknown') foundAt.delete(operation.number);
    switch (verdict.kind) {
      case 'completed':
        await complete(operation, verdict.result);
        return false;
      case 'failed':
        fail(operation, verdict.failure, verdict);
        return false;
      case 'replan': {
        const failure = await replan(operation, plan, verdict.keysets);
        if (failure) fail(operation, failure);
        return !failure;
      }
      case 'unknown':
      case 'underway':
        if (operation.failure?.message !== verdict.failure.message) {
          store.noteFailure(operation.number, verdict.failure);
        }
        return false;
    }
  };

  const tryUntil = async (first: Operation, { fresh, deadline }: RunOptions): Promise<RunResult> => {
    let operation = first;
    let mayHaveBeenSent = !fresh;
    let waitMs = FIRST_WAIT_MS;
    let replans = 0;
    for (;;) {
      const { plan } = operation;
      if (operation.state !== 'pending' || !plan) return { operation };
      const verdict = await attemptSwap(mint, plan, operation.fee, mayHaveBeenSent, onStep);
      const replanned = await settle(operation, plan, verdict);
      operation = read(operation);
      if (operation.state !== 'pending') return { operation };
      mayHaveBeenSent = !replanned;
      if (replanned && ++replans <= MOST_REPLANS) continue;
      const retryAfterMs = verdict.kind === 'unknown' ? verdict.retryAfterMs : undefined;
      const delayMs = Math.max(waitMs, retryAfterMs ?? 0);
      if (stopped || clock.now() + delayMs > deadline) {
        return { operation, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      }
      await wait(delayMs);
      if (stopped) return { operation };
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  };

  return {
    isRunning: ({ id }) => running.has(id),
    run(operation, options) {
      const under = running.get(operation.id);
      if (under) return under;
      const run = tryUntil(operation, options)
        .catch((error: unknown): RunResult => {
          // A disk that is full, say: what was written before the mint was asked brings it to its end later.
          logger.error(
            { err: error, operation: operation.id },
            'an operation could not be brought to its end',
          );
          return { operation };
        })
        .finally(() => {
          running.delete(operation.id);
          const now = read(operation);
          if (now.state !== 'pending' || now.failure?.message !== operation.failure?.message) onChange(now);
        });
      running.set(operation.id, run);
      return run;
    },
    async stop() {
      stopped = true;
      for (const end of waits) end();
      await Promise.all(running.values());
    },
  };
};
