import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Mint, MintError, type SwapPlan } from '../mint/mint.ts';
import { sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { LOOKED_AHEAD, lookAhead, MOST_SEARCHED, searchCounters, spokenFor } from './counter-search.ts';
import { creditFound } from './credit-found.ts';
import { RESTORE_GAP } from './outputs.ts';

/**
 * Syncs the wallet with what the mint signed for its words (docs/adr/0016). This matters after a rollback of its
 * data, or while another copy is active.
 */
export interface Reconciler {
  /**
   * Determines which of these keysets' next counters the mint signed, and credits the result. Runs once per start and
   * keyset. Resolves even if the mint is unreachable. A later call retries.
   */
  look(keysetIds: readonly string[]): Promise<void>;
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
  /**
   * Credits what other copies of this wallet left behind, once they have been quiet for a while. Returns the ms until
   * the next call.
   */
  creditElsewhere(): Promise<number | undefined>;
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

/** Creates a {@link Reconciler}. */
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
  /** Keysets whose next counters were checked since startup. */
  const looked = new Set<string>();
  /** Keysets whose next counters nobody else used. The mint refuses to sign an output twice (NUT-03). */
  const sure = new Set<string>();
  /** Each keyset's first counter that is new in this process. */
  const firstNew = new Map<string, number>();
  let looking: Promise<void> | undefined;

  const markLooked = (keysetId: string) => {
    looked.add(keysetId);
    firstNew.set(keysetId, store.counters.of(keysetId).next);
  };

  const writeRecovered = (amount: number): number =>
    store.operations.addCompleted({ kind: 'recovered', amount });

  const limitFrom = (keysetId: string, from: number): number =>
    Math.max(store.counters.of(keysetId).next, from) + MOST_SEARCHED;

  /** Searches a keyset from a counter, and credits unspent proofs. */
  const recoverFrom = async (words: string, keysetId: string, from: number): Promise<void> => {
    const search = searchCounters(mint, {
      words,
      from: { keysetId, next: from, lastSigned: from - 1 },
      gap: RESTORE_GAP,
      limit: limitFrom(keysetId, from),
      // A pending operation credits its own counters.
      skip: () => spokenFor(store, keysetId),
    });
    let sats = 0;
    for await (const { found, reached } of search) {
      if (found.length === 0) continue;
      const { credited } = await creditFound({ store, mint, clock }, found, writeRecovered);
      passUpTo(keysetId, reached.lastSigned);
      sats += sumOf(credited);
      if (credited.length > 0) onChange();
    }
    store.counters.forgetElsewhere(keysetId);
    logger.info({ keyset: keysetId, from, credited: sats }, 'searched the mint for missing sats');
  };

  const passUpTo = (keysetId: string, lastSigned: number) => {
    store.transaction(() => {
      store.counters.markSigned(keysetId, lastSigned);
      store.counters.forgetReusableUpTo(keysetId, lastSigned);
    });
  };

  const isQuiet = (seenAt: number) => clock.now() - seenAt >= QUIET_AFTER_MS;

  /** Leaves signatures to another copy that was active recently. Only one of them can count the sats. */
  const leaveElsewhere = (keysetId: string, start: number, lastSigned: number) => {
    store.counters.noteElsewhere({ keysetId, start, seenAt: clock.now() });
    passUpTo(keysetId, lastSigned);
  };

  const lookNow = async (words: string, keysetIds: readonly string[]) => {
    const signed = await lookAhead({ store, mint }, words, keysetIds);
    // Another copy that used our words may have spent our proofs too. Check first, so that the balance never counts
    // both.
    if (signed.size > 0) await checkProofs();
    for (const [keysetId, { first, last }] of signed) {
      const known = store.counters.elsewhere().find((each) => each.keysetId === keysetId);
      if (known && !isQuiet(known.seenAt)) leaveElsewhere(keysetId, first, last);
      else await recoverFrom(words, keysetId, Math.min(first, known?.start ?? first));
    }
    // Mark them only now, because proofs that couldn't be credited must be searched for again.
    for (const id of keysetIds) markLooked(id);
  };

  /** Searches each keyset separately, so that one failure doesn't hide the others. */
  const lookOneByOne = async (words: string, keysetIds: readonly string[], first: unknown) => {
    const isOfTheMint = (error: unknown) =>
      error instanceof MintError && (error.kind === 'invalid' || error.kind === 'refused');
    logger.debug({ err: first }, 'the mint did not respond about the next counters');
    if (!isOfTheMint(first)) return;
    for (const id of keysetIds) {
      await lookNow(words, [id]).catch((error: unknown) => {
        // Don't retry, because without NUT-09 there's nothing to find.
        if (isOfTheMint(error)) markLooked(id);
      });
    }
  };

  return {
    isSure: (keysetId) =>
      sure.has(keysetId) && !store.counters.elsewhere().some((each) => each.keysetId === keysetId),

    noteFresh({ keysetId, counters }) {
      const first = firstNew.get(keysetId);
      if (counters && first !== undefined && counters.start >= first) sure.add(keysetId);
    },

    async look(keysetIds) {
      const words = mnemonic();
      await looking;
      const missing = keysetIds.filter((id) => !looked.has(id));
      if (missing.length === 0 || words === undefined) return;
      if (isNewSeed()) {
        for (const id of missing) {
          markLooked(id);
          sure.add(id);
        }
        return;
      }
      looking = lookNow(words, missing)
        .catch((error: unknown) => lookOneByOne(words, missing, error))
        .finally(() => {
          looking = undefined;
        });
      await looking;
    },

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
        store.counters.noteElsewhere({ keysetId, start: from, seenAt });
        if (lastSigned >= from) {
          store.counters.markSigned(keysetId, lastSigned);
          store.counters.forgetReusableUpTo(keysetId, lastSigned);
        }
        // Skip a random number of counters. Otherwise, the other copy would always get there first.
        if (isAtWork) {
          const skipped = Math.floor(Math.random() * MOST_SKIPPED);
          store.counters.advance(keysetId, Math.max(lastSigned, from) + 1 + skipped);
        }
      });
    },

    async creditElsewhere() {
      const words = mnemonic();
      if (words === undefined) return undefined;
      let nextMs: number | undefined;
      for (const { keysetId, start, seenAt } of store.counters.elsewhere()) {
        if (!isQuiet(seenAt)) {
          nextMs = Math.min(nextMs ?? Number.MAX_SAFE_INTEGER, seenAt + QUIET_AFTER_MS - clock.now());
          continue;
        }
        const signed = (await lookAhead({ store, mint }, words, [keysetId])).get(keysetId);
        if (signed) {
          leaveElsewhere(keysetId, start, signed.last);
          nextMs = Math.min(nextMs ?? Number.MAX_SAFE_INTEGER, QUIET_AFTER_MS);
        } else {
          await checkProofs();
          await recoverFrom(words, keysetId, start);
        }
      }
      return nextMs;
    },
  };
};
