import { expect, test } from 'vitest';
import {
  type CounterRange,
  type KeysetCounters,
  type Mint,
  MintError,
} from '../../../src/server/wallet/mint/mint.ts';
import {
  type CounterStep,
  createPatience,
  searchCounters,
} from '../../../src/server/wallet/operations/counter-search.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { failureOf, firstId, openAdapter, swapAt, WORDS } from '../../support/mint-adapter.ts';

type Search = Parameters<typeof searchCounters>[1];

/** A mint that signed one output at each of these counters, and a search whose requests are recorded. */
const signedAt = async (...counters: number[]) => {
  const mint = await testMint();
  const adapter = openAdapter(mint);
  const keysetId = firstId(mint);
  for (const counter of counters) await swapAt(mint, adapter, keysetId, [1], counter);
  const asked: KeysetCounters[][] = [];
  const scan: Mint['scan'] = (words, ranges) => {
    asked.push(ranges);
    return adapter.scan(words, ranges);
  };
  const search = (bounds: Partial<Search> & { next?: number }) =>
    searchCounters(
      { scan },
      {
        words: WORDS,
        from: { keysetId, next: bounds.next ?? 0, lastSigned: (bounds.next ?? 0) - 1 },
        gap: 50,
        limit: 1_000,
        firstStep: 10,
        ...bounds,
      },
    );
  /** What was asked, as the first counter and the one after the last. */
  const ranges = () =>
    asked.map((each) => each.map(({ start, count }: CounterRange) => [start, start + count]));
  return { mint, keysetId, search, ranges };
};

const all = async (search: AsyncIterable<CounterStep>): Promise<CounterStep[]> => {
  const steps: CounterStep[] = [];
  for await (const step of search) steps.push(step);
  return steps;
};

const countersOf = (steps: readonly CounterStep[]): number[] =>
  steps.flatMap(({ found }) => found.map(({ counter }) => counter));

/** Patience whose waits end at once, and are recorded. */
const recordedPatience = (isStopped = () => false) => {
  const waits: number[] = [];
  const patience = createPatience({ wait: async (ms) => void waits.push(ms), isStopped });
  return { patience, waits };
};

test('a search ends at its gap, with steps that double up to 100 counters', async () => {
  const { keysetId, search, ranges } = await signedAt(3, 41, 130);
  const steps = await all(search({ gap: 100 }));
  expect(ranges()).toEqual([[[0, 10]], [[10, 30]], [[30, 70]], [[70, 150]], [[150, 250]]]);
  expect(countersOf(steps)).toEqual([3, 41, 130]);
  expect(steps.map(({ end }) => end)).toEqual([undefined, undefined, undefined, undefined, 'gap']);
  expect(steps.map(({ reached }) => reached)).toEqual([
    { keysetId, next: 10, lastSigned: 3, done: false },
    { keysetId, next: 30, lastSigned: 3, done: false },
    { keysetId, next: 70, lastSigned: 41, done: false },
    { keysetId, next: 150, lastSigned: 130, done: false },
    { keysetId, next: 250, lastSigned: 130, done: true },
  ]);
});

test('a search that resumes counts the gap from the last signed counter before it', async () => {
  const { keysetId, search, ranges } = await signedAt(3, 41);
  const steps = await all(search({ from: { keysetId, next: 30, lastSigned: 3 } }));
  expect(ranges()).toEqual([[[30, 40]], [[40, 60]], [[60, 100]]]);
  expect(countersOf(steps)).toEqual([41]);
  expect((await all(search({ from: { keysetId, next: 92, lastSigned: 41 } }))).length).toBe(0);
});

test('a search never asks for its limit, and is not done there', async () => {
  const { mint, keysetId, search, ranges } = await signedAt();
  mint.fail('/v1/restore', { kind: 'signs-all', amount: 1 });
  for (const ahead of [0, 2]) {
    const steps = await all(search({ limit: 45, ahead }));
    expect(countersOf(steps)).toEqual(Array.from({ length: 45 }, (_, at) => at));
    expect(steps.at(-1)).toMatchObject({
      end: 'limit',
      reached: { keysetId, next: 45, lastSigned: 44, done: false },
    });
  }
  expect(ranges().slice(0, 3)).toEqual([[[0, 10]], [[10, 30]], [[30, 45]]]);
});

test('a search leaves a counter to the operation that takes it while the request waits', async () => {
  const { search } = await signedAt(3, 5);
  let isTaken = false;
  const skip = () => (isTaken ? [{ start: 5, count: 1 }] : []);
  const steps = search({ gap: 30, skip });
  const first = steps.next();
  isTaken = true;
  expect(countersOf([(await first).value as CounterStep, ...(await all(steps))])).toEqual([3]);
});

test('a search leaves skipped counters out, as they are when it asks', async () => {
  const { search, ranges } = await signedAt(5, 12, 27);
  const skipped: CounterRange[] = [
    { start: 4, count: 2 },
    { start: 8, count: 6 },
  ];
  const counters: number[] = [];
  for await (const { found } of search({ gap: 30, skip: () => skipped })) {
    counters.push(...found.map(({ counter }) => counter));
    skipped.length = 0;
    skipped.push({ start: 0, count: 25 }, { start: 29, count: 1 }, { start: 31, count: 200 });
  }
  expect(counters).toEqual([27]);
  // Skipped counters are part of the gap.
  expect(ranges()).toEqual([
    [
      [0, 4],
      [6, 8],
    ],
    [[25, 29]],
    [[30, 31]],
  ]);
});

test('requests ahead are sent while the caller is busy, yield in order, and add no request', async () => {
  const one = await signedAt(3, 41);
  const two = await signedAt(3, 41);
  const alone = await all(one.search({}));
  const sent: number[] = [];
  const steps: CounterStep[] = [];
  for await (const step of two.search({ ahead: 2 })) {
    sent.push(two.ranges().length);
    steps.push(step);
  }
  expect(sent).toEqual([3, 3, 3, 4]);
  expect(two.ranges()).toEqual(one.ranges());
  expect(countersOf(steps)).toEqual(countersOf(alone));
  expect(steps.map(({ end }) => end)).toEqual(alone.map(({ end }) => end));
});

test('a caller that stops iterating ends the search, and its waiting requests', async () => {
  const { mint, keysetId } = await signedAt();
  const adapter = openAdapter(mint);
  const asked: number[] = [];
  const scan: Mint['scan'] = async (words, ranges) => {
    const start = ranges[0]?.start ?? 0;
    asked.push(start);
    if (start > 0) throw new MintError('limited', 'Too many requests.', { retryAfterMs: 1_000 });
    return adapter.scan(words, ranges);
  };
  const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const left = waits.map(({ promise }) => promise);
  // A third wait would be for a request that nobody wants, and never ends.
  const wait = () => left.shift() ?? new Promise<void>(() => undefined);
  const patience = createPatience({ wait, isStopped: () => false });
  const from = { keysetId, next: 0, lastSigned: -1 };
  const bounds = { gap: 500, limit: 1_000, firstStep: 10 };
  for await (const _ of searchCounters({ scan }, { words: WORDS, from, ...bounds, ahead: 2, patience }))
    break;
  expect(asked).toEqual([0, 10, 30]);
  for (const { resolve } of waits) resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([0, 10, 30]);
});

test('a mint that limits requests is waited for, and then asked for less, one request at a time', async () => {
  const { mint, search, ranges } = await signedAt(60);
  const { patience, waits } = recordedPatience();
  mint.fail('/v1/restore', { kind: 'status', status: 429, retryAfterSeconds: 7, times: 2 });
  const sent: number[] = [];
  for await (const step of search({ firstStep: 100, gap: 150, ahead: 0, patience })) {
    expect(step.found.map(({ counter }) => counter)).toEqual(step.reached.next === 100 ? [60] : []);
    sent.push(ranges().length);
  }
  expect(waits).toEqual([7_000, 7_000]);
  expect(ranges().slice(2)).toEqual([[[0, 100]], [[100, 150]], [[150, 200]], [[200, 250]]]);
  expect(sent).toEqual([3, 4, 5, 6]);
});

test('a mint that does not respond is asked four times with patience, and once without', async () => {
  const { mint, search, ranges } = await signedAt();
  const { patience, waits } = recordedPatience();
  mint.fail('/v1/restore', { kind: 'status', status: 500 });
  expect((await failureOf(all(search({ patience })))).kind).toBe('unanswered');
  expect(waits).toEqual([1_000, 2_000, 4_000]);
  expect(ranges()).toHaveLength(4);
  expect((await failureOf(all(search({})))).kind).toBe('unanswered');
  expect(ranges()).toHaveLength(5);
});

test('a wallet that closes stops the search before the next step', async () => {
  const { search } = await signedAt(3);
  let stopped = false;
  const { patience } = recordedPatience(() => stopped);
  const steps: CounterStep[] = [];
  const searching = async () => {
    for await (const step of search({ patience })) {
      steps.push(step);
      stopped = true;
    }
  };
  expect((await failureOf(searching())).message).toContain('interrupted');
  expect(countersOf(steps)).toEqual([3]);
});
