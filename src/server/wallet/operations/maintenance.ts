import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Keyset, Keysets, Mint } from '../mint/mint.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { Reconciler } from './reconcile.ts';
import type { Runner } from './runner.ts';
import { dustOf, isExpired } from './selection.ts';
import type { Spender } from './spend.ts';

/** What the wallet does in the background, in quiet moments: keeps its proofs few, current and true. */
export interface Maintenance {
  start(): void;
  /** Something happened that another copy of this wallet may have caused: look sooner. */
  lookSoon(): void;
  /** Nothing new is begun; resolves when nothing is being done any more. */
  stop(): Promise<void>;
}

/** What maintenance needs. */
export interface MaintenanceParts {
  store: WalletStore;
  mint: Mint;
  spender: Spender;
  reconciler: Reconciler;
  runner: Runner;
  clock: Clock;
  logger: Logger;
  /** How long the mint wants to be left alone, in ms; 0 when it does not. */
  pausedForMs(): number;
}

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const SOON_MS = 1_000;
/** Others go first, but what expires cannot wait for ever: after so many looks it begins anyway. */
const BUSY_MS = 5_000;
const MOST_BUSY_TURNS = 6;
const WEEK_MS = 7 * 24 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** What failed to move is left alone for so long, and for less when it expires soon. */
const BACKOFF_MS = 60 * 60_000;
const SHORTEST_BACKOFF_MS = 60_000;
/** A keyset that expires is tried at least so often in the time that is left. */
const TRIES_BEFORE_EXPIRY = 10;
/** Mints take this many at once without delay; more wait for the next swap. */
const MOVED_AT_ONCE = 200;
/** A keyset with more proofs than this is consolidated. */
const MOST_PROOFS = 200;
const MERGED_AT_ONCE = 150;
/** In one turn; then others get theirs. */
const SWAPS_A_TURN = 200;

/** Makes a {@link Maintenance}. */
export const createMaintenance = ({
  store,
  mint,
  spender,
  reconciler,
  runner,
  clock,
  logger,
  pausedForMs,
}: MaintenanceParts): Maintenance => {
  let cancelTimer: (() => void) | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let working: Promise<void> | undefined;
  let stopped = false;
  let busyTurns = 0;
  let proofsCheckedAt = Number.NEGATIVE_INFINITY;
  /** When a keyset whose swap failed may be tried again. */
  const backoffUntil = new Map<string, number>();

  const isUrgent = ({ finalExpiry }: Keyset): boolean =>
    finalExpiry !== undefined && finalExpiry * 1000 - clock.now() < WEEK_MS;

  const backoffMs = ({ finalExpiry }: Keyset): number => {
    if (finalExpiry === undefined) return BACKOFF_MS;
    const leftMs = finalExpiry * 1000 - clock.now();
    return Math.min(BACKOFF_MS, Math.max(leftMs / TRIES_BEFORE_EXPIRY, SHORTEST_BACKOFF_MS));
  };

  /** When to look again: earlier than usual for what failed and expires soon. */
  const nextMs = (): number => {
    const waits = [...backoffUntil.values()].map((until) => until - clock.now()).filter((ms) => ms > 0);
    return Math.max(Math.min(EVERY_MS, ...waits), pausedForMs());
  };

  /** Swaps a part of a keyset's proofs. Returns whether there may be more. */
  const swapPart = async (
    keyset: Keyset,
    choose: (above: number, most: number) => ReturnType<WalletStore['largestProofs']>,
  ) => {
    const operation = await spender.merge(keyset.id, (most) => choose(dustOf(keyset), most));
    if (operation === undefined) return false;
    // The limit that it was too large for is known now.
    if (operation.state === 'completed' || operation.failure?.code === 'token_too_large') return true;
    backoffUntil.set(keyset.id, clock.now() + backoffMs(keyset));
    return false;
  };

  const proofsOf = (id: string): number =>
    store.keysetSums().find(({ keysetId }) => keysetId === id)?.proofs ?? 0;

  /** Moves all of a keyset that is worth its fee, the largest first. */
  const moveOff = async (keyset: Keyset) => {
    for (let swaps = 0; swaps < SWAPS_A_TURN && !stopped && pausedForMs() === 0; swaps++) {
      const isMore = await swapPart(keyset, (above, most) => {
        const size = Math.min(most, MOVED_AT_ONCE);
        const found = store.largestProofs(keyset.id, above, 2 * size);
        // Halve the last two parts: a remainder of one small proof could not pay its own fee.
        const isNearEnd = found.length > size && found.length < 2 * size;
        return found.slice(0, isNearEnd ? Math.ceil(found.length / 2) : size);
      });
      if (!isMore) return;
    }
  };

  const consolidate = async (keyset: Keyset) => {
    for (let swaps = 0; swaps < SWAPS_A_TURN && !stopped && pausedForMs() === 0; swaps++) {
      if (proofsOf(keyset.id) <= MOST_PROOFS) return;
      const isMore = await swapPart(keyset, (above, most) =>
        store.smallestProofs(keyset.id, above, Math.min(most, MERGED_AT_ONCE)),
      );
      if (!isMore) return;
    }
  };

  const swapProofs = async ({ all, outputId }: Keysets) => {
    const mayBeTried = ({ id }: Keyset) => (backoffUntil.get(id) ?? 0) <= clock.now() && proofsOf(id) > 0;
    const usable = all.filter((keyset) => !isExpired(keyset, clock.now()) && mayBeTried(keyset));
    // What expires first is moved first.
    const moving = usable
      .filter((keyset) => keyset.id !== outputId && (isUrgent(keyset) || !keyset.active))
      .sort((a, b) => (a.finalExpiry ?? Number.MAX_VALUE) - (b.finalExpiry ?? Number.MAX_VALUE));
    for (const keyset of moving) await moveOff(keyset);
    for (const keyset of usable) if (!moving.includes(keyset)) await consolidate(keyset);
  };

  const work = async () => {
    const keysets = await mint.keysets(true);
    // Inactive ones too: another copy of this wallet may have earned sats on them before they were rotated.
    await reconciler.look(
      keysets.all.filter((keyset) => !isExpired(keyset, clock.now())).map(({ id }) => id),
    );
    await reconciler.creditElsewhere();
    if (clock.now() - proofsCheckedAt >= DAY_MS) {
      await reconciler.checkProofs();
      proofsCheckedAt = clock.now();
    }
    if (keysets.outputId !== undefined) await swapProofs(keysets);
  };

  const schedule = (ms: number) => {
    if (stopped || clock.now() + ms >= dueAt) return;
    cancelTimer?.();
    dueAt = clock.now() + ms;
    cancelTimer = clock.after(ms, turn);
  };

  const turn = () => {
    dueAt = Number.POSITIVE_INFINITY;
    cancelTimer = undefined;
    const isBusy = runner.count() > 0 && ++busyTurns <= MOST_BUSY_TURNS;
    const waitMs = Math.max(pausedForMs(), isBusy ? BUSY_MS : 0);
    if (waitMs > 0) return schedule(waitMs);
    busyTurns = 0;
    working ??= work()
      .catch((error: unknown) =>
        logger.debug({ err: error }, 'wallet maintenance failed; it will be retried'),
      )
      .finally(() => {
        working = undefined;
        schedule(nextMs());
      });
  };

  return {
    start: () => schedule(FIRST_AFTER_MS),
    lookSoon: () => schedule(SOON_MS),
    async stop() {
      stopped = true;
      cancelTimer?.();
      await working;
    },
  };
};
