import { expect, test } from 'vitest';
import { typedPricesIn } from '../../../src/pi/typed-prices.ts';
import { lengthsIn } from '../../../src/server/sessions/usage-sums.ts';

const COST = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const NO_FILE = { models: new Map(), btcUsd: undefined, countsSubscriptions: false };

const termsWith = (id: string, ...lengths: number[]) => ({
  typed: typedPricesIn(
    new Map([
      [
        'home',
        {
          models: lengths.map((inputTokensAbove, at) => ({
            id: `${id}${at}`,
            cost: { ...COST, tiers: [{ inputTokensAbove, ...COST }] },
          })),
        },
      ],
    ]),
  ),
  subscriptions: new Set<string>(),
});

test('agents’ files add at most 32 lengths to a query, and those with few go first', () => {
  const crowd = termsWith('many', ...Array.from({ length: 2_700 }, (_, at) => 1_000_000 + at));
  const small = termsWith('few', 200_000);
  const file = new Map(
    Array.from({ length: 40 }, (_, at) => [
      `m${at}`,
      {
        input_usd_per_million: 1,
        output_usd_per_million: 1,
        tiers: [{ input_tokens_above: at, input_usd_per_million: 2, output_usd_per_million: 2 }],
      },
    ]),
  );
  const { lengths, terms } = lengthsIn({ ...NO_FILE, models: file }, [crowd, small]);
  expect(lengths).toHaveLength(40 + 32);
  expect(lengths).toContain(200_000);
  expect(terms[0]?.typed.size).toBe(31);
  expect(terms[1]).toBe(small);
});
