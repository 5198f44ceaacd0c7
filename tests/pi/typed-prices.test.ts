import { expect, test } from 'vitest';
import { findPrice, typedPricesIn } from '../../src/pi/typed-prices.ts';

const COST = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 };
const PRICES = {
  input_usd_per_million: 2,
  output_usd_per_million: 10,
  cache_read_usd_per_million: 0.1,
  cache_write_usd_per_million: 2.5,
};

const pricesIn = (models: object[], modelOverrides: object = {}) =>
  Object.fromEntries(typedPricesIn(new Map([['home', { models, modelOverrides } as object]])));

test('has the prices of models with their provider, and those for long requests', () => {
  const tiers = [{ inputTokensAbove: 200_000, ...COST, input: 4 }];
  expect(pricesIn([{ id: 'a', cost: COST }, { id: 'b' }, { id: 'c/d', cost: { ...COST, tiers } }])).toEqual({
    'home/a': PRICES,
    'home/c/d': {
      ...PRICES,
      tiers: [{ input_tokens_above: 200_000, ...PRICES, input_usd_per_million: 4 }],
    },
  });
});

test('an override changes a model of the same file, and needs both prices for one that only pi knows', () => {
  const overrides = {
    a: { cost: { input: 3 } },
    partial: { cost: { input: 3 } },
    whole: { cost: { input: 0, output: 1 } },
  };
  expect(pricesIn([{ id: 'a', cost: COST }], overrides)).toEqual({
    'home/a': { ...PRICES, input_usd_per_million: 3 },
    'home/whole': { input_usd_per_million: 0, output_usd_per_million: 1 },
  });
});

test.each([
  ['negative', { ...COST, input: -1 }],
  ['too high', { ...COST, cacheRead: 1e10 }],
  ['in a tier', { ...COST, tiers: [{ inputTokensAbove: 1, ...COST, output: -1 }] }],
  [
    'more than eight tiers',
    { ...COST, tiers: Array.from({ length: 9 }, (_, at) => ({ inputTokensAbove: at, ...COST })) },
  ],
  ['a length that isn’t whole', { ...COST, tiers: [{ inputTokensAbove: 0.5, ...COST }] }],
])('a cost of which part isn’t a price counts as none: %s', (_name, cost) => {
  expect(pricesIn([{ id: 'a', cost }])).toEqual({});
});

test('the models file wins, and models.json counts for its own provider', () => {
  const typed = typedPricesIn(new Map([['home', { models: [{ id: 'a', cost: COST }] }]]));
  const file = new Map([['b', { input_usd_per_million: 1, output_usd_per_million: 1 }]]);
  expect(findPrice({ provider: 'home', id: 'a' }, file, typed)).toMatchObject({
    name: 'home/a',
    pricedIn: 'models_json',
  });
  expect(findPrice({ id: 'a' }, file, typed)).toMatchObject({ name: 'home/a' });
  expect(findPrice({ provider: 'other', id: 'a' }, file, typed)).toBeUndefined();
  const both = new Map([...file, ['a', { input_usd_per_million: 9, output_usd_per_million: 9 }] as const]);
  expect(findPrice({ provider: 'home', id: 'a' }, both, typed)).toMatchObject({
    name: 'a',
    pricedIn: 'models_file',
  });
});
