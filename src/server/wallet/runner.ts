import type { OperationKind } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { attemptSwap, feeOf, type OnStep, type Verdict } from './attempt.ts';
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
  /** Called after an operation changed. */
  onChange(operation: Operation): void;
}

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
  onChange,
}: RunnerParts): Runner => {
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

  const fail = (operation: Operation, failure: Failure, spent: readonly string[] = []) => {
    const final = spent.length > 0 ? (SPENT_FAILURES[operation.kind] ?? failure) : failure;
    store.transaction(() => {
      if (!store.fail(operation.number, final)) return;
      store.freeInputs(operation.number);
      // Proofs of ours that somebody with our words spent: the balance must not go on counting them.
      for (const y of spent) store.removeProof(y);
      store.releaseHeld(operation.number);
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
    const { outputs, nextCounter } = await keptOutputs(keysets.outputId, kept);
    const send =
      sent === 0 ? [] : await mint.randomOutputs(keysets.outputId, await mint.split(keysets.outputId, sent));
    store.transaction(() => {
      store.advanceCounter(keysets.outputId ?? '', nextCounter);
      store.replacePlan(
        operation.number,
        { keysetId: keysets.outputId ?? '', inputs: plan.inputs, keep: outputs, send },
        { amount: sent || kept, fee, expected: kept },
      );
    });
    onStep('operation-replanned');
    return undefined;
  };

  const settle = async (operation: Operation, plan: SwapPlan, verdict: Verdict): Promise<void> => {
    switch (verdict.kind) {
      case 'completed':
        return complete(operation, verdict.result);
      case 'failed':
        return fail(operation, verdict.failure, verdict.spent);
      case 'replan': {
        const failure = await replan(operation, plan, verdict.keysets);
        if (failure) fail(operation, failure);
        return;
      }
      case 'unknown':
        if (operation.failure?.message !== verdict.failure.message) {
          store.noteFailure(operation.number, verdict.failure);
        }
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
      await settle(operation, plan, verdict);
      operation = read(operation);
      if (operation.state !== 'pending') return { operation };
      mayHaveBeenSent = true;
      if (verdict.kind === 'replan' && ++replans <= MOST_REPLANS) {
        mayHaveBeenSent = false;
        continue;
      }
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
