import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseModels } from '../../../src/server/pricing/parse-models.ts';
import { readPriceList } from '../../../src/server/pricing/price-lists.ts';
import { chargedSats, mostSats } from '../../../src/shared/price-math.ts';
import { plant } from '../../support/plant.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { servePricing } from './serve-pricing.ts';

/** Prices that depend on the length of a request, and fees for each request. */

const tokens = (input: number, output: number, cacheRead?: number, cacheWrite?: number) => ({
  input_usd_per_million: input,
  output_usd_per_million: output,
  ...(cacheRead === undefined ? {} : { cache_read_usd_per_million: cacheRead }),
  ...(cacheWrite === undefined ? {} : { cache_write_usd_per_million: cacheWrite }),
});

const SOL = {
  ...tokens(2, 10, 0.1, 2.5),
  tiers: [{ input_tokens_above: 272_000, ...tokens(4, 15, 0.2, 5) }],
};
const FEE = { ...tokens(1, 1), request_usd: 0.005 };

describe('a price list', () => {
  const read = (list: unknown) => {
    const { models, refused } = readPriceList(list);
    return { models: Object.fromEntries(models), refused };
  };

  test('of litellm has tiers above a number of tokens, and a fee for each request', () => {
    const flat = { input_cost_per_token: 1.25e-6, output_cost_per_token: 1e-5 };
    const { models, refused } = read({
      gemini: {
        ...flat,
        cache_read_input_token_cost: 1.25e-7,
        input_cost_per_token_above_200k_tokens: 2.5e-6,
        output_cost_per_token_above_200k_tokens: 1.5e-5,
        cache_read_input_token_cost_above_200k_tokens: 2.5e-7,
        input_cost_per_token_above_200k_tokens_priority: 9,
        input_cost_per_token_batches: 9,
        search_context_cost_per_query: { search_context_size_low: 0.035 },
        input_cost_per_audio_token: 9,
        output_cost_per_reasoning_token: 1e-5,
      },
      steps: {
        ...flat,
        input_cost_per_token_above_128k_tokens: 2e-6,
        output_cost_per_token_above_32k_tokens: 2e-5,
      },
      sonar: { ...flat, input_cost_per_request: 0.005, citation_cost_per_token: 0 },
      hour: { ...flat, cache_creation_input_token_cost_above_1hr: 2.5e-6 },
    });
    expect(refused).toEqual([]);
    expect(models).toEqual({
      gemini: {
        ...tokens(1.25, 10, 0.125),
        tiers: [{ input_tokens_above: 200_000, ...tokens(2.5, 15, 0.25) }],
      },
      // What a tier lacks keeps its price.
      steps: {
        ...tokens(1.25, 10),
        tiers: [
          { input_tokens_above: 32_000, ...tokens(1.25, 20) },
          { input_tokens_above: 128_000, ...tokens(2, 10) },
        ],
      },
      sonar: { ...tokens(1.25, 10), request_usd: 0.005 },
      hour: tokens(1.25, 10),
    });
  });

  test('of openrouter has a fee for each request, and prices that depend on the length', () => {
    const flat = { prompt: '0.000002', completion: '0.00001' };
    const { models, refused } = read({
      data: [
        {
          id: 'fee',
          pricing: { ...flat, request: '0.005', web_search: '0.01', image: '0.003', internal_reasoning: '0' },
        },
        {
          id: 'long',
          pricing: {
            ...flat,
            overrides: [{ min_prompt_tokens: 272_000, prompt: '0.000004', completion: '0.000015' }],
          },
        },
      ],
    });
    expect(refused).toEqual([]);
    expect(models).toEqual({
      fee: { ...tokens(2, 10), request_usd: 0.005 },
      long: { ...tokens(2, 10), tiers: [{ input_tokens_above: 272_000, ...tokens(4, 15) }] },
    });
  });

  test('of models.dev has context_over_200k, or exact tiers', () => {
    const cost = { input: 2, output: 10, cache_read: 0.1 };
    const over = { input: 4, output: 15, cache_read: 0.2 };
    const { models, refused } = read({
      openai: {
        models: {
          old: { cost: { ...cost, context_over_200k: over, input_audio: 3, reasoning: 10 } },
          new: {
            cost: {
              ...cost,
              context_over_200k: over,
              tiers: [{ ...over, tier: { type: 'context', size: 272_000 } }],
            },
          },
        },
      },
    });
    expect(refused).toEqual([]);
    const long = tokens(4, 15, 0.2);
    expect(models).toEqual({
      old: { ...tokens(2, 10, 0.1), tiers: [{ input_tokens_above: 200_000, ...long }] },
      new: { ...tokens(2, 10, 0.1), tiers: [{ input_tokens_above: 272_000, ...long }] },
    });
  });

  test('of pi has tiers, and 0 for a cache price that isn’t known', () => {
    const tiers = [{ inputTokensAbove: 272_000, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5 }];
    const { models, refused } = read({
      reseller: {
        api: { 'chat:gpt-6.2-sol': { cost: { input: 9, output: 9, cacheRead: 0, cacheWrite: 0 } } },
      },
      openai: {
        'openai-responses': {
          'chat:gpt-6.2-sol': { cost: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, tiers } },
          'chat:gpt-5': { cost: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 } },
          'image:x': { cost: { input: 1, output: 1 } },
        },
      },
    });
    expect(refused).toEqual([]);
    expect(models).toEqual({ 'gpt-6.2-sol': SOL, 'gpt-5': tokens(1.25, 10, 0.125) });
  });

  test('refuses a model with a cost that it can’t calculate, by the name of the field', () => {
    const perToken = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    expect(
      read({
        good: perToken,
        second: { ...perToken, input_cost_per_second: 0.0001 },
        odd: { ...perToken, output_cost_per_token_above_many_tokens: 9e-6, citation_cost_per_token: 2e-6 },
        reasoning: { ...perToken, output_cost_per_reasoning_token: 9e-6 },
        hour: { ...perToken, cache_creation_input_token_cost_above_1hr: 3e-6 },
        tiered: { ...perToken, tiered_pricing: [{ range: [0, 1] }] },
        wrong: { ...perToken, input_cost_per_request: 'varies' },
      }),
    ).toEqual({
      models: { good: tokens(1, 2) },
      refused: [
        { name: 'second', fields: ['input_cost_per_second'] },
        { name: 'odd', fields: ['output_cost_per_token_above_many_tokens', 'citation_cost_per_token'] },
        { name: 'reasoning', fields: ['output_cost_per_reasoning_token'] },
        { name: 'hour', fields: ['cache_creation_input_token_cost_above_1hr'] },
        { name: 'tiered', fields: ['tiered_pricing'] },
        { name: 'wrong', fields: ['input_cost_per_request'] },
      ],
    });
    const prompt = { prompt: '0.000001', completion: '0.000002' };
    const data = [
      { id: 'request', pricing: { ...prompt, request: '-1' } },
      { id: 'night', pricing: { ...prompt, overrides: [{ utc_start: '16:30', prompt: '0.000003' }] } },
      { id: 'more', pricing: { ...prompt, fetch: '0.1' } },
    ];
    expect(read({ data }).refused).toEqual([
      { name: 'request', fields: ['request'] },
      { name: 'night', fields: ['overrides'] },
      { name: 'more', fields: ['fetch'] },
    ]);
    const cost = { input: 1, output: 2 };
    const maker = {
      time: { cost: { ...cost, tiers: [{ ...cost, tier: { type: 'time', size: 1 } }] } },
      size: { cost: { ...cost, tiers: [{ ...cost, tier: { type: 'context' } }] } },
      more: { cost: { ...cost, context_over_500k: cost } },
    };
    expect(read({ maker: { models: maker } }).refused).toEqual([
      { name: 'time', fields: ['tiers'] },
      { name: 'size', fields: ['tiers'] },
      { name: 'more', fields: ['context_over_500k'] },
    ]);
  });
});

test('the models file ignores a row with a cost that dot-mi doesn’t understand, and names it', () => {
  const parse = (row: object) => parseModels(JSON.stringify({ models: { a: row } }));
  for (const [row, problem] of [
    [
      { ...tokens(1, 2), cache_reed_usd_per_million: 1 },
      'cache_reed_usd_per_million must be removed, because dot-mi doesn’t know this cost',
    ],
    [{ ...tokens(1, 2), input_cost_per_second: 1 }, 'input_cost_per_second must be removed'],
    [{ ...tokens(1, 2), request_usd: -1 }, 'request_usd must be a number'],
    [{ ...tokens(1, 2), tiers: {} }, 'tiers must be a list'],
    [{ ...tokens(1, 2), tiers: [tokens(1, 2)] }, 'tiers: input_tokens_above must be a whole number'],
    [
      { ...tokens(1, 2), tiers: [{ input_tokens_above: 5, ...tokens(1, -2) }] },
      'tiers: output_usd_per_million must',
    ],
    [
      { ...tokens(1, 2), tiers: [{ input_tokens_above: 5, ...tokens(1, 2), request_usd: 1 }] },
      'request_usd must be removed',
    ],
  ] as const) {
    const { models, problem: found } = parse(row);
    expect([models?.size, found]).toEqual([0, expect.stringContaining(problem)]);
  }
  expect(parse(SOL)).toEqual({ models: new Map([['a', SOL]]), problem: undefined });
});

const serveUneven = async () => {
  const directory = await makeTempDirectory();
  const models = { sol: SOL, fee: FEE };
  await plant(directory, { 'model_pricing.json': JSON.stringify({ models }) });
  const server = await servePricing({ directory });
  for (const price of [70_000, 77_000, 84_000, 92_000, 100_000]) {
    server.sources.playAll(price);
    await server.refresh();
  }
  return server;
};

test('a quote, a model’s price and a call’s cost count the tier of the request, and its fee', async () => {
  const { get, rootPath } = await serveUneven();
  const quote = async (query: string) => (await get(`/api/pricing/quote?${query}`)).body;
  // 1 USD is 1,000 sats.
  expect(await quote('model=sol&inputTokens=272000&outputTokens=1000')).toMatchObject({
    sats: 554,
    prices: SOL,
  });
  expect(await quote('model=sol&inputTokens=272001&outputTokens=1000')).toMatchObject({ sats: 1_103.004 });
  // Cached input counts, and the tier applies to all of the request.
  expect(await quote('model=sol&inputTokens=1000&cacheReadTokens=300000&outputTokens=1000')).toMatchObject({
    sats: 4 + 60 + 15,
    usd: expect.closeTo(0.079, 12),
  });
  expect(await quote('model=fee&inputTokens=1000')).toMatchObject({ sats: 6, sats_rounded_up: 6 });
  expect((await get('/api/pricing/tokens?model=sol')).body).toMatchObject({
    input_sats_per_token: 0.002,
    tiers: [
      {
        input_tokens_above: 272_000,
        input_sats_per_token: 0.004,
        output_sats_per_token: 0.015,
        cache_read_sats_per_token: 0.0002,
        cache_write_sats_per_token: 0.005,
      },
    ],
  });
  expect((await get('/api/pricing/tokens?model=fee')).body).toMatchObject({ request_sats: 5 });

  await plant(rootPath, { 'agents/scout/SYSTEM.md': 'word '.repeat(280_000) });
  const { promptTokens, cost } = (await get('/api/agents/scout/cost?model=sol&outputTokens=1000')).body;
  expect(promptTokens).toBeGreaterThan(272_000);
  expect(cost.call.sats).toBeCloseTo(promptTokens * 0.004 + 15, 6);
  const { cost: withFee } = (await get('/api/agents/scout/cost?model=fee&outputTokens=1000')).body;
  expect(withFee.call.sats).toBeCloseTo(promptTokens * 0.001 + 1 + 5, 6);
});

test('what agents spent counts each request at its tier, with its fee, in sums and budgets', async () => {
  const server = await serveUneven();
  const { get, rootPath, asOperator } = server;
  const sessions = join(rootPath, 'agents/scout/sessions/--work--');
  await mkdir(sessions, { recursive: true });
  const session = makeSession({ startedAtMs: Date.parse('2026-03-01T11:50:00Z') });
  const file = join(sessions, session.fileName);
  session.call({ input: 200_000, output: 1_000 }, { provider: 'openai', model: 'sol' });
  session.call({ input: 1_000, cacheRead: 299_000, output: 1_000 }, { provider: 'openai', model: 'sol' });
  session.call({ input: 100, output: 100 }, { provider: 'x', model: 'fee' });
  session.call({ input: 100, output: 100 }, { provider: 'x', model: 'fee' });
  session.call({}, { provider: 'x', model: 'fee', stopReason: 'error' });
  await writeFile(file, session.text());
  const usd = async () => (await get('/api/usage')).body.total.usdEstimated;
  const expected = 0.41 + (0.004 + 0.0598 + 0.015) + 2 * (0.0002 + 0.005);
  expect(await usd()).toBeCloseTo(expected, 9);
  const { sessions: listed } = (await asOperator('GET', '/api/agents/scout/sessions')).body;
  expect(listed[0].usdEstimated).toBeCloseTo(expected, 9);
  const { entries } = (await asOperator('GET', `/api/sessions/${session.id}`)).body;
  const ofEntries = entries.reduce(
    (sum: number, entry: { usage?: { usd: number } }) => sum + (entry.usage?.usd ?? 0),
    0,
  );
  expect(ofEntries).toBeCloseTo(expected, 9);

  // A known sum grows in the same way.
  const written = session.text().length;
  session.call({ input: 272_001 }, { provider: 'openai', model: 'sol' });
  await appendFile(file, session.text().slice(written));
  expect(await usd()).toBeCloseTo(expected + 1.088004, 9);
  await asOperator('PUT', '/api/agents/scout/budget', { usdPerDay: 1.5 });
  expect((await get('/api/agents/scout/budget')).body).toMatchObject({ exceeded: true });
});

describe('a customer’s price', () => {
  const price = { ...SOL, btc_price_usd: 100_000, marginPercent: 0 };

  test('in advance counts the highest tier that the work can reach', () => {
    const most = (maxInputTokens: number) => mostSats(price, { maxInputTokens, maxOutputTokens: 1_000 });
    // Input can be a cache write.
    expect(most(272_000)).toBe(680 + 10);
    expect(most(272_001)).toBe(Math.ceil(1_360.005 + 15));
    // A cheaper tier doesn't lower it.
    const cheaper = { ...price, tiers: [...price.tiers, { input_tokens_above: 500_000, ...tokens(1, 1) }] };
    expect(mostSats(cheaper, { maxInputTokens: 600_000, maxOutputTokens: 1_000 })).toBe(3_015);
  });

  test('of work in several requests depends on the largest of them', () => {
    const work = { inputTokens: 400_000, outputTokens: 1_000 };
    expect(chargedSats(price, { ...work, requests: 4, largestInputTokens: 100_000 })).toBe(810);
    expect(chargedSats(price, { ...work, requests: 2, largestInputTokens: 300_000 })).toBe(1_615);
    expect(chargedSats(price, work)).toBe(1_615);
  });

  test('includes the fee for each request, with the margin', () => {
    const fee = { ...FEE, btc_price_usd: 100_000, marginPercent: 10 };
    const work = { inputTokens: 1_000, outputTokens: 1_000 };
    expect(chargedSats(fee, work)).toBe(8);
    expect(chargedSats(fee, { ...work, requests: 3 })).toBe(19);
    expect(chargedSats(fee, { ...work, requests: 0 })).toBe(3);
    expect(mostSats(fee, { maxInputTokens: 1_000, maxOutputTokens: 1_000, maxRequests: 8 })).toBe(47);
  });
});
