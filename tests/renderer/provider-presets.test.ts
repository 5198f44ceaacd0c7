import { expect, test } from 'vitest';
import { APIS, BUILT_IN_PROVIDERS, KEY_VARIABLES } from '../../src/pi/providers.ts';
import {
  callableOf,
  filledWith,
  isOnThisComputer,
  modelEntry,
  modelsAddition,
  type NewProvider,
  PRESETS,
  providerAddition,
  testCost,
} from '../../src/renderer/src/features/pi-models/provider-presets.ts';
import { piModels } from '../../src/renderer/src/strings/pi-models.ts';
import type { JsonFile } from '../../src/shared/api/json-files.ts';

const fileOf = (value: JsonFile['value']): JsonFile => ({
  ...{ file: 'models.json', exists: true, etag: '"x"', text: '', problems: [], hidden: [] },
  value,
});

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

test('a preset writes what pi needs, with the chosen models, and nothing else', () => {
  const added = providerAddition(fileOf({}), filledWith('lmstudio'), [
    { id: 'qwen3-8b', contextWindow: 8_192 },
    { id: 'big', contextWindow: 131_072 },
    { id: 'unknown' },
  ]);
  expect(added).toEqual([
    {
      path: ['providers', 'lmstudio'],
      value: {
        baseUrl: 'http://127.0.0.1:1234/v1',
        api: 'openai-completions',
        apiKey: 'lm-studio',
        models: [
          { id: 'qwen3-8b', contextWindow: 8_192, maxTokens: 2_048, cost: FREE },
          { id: 'big', contextWindow: 131_072, cost: FREE },
          { id: 'unknown', cost: FREE },
        ],
      },
    },
  ]);
  const other = { ...filledWith('other'), name: 'lab' };
  const drafts = { ...other.drafts, baseUrl: 'https://lab.example/v1', apiKey: '$LAB_KEY' };
  expect(providerAddition(fileOf({}), { ...other, drafts }, [{ id: 'm' }])).toEqual([
    {
      path: ['providers', 'lab'],
      value: {
        baseUrl: 'https://lab.example/v1',
        api: 'openai-completions',
        apiKey: '$LAB_KEY',
        models: [{ id: 'm' }],
      },
    },
  ]);
});

test('models that pi knows keep their prices, so only their key is written', () => {
  const openrouter = filledWith('openrouter');
  const withDraft = (change: object): NewProvider => ({
    ...openrouter,
    drafts: { ...openrouter.drafts, ...change },
  });
  const path = ['providers', 'openrouter'];
  const models = [{ id: 'qwen/qwen3', contextWindow: 40_960 }];
  expect(providerAddition(fileOf({}), openrouter, models)).toEqual([
    { path, value: { apiKey: '$OPENROUTER_API_KEY' } },
  ]);
  expect(providerAddition(fileOf({}), withDraft({ apiKey: '' }), models)).toEqual([]);
  const baseUrl = 'https://us.openrouter.ai/api/v1';
  expect(providerAddition(fileOf({}), withDraft({ baseUrl, apiKey: '' }), models)).toEqual([
    { path, value: { baseUrl } },
  ]);
});

test('models are added to the end of a provider’s list', () => {
  const file = fileOf({
    providers: { lab: { baseUrl: 'https://x.example', models: [{ id: 'a' }] }, odd: {} },
  });
  expect(modelsAddition(file, 'lab', [{ id: 'b' }, { id: 'c' }])).toEqual([
    { path: ['providers', 'lab', 'models', 1], value: { id: 'b' } },
    { path: ['providers', 'lab', 'models', 2], value: { id: 'c' } },
  ]);
  expect(modelsAddition(file, 'odd', [{ id: 'b' }])).toEqual([
    { path: ['providers', 'odd', 'models'], value: [{ id: 'b' }] },
  ]);
  expect(modelsAddition(file, 'gone', [{ id: 'b' }])).toBeUndefined();
  expect(modelEntry({ id: 'b', contextWindow: 4_096 }, 'https://x.example')).toEqual({
    id: 'b',
    contextWindow: 4_096,
    maxTokens: 1_024,
  });
});

test('a list needs no key of a preset, and a test sends it', () => {
  const openrouter = filledWith('openrouter');
  const called = { baseUrl: 'https://openrouter.ai/api/v1', api: 'openai-completions' };
  expect(callableOf(openrouter, 'list')).toEqual(called);
  expect(callableOf(openrouter, 'test')).toEqual({ ...called, apiKey: '$OPENROUTER_API_KEY' });
  const own = { ...openrouter, drafts: { ...openrouter.drafts, apiKey: '$MY_KEY' } };
  expect(callableOf(own, 'list')).toEqual({ ...called, apiKey: '$MY_KEY' });
  const vertex = { ...openrouter, drafts: { ...openrouter.drafts, api: 'google-vertex' } };
  expect([callableOf(vertex, 'list'), callableOf(filledWith('other'), 'list')]).toEqual([
    undefined,
    undefined,
  ]);
});

test('local presets are on this computer, and a test elsewhere costs at most this much', () => {
  const local = PRESETS.filter((preset) => isOnThisComputer(String(filledWith(preset).drafts.baseUrl)));
  expect(local).toEqual(['lmstudio', 'ollama', 'llamaCpp', 'vllm']);
  expect(
    ['http://localhost:1/v1', 'http://[::1]:1', 'http://127.0.0.1.example', ''].map(isOnThisComputer),
  ).toEqual([true, true, false, false]);
  const price = { name: 'x/m', inputUsd: 2, outputUsd: 10 };
  expect(testCost(price, 100_000)).toEqual({ usd: 0.0021, sats: 2.1 });
  expect(testCost({ ...price, requestUsd: 0.01 }, null)).toEqual({ usd: 0.0121, sats: null });
});

test('the select has each API of pi, and each key variable is of a provider that pi has', () => {
  expect(new Set(Object.keys(piModels.dialog.apis))).toEqual(APIS);
  expect(Object.keys(KEY_VARIABLES).filter((name) => !BUILT_IN_PROVIDERS.has(name))).toEqual([]);
});
