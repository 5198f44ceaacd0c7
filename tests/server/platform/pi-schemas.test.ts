import { expect, test } from 'vitest';
import { refusedValues } from '../../../src/server/platform/json-problems.ts';
import { modelsSchema, typedPricesOf } from '../../../src/server/platform/pi-schemas.ts';
import { parseJson } from '../../../src/shared/json-document.ts';

const COST = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };

const modelsJson = (models: object[], providers = 1) =>
  JSON.stringify({
    providers: Object.fromEntries(
      Array.from({ length: providers }, (_, at) => [
        `p${at}`,
        { baseUrl: 'https://a.example', api: 'openai-completions', apiKey: 'x', models },
      ]),
    ),
  });

const priced = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `m${at}`, cost: COST }));

test('prices count from at most 100 providers and 1,000 models', () => {
  expect(typedPricesOf(modelsJson(priced(1_000))).size).toBe(1_000);
  expect(typedPricesOf(modelsJson(priced(1_001))).size).toBe(0);
  expect(typedPricesOf(modelsJson(priced(1), 100)).size).toBe(100);
  expect(typedPricesOf(modelsJson(priced(1), 101)).size).toBe(0);
});

test('tens of thousands of wrong entries are refused with the first one', () => {
  const tiers = Array.from({ length: 60_000 }, () => ({}));
  const text = modelsJson([{ id: 'm', cost: { ...COST, tiers } }]);
  expect(typedPricesOf(text).size).toBe(0);
  const refused = [...refusedValues(parseJson(text), modelsSchema())];
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(10);
});
