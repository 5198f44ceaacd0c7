import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { isLasting, type Mint, MintError, type SwapPlan } from '../mint/mint.ts';
import { sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { LOOKED_AHEAD, lookAhead, MOST_SEARCHED, searchCounters, spokenFor } from './counter-search.ts';
import { creditFound } from './credit-found.ts';
import { MOST_UNSIGNED, RESTORE_GAP } from './outputs.ts';

/**
 * Syncs the wallet with what the mint signed for its words (docs/adr/0016). This matters after a rollback of its
 * data, or while another copy is active.
 */
export interface Reconciler {
  /**
   * Determines which of these keysets' next counters the mint signed, and credits the result. Runs once per start and
   * keyset. Resolves with false if the mint didn't answer. A later call retries.
   */
  look(keysetIds: readonly string[]): Promise<boolean>;
  /**
   * Like `look`, but as far as counters can stay unsigned. Swaps that another copy began and never finished may have
   * left more of them than `look` checks. What it finds after a `look` is credited by {@link creditElsewhere}.
   */
  lookFar(keysetIds: readonly string[]): Promise<boolean>;
  /**
   * Returns whether nobody else can have used a keyset's next counters, because the mint signed new ones for this
   * process. A query about the counters isn't proof, because its response can be late or incomplete. Until then,
   * signatures of new outputs prove nothing.
   */
  isSure(keysetId: string): boolean;
  /** Records that the mint signed a plan's outputs in its response to a swap. */
  noteFresh(plan: SwapPlan): void;
  /** Call if the mint signed a plan's outputs for someone else. Moves the counters past all signed ones. */
  passCollision(plan: SwapPlan): Promise<void>;
  /** Credits what other copies of this wallet left behind, once they have been quiet for a while. */
  creditElsewhere(): Promise<void>;
}

interface ReconcilerParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  logger: Logger;
  mnemonic(): string | undefined;
  /** Returns whether the words were generated at this startup, so no mint can have signed anything for them. */
  isNewSeed(): boolean;
  /** Checks all free proofs. */
  checkProofs(): Promise<void>;
  /** Called after sats were credited or removed. */
  onChange(): void;
}

/**
 * The most counters to skip while another copy is active. A search goes further, so it still finds outputs beyond them.
 */
const MOST_SKIPPED = 20;

/** Another copy of this wallet counts as inactive this long after its last new signature. */
const QUIET_AFTER_MS = 10 * 60_000;

export const createReconciler = ({
  store,
  mint,
  clock,
  logger,
  mnemonic,
  isNewSeed,
  checkProofs,
  onChange,
}: ReconcilerParts): Reconciler => {
  /** How many of each keyset's next counters were checked since startup. */
  const looked = new Map<string, number>();
  /** Keysets whose next counters nobody else used. The mint refuses to sign an output twice (NUT-03). */
  const sure = new Set<string>();
  /** Each keyset's first counter that is new in this process. */
  const firstNew = new Map<string, number>();
  let looking: Promise<void> | undefined;

  const markLooked = (keysetId: string, ahead: number) => {
    if (!looked.has(keysetId)) firstNew.set(keysetId, store.counters.of(keysetId).next);
    looked.set(keysetId, ahead);
  };

  /** A keyset that this wallet never used has no gaps. */
  const farOf = (keysetId: string): number =>
    store.counters.of(keysetId).next > 0 ? MOST_UNSIGNED : LOOKED_AHEAD;

  const notes = () => {
    const all = store.counters.elsewhere();
    const now = clock.now();
    // The clock was ahead. It isn't known when the other copy was active, so wait from now on.
    if (all.every(({ seenAt }) => seenAt <= now)) return all;
    store.counters.dateElsewhere(now);
    return store.counters.elsewhere();
  };

  const noteOf = (keysetId: string) => notes().find((note) => note.keysetId === keysetId);

  /** Returns the counter to search from, so that no reusable counter is dropped without a search. */
  const withReusable = (keysetId: string, start: number): number =>
    Math.min(start, store.counters.reusable(keysetId, 1)[0]?.start ?? start);

  const writeRecovered = (amount: number): number =>
    store.operations.addCompleted({ kind: 'recovered', amount });

  const limitFrom = (keysetId: string, from: number): number =>
    Math.max(store.counters.of(keysetId).next, from) + MOST_SEARCHED;

  /**
   * Searches a keyset from a counter or its first reusable one, and credits unspent proofs. Returns where it began, and
   * whether the mint signed anything that the wallet didn't know.
   */
  const recoverFrom = async (words: string, keysetId: string, start: number) => {
    const from = withReusable(keysetId, start);
    const search = searchCounters(mint, {
      words,
      from: { keysetId, next: from, lastSigned: from - 1 },
      gap: RESTORE_GAP,
      limit: limitFrom(keysetId, from),
      // A pending operation credits its own counters.
      skip: () => spokenFor(store, keysetId),
    });
    let sats = 0;
    let isNews = false;
    for await (const { found, reached } of search) {
      if (found.length === 0) continue;
      isNews ||= found.some(({ proof }) => !store.proofs.has(proof.y));
      const { credited } = await creditFound({ store, mint, clock }, found, writeRecovered);
      store.transaction(() => passUpTo(keysetId, reached.lastSigned));
      sats += sumOf(credited);
      if (credited.length > 0) onChange();
    }
    logger.info({ keyset: keysetId, from, credited: sats }, 'searched the mint for missing sats');
    return { from, isNews };
  };

  /** Call it in a transaction. */
  const passUpTo = (keysetId: string, lastSigned: number) => {
    store.counters.markSigned(keysetId, lastSigned);
    store.counters.forgetReusableUpTo(keysetId, lastSigned);
  };

  const isQuiet = (seenAt: number) => clock.now() - seenAt >= QUIET_AFTER_MS;

  /** Leaves signatures to another copy that was active recently. Only one of them can count the sats. */
  const leaveElsewhere = (keysetId: string, start: number, lastSigned: number) => {
    store.transaction(() => {
      const from = withReusable(keysetId, start);
      store.counters.noteElsewhere({ keysetId, start: from, seenAt: clock.now() });
      passUpTo(keysetId, lastSigned);
    });
  };

  const lookNow = async (
    words: string,
    keysetIds: readonly string[],
    ahead: (keysetId: string) => number,
  ) => {
    const signed = await lookAhead({ store, mint }, words, keysetIds, ahead);
    // Another copy that used our words may have spent our proofs too. Check first, so that the balance never counts
    // both.
    if (signed.size > 0) await checkProofs();
    for (const [keysetId, { first, last }] of signed) {
      const known = noteOf(keysetId);
      // After the first look, a signature can be new, so it may be of another copy that is active.
      if (looked.has(keysetId) || (known && !isQuiet(known.seenAt))) {
        leaveElsewhere(keysetId, first, last);
        continue;
      }
      const start = Math.min(first, known?.start ?? first);
      const { from, isNews } = await recoverFrom(words, keysetId, start);
      // A mint can report a signature late, after the search has passed its counter. So search again in a while.
      if (isNews) store.counters.noteElsewhere({ keysetId, start: from, seenAt: clock.now() });
    }
    // Mark them only now, because proofs that couldn't be credited must be searched for again.
    for (const id of keysetIds) markLooked(id, ahead(id));
  };

  /** Searches each keyset separately, so that one failure doesn't hide the others. */
  const lookOneByOne = async (
    words: string,
    keysetIds: readonly string[],
    ahead: (keysetId: string) => number,
    first: unknown,
  ) => {
    const isOfTheMint = (error: unknown) =>
      error instanceof MintError && (error.kind === 'invalid' || error.kind === 'refused');
    logger.debug({ err: first }, 'the mint did not respond about the next counters');
    if (!isOfTheMint(first)) return;
    for (const id of keysetIds) {
      await lookNow(words, [id], ahead).catch((error: unknown) => {
        // Don't retry, because without NUT-09 there's nothing to find.
        if (error instanceof MintError && isLasting(error)) markLooked(id, ahead(id));
      });
    }
  };

  const look = async (
    keysetIds: readonly string[],
    ahead: (keysetId: string) => number,
  ): Promise<boolean> => {
    const words = mnemonic();
    await looking;
    const isMissing = (id: string) => (looked.get(id) ?? 0) < ahead(id);
    const missing = keysetIds.filter(isMissing);
    if (missing.length === 0 || words === undefined) return true;
    if (isNewSeed()) {
      for (const id of missing) {
        markLooked(id, MOST_UNSIGNED);
        sure.add(id);
      }
      return true;
    }
    looking = lookNow(words, missing, ahead)
      .catch((error: unknown) => lookOneByOne(words, missing, ahead, error))
      .finally(() => {
        looking = undefined;
      });
    await looking;
    return !missing.some(isMissing);
  };

  return {
    isSure: (keysetId) => sure.has(keysetId) && !noteOf(keysetId),

    noteFresh({ keysetId, counters }) {
      const first = firstNew.get(keysetId);
      if (counters && first !== undefined && counters.start >= first) sure.add(keysetId);
    },

    look: (keysetIds) => look(keysetIds, () => LOOKED_AHEAD),
    lookFar: (keysetIds) => look(keysetIds, farOf),

    async passCollision({ keysetId, counters }) {
      const words = mnemonic();
      if (words === undefined || !counters) return;
      const from = counters.start;
      const search = searchCounters(mint, {
        words,
        from: { keysetId, next: from, lastSigned: from - 1 },
        gap: LOOKED_AHEAD,
        limit: limitFrom(keysetId, from),
        // Start with few counters, because an active copy is only a few ahead, and each counter takes time.
        firstStep: LOOKED_AHEAD,
      });
      let lastSigned = from - 1;
      for await (const { reached } of search) lastSigned = reached.lastSigned;
      store.transaction(() => {
        // If this keyset was already checked, another copy is active. If not, the sats can be credited at once.
        const isAtWork = looked.has(keysetId);
        const seenAt = isAtWork ? clock.now() : clock.now() - QUIET_AFTER_MS;
        store.counters.noteElsewhere({ keysetId, start: withReusable(keysetId, from), seenAt });
        if (lastSigned >= from) passUpTo(keysetId, lastSigned);
        // Skip a random number of counters. Otherwise, the other copy would always get there first.
        if (isAtWork) {
          const skipped = Math.floor(Math.random() * MOST_SKIPPED);
          store.counters.advance(keysetId, Math.max(lastSigned, from) + 1 + skipped);
        }
      });
    },

    async creditElsewhere() {
      const words = mnemonic();
      if (words === undefined) return;
      for (const note of notes()) {
        const { keysetId, start, seenAt } = note;
        if (!isQuiet(seenAt)) continue;
        const signed = (await lookAhead({ store, mint }, words, [keysetId])).get(keysetId);
        if (signed) {
          leaveElsewhere(keysetId, start, signed.last);
          continue;
        }
        await checkProofs();
        await recoverFrom(words, keysetId, start);
        store.counters.forgetElsewhere(note);
      }
    },
  };
};
