import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { type KeysetCounters, type Mint, MintError, type Proof, type SwapPlan } from '../mint/mint.ts';
import { sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { RESTORE_GAP } from './outputs.ts';
import { MOST_SEARCHED } from './search.ts';
import { creditFound, lastByKeyset, spokenFor, without } from './signed-counters.ts';

/**
 * Syncs the wallet with what the mint signed for its words (docs/adr/0016). This matters after a rollback of
 * its data, or while another copy is active.
 */
export interface Reconciler {
  /**
   * Asks the mint which of the next counters of these keysets it signed, and credits what it finds. Asks once
   * per start and keyset. Resolves even if the mint can't be asked. A later call asks again.
   */
  look(keysetIds: readonly string[]): Promise<void>;
  /**
   * Moves the counters past what the mint signed, because it signed outputs of this plan for somebody else.
   */
  passCollision(plan: SwapPlan): Promise<void>;
  /**
   * Credits what other copies of this wallet left behind, once they have been quiet for a while. Returns when
   * to call again, in ms.
   */
  creditElsewhere(): Promise<number | undefined>;
}

/** Dependencies of a {@link Reconciler}. */
interface ReconcilerParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  logger: Logger;
  mnemonic(): string | undefined;
  /** Whether the words were generated at this start, so that no mint can have signed anything for them. */
  isNewSeed(): boolean;
  /** Asks about all free proofs. */
  checkProofs(): Promise<void>;
  /** Called after sats were credited or removed. */
  onChange(): void;
}

/** How many of the next counters to ask about at a start. One request holds those of four keysets. */
const LOOKED_AHEAD = 25;

/**
 * How many counters to skip at most while another copy is active. A look reaches further, so it still finds
 * what lies behind.
 */
const MOST_SKIPPED = 20;

/** Counters per request (NUT-13). */
const BATCH = 100;

/** Another copy of this wallet counts as inactive after this long without a new signature. */
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
  /** Keysets whose next counters were checked since the start. */
  const looked = new Set<string>();
  let looking: Promise<void> | undefined;

  const writeRecovered = (credited: Proof[], pending: Proof[]) => {
    const amount = sumOf(credited);
    const { number } = store.operations.add({ kind: 'recovered', amount, fee: 0 }, true);
    store.proofs.add(number, credited);
    // Not free yet. The proof checks settle them later.
    store.proofs.add(number, pending, { why: 'found', at: clock.now() });
  };

  /** The counters that the wallet would use next, reusable ones first. */
  const nextCounters = (keysetId: string): KeysetCounters[] => {
    const ranges: KeysetCounters[] = [];
    let left = LOOKED_AHEAD;
    for (const { start, count } of store.counters.reusable(keysetId, LOOKED_AHEAD)) {
      if (left <= 0) break;
      ranges.push({ keysetId, start, count: Math.min(count, left) });
      left -= count;
    }
    return [...ranges, { keysetId, start: store.counters.of(keysetId).next, count: LOOKED_AHEAD }];
  };

  const limitFrom = (keysetId: string, from: number): number =>
    Math.max(store.counters.of(keysetId).next, from) + MOST_SEARCHED;

  /** Searches a keyset from a counter, and credits what is unspent. */
  const recoverFrom = async (words: string, keysetId: string, from: number): Promise<void> => {
    let lastSigned = from - 1;
    let credited = 0;
    const limit = limitFrom(keysetId, from);
    for (let start = from; start <= Math.min(lastSigned + RESTORE_GAP, limit); start += BATCH) {
      const ranges = without({ start, count: BATCH }, spokenFor(store, keysetId));
      const found = await mint.scan(
        words,
        ranges.map((range) => ({ keysetId, ...range })),
      );
      if (found.length === 0) continue;
      lastSigned = Math.max(lastSigned, lastByKeyset(found).get(keysetId) ?? -1);
      const amount = await creditFound(
        { store, mint },
        found.map(({ proof }) => proof),
        writeRecovered,
      );
      passUpTo(keysetId, lastSigned);
      credited += amount;
      if (amount > 0) onChange();
    }
    store.counters.forgetElsewhere(keysetId);
    logger.info({ keyset: keysetId, from, lastSigned, credited }, 'searched the mint for missing sats');
  };

  const passUpTo = (keysetId: string, lastSigned: number) => {
    store.transaction(() => {
      store.counters.markSigned(keysetId, lastSigned);
      store.counters.forgetReusableUpTo(keysetId, lastSigned);
    });
  };

  const isQuiet = (seenAt: number) => clock.now() - seenAt >= QUIET_AFTER_MS;

  /** Handles signatures that aren't ours. */
  const settleFound = async (words: string, keysetId: string, start: number, lastSigned: number) => {
    const known = store.counters.elsewhere().find((each) => each.keysetId === keysetId);
    if (known && !isQuiet(known.seenAt)) {
      // Another copy was active a moment ago and may hold these sats. Only one of them may count them.
      store.counters.noteElsewhere({ keysetId, start, seenAt: clock.now() });
      passUpTo(keysetId, lastSigned);
      return;
    }
    await recoverFrom(words, keysetId, Math.min(start, known?.start ?? start));
  };

  const lookNow = async (words: string, keysetIds: readonly string[]) => {
    const ranges = keysetIds.flatMap(nextCounters);
    const found = await mint.scan(words, ranges);
    const last = lastByKeyset(found);
    // Another copy that used our words may have spent our proofs too. Check first, so that the balance never
    // counts both.
    if (last.size > 0) await checkProofs();
    for (const [keysetId, lastSigned] of last) {
      const counters = found.filter((each) => each.keysetId === keysetId).map(({ counter }) => counter);
      await settleFound(words, keysetId, Math.min(...counters), lastSigned);
    }
    // Mark them only now, because proofs that couldn't be credited must be searched for again.
    for (const id of keysetIds) looked.add(id);
  };

  /** Asks about each keyset alone, so that one failure doesn't hide the others. */
  const lookOneByOne = async (words: string, keysetIds: readonly string[], first: unknown) => {
    const isOfTheMint = (error: unknown) =>
      error instanceof MintError && (error.kind === 'invalid' || error.kind === 'refused');
    logger.debug({ err: first }, 'the mint did not answer about the next counters');
    if (!isOfTheMint(first)) return;
    for (const id of keysetIds) {
      await lookNow(words, [id]).catch((error: unknown) => {
        // Don't ask again, because without NUT-09 there is nothing to find.
        if (isOfTheMint(error)) looked.add(id);
      });
    }
  };

  return {
    async look(keysetIds) {
      const words = mnemonic();
      await looking;
      const missing = keysetIds.filter((id) => !looked.has(id));
      if (missing.length === 0 || words === undefined) return;
      if (isNewSeed()) {
        for (const id of missing) looked.add(id);
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
      let lastSigned = from - 1;
      // Start with few: an active copy is only a few counters ahead, and each counter takes time.
      const limit = limitFrom(keysetId, from);
      for (
        let start = from, count = LOOKED_AHEAD;
        start <= limit;
        start += count, count = Math.min(count * 2, BATCH)
      ) {
        const found = await mint.scan(words, [{ keysetId, start, count }]);
        if (found.length === 0) break;
        lastSigned = Math.max(lastSigned, lastByKeyset(found).get(keysetId) ?? -1);
      }
      store.transaction(() => {
        // If we already looked, another copy is active. Otherwise, the sats may be credited at once.
        const isAtWork = looked.has(keysetId);
        const seenAt = isAtWork ? clock.now() : clock.now() - QUIET_AFTER_MS;
        store.counters.noteElsewhere({ keysetId, start: from, seenAt });
        if (lastSigned >= from) {
          store.counters.markSigned(keysetId, lastSigned);
          store.counters.forgetReusableUpTo(keysetId, lastSigned);
        }
        // Otherwise, the other copy would be first again and again.
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
        const found = await mint.scan(words, nextCounters(keysetId));
        const lastSigned = lastByKeyset(found).get(keysetId);
        if (lastSigned === undefined) {
          await checkProofs();
          await recoverFrom(words, keysetId, start);
        } else {
          store.counters.noteElsewhere({ keysetId, start, seenAt: clock.now() });
          passUpTo(keysetId, lastSigned);
          nextMs = Math.min(nextMs ?? Number.MAX_SAFE_INTEGER, QUIET_AFTER_MS);
        }
      }
      return nextMs;
    },
  };
};
