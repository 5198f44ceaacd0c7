import type { Clock } from '../../platform/clock.ts';
import type { Keyset, Keysets, Mint } from '../mint/mint.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { DueQueue } from './due-queue.ts';
import { randomProofs } from './outputs.ts';
import type { ProofChecks } from './proof-checks.ts';
import { smallerThan } from './read-token.ts';
import type { Reconciler } from './reconcile.ts';
import type { Runner } from './runner.ts';
import { dustOf, isExpired } from './selection.ts';
import type { Spender } from './spend.ts';

/** Background work for quiet moments, which keeps the wallet's proofs few, current and correct. */
interface Maintenance {
  start(): void;
  /** Starts the next turn sooner, after an event that another copy of this wallet may have caused. */
  lookSoon(): void;
}

interface MaintenanceParts {
  store: WalletStore;
  mint: Mint;
  spender: Spender;
  reconciler: Reconciler;
  proofChecks: ProofChecks;
  runner: Runner;
  clock: Clock;
  queue: DueQueue;
  /** Returns whether the backup words are present. */
  hasSeed(): boolean;
  /** Returns how long background work rests, in ms, or 0. */
  restsForMs(): number;
}

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const SOON_MS = 1_000;
/**
 * How long to wait while operations run, because they go first. Expiring proofs can't wait forever, so the work starts
 * after {@link MOST_BUSY_TURNS} delays.
 */
const BUSY_MS = 5_000;
const MOST_BUSY_TURNS = 6;
const WEEK_MS = 7 * 24 * 60 * 60_000;
/** Up to this many proofs are checked every turn, because that needs only a few requests. */
const MOST_CHEAP = 500;
const DAY_MS = 24 * 60 * 60_000;
/** How long to wait after a keyset's swap failed. The wait is shorter if the keyset expires soon. */
const BACKOFF_MS = 60 * 60_000;
const SHORTEST_BACKOFF_MS = 60_000;
/** The minimum number of times to try an expiring keyset in the time left. */
const TRIES_BEFORE_EXPIRY = 10;
/** How many inputs to swap at once. Mints accept this many without delay. The rest waits for the next swap. */
const MOVED_AT_ONCE = 200;
/** A keyset with more proofs than this is consolidated. */
const MOST_PROOFS = 200;
const MERGED_AT_ONCE = 150;
/** The most swaps of one keyset in a turn, so that other keysets get a chance. */
const SWAPS_A_TURN = 200;

export const createMaintenance = ({
  store,
  mint,
  spender,
  reconciler,
  proofChecks,
  runner,
  clock,
  queue,
  hasSeed,
  restsForMs,
}: MaintenanceParts): Maintenance => {
  let dueAt: number | undefined;
  let busyTurns = 0;
  /** True if a rest interrupted the work. */
  let isCut = false;
  /** When a keyset whose swap failed can be retried. */
  const backoffUntil = new Map<string, number>();

  const isUrgent = ({ finalExpiry }: Keyset): boolean =>
    finalExpiry !== undefined && finalExpiry * 1000 - clock.now() < WEEK_MS;

  const backoffMs = ({ finalExpiry }: Keyset): number => {
    if (finalExpiry === undefined) return BACKOFF_MS;
    const leftMs = finalExpiry * 1000 - clock.now();
    return Math.min(BACKOFF_MS, Math.max(leftMs / TRIES_BEFORE_EXPIRY, SHORTEST_BACKOFF_MS));
  };

  /** Returns the ms until the next turn. The wait is shorter if a keyset failed to move and expires soon. */
  const nextMs = (): number => {
    if (isCut) return Math.max(SOON_MS, restsForMs());
    const waits = [...backoffUntil.values()].map((until) => until - clock.now()).filter((ms) => ms > 0);
    return Math.max(Math.min(EVERY_MS, ...waits), restsForMs());
  };

  const mayContinue = (): boolean => {
    isCut ||= restsForMs() > 0;
    return !queue.isStopped() && !isCut;
  };

  /** Swaps at most `size` of a keyset's proofs. Returns the size of the next swap, or 0 if none follows. */
  const swapPart = async (
    keyset: Keyset,
    size: number,
    choose: (above: number, most: number) => ReturnType<WalletStore['proofs']['largest']>,
  ): Promise<number> => {
    let chosen = 0;
    const merged = await spender.merge(keyset.id, (most) => {
      const proofs = choose(dustOf(keyset), Math.min(most, size));
      chosen = proofs.length;
      return proofs;
    });
    if (merged === undefined) return 0;
    const { operation, refusal } = merged;
    if (operation.state === 'completed') return size;
    if (refusal === 'too_large' && smallerThan(operation) < chosen) return smallerThan(operation);
    backoffUntil.set(keyset.id, clock.now() + backoffMs(keyset));
    return 0;
  };

  const proofsOf = (id: string): number => store.proofs.countFree(id, MOST_PROOFS + 1);

  /** Moves all proofs of a keyset that are worth their fee, largest first. */
  const moveOff = async (keyset: Keyset) => {
    let next = MOVED_AT_ONCE;
    for (let swaps = 0; swaps < SWAPS_A_TURN && mayContinue(); swaps++) {
      next = await swapPart(keyset, next, (above, size) => {
        const found = store.proofs.largest(keyset.id, above, 2 * size);
        // Halve the last two parts, because a remainder of one small proof couldn't pay its own fee.
        const isNearEnd = found.length > size && found.length < 2 * size;
        return found.slice(0, isNearEnd ? Math.ceil(found.length / 2) : size);
      });
      if (next === 0) return;
    }
  };

  const consolidate = async (keyset: Keyset) => {
    let next = MERGED_AT_ONCE;
    for (let swaps = 0; swaps < SWAPS_A_TURN; swaps++) {
      if (proofsOf(keyset.id) <= MOST_PROOFS || !mayContinue()) return;
      next = await swapPart(keyset, next, (above, size) => store.proofs.smallest(keyset.id, above, size));
      if (next === 0) return;
    }
  };

  /** Swaps proofs with random secrets for others, so that the backup words restore their sats. */
  const moveRandom = async () => {
    const free = randomProofs(store).filter((y) => store.proofs.valueOf([y], ['free']) > 0);
    const byKeyset = Map.groupBy(store.proofs.get(free), ({ id }) => id);
    for (const [id, proofs] of byKeyset) await spender.merge(id, (most) => proofs.slice(0, most));
  };

  const swapProofs = async ({ all, output }: Keysets) => {
    const mayBeTried = ({ id }: Keyset) => (backoffUntil.get(id) ?? 0) <= clock.now() && proofsOf(id) > 0;
    const usable = all.filter((keyset) => !isExpired(keyset, clock.now()) && mayBeTried(keyset));
    // Keysets that expire soonest move first.
    const moving = usable
      .filter((keyset) => keyset.id !== output?.id && (isUrgent(keyset) || !keyset.active))
      .sort((a, b) => (a.finalExpiry ?? Number.MAX_VALUE) - (b.finalExpiry ?? Number.MAX_VALUE));
    for (const keyset of moving) await moveOff(keyset);
    for (const keyset of usable) if (!moving.includes(keyset)) await consolidate(keyset);
  };

  const work = async () => {
    isCut = false;
    const keysets = await mint.keysets(true);
    if (hasSeed()) await moveRandom();
    // Include inactive keysets, because another copy may have received sats on them before they were rotated.
    await reconciler.lookFar(
      keysets.all.filter((keyset) => !isExpired(keyset, clock.now())).map(({ id }) => id),
    );
    await reconciler.creditElsewhere();
    const isCheap = store.proofs.freeYsAfter('', MOST_CHEAP + 1).length <= MOST_CHEAP;
    const isDue = clock.now() - (proofChecks.checkedAt() ?? 0) >= DAY_MS;
    if (isCheap || isDue || proofChecks.isInterrupted()) await proofChecks.checkFree(mayContinue);
    if (isCut) return;
    if (keysets.output) await swapProofs(keysets);
  };

  const scheduleIn = (ms: number) => {
    dueAt = Math.min(dueAt ?? Infinity, clock.now() + ms);
  };

  const turn = async () => {
    dueAt = undefined;
    if (runner.count() > 0 && ++busyTurns <= MOST_BUSY_TURNS) return scheduleIn(BUSY_MS);
    busyTurns = 0;
    await work().finally(() => scheduleIn(nextMs()));
  };

  const kind = queue.add('maintenance', {
    dueAt: () => dueAt,
    work: turn,
    shortestMs: 0,
    longestMs: EVERY_MS,
    restsForMs,
    // The next turn is planned.
    retryMs: () => 0,
  });
  const lookIn = (ms: number) => {
    scheduleIn(ms);
    kind.changed();
  };

  return {
    start: () => lookIn(FIRST_AFTER_MS),
    lookSoon: () => lookIn(SOON_MS),
  };
};
