import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { isLasting, type Mint, MintError } from '../mint/mint.ts';
import type { FailedOperation, PendingOperation } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { findSigned } from './decide.ts';
import type { DueQueue } from './due-queue.ts';
import { type Ledger, LONGEST_RECHECK_MS, nextRecheckAt } from './ledger.ts';
import { toAppError } from './problems.ts';
import type { Runner, RunResult } from './runner.ts';
import type { TokenShare } from './token-share.ts';

/** Finishes interrupted operations in the background, and rechecks failures that the mint didn't clearly confirm. */
export interface Recovery {
  /** Schedules a retry of pending operations. Safe to call at any time. */
  schedule(retryAfterMs?: number): void;
  /** Call this after an operation failed, so that it's rechecked in time. */
  scheduleRecheck(): void;
  /**
   * Rechecks at once the failed operations that would have redeemed these outside proofs, because the mint calls them
   * spent. Rejects with `MintError` if it doesn't respond.
   */
  recheckTakers(ys: readonly string[]): Promise<void>;
  /** Retries all pending operations now. */
  runNow(): Promise<void>;
  /** Makes the next retry due, because the mint responds again. */
  retrySoon(): void;
}

interface RecoveryParts {
  store: WalletStore;
  mint: Mint;
  runner: Runner;
  /** Limits the requests for tokens that others gave the wallet. */
  tokenShare: TokenShare;
  clock: Clock;
  logger: Logger;
  ledger: Ledger;
  queue: DueQueue;
  /** Returns how long the mint wants us to wait, in ms, or 0. */
  pausedForMs(): number;
  /** Called with a failed operation's number if the mint turns out to have carried it out. */
  onDone(operation: number): void;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 5 * 60_000;
/** Limits retries at a mint that responds only to some requests and so looks reachable again each time. */
const MIN_RETRY_INTERVAL_MS = 5_000;
/** Spreads retries, so that many wallets don't return to a mint at the same moment. */
const JITTER = 0.2;
/** When an operation whose recheck failed is checked again. */
const RETRY_RECHECK_MS = 60_000;
/** How many failed operations one pass rechecks. */
const RECHECKS_A_PASS = 20;

/** Creates a {@link Recovery}. The waits between its passes get longer until an operation ends. */
export const createRecovery = ({
  store,
  mint,
  runner,
  tokenShare,
  ledger,
  queue,
  clock,
  logger,
  pausedForMs,
  onDone,
}: RecoveryParts): Recovery => {
  /** When pending operations are tried again. */
  let retryAt: number | undefined;
  let delayMs = FIRST_DELAY_MS;
  /** The receive that was tried last. */
  let lastReceive = 0;
  let endedAt = Number.NEGATIVE_INFINITY;

  /** Completes a failed operation if the mint turns out to have carried it out. Returns whether it did. */
  const recheck = async (operation: FailedOperation): Promise<boolean> => {
    const { number, plan } = operation;
    if (!plan) return false;
    const current = { plan, amount: operation.amount, fee: operation.fee };
    for (const sums of [current, ...store.operations.oldPlans(number)]) {
      const result = await findSigned(mint, sums.plan);
      if (!result) continue;
      const states = await mint.states(sums.plan.inputs.map(({ y }) => y));
      if (states.some((state) => state !== 'SPENT')) continue;
      await ledger.complete(operation, result, { isReplayed: true, sums });
      return true;
    }
    return false;
  };

  /** Rechecks each operation separately, so that one that fails doesn't hold up the others. */
  const recheckFailed = async () => {
    for (const operation of store.operations.dueRechecks(RECHECKS_A_PASS)) {
      if (queue.isStopped() || pausedForMs() > 0) return;
      const { number, rechecks } = operation;
      // Move it forward first. Otherwise, one that always fails would be due again at once.
      store.operations.postponeRecheck(number, clock.now() + RETRY_RECHECK_MS);
      try {
        if (operation.kind === 'receive') tokenShare.takeRequest();
        if (await recheck(operation)) onDone(number);
        else store.operations.setRecheck(number, nextRecheckAt(rechecks + 1, clock.now()));
      } catch (error) {
        logger.debug(
          { err: error, operation: operation.id },
          'a failed operation will be checked again later',
        );
        if (error instanceof MintError && error.kind === 'unreachable') return;
      }
    }
  };

  const recheckTakers = async (ys: readonly string[]) => {
    for (const operation of store.operations.recheckedWith(ys)) {
      try {
        if (await recheck(operation)) onDone(operation.number);
      } catch (error) {
        // Such a mint never responds better, and the regular recheck continues.
        if (!(error instanceof MintError && isLasting(error))) throw error;
      }
    }
  };

  /** Returns pending operations, the wallet's own before receives. Each receive gets its turn. */
  const inTurn = (): PendingOperation[] =>
    store.operations
      .pending()
      .map((operation) => {
        const isReceive = operation.kind === 'receive';
        return { operation, turn: isReceive ? (operation.number > lastReceive ? 1 : 2) : 0 };
      })
      .sort((a, b) => a.turn - b.turn)
      .map(({ operation }) => operation);

  const tryAgain = (operation: PendingOperation): Promise<RunResult> => {
    const run = () => runner.run(operation, { fresh: false, deadline: 0 });
    if (operation.kind !== 'receive') return run();
    return tokenShare.redeem({ proofs: operation.plan.inputs }, () => {
      lastReceive = operation.number;
      return run();
    });
  };

  const pass = async () => {
    retryAt = undefined;
    let longestWishMs = 0;
    let ended = 0;
    for (const operation of inTurn()) {
      if (queue.isStopped()) return;
      longestWishMs = Math.max(longestWishMs, pausedForMs());
      if (longestWishMs > 0) break;
      if (runner.isRunning(operation)) continue;
      const tried = await tryAgain(operation).catch((error: unknown) => {
        const shown = toAppError(error);
        if (shown instanceof AppError) return shown;
        throw error;
      });
      // The share of tokens is used up.
      if (tried instanceof AppError) {
        longestWishMs = Number(tried.details?.retryAfterSeconds) * 1_000;
        break;
      }
      const { operation: after, waiting, retryAfterMs = 0 } = tried;
      longestWishMs = Math.max(longestWishMs, retryAfterMs);
      if (after.state !== 'pending') ended += 1;
      // If one operation can't reach the mint, skip the rest.
      else if (waiting === 'mint_unreachable') break;
    }
    await recheckFailed();
    if (ended > 0) delayMs = FIRST_DELAY_MS;
    if (store.operations.hasPending()) retryIn(longestWishMs);
    else delayMs = FIRST_DELAY_MS;
    endedAt = clock.now();
  };

  const retryIn = (retryAfterMs: number) => {
    if (retryAt !== undefined) return;
    const jittered = delayMs * (1 - JITTER / 2 + Math.random() * JITTER);
    retryAt = clock.now() + Math.max(jittered, retryAfterMs);
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  };

  const kind = queue.add('recovery', {
    dueAt() {
      store.operations.pullRechecksForward(clock.now(), clock.now() + LONGEST_RECHECK_MS);
      // A retry that is further away was planned while the clock was ahead.
      const retry = retryAt === undefined ? Infinity : Math.min(retryAt, clock.now() + LONGEST_DELAY_MS);
      const dueAt = Math.min(retry, store.operations.nextRecheckAt() ?? Infinity);
      return dueAt === Infinity ? undefined : dueAt;
    },
    work: () =>
      pass().catch((error: unknown) => {
        retryIn(0);
        throw error;
      }),
    longestMs: LONGEST_RECHECK_MS,
    restsForMs: pausedForMs,
  });

  return {
    schedule(retryAfterMs = 0) {
      retryIn(retryAfterMs);
      kind.changed();
    },
    scheduleRecheck: kind.changed,
    recheckTakers,
    runNow: kind.runNow,
    retrySoon() {
      if (retryAt !== undefined && clock.now() - endedAt >= MIN_RETRY_INTERVAL_MS) retryAt = clock.now();
    },
  };
};
