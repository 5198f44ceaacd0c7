import { describe, expect, it } from 'vitest';
import { type PricedModel, toWire } from '../../src/renderer/src/api/models.ts';
import { calculate } from '../../src/renderer/src/features/pricing/calculator-section.tsx';
import {
  applyEdit,
  describeEdit,
  EMPTY_TIER,
  editOf,
  openModelOf,
  type PriceEdit,
  readModelDraft,
} from '../../src/renderer/src/features/pricing/editing/price-edits.ts';
import { parseTokenCount, readPrice } from '../../src/renderer/src/money/read-price.ts';

const model = (name: string, inputUsd: number, outputUsd: number): PricedModel => ({
  name,
  inputUsd,
  outputUsd,
});
const MODELS = [model('a', 1, 2), model('b', 3, 4), model('c', 5, 6)];

describe('applyEdit', () => {
  it.each([
    [{ kind: 'add', model: model('d', 0, 7) }, [...MODELS, model('d', 0, 7)]],
    [{ kind: 'remove', name: 'b' }, [MODELS[0], MODELS[2]]],
    [{ kind: 'change', name: 'b', changes: { inputUsd: 9 } }, [MODELS[0], model('b', 9, 4), MODELS[2]]],
    [
      { kind: 'change', name: 'a', changes: { name: '__proto__', outputUsd: 0 } },
      [model('__proto__', 1, 0), MODELS[1], MODELS[2]],
    ],
  ] as const)('applies %o, and its inverse reverts it', (edit, expected) => {
    const edited = applyEdit(MODELS, edit as PriceEdit);
    if ('conflict' in edited) throw new Error(edited.conflict);
    expect(edited.models).toEqual(expected);
    expect(applyEdit(edited.models, edited.inverse)).toMatchObject({ models: MODELS });
  });

  it('reverts only its own side when the other one was changed meanwhile', () => {
    const edited = applyEdit(MODELS, { kind: 'change', name: 'a', changes: { inputUsd: 9 } });
    if ('conflict' in edited) throw new Error(edited.conflict);
    const theirs = [model('a', 9, 20)];
    expect(applyEdit(theirs, edited.inverse)).toMatchObject({ models: [model('a', 1, 20)] });
  });

  it.each([
    [
      { kind: 'add', model: model('a', 0, 0) },
      { conflict: 'taken', name: 'a' },
    ],
    [
      { kind: 'remove', name: 'x' },
      { conflict: 'gone', name: 'x' },
    ],
    [
      { kind: 'change', name: 'x', changes: {} },
      { conflict: 'gone', name: 'x' },
    ],
    [
      { kind: 'change', name: 'a', changes: { name: 'b' } },
      { conflict: 'taken', name: 'b' },
    ],
  ] as const)('reports that %o does not fit', (edit, expected) => {
    expect(applyEdit(MODELS, edit as PriceEdit)).toEqual(expected);
  });
});

describe('readPrice', () => {
  it.each([
    ['2.5', 2.5],
    [' $ 0.0375 ', 0.0375],
    ['.25', 0.25],
    ['5.', 5],
    ['1e-9', 1e-9],
    ['1000000000', 1e9],
    ['0', 0],
  ])('reads %s', (text, price) => expect(readPrice(text)).toBe(price));

  it.each(['', ' ', '-1', '1,5', '1000000001', '0x10', 'NaN', 'Infinity', '1e999', '.', '1.2.3'])(
    'reads no price from “%s”',
    (text) => expect(readPrice(text)).toBeNull(),
  );
});

const EMPTY = { ...EMPTY_TIER, name: '', requestUsd: '', tiers: [] };

describe('readDraft', () => {
  it('names what is wrong with each field', () => {
    const draft = { ...EMPTY, name: ' a ', inputUsd: '', outputUsd: '1', cacheWriteUsd: ' ' };
    expect(readModelDraft(draft, new Set(['a']))).toEqual({
      problems: { name: 'taken', inputUsd: 'notPrice' },
    });
    expect(readModelDraft({ ...draft, name: ' ' }, new Set())).toMatchObject({
      problems: { name: 'noName' },
    });
    expect(readModelDraft({ ...draft, inputUsd: '0' }, new Set())).toEqual({ model: model('a', 0, 1) });
    const cached = { ...draft, inputUsd: '1', cacheReadUsd: '0.1' };
    expect(readModelDraft(cached, new Set())).toEqual({ model: { ...model('a', 1, 1), cacheReadUsd: 0.1 } });
    expect(readModelDraft({ ...cached, cacheWriteUsd: 'x' }, new Set())).toEqual({
      problems: { cacheWriteUsd: 'notPrice' },
    });
  });

  it('reads the fee of a request and the prices of long ones, in the order of the file', () => {
    const tier = { ...EMPTY_TIER, above: '200,000', inputUsd: '4', outputUsd: '8' };
    const draft = { ...EMPTY, name: 'a', inputUsd: '1', outputUsd: '2', requestUsd: '0.01' };
    const higher = { ...tier, above: '1000000', cacheReadUsd: '0.4' };
    const prices = { input_usd_per_million: 4, output_usd_per_million: 8 };
    const uneven = {
      ...model('a', 1, 2),
      requestUsd: 0.01,
      tiers: [
        { input_tokens_above: 200_000, ...prices },
        { input_tokens_above: 1_000_000, ...prices, cache_read_usd_per_million: 0.4 },
      ],
    };
    expect(readModelDraft({ ...draft, tiers: [higher, tier] }, new Set())).toEqual({ model: uneven });
    const opened = openModelOf(uneven, null).draft;
    expect(readModelDraft(opened, new Set())).toEqual({ model: uneven });
    expect(editOf(uneven, uneven)).toBeNull();
    expect(editOf(uneven, model('a', 1, 2))).toEqual({
      kind: 'change',
      name: 'a',
      changes: { requestUsd: undefined, tiers: undefined },
    });
    const wrong = { ...draft, requestUsd: '-', tiers: [tier, { ...tier, above: '200000', outputUsd: '' }] };
    expect(readModelDraft(wrong, new Set())).toEqual({
      problems: { requestUsd: 'notPrice', tiers: [{}, { above: 'sameTokens', outputUsd: 'notPrice' }] },
    });
    expect(readModelDraft({ ...draft, tiers: [EMPTY_TIER] }, new Set())).toMatchObject({
      problems: { tiers: [{ above: 'notTokens', inputUsd: 'notPrice', outputUsd: 'notPrice' }] },
    });
  });

  it('keeps cache prices in other edits, adds and removes them, and undoes that', () => {
    const cached = { ...model('a', 1, 2), cacheReadUsd: 0.1 };
    const changed = applyEdit([cached], { kind: 'change', name: 'a', changes: { inputUsd: 3 } });
    expect(changed).toMatchObject({ models: [{ ...cached, inputUsd: 3 }] });
    const removal = editOf(cached, model('a', 1, 2));
    expect(removal).toEqual({ kind: 'change', name: 'a', changes: { cacheReadUsd: undefined } });
    const removed = applyEdit([cached], removal as PriceEdit);
    expect(removed).toMatchObject({ inverse: { kind: 'change', changes: { cacheReadUsd: 0.1 } } });
    expect(toWire('models' in removed ? removed.models : [])).toEqual({
      a: { input_usd_per_million: 1, output_usd_per_million: 2 },
    });
    expect(toWire([cached])).toEqual({
      a: { input_usd_per_million: 1, output_usd_per_million: 2, cache_read_usd_per_million: 0.1 },
    });
  });

  it('changes only the fields that differ', () => {
    expect(editOf(model('a', 1, 2), model('b', 1, 3))).toEqual({
      kind: 'change',
      name: 'a',
      changes: { name: 'b', outputUsd: 3 },
    });
    expect(editOf(model('a', 1, 2), model('a', 1, 2))).toBeNull();
    expect(editOf(null, model('a', 1, 2))).toEqual({ kind: 'add', model: model('a', 1, 2) });
  });
});

it('describes what an edit was going to do', () => {
  expect(describeEdit({ kind: 'change', name: 'a', changes: { name: 'b', inputUsd: 1, outputUsd: 2 } })).toBe(
    'rename “a” to “b” and set “a” to $1.00 for input and $2.00 for output',
  );
  expect(describeEdit({ kind: 'remove', name: 'a' })).toBe('remove “a”');
});

describe('the calculator', () => {
  it('calculates both sides in USD and sats', () => {
    const { input, output, total } = calculate(model('m', 2.5, 10), { input: 1000, output: 100 }, 100_000);
    expect([input, output, total]).toEqual([
      { usd: 0.0025, sats: 2.5 },
      { usd: 0.001, sats: 1 },
      { usd: 0.0035, sats: 3.5 },
    ]);
  });

  it('has no sats without a BTC price', () => {
    expect(calculate(model('m', 1, 1), { input: 1e6, output: 0 }, null).total).toEqual({
      usd: 1,
      sats: null,
    });
  });

  it.each([
    ['1000', 1000],
    ['12,345', 12_345],
    ['200k', 200_000],
    ['12,345 k', 12_345_000],
    ['1.5M', 1_500_000],
    ['1.001k', 1001],
    ['1,5', null],
    ['1,5k', null],
    ['k', null],
    ['0', 0],
    ['', null],
    ['1.5', null],
    ['-3', null],
    ['many', null],
  ])('reads %s tokens', (text, count) => expect(parseTokenCount(text)).toBe(count));
});
