import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { type KeysetCounters, type Mint, MintError, type Proof, type SwapPlan } from '../mint/mint.ts';
import { sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { RESTORE_GAP } from './outputs.ts';
import { creditFound, lastByKeyset, spokenFor, without } from './signed-counters.ts';

/**
 * Syncs the wallet with what the mint signed for its words, after a copy of its data was put back or while another copy is active
 * (docs/adr/0016).
 */
export interface Reconciler {
  /**
   * Asks once a start, for these keysets and those asked together with them, what the mint signed of the counters that come next, and
   * credits what it finds. Resolves also when the mint cannot be asked; then it is asked again later.
   */
  look(keysetIds: readonly string[]): Promise<void>;
  /** Outputs of a plan are signed for somebody else: moves the counters past what the mint signed. */
  passCollision(plan: SwapPlan): Promise<void>;
  /** Credits what other copies of this wallet left behind, once they have been quiet for a while. Returns when to call again, in ms. */
  creditElsewhere(): Promise<number | undefined>;
  /** Asks for the states of all free proofs, and takes spent ones out of the balance. */
  checkProofs(): Promise<void>;
}

/** What a reconciler needs. */
export interface ReconcilerParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  logger: Logger;
  mnemonic(): string | undefined;
  /** The words were made at this start: no mint can have signed anything for them. */
  isNewSeed(): boolean;
  /** Called after something was credited or taken out. */
  onChange(): void;
}

/** How many of the next counters are asked about at a start: one request takes those of four keysets. */
const LOOKED_AHEAD = 25;

/** Counters left out next to another copy that is at work. Fewer than are looked at, so that a look still finds what lies behind. */
const MOST_SKIPPED = 20;

/** Counters asked for in one request (NUT-13). */
const BATCH = 100;

/** Another copy of this wallet counts as gone after this long without a new signature. */
export const QUIET_AFTER_MS = 10 * 60_000;

/** Makes a {@link Reconciler}. */
export const createReconciler = ({
  store,
  mint,
  clock,
  logger,
  mnemonic,
  isNewSeed,
  onChange,
}: ReconcilerParts): Reconciler => {
  /** Keysets whose next counters the mint was asked about since the start. */
  const looked = new Set<string>();
  let looking: Promise<void> | undefined;

  const writeRecovered = (credited: Proof[], pending: Proof[]) => {
    const amount = sumOf(credited);
    const { number } = store.addOperation({ kind: 'recovered', amount, fee: 0, expected: 0 }, true);
    store.addProofs(number, credited);
    // Not spendable now; recovery finds out what becomes of them.
    store.addProofs(number, pending, number);
  };

  /** The counters that would be used next: spare ones come first. */
  const nextCounters = (keysetId: string): KeysetCounters[] => {
    const ranges: KeysetCounters[] = [];
    let left = LOOKED_AHEAD;
    for (const { start, count } of store.reusableRanges(keysetId, LOOKED_AHEAD)) {
      if (left <= 0) break;
      ranges.push({ keysetId, start, count: Math.min(count, left) });
      left -= count;
    }
    return [...ranges, { keysetId, start: store.counters(keysetId).next, count: LOOKED_AHEAD }];
  };

  /** Searches a keyset from a counter on, and credits what is unspent. */
  const recoverFrom = async (words: string, keysetId: string, from: number): Promise<void> => {
    let lastSigned = from - 1;
    let credited = 0;
    for (let start = from; start <= lastSigned + RESTORE_GAP; start += BATCH) {
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
    store.forgetElsewhere(keysetId);
    logger.info({ keyset: keysetId, from, lastSigned, credited }, 'searched the mint for missing sats');
  };

  const passUpTo = (keysetId: string, lastSigned: number) => {
    store.transaction(() => {
      store.markSigned(keysetId, lastSigned);
      store.forgetSpareUpTo(keysetId, lastSigned);
    });
  };

  const checkProofs = async () => {
    let spent = 0;
    for (let after = ''; ; ) {
      const ys = store.freeYsAfter(after, BATCH);
      const last = ys.at(-1);
      if (last === undefined) break;
      after = last;
      const states = await mint.states(ys);
      const gone = ys.filter((_, index) => states[index] === 'SPENT');
      if (gone.length === 0) continue;
      store.transaction(() => {
        const amount = store.removeFreeProofs(gone);
        if (amount > 0) store.addOperation({ kind: 'spent_elsewhere', amount, fee: 0, expected: 0 }, true);
        spent += amount;
      });
    }
    if (spent > 0) {
      logger.warn({ spent }, 'another copy of this wallet spent some of its proofs');
      onChange();
    }
  };

  const isQuiet = (seenAt: number) => clock.now() - seenAt >= QUIET_AFTER_MS;

  /** What to do about signatures that are not ours. */
  const settleFound = async (words: string, keysetId: string, start: number, lastSigned: number) => {
    const known = store.elsewhere().find((each) => each.keysetId === keysetId);
    if (known && !isQuiet(known.seenAt)) {
      // A copy of this wallet was at work a moment ago and may hold these sats: both must not count them.
      store.noteElsewhere({ keysetId, start, seenAt: clock.now() });
      passUpTo(keysetId, lastSigned);
      return;
    }
    await recoverFrom(words, keysetId, Math.min(start, known?.start ?? start));
  };

  const lookNow = async (words: string, keysetIds: readonly string[]) => {
    const ranges = keysetIds.flatMap(nextCounters);
    const found = await mint.scan(words, ranges);
    const last = lastByKeyset(found);
    // Whoever signed for our words may have spent our proofs too. First, so that the balance never counts both.
    if (last.size > 0) await checkProofs();
    for (const [keysetId, lastSigned] of last) {
      const counters = found.filter((each) => each.keysetId === keysetId).map(({ counter }) => counter);
      await settleFound(words, keysetId, Math.min(...counters), lastSigned);
    }
    // Only now: what was found and could not be credited must be looked for again.
    for (const id of keysetIds) looked.add(id);
  };

  /** One keyset that cannot be asked about must not hide the others. */
  const lookOneByOne = async (words: string, keysetIds: readonly string[], first: unknown) => {
    const isOfTheMint = (error: unknown) =>
      error instanceof MintError && (error.kind === 'invalid' || error.kind === 'refused');
    logger.debug({ err: first }, 'the mint did not answer about the next counters');
    if (!isOfTheMint(first)) return;
    for (const id of keysetIds) {
      await lookNow(words, [id]).catch((error: unknown) => {
        // It will not answer better the next time: without NUT-09 there is nothing to find.
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
      // Few at first: a copy that works next to us is only a few counters ahead, and each one takes time.
      for (let start = from, count = LOOKED_AHEAD; ; start += count, count = Math.min(count * 2, BATCH)) {
        const found = await mint.scan(words, [{ keysetId, start, count }]);
        if (found.length === 0) break;
        lastSigned = Math.max(lastSigned, lastByKeyset(found).get(keysetId) ?? -1);
      }
      store.transaction(() => {
        // Signed after we looked: somebody else is at work. Else nobody says so, and it may be credited at once.
        const isAtWork = looked.has(keysetId);
        const seenAt = isAtWork ? clock.now() : clock.now() - QUIET_AFTER_MS;
        store.noteElsewhere({ keysetId, start: from, seenAt });
        if (lastSigned >= from) {
          store.markSigned(keysetId, lastSigned);
          store.forgetSpareUpTo(keysetId, lastSigned);
        }
        // Else it would be there first again and again.
        if (isAtWork) {
          const skipped = Math.floor(Math.random() * MOST_SKIPPED);
          store.advanceCounter(keysetId, Math.max(lastSigned, from) + 1 + skipped);
        }
      });
    },

    async creditElsewhere() {
      const words = mnemonic();
      if (words === undefined) return undefined;
      let nextMs: number | undefined;
      for (const { keysetId, start, seenAt } of store.elsewhere()) {
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
          store.noteElsewhere({ keysetId, start, seenAt: clock.now() });
          passUpTo(keysetId, lastSigned);
          nextMs = Math.min(nextMs ?? Number.MAX_SAFE_INTEGER, QUIET_AFTER_MS);
        }
      }
      return nextMs;
    },

    checkProofs,
  };
};
