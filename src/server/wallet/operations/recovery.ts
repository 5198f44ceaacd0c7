import type { OperationKind } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mint } from '../mint/mint.ts';
import { type Operation, sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { type Ledger, nextRecheckAt } from './ledger.ts';
import type { Runner } from './runner.ts';
import { findSigned } from './swap-attempt.ts';

/** Brings what was interrupted to its end, in the background, and looks again at what failed without the mint's clear word. */
export interface Recovery {
  /** Something is pending: try again in a while. Called as often as one likes. */
  schedule(retryAfterMs?: number): void;
  /** A failed operation is to be looked at again. */
  scheduleRecheck(): void;
  /** Tries all that is pending now. */
  runNow(): Promise<void>;
  /** The mint answers again: what waits for it need not wait longer. */
  retryNow(): void;
  /** Nothing new is tried; resolves when nothing is being tried any more. */
  stop(): Promise<void>;
}

/** What recovery needs. */
export interface RecoveryParts {
  store: WalletStore;
  mint: Mint;
  runner: Runner;
  clock: Clock;
  logger: Logger;
  ledger: Ledger;
  /** How long the mint wants to be left alone, in ms; 0 when it does not. */
  pausedForMs(): number;
  /** Called after a failed operation turned out to be done, or proofs that a restore found pending became free or were spent. */
  onProofsChanged(): void;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 5 * 60_000;
/** A mint that answers only some requests seems to come back each time. */
const MIN_RETRY_INTERVAL_MS = 5_000;
/** So that many wallets do not come back to a mint in the same instant. */
const JITTER = 0.2;
/** Operations whose amount is what was found unspent so far. */
const FOUND_KINDS: readonly OperationKind[] = ['restore', 'recovered'];
/** Failed operations that are looked at again in one pass. */
const RECHECKS_A_PASS = 20;

/** Makes a {@link Recovery}: one pass at a time, each later than the one before until something ends. */
export const createRecovery = ({
  store,
  mint,
  runner,
  ledger,
  clock,
  logger,
  pausedForMs,
  onProofsChanged,
}: RecoveryParts): Recovery => {
  let cancelTimer: (() => void) | undefined;
  let cancelRecheck: (() => void) | undefined;
  let passing: Promise<void> | undefined;
  let delayMs = FIRST_DELAY_MS;
  let endedAt = Number.NEGATIVE_INFINITY;
  let stopped = false;

  /** Proofs that were pending at the mint when the wallet was restored from its words. */
  const settleRestored = async () => {
    for (const { number } of store.completedHolders()) {
      const isOfSearch = FOUND_KINDS.includes(store.operationByNumber(number)?.kind ?? 'receive');
      const held = store.heldProofs(number);
      const states = await mint.states(held.map(({ y }) => y));
      store.transaction(() => {
        const having = (state: string) => held.filter((_, index) => states[index] === state);
        const [unspent, spent] = [having('UNSPENT'), having('SPENT')];
        for (const { y } of unspent) store.release(y);
        store.removeProofs(spent.map(({ y }) => y));
        // What a search found counts once it is unspent; what a swap yielded was counted with it.
        if (isOfSearch && unspent.length > 0) store.addToAmount(number, sumOf(unspent));
        if (!isOfSearch && spent.length > 0) {
          store.addOperation({ kind: 'spent_elsewhere', amount: sumOf(spent), fee: 0, expected: 0 }, true);
        }
      });
      onProofsChanged();
    }
  };

  /** Whether the mint did, after all, what it once said nothing about. */
  const recheck = async (operation: Operation): Promise<boolean> => {
    const { number, plan } = operation;
    if (!plan) return false;
    const current = { plan, amount: operation.amount, fee: operation.fee, expected: operation.expected };
    for (const sums of [current, ...store.oldPlans(number)]) {
      const { result } = await findSigned(mint, sums.plan);
      if (!result) continue;
      const states = await mint.states(sums.plan.inputs.map(({ y }) => y));
      if (states.some((state) => state !== 'SPENT')) continue;
      await ledger.complete(operation, result, { isReplayed: true, sums });
      return true;
    }
    return false;
  };

  const recheckFailed = async () => {
    for (const operation of store.dueRechecks(RECHECKS_A_PASS)) {
      if (stopped || pausedForMs() > 0) return;
      if (await recheck(operation)) onProofsChanged();
      else store.setRecheck(operation.number, nextRecheckAt(operation.rechecks + 1, clock.now()));
    }
  };

  const pass = async () => {
    let longestWishMs = 0;
    let ended = 0;
    for (const operation of store.pendingOperations()) {
      if (stopped) return;
      longestWishMs = Math.max(longestWishMs, pausedForMs());
      if (longestWishMs > 0) break;
      if (runner.isRunning(operation)) continue;
      const { operation: after, retryAfterMs = 0 } = await runner.run(operation, {
        fresh: false,
        deadline: 0,
      });
      longestWishMs = Math.max(longestWishMs, retryAfterMs);
      if (after.state !== 'pending') ended += 1;
      // One that cannot reach the mint speaks for all.
      else if (after.failure?.code === 'mint_unreachable') break;
    }
    await settleRestored().catch((error: unknown) =>
      logger.debug({ err: error }, 'restored proofs that were pending will be checked again later'),
    );
    await recheckFailed().catch((error: unknown) =>
      logger.debug({ err: error }, 'failed operations will be checked again later'),
    );
    if (ended > 0) delayMs = FIRST_DELAY_MS;
    if (store.hasUnfinished()) schedule(longestWishMs);
    else delayMs = FIRST_DELAY_MS;
    scheduleRecheck();
  };

  const scheduleRecheck = () => {
    const dueAt = store.nextRecheckAt();
    cancelRecheck?.();
    if (dueAt === undefined || stopped) return;
    // Not at once, also where it is long due: the mint may have failed to answer just now.
    const waitMs = Math.max(dueAt - clock.now(), FIRST_DELAY_MS, pausedForMs());
    cancelRecheck = clock.after(waitMs, () => void runNow());
  };

  const runNow = (): Promise<void> => {
    cancelTimer?.();
    cancelTimer = undefined;
    passing ??= pass()
      .catch((error: unknown) => {
        logger.error({ err: error }, 'wallet recovery failed; it will be retried later');
        schedule();
      })
      .finally(() => {
        passing = undefined;
        endedAt = clock.now();
      });
    return passing;
  };

  const schedule = (retryAfterMs = 0) => {
    if (cancelTimer || stopped) return;
    const jittered = delayMs * (1 - JITTER / 2 + Math.random() * JITTER);
    cancelTimer = clock.after(Math.max(jittered, retryAfterMs), () => void runNow());
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  };

  return {
    schedule,
    scheduleRecheck,
    runNow,
    retryNow() {
      if (cancelTimer && clock.now() - endedAt >= MIN_RETRY_INTERVAL_MS) void runNow();
    },
    async stop() {
      stopped = true;
      cancelTimer?.();
      cancelRecheck?.();
      await passing;
    },
  };
};
