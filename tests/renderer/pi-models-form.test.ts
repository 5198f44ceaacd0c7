import { expect, test } from 'vitest';
import {
  changeOf,
  type EntryForm,
  type EntryTarget,
  formOf,
  problemsOf,
} from '../../src/renderer/src/features/pi-models/entry-form.ts';
import { makeRow } from '../../src/renderer/src/named-values/named-values.ts';
import type { PiModel, PiProvider } from '../../src/shared/api/pi-models.ts';

const hidden = { hidden: 'text' } as const;

const MODEL: PiModel = {
  ...{ id: 'qwen', accepted: true, otherKeys: [] },
  reasoning: true,
  contextWindow: 1.5,
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
};

const LOCAL: PiProvider = {
  ...{ id: 'local', accepted: true, isBuiltIn: false, otherKeys: [] },
  baseUrl: { ...hidden, shown: 'https://x' },
  apiKey: hidden,
  headers: { 'X-Key': hidden, 'X-Team': '$TEAM' },
  models: [MODEL],
  modelOverrides: [{ id: 'gpt', accepted: true, otherKeys: [], cost: { input: 1 } }],
};

const PROVIDER: EntryTarget = { kind: 'provider', entry: LOCAL };
const QWEN: EntryTarget = { kind: 'model', provider: LOCAL, entry: MODEL };
const GPT: EntryTarget = { kind: 'override', provider: LOCAL, entry: LOCAL.modelOverrides[0] };

const change = (target: EntryTarget, edit: (form: EntryForm) => Partial<EntryForm>) => {
  const form = formOf(target);
  return changeOf({ ...form, ...edit(form) }, target);
};

const prices = (form: EntryForm, some: Partial<EntryForm['prices']>) => ({
  prices: { ...form.prices, ...some },
});

const NONE = { input: '', output: '', cacheRead: '', cacheWrite: '' };

test.each([PROVIDER, QWEN, GPT])(
  'a form that nobody touched changes nothing and is complete: $kind',
  (target) => {
    expect(change(target, () => ({}))).toBeUndefined();
    expect(problemsOf(formOf(target), target, []).isComplete).toBe(true);
  },
);

test.each<[string, EntryTarget, (form: EntryForm) => Partial<EntryForm>, object]>([
  [
    'a new key',
    PROVIDER,
    () => ({ apiKey: { text: '$KEY', kept: hidden } }),
    { provider: 'local', change: { apiKey: '$KEY' } },
  ],
  ['no key', PROVIDER, () => ({ apiKey: { text: '' } }), { provider: 'local', change: { apiKey: null } }],
  [
    'other headers',
    PROVIDER,
    ({ headers }) => ({ headers: [...headers.slice(0, 1), { ...makeRow('X-New'), text: '$NEW' }] }),
    { provider: 'local', change: { headers: { 'X-New': '$NEW', 'X-Team': null } } },
  ],
  ['another id', PROVIDER, () => ({ id: ' home ' }), { provider: 'local', newId: 'home', change: {} }],
  [
    'numbers',
    QWEN,
    () => ({ contextWindow: '32,000', maxTokens: '4000', thinking: 'unset', images: 'yes' }),
    {
      provider: 'local',
      model: 'qwen',
      change: { contextWindow: 32_000, maxTokens: 4000, reasoning: null, input: ['text', 'image'] },
    },
  ],
  [
    'one price',
    QWEN,
    (form) => prices(form, { input: '$0.5' }),
    { provider: 'local', model: 'qwen', change: { cost: { input: 0.5 } } },
  ],
  [
    'an empty price of a model',
    QWEN,
    (form) => prices(form, { output: '' }),
    { provider: 'local', model: 'qwen', change: { cost: { output: 0 } } },
  ],
  ['no price', QWEN, () => ({ prices: NONE }), { provider: 'local', model: 'qwen', change: { cost: null } }],
  [
    'an empty price of an override',
    GPT,
    (form) => prices(form, { input: '', output: '3' }),
    { provider: 'local', override: 'gpt', change: { cost: { input: null, output: 3 } } },
  ],
])('changes only what was typed: %s', (_, target, edit, body) => {
  expect(change(target, edit)).toEqual(body);
});

test('adds an entry of each kind', () => {
  const add = (target: EntryTarget) => change(target, () => ({ id: 'new', name: { text: 'New' } }));
  expect(add({ kind: 'provider' })).toEqual({ provider: 'new', change: { name: 'New' } });
  expect(add({ kind: 'model', provider: LOCAL })).toEqual({
    provider: 'local',
    model: 'new',
    change: { name: 'New' },
  });
  expect(add({ kind: 'override', provider: LOCAL })).toEqual({
    provider: 'local',
    override: 'new',
    change: { name: 'New' },
  });
});

test.each<[string, EntryTarget, Partial<EntryForm>, object]>([
  ['a provider with a blank', PROVIDER, { id: 'a b' }, { id: 'rule' }],
  ['an id that is taken', QWEN, { id: 'other' }, { id: 'taken' }],
  ['no id', QWEN, { id: ' ' }, {}],
  ['a window of nothing', QWEN, { contextWindow: '0' }, { contextWindow: true }],
  ['no number', QWEN, { maxTokens: 'many' }, { maxTokens: true }],
  ['no price', QWEN, { prices: { ...NONE, input: '-1' } }, { prices: { input: true } }],
  ['two headers of a name', PROVIDER, { headers: [makeRow('A', 'x'), makeRow('A', 'y')] }, {}],
])('can’t save %s', (_, target, edit, problems) => {
  expect(problemsOf({ ...formOf(target), ...edit }, target, ['other'])).toMatchObject({
    ...problems,
    isComplete: false,
  });
});
