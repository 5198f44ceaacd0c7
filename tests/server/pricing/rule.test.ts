import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { satsPerToken } from '../../../src/shared/sats.ts';
import { plant } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { modelsText, servePricing } from './serve-pricing.ts';

const anyUsd = fc.double({ min: 0, max: 1e9, noNaN: true });
const anyBtc = fc.double({ min: 0.001, max: 1e9, noNaN: true });
/** Prices as people write them. */
const decimals = fc.integer({ min: 0, max: 10_000_000 }).map((cents) => cents / 1000);

describe('the rule', () => {
  test('is the spec’s: 2.5 USD per million at 100000 USD is 0.0025 sats, exactly', () => {
    expect(satsPerToken(2.5, 100_000)).toBe(0.0025);
    expect(satsPerToken(15, 60_000)).toBe(0.025);
    expect(satsPerToken(1, 1)).toBe(100);
    expect(satsPerToken(0.1, 100_000)).toBe(0.0001);
  });

  test('is the formula of the spec for every row and price (property)', () => {
    fc.assert(
      fc.property(anyUsd, anyBtc, (usd, btc) => {
        const bySpec = (usd / 1_000_000 / btc) * 100_000_000;
        expect(Math.abs(satsPerToken(usd, btc) - bySpec)).toBeLessThanOrEqual(bySpec * 1e-12 + 1e-300);
      }),
      { numRuns: 1000 },
    );
  });

  test('is finite and not negative for every row and price (property)', () => {
    fc.assert(
      fc.property(anyUsd, anyBtc, (usd, btc) => {
        const sats = satsPerToken(usd, btc);
        expect(Number.isFinite(sats) && sats >= 0).toBe(true);
        expect(JSON.parse(JSON.stringify(sats))).toBe(sats);
      }),
      { numRuns: 1000 },
    );
  });

  test('gives 0 for a price of 0, and for no other price (property)', () => {
    fc.assert(
      fc.property(anyBtc, decimals, (btc, usd) => {
        expect(satsPerToken(0, btc)).toBe(0);
        expect(satsPerToken(usd, btc) === 0).toBe(usd === 0);
      }),
    );
  });

  test('is linear in the price of the model and falls as the BTC price rises (property)', () => {
    fc.assert(
      fc.property(decimals, decimals, anyBtc, (one, other, btc) => {
        const [a, b] = [satsPerToken(one, btc), satsPerToken(other, btc)];
        expect(satsPerToken(2 * one, btc)).toBe(2 * a);
        expect(satsPerToken(one, 2 * btc)).toBe(a / 2);
        expect(Math.abs(satsPerToken(one + other, btc) - (a + b))).toBeLessThanOrEqual((a + b) * 1e-12);
        if (one < other) expect(a).toBeLessThan(b);
      }),
    );
  });
});

describe('the price of a token', () => {
  const rows = {
    usual: [2.5, 10],
    free: [0, 0],
    'half-free': [0, 0.4],
    small: [0.000001, 0.1],
    large: [1e9, 1e9],
    'openai/gpt 4 ö "quoted" 🦊?&=#': [1, 2],
    ['__proto__']: [3, 4],
    constructor: [5, 6],
    toString: [7, 8],
  } as const;

  test('has the rule’s two numbers, the model as requested, and the BTC price used', async () => {
    const directory = await makeTempDirectory();
    await plant(directory, { 'model_pricing.json': modelsText(rows) });
    const { tokens, sources, refresh } = await servePricing({ directory });
    sources.playAll(66_000.5);
    await refresh();
    for (const [model, [input, output]] of Object.entries(rows)) {
      const { status, body } = await tokens(model);
      expect([model, status]).toEqual([model, 200]);
      expect(body).toEqual({
        model,
        input_sats_per_token: satsPerToken(input, 66_000.5),
        output_sats_per_token: satsPerToken(output, 66_000.5),
        btc_price_usd: 66_000.5,
        btc_price_source: 'coinbase',
        btc_price_source_host: expect.stringMatching(/^127\.0\.0\.1:/),
        updated_at: '2026-03-01T12:00:00.000Z',
        stale: false,
      });
    }
  });

  test('has the prices of the cache where the models file has them', async () => {
    const directory = await makeTempDirectory();
    await plant(directory, {
      'model_pricing.json': modelsText({ both: [5, 25, 0.5, 6.25], read: [2.5, 10, 0], bad: [1, 1, -1] }),
    });
    const { tokens, get } = await servePricing({ directory });
    const { body } = await tokens('both');
    const btc = body.btc_price_usd;
    expect(body).toMatchObject({
      cache_read_sats_per_token: satsPerToken(0.5, btc),
      cache_write_sats_per_token: satsPerToken(6.25, btc),
    });
    const { body: readOnly } = await tokens('read');
    expect([readOnly.cache_read_sats_per_token, readOnly.cache_write_sats_per_token]).toEqual([0, undefined]);
    const list = (await get('/api/pricing/models')).body;
    expect(list.models.both.cache_write_usd_per_million).toBe(6.25);
    expect(list.configError).toContain('"bad" is ignored: cache_read_usd_per_million must be a number');
  });

  test('of the spec’s example is 0.0025, over HTTP', async () => {
    const directory = await makeTempDirectory();
    await plant(directory, { 'model_pricing.json': modelsText({ example: [2.5, 2.5] }) });
    const { sources, tokens, refresh } = await servePricing({ directory });
    for (const price of [70_000, 77_000, 84_000, 92_000, 100_000]) {
      sources.playAll(price);
      await refresh();
    }
    expect((await tokens('example')).body).toMatchObject({
      input_sats_per_token: 0.0025,
      output_sats_per_token: 0.0025,
      btc_price_usd: 100_000,
    });
  });

  test('is not found for a name that isn’t in the file, such as one that every object has', async () => {
    const directory = await makeTempDirectory();
    await plant(directory, { 'model_pricing.json': modelsText({ usual: [1, 1] }) });
    const { tokens } = await servePricing({ directory });
    for (const model of [
      'Usual',
      'usual ',
      'toString',
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'models',
    ]) {
      const { status, body } = await tokens(model);
      expect([model, status, body.code]).toEqual([model, 404, 'unknown_model']);
    }
  });
});

describe('errors follow the order of the contract', () => {
  const codeOf = async (answer: Promise<{ status: number; body: { code: string } }>) => {
    const { status, body } = await answer;
    return [status, body.code];
  };

  test('no model, then a file that was never valid, then an unknown name, then no BTC price', async () => {
    const directory = await makeTempDirectory();
    await plant(directory, { 'model_pricing.json': '{"models":' });
    const { get, tokens, refresh } = await servePricing({
      directory,
      setting: 'mempool=http://127.0.0.1:9',
      early: true,
    });
    expect((await refresh()).status).toBe(503);

    for (const path of ['/api/pricing/tokens', '/api/pricing/tokens?model=', '/api/pricing/tokens?other=x']) {
      const { status, body } = await get(path);
      expect([path, status, body.code]).toEqual([path, 400, 'missing_model']);
      expect(body.error).toContain('/api/pricing/models');
    }
    expect(await codeOf(get('/api/pricing/tokens?model=a&model=b'))).toEqual([400, 'invalid_request']);
    const invalid = await tokens('a');
    expect([invalid.status, invalid.body.code]).toEqual([500, 'pricing_config_invalid']);
    expect(invalid.body.error).toMatch(/line 1, column \d+/);
    expect(invalid.body.error).not.toContain(directory);

    await plant(directory, { 'model_pricing.json': modelsText({ a: [1, 1] }) });
    const unknown = await tokens('b');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'unknown_model']);
    expect(unknown.body.error).toContain('GET /api/pricing/models');
    const unavailable = await tokens('a');
    expect([unavailable.status, unavailable.body.code]).toEqual([503, 'price_unavailable']);
    expect(Number(unavailable.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
