import {
  type CounterRange,
  isLasting,
  type KeysetCounters,
  type Mint,
  MintError,
  type SignedCounter,
} from '../mint/mint.ts';
import type { RestorePosition } from '../store/counters-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { MOST_UNSIGNED } from './outputs.ts';

/** The number of counters in one request (NUT-13 suggests 100), and in one to a mint that limits our requests. */
const STEP = 100;
const CAREFUL_STEP = 50;

/** How many of a keyset's next counters to check at startup. One request covers four keysets. */
export const LOOKED_AHEAD = 25;

/**
 * How far a search goes beyond the wallet's last counter. SECURITY: a mint that signs every counter could keep a
 * search going forever.
 */
export const MOST_SEARCHED = 10_000;

/** How far a search goes for words that this wallet never used. It doesn't know their last counter. */
export const MOST_SEARCHED_OF_OTHERS = 100_000;

/** How many consecutive failures of the mint end a search. It can resume later. */
const MOST_FAILURES = 4;
const FIRST_WAIT_MS = 1_000;
const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 60_000;

/** Retries the requests of a search that isn't urgent. */
interface Patience {
  /** Retries a task while its failure may pass, and waits as long as the mint requests. */
  insist<T>(task: () => Promise<T>): Promise<T>;
  /** Returns whether the mint has limited a request. */
  isLimited(): boolean;
  isStopped(): boolean;
}

interface PatienceParts {
  /** Resolves early when the wallet closes. */
  wait(ms: number): Promise<void>;
  isStopped(): boolean;
  mostFailures?: number;
}

export const createPatience = ({
  wait,
  isStopped,
  mostFailures = MOST_FAILURES,
}: PatienceParts): Patience => {
  let wasLimited = false;
  return {
    async insist(task) {
      let failures = 0;
      let waitMs = FIRST_WAIT_MS;
      for (;;) {
        try {
          return await task();
        } catch (error) {
          if (!(error instanceof MintError) || isStopped()) throw error;
          const isLimited = error.kind === 'limited';
          if (isLasting(error) || (!isLimited && ++failures >= mostFailures)) throw error;
          if (isLimited) wasLimited = true;
          await wait(Math.max(error.details.retryAfterMs ?? waitMs, SHORTEST_WAIT_MS));
          if (isStopped()) throw error;
          waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
        }
      }
    },
    isLimited: () => wasLimited,
    isStopped,
  };
};

const IMPATIENT: Patience = { insist: (task) => task(), isLimited: () => false, isStopped: () => false };

/** The counters to search, and how. */
interface CounterSearch {
  words: string;
  /** The keyset, its first counter to search, and the last signed one before that. */
  from: Pick<RestorePosition, 'keysetId' | 'next' | 'lastSigned'>;
  /** The search ends after this many consecutive unsigned counters. */
  gap: number;
  /** SECURITY: the search never reaches this counter, whatever the mint has signed. */
  limit: number;
  /** Counters in the first request. Each later request has twice as many, up to 100. Defaults to 100. */
  firstStep?: number;
  /** The counters to skip, read before and after each request. They aren't found. None by default. */
  skip?: () => readonly CounterRange[];
  /** How many requests to send before the caller finishes the current step. Defaults to 0. */
  ahead?: number;
  /** How to retry. By default, the first failed request ends the search. */
  patience?: Patience;
}

/** One step of a search. */
export interface CounterStep {
  found: SignedCounter[];
  /** The search's position after this step. It's done only if the search ended at a gap. */
  reached: RestorePosition;
  /** Set on the last step. At a gap, nothing is left. At the limit, the mint may have signed more. */
  end: 'gap' | 'limit' | undefined;
}

/**
 * Searches a keyset's counters for those that the mint signed, in ascending order, and yields each step, even a step
 * without results. A caller that stops iterating ends the search.
 *
 * Rejects with {@link MintError} if the keyset can't be searched, or the mint doesn't respond.
 */
export async function* searchCounters(
  mint: Pick<Mint, 'scan'>,
  {
    words,
    from: { keysetId, next, lastSigned },
    gap,
    limit,
    firstStep = STEP,
    skip = () => [],
    ahead = 0,
    patience = IMPATIENT,
  }: CounterSearch,
): AsyncGenerator<CounterStep, void, undefined> {
  let requested = next;
  let size = firstStep;
  let isOver = false;
  const requests: { until: number; found: Promise<SignedCounter[]> }[] = [];

  const hasMore = () => requested < Math.min(limit, lastSigned + 1 + gap);

  const requestNext = () => {
    const range = {
      start: requested,
      count: Math.min(size, patience.isLimited() ? CAREFUL_STEP : STEP, limit - requested),
    };
    requested += range.count;
    size = Math.min(size * 2, STEP);
    const ranges = without(range, skip()).map((each) => ({ keysetId, ...each }));
    const found = patience.insist(async () => (isOver ? [] : mint.scan(words, ranges)));
    // This promise may be awaited late, so avoid an unhandled rejection.
    found.catch(() => undefined);
    return { until: requested, found };
  };

  try {
    while (requests.length > 0 || hasMore()) {
      const request = requests.shift() ?? requestNext();
      while (requests.length < ahead && hasMore() && !patience.isLimited()) requests.push(requestNext());
      const signed = await request.found;
      if (patience.isStopped()) throw new MintError('unanswered', 'The search was interrupted.');
      lastSigned = signed.reduce((last, { counter }) => Math.max(last, counter), lastSigned);
      // An operation can have begun since the request, which may have been repeated for minutes.
      const skipped = skip();
      const found = signed.filter(({ counter }) => !skipped.some((range) => includes(range, counter)));
      const isLast = requests.length === 0 && !hasMore();
      const end = isLast ? (requested > lastSigned + gap ? 'gap' : 'limit') : undefined;
      yield { found, reached: { keysetId, next: request.until, lastSigned, done: end === 'gap' }, end };
    }
  } finally {
    isOver = true;
  }
}

/** Returns all reusable counters, and the next `ahead` ones. */
const nextCounters = (store: WalletStore, keysetId: string, ahead: number): KeysetCounters[] => {
  const ranges: KeysetCounters[] = [];
  let left = MOST_UNSIGNED;
  for (const { start, count } of store.counters.reusable(keysetId, MOST_UNSIGNED)) {
    if (left <= 0) break;
    ranges.push({ keysetId, start, count: Math.min(count, left) });
    left -= count;
  }
  return [...ranges, { keysetId, start: store.counters.of(keysetId).next, count: ahead }];
};

/**
 * Among each keyset's reusable counters and its next `ahead` ones, finds the first and last ones that the mint signed
 * for somebody else, if any.
 */
export const lookAhead = async (
  { store, mint }: { store: WalletStore; mint: Pick<Mint, 'scan'> },
  words: string,
  keysetIds: readonly string[],
  ahead: (keysetId: string) => number = () => LOOKED_AHEAD,
): Promise<Map<string, { first: number; last: number }>> => {
  const found = await mint.scan(
    words,
    keysetIds.flatMap((id) => nextCounters(store, id, ahead(id))),
  );
  const ends = new Map<string, { first: number; last: number }>();
  for (const { keysetId, counter, proof } of found) {
    // An operation of this process can have used the counter since the request.
    const isOurs = spokenFor(store, keysetId).some((range) => includes(range, counter));
    if (store.proofs.has(proof.y) || isOurs) continue;
    const { first, last } = ends.get(keysetId) ?? { first: counter, last: counter };
    ends.set(keysetId, { first: Math.min(first, counter), last: Math.max(last, counter) });
  }
  return ends;
};

const endOf = ({ start, count }: CounterRange): number => start + count;

const includes = (range: CounterRange, counter: number): boolean =>
  counter >= range.start && counter < endOf(range);

/** Returns the parts of a range that aren't taken. */
const without = (range: CounterRange, taken: readonly CounterRange[]): CounterRange[] =>
  taken.reduce<CounterRange[]>(
    (left, hole) =>
      left.flatMap((each) => {
        const before = Math.min(endOf(each), hole.start) - each.start;
        const after = endOf(each) - Math.max(each.start, endOf(hole));
        return [
          { start: each.start, count: before },
          { start: endOf(each) - after, count: after },
        ].filter(({ count }) => count > 0);
      }),
    [range],
  );

/**
 * Returns the counters of pending operations, which own their signatures. Omits failed operations with a recheck:
 * another copy may have used their counters, and the ledger never credits a proof twice.
 */
export const spokenFor = (store: WalletStore, keysetId: string): CounterRange[] =>
  store.operations
    .pending()
    .flatMap((operation) =>
      [operation.plan, ...store.operations.oldPlans(operation.number).map(({ plan }) => plan)].flatMap(
        (plan) =>
          plan?.keysetId === keysetId && plan.counters && plan.counters.count > 0 ? [plan.counters] : [],
      ),
    );
