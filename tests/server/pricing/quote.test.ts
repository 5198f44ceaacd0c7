import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactSats } from '../../../src/shared/price-math.ts';
import { satsPerToken } from '../../../src/shared/sats.ts';
import { playBtcSources } from '../../support/btc-sources/play.ts';
import { plant } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { MINUTE, modelsText, type PricingServer, servePricing } from './serve-pricing.ts';

const start = async (
  rows: Parameters<typeof modelsText>[0],
  options: Parameters<typeof servePricing>[0] = {},
) => {
  const directory = await makeTempDirectory();
  await plant(directory, { 'model_pricing.json': modelsText(rows) });
  return servePricing({ directory, ...options });
};

const quote = async ({ get }: PricingServer, query: Record<string, string | number>) =>
  get(
    `/api/pricing/quote?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]))}`,
  );

test('quotes sats exactly and rounded up, with the prices, the BTC price and its age', async () => {
  const server = await start({ 'gpt-5': [1.25, 10, 0.125], free: [0, 0] });
  server.sources.playAll(66_000);
  await server.refresh();
  server.clock.pass(2 * MINUTE);
  const { status, body } = await quote(server, {
    model: 'openai/gpt-5',
    inputTokens: 1000,
    outputTokens: 500,
  });
  const sats = 1000 * satsPerToken(1.25, 66_000) + 500 * satsPerToken(10, 66_000);
  expect([status, body]).toEqual([
    200,
    {
      model: 'openai/gpt-5',
      priced_as: 'gpt-5',
      tokens: { inputTokens: 1000, outputTokens: 500, cacheReadTokens: 0, cacheWriteTokens: 0 },
      sats: expect.closeTo(sats, 10),
      sats_rounded_up: 10,
      usd: expect.closeTo(0.00625, 12),
      prices: { input_usd_per_million: 1.25, output_usd_per_million: 10, cache_read_usd_per_million: 0.125 },
      btc_price_usd: 66_000,
      btc_price_source: 'coinbase',
      btc_price_source_host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      updated_at: '2026-03-01T12:00:00.000Z',
      age_seconds: 120,
      stale: false,
    },
  ]);
  expect(body.sats).toBeCloseTo(9.4697, 4);
  const cached = await quote(server, { model: 'gpt-5', inputTokens: 10, cacheReadTokens: 66_000_000 });
  expect(cached.body.sats_rounded_up).toBe(12_501);
  // Zero is a price, and no price is not zero.
  expect((await quote(server, { model: 'free', outputTokens: 5 })).body).toMatchObject({
    sats: 0,
    sats_rounded_up: 0,
    usd: 0,
  });
  const unpriced = await quote(server, { model: 'gpt-5', inputTokens: 10, cacheWriteTokens: 5 });
  expect(unpriced.body).toMatchObject({
    sats: null,
    sats_rounded_up: null,
    usd: null,
    unpriced: ['cacheWriteTokens'],
  });
});

test('refuses a quote that it can’t calculate, and says what to send', async () => {
  const server = await start({ 'gpt-5': [1.25, 10] });
  for (const [query, status, code, sentence] of [
    [{ inputTokens: 1 }, 400, 'missing_model', 'model is missing'],
    [{ model: 'gpt-5' }, 400, 'invalid_request', 'inputTokens=1000&outputTokens=500'],
    [{ model: 'gpt-5', inputTokens: 0 }, 400, 'invalid_request', 'inputTokens=1000&outputTokens=500'],
    [{ model: 'gpt-5', input_tokens: 5 }, 400, 'invalid_request', 'input_tokens'],
    [{ model: 'gpt-5', inputTokens: -1 }, 400, 'invalid_request', 'inputTokens'],
    [{ model: 'gpt-5', inputTokens: 1.5 }, 400, 'invalid_request', 'inputTokens'],
    [{ model: 'nothing', inputTokens: 1 }, 404, 'unknown_model', 'GET /api/pricing/models'],
  ] as const) {
    const { status: answered, body } = await quote(server, query);
    expect([query, answered, body.code]).toEqual([query, status, code]);
    expect(JSON.stringify(body)).toContain(sentence);
    expect(body).not.toHaveProperty('sats');
  }
  const early = await start({ 'gpt-5': [1.25, 10] }, { setting: 'mempool=http://127.0.0.1:9', early: true });
  expect((await quote(early, { model: 'gpt-5', inputTokens: 1 })).body.code).toBe('price_unavailable');
  expect((await quote(early, { model: 'nothing', inputTokens: 1 })).body.code).toBe('unknown_model');
});

test('suggests the nearest names for a model without a price, best first', { tags: 'slow' }, async () => {
  const server = await start({
    'gpt-5': [1, 1],
    'gpt-5-mini': [1, 1],
    'gpt-4.1-2025-04-14': [1, 1],
    o3: [1, 1],
    'claude-sonnet-4-5': [1, 1],
    'anthropic/claude-opus-4.1': [1, 1],
    ['__proto__']: [1, 1],
  });
  for (const [model, best] of [
    ['openai/gpt-5', 'gpt-5'],
    ['GPT-5', 'gpt-5'],
    ['gpt5', 'gpt-5'],
    ['gpt-5-2025-08-07', 'gpt-5'],
    ['openai/gpt-5-2025-08-07', 'gpt-5'],
    ['gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    ['o3-2025-04-16', 'o3'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['gpt-4.1-latest', 'gpt-4.1-2025-04-14'],
    ['claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['claude-opus-4-1', 'anthropic/claude-opus-4.1'],
    ['openrouter/anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
  ] as const) {
    const { status, body } = await server.tokens(model);
    expect([model, status, body.code, body.suggestions?.[0]]).toEqual([model, 404, 'unknown_model', best]);
    expect(body.error).toContain(`Did you mean "${best}"`);
    expect((await server.tokens(body.suggestions[0])).status).toBe(200);
  }
  for (const model of ['llama-3.3-70b', 'x', '/', 'ö'.repeat(1000)]) {
    const { body } = await server.tokens(model);
    expect([model, body.code, body.suggestions]).toEqual([model, 'unknown_model', undefined]);
    expect(body.error).not.toContain('Did you mean');
  }
  expect((await server.get('/api/agents/scout/cost?model=gpt5')).body).toMatchObject({
    code: 'unknown_model',
    suggestions: expect.arrayContaining(['gpt-5']),
  });
});

test('names the host that responded for a source with another address, also after a restart', {
  tags: 'slow',
}, async () => {
  const sources = await playBtcSources(64_000);
  const server = await servePricing({ sources, setting: sources.setting('mempool') });
  const { host } = new URL(sources.setting('mempool').slice('mempool='.length));
  expect((await server.refresh()).body).toMatchObject({ source: 'mempool', source_host: host });
  const models = (await server.get('/api/pricing/models')).body.models;
  const answers = async ({ get }: PricingServer) => [
    (await get('/api/pricing/btc')).body.source_host,
    (await get(`/api/pricing/tokens?model=${Object.keys(models)[0]}`)).body.btc_price_source_host,
    (await get('/api/pricing/history')).body.points[0].source_host,
  ];
  expect(await answers(server)).toEqual([host, host, host]);
  await server.close();
  expect(await readFile(server.history, 'utf8')).toContain(host);
  const again = await servePricing({
    sources,
    setting: 'mempool=http://127.0.0.1:9',
    directory: server.models.slice(0, -'/model_pricing.json'.length),
    clock: server.clock,
    early: true,
  });
  // The address in the settings is another one now, but it gave no price.
  expect(await answers(again)).toEqual([host, host, host]);
});

test('a sum of exactly whole sats is never rounded up further, whatever its binary fractions (property)', () => {
  const price = fc.integer({ min: 0, max: 10_000_000 }).map((thousandths) => thousandths / 1000);
  const row = fc.record({ tokens: fc.integer({ min: 0, max: 1_000_000_000 }), usdPerMillion: price });
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 4 }),
      fc.integer({ min: 100, max: 100_000_000 }),
      (rows, cents) => {
        const { sats, roundedUp } = exactSats(rows, cents / 100);
        // Thousandths of USD and hundredths of the BTC price, as whole numbers.
        const above = rows.reduce(
          (sum, { tokens, usdPerMillion }) => sum + BigInt(tokens) * BigInt(Math.round(usdPerMillion * 1000)),
          0n,
        );
        const [whole, rest] = [(above * 10n) / BigInt(cents), (above * 10n) % BigInt(cents)];
        expect(roundedUp).toBe(Number(whole) + (rest > 0n ? 1 : 0));
        expect(sats).toBeLessThanOrEqual(roundedUp);
        expect(sats).toBeGreaterThanOrEqual(roundedUp - 1);
      },
    ),
  );
  expect(exactSats([{ tokens: 3, usdPerMillion: 0.1 }], 10)).toEqual({ sats: 3, roundedUp: 3 });
  expect(exactSats([{ tokens: 1, usdPerMillion: 1e-7 }], 1e9)).toEqual({ sats: 1e-14, roundedUp: 1 });
  expect(exactSats([{ tokens: 7, usdPerMillion: 1e21 }], 0.001)).toEqual({ sats: 7e26, roundedUp: 7e26 });
});
