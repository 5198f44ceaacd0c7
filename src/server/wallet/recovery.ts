import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Mint } from './mint.ts';
import type { Runner } from './runner.ts';
import type { WalletStore } from './wallet-store.ts';

/** Brings what was interrupted to its end, in the background. */
export interface Recovery {
  /** Something is pending: try again in a while. Called as often as one likes. */
  schedule(retryAfterMs?: number): void;
  /** Tries all that is pending now. */
  runNow(): Promise<void>;
  /** The mint answers again: what waits for it need not wait longer. */
  nudge(): void;
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
  /** Called after proofs that a restore found pending became free, or were spent. */
  onProofsChanged(): void;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 5 * 60_000;
/** A mint that answers only some requests seems to come back each time. */
const BETWEEN_NUDGES_MS = 5_000;
/** So that many wallets do not come back to a mint in the same instant. */
const JITTER = 0.2;

/** Makes a {@link Recovery}: one pass at a time, each later than the one before until something ends. */
export const createRecovery = ({
  store,
  mint,
  runner,
  clock,
  logger,
  onProofsChanged,
}: RecoveryParts): Recovery => {
  let callOff: (() => void) | undefined;
  let passing: Promise<void> | undefined;
  let delayMs = FIRST_DELAY_MS;
  let endedAt = Number.NEGATIVE_INFINITY;
  let stopped = false;

  /** Proofs that were pending at the mint when the wallet was restored from its words. */
  const settleRestored = async () => {
    for (const { number } of store.completedHolders()) {
      const held = store.heldProofs(number);
      const states = await mint.states(held.map(({ y }) => y));
      store.transaction(() => {
        for (const [index, { y }] of held.entries()) {
          if (states[index] === 'SPENT') store.removeProof(y);
          if (states[index] === 'UNSPENT') store.release(y);
        }
      });
      onProofsChanged();
    }
  };

  const pass = async () => {
    let longestWishMs = 0;
    let ended = 0;
    for (const operation of store.pendingOperations()) {
      if (stopped) return;
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
      logger.debug({ err: error }, 'restored proofs that were pending are asked for again later'),
    );
    if (ended > 0) delayMs = FIRST_DELAY_MS;
    if (store.hasUnfinished()) schedule(longestWishMs);
    else delayMs = FIRST_DELAY_MS;
  };

  const runNow = (): Promise<void> => {
    callOff?.();
    callOff = undefined;
    passing ??= pass()
      .catch((error: unknown) => {
        logger.error({ err: error }, 'recovery of the wallet failed; it goes on later');
        schedule();
      })
      .finally(() => {
        passing = undefined;
        endedAt = clock.now();
      });
    return passing;
  };

  const schedule = (retryAfterMs = 0) => {
    if (callOff || stopped) return;
    const jittered = delayMs * (1 - JITTER / 2 + Math.random() * JITTER);
    callOff = clock.after(Math.max(jittered, retryAfterMs), () => void runNow());
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  };

  return {
    schedule,
    runNow,
    nudge() {
      if (callOff && clock.now() - endedAt >= BETWEEN_NUDGES_MS) void runNow();
    },
    async stop() {
      stopped = true;
      callOff?.();
      await passing;
    },
  };
};
