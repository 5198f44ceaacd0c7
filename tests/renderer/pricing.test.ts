import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import { readModels, saveModels, toWire } from '../../src/renderer/src/api/models.ts';
import { refusedSources } from '../../src/renderer/src/features/pricing/btc-section.tsx';
import { timeLabels } from '../../src/renderer/src/features/pricing/chart/price-chart.tsx';
import { priceColumns, summarize } from '../../src/renderer/src/features/pricing/chart/price-history.ts';
import {
  merged,
  preselected,
  stillSelected,
  withSelected,
} from '../../src/renderer/src/features/pricing/import/use-import.ts';
import { priceIn, usdPerMillionText } from '../../src/renderer/src/features/pricing/models/measures.ts';
import {
  groupModels,
  providerOf,
  type SortColumn,
  sortModels,
} from '../../src/renderer/src/features/pricing/models/order-models.ts';
import { modelUsers } from '../../src/renderer/src/features/pricing/use-pricing.ts';
import {
  formatBtcUsd,
  formatChange,
  formatSats,
  formatShare,
  formatUsd,
} from '../../src/renderer/src/money/format-price.ts';
import { nextSorting } from '../../src/renderer/src/ui/long-table.tsx';
import { satsPerMillion, satsPerToken, usdPerToken } from '../../src/shared/sats.ts';

const model = (name: string, inputUsd = 1, outputUsd = 2) => ({ name, inputUsd, outputUsd });
const price = (input: number, output: number) => ({
  input_usd_per_million: input,
  output_usd_per_million: output,
});

describe('USD of a token', () => {
  it('are a millionth of the price, and readable however small', () => {
    expect([2.5, 0.15, 0.0375, 0].map((usd) => formatUsd(usdPerToken(usd)))).toEqual([
      '$0.0000025',
      '$0.00000015',
      '$0.0000000375',
      '$0.00',
    ]);
  });
});

describe('sats of a price', () => {
  it.each([
    // The example of the contract.
    [2.5, 100_000, 0.0025, 2500],
    [0, 64_000, 0, 0],
    [3, 64_000, 0.0046875, 4687.5],
  ])('of $%d a million at $%d are %d a token and %d a million', (usd, btc, perToken, perMillion) => {
    expect(satsPerToken(usd, btc)).toBe(perToken);
    expect(satsPerMillion(usd, btc)).toBe(perMillion);
  });

  it('are finite and in proportion for any prices', () => {
    const usd = fc.double({ min: 0, max: 1e9, noNaN: true });
    const btc = fc.double({ min: 0.001, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(usd, btc, (one, other) => {
        const perToken = satsPerToken(one, other);
        expect(Number.isFinite(perToken)).toBe(true);
        expect(satsPerMillion(one, other) / 1e6).toBeCloseTo(
          perToken,
          6 - Math.ceil(Math.log10(perToken + 1)),
        );
      }),
    );
  });
});

describe('numbers of prices', () => {
  it.each([
    [0, '$0.00'],
    [2.5, '$2.50'],
    [0.0375, '$0.0375'],
    [0.000123456, '$0.0001235'],
    [1.2345678, '$1.2346'],
    [1234567, '$1,234,567.00'],
    [3e-12, '$3e-12'],
  ])('shows %d USD as %s', (value, text) => {
    expect(formatUsd(value)).toBe(text);
  });

  it.each([
    [64_000, '$64,000'],
    [104_321.987, '$104,322'],
    [999.5, '$999.50'],
    [0.0123, '$0.0123'],
  ])('shows a BTC price of %d as %s', (value, text) => {
    expect(formatBtcUsd(value)).toBe(text);
  });

  it.each([
    [0, '0'],
    [3906.25, '3,906'],
    [156.25, '156.3'],
    [0.00390625, '0.003906'],
    [0.0025, '0.0025'],
    [7.8125e-8, '0.00000007813'],
    [1.5625e-11, '1.563e-11'],
    [999.96, '1,000'],
  ])('shows %d sats as %s', (value, text) => {
    expect(formatSats(value)).toBe(text);
  });

  it.each([
    ['usdPerToken', 2.5, '$0.0000025'],
    ['usdPerToken', 0.000123456, '$1.235e-10'],
    ['usdPerToken', 0.0123456, '$1.23e-8'],
    ['satsPerMillion', 75, '77,791'],
    ['satsPerMillion', 1_000_000_000, '1.037T'],
    ['satsPerMillion', 1e-9, '1.04e-6'],
    ['satsPerToken', 0.01, '0.00001037'],
    ['satsPerToken', 0.0001, '1.04e-7'],
  ] as const)('shows in the column of %s the value of $%d in full', (measure, usd, text) => {
    expect(priceIn(measure, usd, 96_412)?.text).toBe(text);
  });

  it('shows USD per million so that the column has room for them', () => {
    expect([2.5, 1234.5, 1_000_000_000, 0.000123456, 1e-9, 0].map(usdPerMillionText)).toEqual([
      '$2.50',
      '$1.235K',
      '$1B',
      '$1.23e-4',
      '$1e-9',
      '$0.00',
    ]);
  });

  it('shows a change with its sign', () => {
    expect([880, -12.5, 0].map(formatChange)).toEqual(['+$880.00', '−$12.50', '$0']);
    expect([0.0142, -0.2, 0].map(formatShare)).toEqual(['+1.4%', '−20.0%', '0.0%']);
  });
});

describe('the price history', () => {
  const MINUTE_MS = 60_000;
  const at = (minutes: number, usd: number) => ({
    at: new Date(minutes * MINUTE_MS).toISOString(),
    btc_price_usd: usd,
    source: 'mempool',
  });

  it('is summarized as its lowest, its highest and its change', () => {
    expect(summarize([at(0, 100), at(5, 80), at(10, 130), at(15, 110)])).toEqual({
      lowest: 80,
      highest: 130,
      change: 10,
      changeShare: 0.1,
    });
  });

  it('has no summary with fewer than two prices', () => {
    expect([summarize([]), summarize([at(0, 100)])]).toEqual([null, null]);
  });

  it('is drawn as seconds and USD', () => {
    expect(priceColumns([at(0, 100), at(5, 80)])).toEqual([
      [0, 300],
      [100, 80],
    ]);
  });

  it('has a gap where no price was fetched for much longer than usual', () => {
    const [, usd] = priceColumns([at(0, 1), at(5, 2), at(10, 3), at(90, 4), at(95, 5)]);
    expect(usd).toEqual([1, 2, 3, null, 4, 5]);
  });

  it('has no gap where prices are always fetched rarely', () => {
    const [, usd] = priceColumns([at(0, 1), at(120, 2), at(240, 3), at(400, 4)]);
    expect(usd).toEqual([1, 2, 3, 4]);
  });
});

describe('sorting of models', () => {
  const models = [model('gpt-5.10', 3, 1), model('gpt-5.9', 1, 5), model('a', 3, 9)];
  const namesBy = (...sorting: Parameters<typeof nextSorting<SortColumn>>) =>
    sortModels(models, nextSorting(...sorting)).map(({ name }) => name);
  const none = { column: 'usdPerMillion output', direction: 'descending' } as const;

  it('sorts by name, with numbers in it as numbers', () => {
    expect(namesBy(none, 'name')).toEqual(['a', 'gpt-5.9', 'gpt-5.10']);
    expect(namesBy({ column: 'name', direction: 'ascending' }, 'name')).toEqual(['gpt-5.10', 'gpt-5.9', 'a']);
  });

  it('sorts by price, and equal prices by name in both directions', () => {
    expect(namesBy(none, 'usdPerMillion input')).toEqual(['gpt-5.9', 'a', 'gpt-5.10']);
    expect(namesBy({ column: 'satsPerToken input', direction: 'ascending' }, 'satsPerToken input')).toEqual([
      'a',
      'gpt-5.10',
      'gpt-5.9',
    ]);
    expect(namesBy(none, 'usdPerToken output')).toEqual(['gpt-5.10', 'gpt-5.9', 'a']);
    expect(namesBy(none, 'satsPerMillion output')).toEqual(['gpt-5.10', 'gpt-5.9', 'a']);
  });
});

describe('the selection of an import', () => {
  const changes = [
    { name: 'old', before: price(1, 2), after: price(3, 4) },
    { name: 'kept', before: price(5, 6), after: price(7, 8) },
    { name: '__proto__', before: null, after: price(9, 10) },
  ];

  it('starts with the models that are in the file', () => {
    expect([...preselected(changes)]).toEqual(['old', 'kept']);
  });

  it('adds and removes names', () => {
    const selected = withSelected(preselected(changes), ['old'], false);
    expect([...withSelected(selected, ['__proto__'], true)]).toEqual(['kept', '__proto__']);
  });

  it('keeps names that can still be chosen after another read', () => {
    expect([...stillSelected(new Set(['old', 'gone']), changes)]).toEqual(['old']);
  });

  it('changes the selected models, adds new ones at the end, and keeps everything else', () => {
    const models = [model('old', 1, 2), model('kept', 5, 6), model('other', 0, 0)];
    expect(merged(models, changes, new Set(['old', '__proto__']))).toEqual([
      model('old', 3, 4),
      model('kept', 5, 6),
      model('other', 0, 0),
      model('__proto__', 9, 10),
    ]);
  });
});

describe('refusedSources', () => {
  it('names each source’s response', () => {
    const error = new ApiError(503, 'refresh_failed', 'No price.', {
      error: 'No price.',
      code: 'refresh_failed',
      success: false,
      sources: { kraken: 'HTTP 500', mempool: 'no answer' },
    });
    expect(refusedSources(error)).toEqual([
      { name: 'kraken', reason: 'HTTP 500' },
      { name: 'mempool', reason: 'no answer' },
    ]);
  });

  it('names no source for an error of another kind', () => {
    expect(refusedSources(new ApiError(0, 'offline', 'Nobody there.'))).toEqual([]);
  });
});

describe('the models over the wire', () => {
  afterEach(() => vi.unstubAllGlobals());
  const answering = (status: number, body: string) => {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, { status }));
    vi.stubGlobal('fetch', fetch);
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    return fetch;
  };
  const PROTO = '{"__proto__":{"input_usd_per_million":1,"output_usd_per_million":2}}';

  it('are read whatever their names', async () => {
    answering(200, `{"models":${PROTO},"etag":"\\"e\\""}`);
    expect(await readModels()).toEqual({
      models: [model('__proto__')],
      configError: undefined,
      etag: '"e"',
    });
  });

  it('are written whatever their names, for the file that was read', async () => {
    const fetch = answering(200, '{"ok":true,"etag":"\\"f\\""}');
    await saveModels([model('__proto__')], '"e"');
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({
      method: 'PUT',
      body: `{"models":${PROTO}}`,
      headers: { 'if-match': '"e"' },
    });
    expect(Object.keys(toWire([model('__proto__'), model('a')]))).toEqual(['__proto__', 'a']);
  });

  it('are written without a condition if there was no file', async () => {
    const fetch = answering(200, '{"ok":true,"etag":"\\"f\\""}');
    await saveModels([], null);
    expect(fetch.mock.calls[0]?.[1].headers).not.toHaveProperty('if-match');
  });

  it.each(['null', '"x"', 'x'])(
    'are not accepted from %s, which isn’t an answer of the API',
    async (body) => {
      answering(200, body);
      await expect(readModels()).rejects.toMatchObject({ code: 'unexpected_answer' });
    },
  );
});

describe('the labels of the chart', () => {
  const noon = new Date(2026, 2, 1, 12).getTime() / 1000;
  const every = (seconds: number, count: number) =>
    timeLabels(
      Array.from({ length: count }, (_, i) => noon + i * seconds),
      seconds,
    );

  it.each([
    ['ten seconds', 10, 6],
    ['a minute', 60, 10],
    ['six hours', 6 * 3600, 8],
    ['a day', 24 * 3600, 7],
  ])('are each shown once with a step of %s', (_, seconds, count) => {
    expect(new Set(every(seconds, count)).size).toBe(count);
  });

  it('say the day only where the time alone would be ambiguous', () => {
    const labels = every(12 * 3600, 4);
    expect(labels[0]).toMatch(/^12/);
    expect(labels[2]).toMatch(/Mon/);
  });
});

describe('the agents that use a model', () => {
  it('are found under the name with the provider first, then under the model’s own', () => {
    const agent = (id: string, name: string) => ({ id, model: { name, source: 'pi-args' as const } });
    const users = modelUsers(
      [
        agent('a', 'anthropic/claude-opus-5'),
        agent('b', 'openrouter/anthropic/claude-opus-5'),
        agent('c', 'claude-opus-5'),
        agent('d', 'local/unpriced'),
        { id: 'e', firstLine: 'You look.' },
      ],
      [{ name: 'claude-opus-5' }, { name: 'anthropic/claude-opus-5' }, { name: '__proto__' }],
    );
    expect([...users]).toEqual([
      ['anthropic/claude-opus-5', ['a', 'b']],
      ['claude-opus-5', ['c']],
    ]);
  });
});

describe('groups of models', () => {
  it.each([
    ['claude-opus-5', 'Anthropic'],
    ['anthropic/claude-opus-5', 'Anthropic'],
    ['gpt-6.1-sol', 'OpenAI'],
    ['o4-mini', 'OpenAI'],
    ['openrouter-fast', 'Other'],
    ['MiniMax-M3', 'MiniMax'],
    ['meta-llama/llama-5', 'Meta'],
    ['cohere/command-r', 'cohere'],
    ['constructor/x', 'constructor'],
    ['my-model', 'Other'],
  ])('%s belongs to %s', (name, provider) => {
    expect(providerOf(name)).toBe(provider);
  });

  const models = (...names: string[]) => names.map((name) => ({ name, inputUsd: 1, outputUsd: 2 }));

  it('puts unknown providers last, and keeps the order within a provider', () => {
    const items = groupModels(models('gpt-5.10', 'gpt-5.9', 'mine', 'claude-a'));
    expect(items.map((item) => (item.kind === 'provider' ? item : item.model.name))).toEqual([
      { kind: 'provider', provider: 'Anthropic', count: 1 },
      'claude-a',
      { kind: 'provider', provider: 'OpenAI', count: 2 },
      'gpt-5.10',
      'gpt-5.9',
      { kind: 'provider', provider: 'Other', count: 1 },
      'mine',
    ]);
  });

  it('needs no heading for one provider', () => {
    expect(groupModels(models('gpt-5', 'gpt-6')).every(({ kind }) => kind === 'model')).toBe(true);
  });
});
