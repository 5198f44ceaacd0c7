import { createHash } from 'node:crypto';
import type { EventData } from '../../../shared/api/events.ts';
import type { Restored } from '../../../shared/api/wallet.ts';
import { AppError } from '../../platform/app-error.ts';
import { createWaits } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { MintError, type Proof } from '../mint/mint.ts';
import { parseMnemonic, type Seed } from '../seed/seed.ts';
import type { RestorePosition } from '../store/counters-table.ts';
import { sumOf } from '../store/operation.ts';
import {
  createPatience,
  MOST_SEARCHED,
  MOST_SEARCHED_OF_OTHERS,
  searchCounters,
  spokenFor,
} from './counter-search.ts';
import { statesOfFound } from './credit-found.ts';
import type { DueQueue } from './due-queue.ts';
import { RESTORE_GAP } from './outputs.ts';
import { inputLimit } from './read-token.ts';
import { createFoundSink, type FoundSink, type FoundSinkParts, SWEPT_AT_ONCE } from './restore-sinks.ts';
import { feeOf } from './selection.ts';

/** Finds the sats of backup words at the mint. */
export interface Restorer {
  /** Finds the sats that belong to words. An empty wallet adopts the words, and any other wallet keeps its own. */
  restore(words: string): Promise<Restored>;
  /** Searches for the wallet's own words again. */
  rescan(): Promise<Restored>;
  /** Resumes a search for the wallet's own words that an earlier process started, and continues failed swaps. */
  resume(): void;
  /** Call after a restore's swap failed: swaps those of its proofs that nobody else spent. */
  goOn(): void;
  /** Prevents new requests. Resolves when none is running. */
  stop(): Promise<void>;
}

interface RestorerParts extends FoundSinkParts {
  seed: Seed;
  /** Checks all free proofs. */
  checkProofs(): Promise<void>;
  logger: Logger;
  queue: DueQueue;
  publish(progress: EventData<'wallet'>['restore']): void;
  onChange(): void;
}

/**
 * The metadata key of an unfinished search for the wallet's own words. Its value contains their hash and the
 * operation.
 */
const SEARCH_KEY = 'unfinished_search';

/** Failures that end the search of one keyset, but not of the others. */
const SKIPPING: readonly MintError['kind'][] = ['invalid', 'refused'];

/** When to swap the rest of a restore's failed swap. Each further time waits twice as long. */
const GO_ON_AFTER_MS = 60_000;
const LONGEST_GO_ON_MS = 60 * 60_000;

/** How many steps to request before the current one is written, so that the mint works while we do. */
const AHEAD = 2;

/** The keysets that a search skipped, and its positions in keysets that it searched only partly. */
interface SearchEnd {
  skipped: Restored['skipped'];
  stoppedAt: RestorePosition[];
}

// SECURITY: the words themselves are never in the database.
const hashOf = (words: string): string =>
  createHash('sha256').update(`dot-mi restore ${words}`).digest('hex');

const invalidMnemonic = () =>
  new AppError(
    'invalid_mnemonic',
    'These are not valid backup words. Enter 12 to 24 words from the English BIP-39 list, in the right order.',
  );

const wrongWords = () =>
  new AppError(
    'wrong_words',
    'These are not this wallet’s backup words. Enter this wallet’s words, or accept new ones first.',
  );

const limitReached = (counter: number): string =>
  `The search stopped at counter ${counter}, and the mint may have signed outputs beyond it. Search again to continue.`;

const foreignKeyset = (owner = 'another mint'): string =>
  `This keyset belongs to ${owner}, so the wallet doesn’t search it here.`;

const nothingFound = (skipped: Restored['skipped']) =>
  new AppError(
    'nothing_found',
    skipped.length > 0
      ? `The mint has no unspent sats for these words on the keysets that could be searched. ${skipped.length} could not be searched.`
      : 'The mint has no unspent sats for these words. Nothing has changed.',
    skipped.length > 0 ? { skipped } : {},
  );

export const createRestorer = (parts: RestorerParts): Restorer => {
  const { store, mint, receiver, seed, clock, logger, queue, publish } = parts;
  let running: { hash: string; done: Promise<Restored> } | undefined;
  const waits = createWaits(clock);
  let stopped = false;

  const isEmpty = (): boolean =>
    store.postings.byKeyset('free').length === 0 && !store.operations.hasUnfinished();

  const patienceParts = { wait: waits.wait, isStopped: () => stopped };

  /** Returns every keyset that may hold sats: the listed ones, and dropped ones with stored keys. */
  const findKeysets = async (): Promise<{ ids: string[]; skipped: Restored['skipped'] }> => {
    // Report an unreachable mint at once, but wait for one that limits requests.
    const patience = createPatience({ ...patienceParts, mostFailures: 1 });
    const { all, foreign = [] } = await patience.insist(() => mint.keysets(true));
    const listed = all.map(({ id }) => id);
    const kept = store.keysets.all().map(({ id }) => id);
    return {
      ids: [...new Set([...listed, ...kept])],
      skipped: foreign.map((keysetId) => ({
        keysetId,
        reason: foreignKeyset(store.keysets.ownerOf(keysetId)),
      })),
    };
  };

  const search = async (words: string, hash: string, sink: FoundSink): Promise<SearchEnd> => {
    const stoppedAt: RestorePosition[] = [];
    const isOwn = words === seed.mnemonic();
    const { ids, skipped } = await findKeysets();
    const before = new Map(store.counters.searches(hash).map((position) => [position.keysetId, position]));
    let counters = [...before.values()].reduce((sum, { next }) => sum + next, 0);
    for (const [keysetsDone, keysetId] of ids.entries()) {
      const publishProgress = () =>
        publish({ keysetsDone, keysets: ids.length, counters, sats: sink.found() });
      publishProgress();
      let position = before.get(keysetId) ?? { keysetId, next: 0, lastSigned: -1, done: false };
      if (position.done) continue;
      const patience = createPatience(patienceParts);
      const steps = searchCounters(mint, {
        words,
        from: position,
        gap: RESTORE_GAP,
        limit: isOwn
          ? Math.max(store.counters.of(keysetId).next, position.next) + MOST_SEARCHED
          : position.next + MOST_SEARCHED_OF_OTHERS,
        // A pending operation credits its own counters. Counters of other words don't belong to it.
        skip: () => (words === seed.mnemonic() ? spokenFor(store, keysetId) : []),
        ahead: AHEAD,
        patience,
      });
      try {
        for await (const step of steps) {
          const amountBefore = sink.amount();
          await patience.insist(() => sink.take(step));
          // Found sats can be spent immediately.
          if (sink.amount() !== amountBefore) parts.onChange();
          counters += step.reached.next - position.next;
          position = step.reached;
          publishProgress();
        }
        if (!position.done) {
          stoppedAt.push(position);
          skipped.push({ keysetId, reason: limitReached(position.next) });
        }
      } catch (error) {
        if (!(error instanceof MintError) || !SKIPPING.includes(error.kind)) throw error;
        skipped.push({ keysetId, reason: error.message });
      }
    }
    skipped.push(...(await createPatience(patienceParts).insist(() => sink.finish())));
    return { skipped, stoppedAt };
  };

  const run = async (words: string, hash: string, sink: FoundSink): Promise<Restored> => {
    try {
      const { skipped, stoppedAt } = await search(words, hash, sink);
      store.transaction(() => {
        store.counters.forgetSearches(hash);
        for (const position of stoppedAt) store.counters.setSearch(hash, position);
      });
      return { ...sink.result(), skipped };
    } finally {
      publish(null);
      parts.onChange();
    }
  };

  /** Runs one search at a time. A second request for the same words joins it. */
  const once = (words: string, start: (hash: string) => Promise<Restored>): Promise<Restored> => {
    const hash = hashOf(words);
    if (running?.hash === hash) return running.done;
    if (running) {
      throw new AppError('wallet_busy', 'Another search is running. Wait until it finishes.', {
        retryAfterSeconds: 10,
      });
    }
    const done = start(hash).finally(() => {
      running = undefined;
    });
    running = { hash, done };
    return done;
  };

  /** Searches for the wallet's own words. If this process ends, the search resumes at the next start. */
  const searchOwn = (words: string, operation: number | undefined, kind: 'restore' | 'recovered') =>
    once(words, async (hash) => {
      const unfinished = { hash, operation, kind };
      store.metadata.set(SEARCH_KEY, JSON.stringify(unfinished));
      const sink = createFoundSink.own(parts, hash, { kind, operation }, (number) =>
        store.metadata.set(SEARCH_KEY, JSON.stringify({ ...unfinished, operation: number })),
      );
      // Check first, so that the balance never counts proofs that another copy spent along with their replacements.
      await parts
        .checkProofs()
        .catch((error: unknown) =>
          logger.debug({ err: error }, 'the proof states will be checked again later'),
        );
      const notes = store.counters.elsewhere();
      const found = await run(words, hash, sink);
      for (const note of notes) store.counters.forgetElsewhere(note);
      store.metadata.set(SEARCH_KEY, '');
      return found;
    });

  const searchOthers = (words: string) =>
    once(words, async (hash) => {
      const adopt = async () => {
        const prepared = await seed.prepare(words);
        return {
          ...prepared,
          record(operation: number) {
            prepared.record();
            store.metadata.set(SEARCH_KEY, JSON.stringify({ hash, operation, kind: 'restore' }));
          },
        };
      };
      const sink = isEmpty()
        ? createFoundSink.adopting(parts, hash, adopt, isEmpty)
        : createFoundSink.sweeping(parts, hash);
      const found = await run(words, hash, sink);
      if (found.words === 'replaced') store.metadata.set(SEARCH_KEY, '');
      if (found.found === 0) throw nothingFound(found.skipped);
      return found;
    });

  const swapPart = async (proofs: readonly Proof[]) => {
    const keysets = await mint.keysets(false);
    const fee = feeOf(proofs, keysets);
    if (stopped || fee === undefined || sumOf(proofs) <= fee) return;
    await receiver.receive({ kind: 'restore', proofs: [...proofs], fee, keysets }, () => undefined);
  };

  /**
   * Swaps the proofs of other words again whose swap failed because others of them were spent or pending. Each proof is in
   * one swap only, and a pending one doesn't hold back the others. Rejects after all others, if a swap couldn't begin.
   */
  const swapRest = async () => {
    const byY = new Map(store.operations.inputsOfSplitRestores().map((proof) => [proof.y, proof]));
    const free = [...byY.values()].filter(({ y }) => !store.operations.takerOf(y));
    const states = await statesOfFound(mint, free);
    const byKind = Map.groupBy(free.keys(), (at) => `${states[at]} ${free[at]?.id}`);
    const failures: unknown[] = [];
    for (const [kind, places] of byKind) {
      if (kind.startsWith('SPENT')) continue;
      const left = places.flatMap((at) => free[at] ?? []);
      while (left.length > 0)
        await swapPart(left.splice(0, Math.min(SWEPT_AT_ONCE, inputLimit(store)))).catch((error: unknown) =>
          failures.push(error),
        );
    }
    if (failures.length > 0) throw failures[0];
  };
  let restAt: number | undefined;
  let goOnAfterMs = GO_ON_AFTER_MS;
  const rest = queue.add('rests of restores', {
    dueAt: () => restAt,
    async work() {
      restAt = undefined;
      // SECURITY: a mint that changes its mind about a proof's state causes another failed operation each time.
      goOnAfterMs = Math.min(goOnAfterMs * 2, LONGEST_GO_ON_MS);
      await swapRest().catch((error: unknown) => {
        restAt = clock.now() + goOnAfterMs;
        throw error;
      });
    },
    longestMs: LONGEST_GO_ON_MS,
    retryMs: () => goOnAfterMs,
  });
  const goOn = () => {
    restAt = clock.now() + goOnAfterMs;
    rest.changed();
  };

  /** Whoever types all of the wallet's words has a backup of them. */
  const confirmBackup = async () => {
    await seed.confirmBackup(new Date(clock.now()).toISOString());
    parts.onChange();
  };

  return {
    async restore(text) {
      const words = await parseMnemonic(text);
      if (words === undefined) throw invalidMnemonic();
      const current = seed.mnemonic();
      if (current !== undefined && words !== current) {
        const found = await searchOthers(words);
        if (found.words === 'replaced') await confirmBackup();
        return found;
      }
      if (current === undefined) {
        if (!seed.isOwn(words)) throw wrongWords();
        await seed.putBack(words);
      }
      await confirmBackup();
      return searchOwn(words, undefined, 'recovered');
    },

    async rescan() {
      const words = seed.mnemonic();
      if (words === undefined) {
        throw new AppError('seed_missing', 'This wallet’s backup words are missing. Enter them first.');
      }
      return searchOwn(words, undefined, 'recovered');
    },

    goOn,

    resume() {
      goOn();
      const words = seed.mnemonic();
      const fact = store.metadata.get(SEARCH_KEY);
      if (!fact || words === undefined) return;
      const { hash, operation, kind } = JSON.parse(fact);
      if (hash !== hashOf(words)) return;
      searchOwn(words, operation, kind).catch((error: unknown) =>
        logger.debug({ err: error }, 'a search for missing sats will resume at the next start'),
      );
    },

    async stop() {
      stopped = true;
      waits.endAll();
      await running?.done.catch(() => undefined);
    },
  };
};
