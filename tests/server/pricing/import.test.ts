import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PRICE_LIST_URLS, readPriceList } from '../../../src/server/pricing/price-lists.ts';
import { PRICE_LISTS, type PriceList } from '../../../src/shared/api/pricing.ts';
import {
  LITELLM,
  LITELLM_PRICES,
  MODELS_DEV,
  MODELS_DEV_PRICES,
  OPENROUTER,
  OPENROUTER_PRICES,
} from './price-lists.ts';
import { modelRows, modelsText, servePricing } from './serve-pricing.ts';

const IMPORT = '/api/pricing/import';
const LISTS = {
  'models.dev': [MODELS_DEV, MODELS_DEV_PRICES, 5],
  litellm: [LITELLM, LITELLM_PRICES, 7],
  openrouter: [OPENROUTER, OPENROUTER_PRICES, 7],
} as const;

/** Price lists of this machine, in the place of the public ones. */
const playLists = async (answer: RequestListener): Promise<Record<PriceList, string>> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const at = (path: string) => `http://127.0.0.1:${port}/${path}`;
  return { 'models.dev': at('models.dev'), litellm: at('litellm'), openrouter: at('openrouter') };
};

describe('a public price list', () => {
  test.for(PRICE_LISTS)('%s is read in its own format, whether named or detected', (name) => {
    const [list, prices, skipped] = LISTS[name];
    for (const named of [name, undefined]) {
      const read = readPriceList(list, named);
      expect(Object.fromEntries(read.models)).toEqual(modelRows(prices));
      expect([read.format, read.models.size]).toEqual([name, Object.keys(prices).length]);
      expect(read.skipped).toBe(skipped);
    }
  });

  test('counts in USD per token, of which a million make exactly what people write (property)', () => {
    const micros = fc.integer({ min: 0, max: 999_999_999 });
    fc.assert(
      fc.property(micros, fc.integer({ min: 0, max: 6 }), (digits, places) => {
        const perMillion = Number(`${digits}e-${places}`);
        const perToken = Number(`${digits}e-${places + 6}`);
        const { models } = readPriceList({ a: { input_cost_per_token: perToken, output_cost_per_token: 0 } });
        expect(models.get('a')?.input_usd_per_million).toBe(perMillion);
        const text = perToken.toFixed(18);
        const router = readPriceList({ data: [{ id: 'a', pricing: { prompt: text, completion: '0' } }] });
        expect(router.models.get('a')?.input_usd_per_million).toBe(perMillion);
      }),
      { numRuns: 200 },
    );
  });

  test('that isn’t one, or differs from the one named, is refused', () => {
    for (const list of [
      null,
      [],
      {},
      'x',
      5,
      { a: 1 },
      { data: [] },
      { models: {} },
      { a: { models: { b: {} } } },
      { models: { a: { input: 1 } } },
    ]) {
      expect(() => readPriceList(list)).toThrow(/not a (known )?price list/);
    }
    expect(() => readPriceList(LITELLM, 'openrouter')).toThrow(/not a (known )?price list/);
    expect(() => readPriceList(OPENROUTER, 'models.dev')).toThrow(/not a (known )?price list/);
  });

  test('with names such as __proto__ is read like any other', () => {
    const list = JSON.parse('{"__proto__":{"input_cost_per_token":1e-6,"output_cost_per_token":2e-6}}');
    expect([...readPriceList(list).models]).toEqual(Object.entries(modelRows({ ['__proto__']: [1, 2] })));
  });
});

describe('the preview of an import', () => {
  test('shows which models it would add and change, writes nothing, and is then applied with PUT', async () => {
    const { asOperator, get, models } = await servePricing();
    const own = modelRows({ mine: [7, 7], 'gpt-4o': [2.5, 20], 'gpt-5-pro': [15, 120] });
    await asOperator('PUT', '/api/pricing/models', { models: own });
    const before = await readFile(models, 'utf8');

    const { status, body } = await asOperator('POST', IMPORT, { content: JSON.stringify(LITELLM) });
    expect(status).toBe(200);
    expect([body.format, body.unchanged, body.skipped]).toEqual(['litellm', 1, 7]);
    expect(body.changes.map(({ name }: { name: string }) => name)).toEqual(
      Object.keys(LITELLM_PRICES)
        .filter((name) => name !== 'gpt-5-pro')
        .sort(),
    );
    const changed = body.changes.find(({ name }: { name: string }) => name === 'gpt-4o');
    expect(changed).toEqual({ name: 'gpt-4o', before: own['gpt-4o'], after: modelRows({ x: [2.5, 10] }).x });
    expect(body.changes.filter((change: { before: unknown }) => change.before !== null)).toHaveLength(1);
    expect(await readFile(models, 'utf8')).toBe(before);

    const { etag, models: current } = (await get('/api/pricing/models')).body;
    const after = { ...current, 'gpt-4o': changed.after };
    const put = await asOperator('PUT', '/api/pricing/models', { models: after }, { 'If-Match': etag });
    expect(put.status).toBe(200);
    const again = (await asOperator('POST', IMPORT, { content: JSON.stringify(LITELLM) })).body;
    expect([again.unchanged, again.changes.length]).toEqual([2, body.changes.length - 1]);
    expect((await get('/api/pricing/models')).body.models.mine).toEqual(own.mine);
  });

  test('keeps cache prices that the list leaves out, and takes those that it has', async () => {
    const { asOperator } = await servePricing();
    const own = modelRows({ 'gpt-4o': [2.5, 10, 1.25], 'deepseek-x': [1, 1, 1, 1] });
    await asOperator('PUT', '/api/pricing/models', { models: own });
    const { body } = await asOperator('POST', IMPORT, { content: JSON.stringify(LITELLM) });
    const changes = body.changes.filter((change: { before: unknown }) => change.before !== null);
    expect(changes).toEqual([
      {
        name: 'deepseek-x',
        before: own['deepseek-x'],
        after: modelRows({ x: [0.028, 0.42, 0.0028, 1] }).x,
      },
    ]);
    expect(body.unchanged).toBe(1);
  });

  test('accepts a models file of ours too, also with a byte order mark', async () => {
    const { asOperator } = await servePricing();
    const { body } = await asOperator('POST', IMPORT, {
      content: `\uFEFF${modelsText({ a: [1, 2], b: [-1, 2] })}`,
    });
    expect(body).toEqual({
      format: 'models',
      changes: [{ name: 'a', before: null, after: modelRows({ a: [1, 2] }).a }],
      unchanged: 0,
      skipped: 1,
    });
  });

  test('fetches a named list from its own address', async () => {
    const asked: unknown[] = [];
    const priceListUrls = await playLists((request, response) => {
      asked.push(request.url);
      response.end(JSON.stringify(LISTS[(request.url ?? '').slice(1) as PriceList][0]));
    });
    const { asOperator } = await servePricing({ priceListUrls });
    for (const source of PRICE_LISTS) {
      const { status, body } = await asOperator('POST', IMPORT, { source });
      expect([source, status, body.format]).toEqual([source, 200, source]);
      expect(body.changes).toHaveLength(Object.keys(LISTS[source][1]).length);
    }
    expect(asked).toEqual(PRICE_LISTS.map((name) => `/${name}`));
    for (const url of Object.values(PRICE_LIST_URLS)) expect(url).toMatch(/^https:\/\//);
  });

  test('of a list that cannot be fetched is 502, and of one that is something else 422', {
    tags: 'slow',
  }, async () => {
    let answer: RequestListener = (_, response) => response.end();
    const priceListUrls = await playLists((request, response) => answer(request, response));
    const { asOperator } = await servePricing({ priceListUrls });
    const codeOf = async (next: RequestListener) => {
      answer = next;
      const { status, body } = await asOperator('POST', IMPORT, { source: 'litellm' });
      return [status, body.code];
    };
    for (const bad of [
      (_, response) => response.writeHead(500).end('{}'),
      (_, response) => response.writeHead(404).end('{}'),
      (_, response) => response.writeHead(429, { 'Retry-After': '5' }).end('{}'),
      (_, response) => response.end('<html>'),
      (_, response) => response.end(''),
      // To a good list, on the same server: it isn't followed.
      (request, response) =>
        request.url === '/good'
          ? response.end(JSON.stringify(LITELLM))
          : response.writeHead(302, { Location: '/good' }).end(),
      (_, response) => response.destroy(),
      (_, response) => response.end(`${' '.repeat(33 * 1024 * 1024)}${JSON.stringify(LITELLM)}`),
    ] satisfies RequestListener[]) {
      expect(await codeOf(bad)).toEqual([502, 'price_list_unavailable']);
    }
    for (const other of ['null', '[]', '{}', JSON.stringify(OPENROUTER)]) {
      expect(await codeOf((_, response) => response.end(other))).toEqual([422, 'price_list_invalid']);
    }
    expect(await codeOf((_, response) => response.end(JSON.stringify(LITELLM)))).toEqual([200, undefined]);
  });

  test('refuses content that isn’t a price list, and a request that names neither or both sources', async () => {
    const { asOperator } = await servePricing();
    for (const content of [
      '',
      ' ',
      '{',
      'model,price\na,1',
      '<html></html>',
      'null',
      '{}',
      '[1]',
      '{"models":{}}',
      '['.repeat(100_000),
    ]) {
      const { status, body } = await asOperator('POST', IMPORT, { content });
      expect([content.slice(0, 20), status, body.code]).toEqual([
        content.slice(0, 20),
        422,
        'price_list_invalid',
      ]);
    }
    for (const request of [
      {},
      { source: 'litellm', content: '{}' },
      { source: 'other' },
      { content: 5 },
      { content: '{}', more: 1 },
    ]) {
      const { status, body } = await asOperator('POST', IMPORT, request);
      expect([request, status, body.code]).toEqual([request, 400, 'invalid_request']);
    }
  });
});
