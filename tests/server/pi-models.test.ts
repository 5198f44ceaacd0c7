import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentModels } from '../../src/shared/api/pi-models.ts';
import { firstQuick } from '../support/first-quick.ts';
import { type ModelsChange, ODD, ROUTE, serveModels } from '../support/pi-models.ts';
import { plant } from '../support/plant.ts';

/** A variable as pi reads it. */
const inBraces = (name: string) => `$\{${name}}`;

const MARK = 'Zq4T8vW1nB6x';
const secretOf = (place: string) => `${MARK}${place}z`;

const provider = ({ providers }: AgentModels, id: string) => providers.find((each) => each.id === id);

test('lists providers and models, what pi refuses, and the names of other keys', async () => {
  const { call } = await serveModels(ODD);
  const { body, headers } = await call('GET', ROUTE);
  expect(headers.get('etag')).toBe(body.etag);
  expect(body).toEqual({
    exists: true,
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    otherKeys: ['mine', 'last'],
    providers: [
      {
        id: 'local',
        accepted: true,
        isBuiltIn: false,
        baseUrl: 'http://127.0.0.1:8080/v1',
        api: 'openai-completions',
        apiKey: { hidden: 'text', instead: inBraces('LOCAL_API_KEY') },
        otherKeys: ['future'],
        models: [
          { id: 'qwen', accepted: true, contextWindow: 32_000, otherKeys: ['compat'] },
          {
            id: 'glm/4.5:free',
            accepted: true,
            cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
            otherKeys: [],
          },
        ],
        modelOverrides: [],
      },
      {
        id: 'openai',
        accepted: true,
        isBuiltIn: true,
        otherKeys: [],
        models: [],
        modelOverrides: [{ id: 'gpt-5.4', accepted: true, maxTokens: 9000, otherKeys: ['later'] }],
      },
    ],
  });
});

test('never shows what may be a secret, in an answer or anywhere else', async () => {
  const lines: string[] = [];
  const logLines = { write: (line: string) => void lines.push(line) };
  const { call, change, list, text, undo, operatorToken, dataDirectory } = await serveModels(
    JSON.stringify({
      secret: secretOf('top'),
      providers: {
        shop: {
          name: `sk-ant-api03-${`${MARK}a1b2`.repeat(3)}`,
          baseUrl: `https://me:${secretOf('pass')}@shop.example/v1`,
          api: 'openai-completions',
          apiKey: secretOf('key'),
          headers: {
            Authorization: `Bearer ${secretOf('header')}`,
            'X-Team': 'short',
            'X-Key': `Token ${inBraces('K')}`,
            'X-Escaped': `$$${secretOf('escaped')}`,
            'X-Run': `!echo ${secretOf('run')}`,
            'X-Name': '$TEAM',
          },
          oauth: { secret: secretOf('oauth') },
          models: [
            {
              id: 'm',
              baseUrl: `https://shop.example/v1?api_key=${secretOf('query')}`,
              headers: { 'X-Own': secretOf('own') },
              samplingParams: { user: secretOf('sampling') },
              contextWindow: secretOf('number'),
              input: [secretOf('input')],
              cost: { input: secretOf('cost'), odd: secretOf('odd') },
            },
          ],
          modelOverrides: { o: { compat: secretOf('compat'), name: `ghp_${MARK}${MARK}${MARK}` } },
        },
        env: { apiKey: '$ENV_KEY', baseUrl: 'https://env.example/v1' },
        runs: { apiKey: `!security find ${secretOf('command')}` },
      },
    }),
    { logLines },
  );
  const read = await list();
  expect(provider(read, 'shop')).toMatchObject({
    name: { hidden: 'text' },
    baseUrl: { hidden: 'text', shown: 'https://shop.example' },
    apiKey: { hidden: 'text', instead: inBraces('SHOP_API_KEY') },
    headers: {
      Authorization: { hidden: 'text', instead: `Bearer ${inBraces('SHOP_TOKEN')}` },
      'X-Team': { hidden: 'text' },
      'X-Key': `Token ${inBraces('K')}`,
      'X-Escaped': { hidden: 'text' },
      'X-Run': { hidden: 'command' },
      'X-Name': '$TEAM',
    },
  });
  expect(provider(read, 'env')).toMatchObject({ apiKey: '$ENV_KEY', baseUrl: 'https://env.example/v1' });
  expect(provider(read, 'runs')?.apiKey).toEqual({ hidden: 'command' });
  const kept = await text();
  const refused = await change({ provider: 'shop', model: 'm', change: { cost: { input: null } } });
  expect(refused.code).toBe('model_refused');
  const copy = await call('POST', '/api/agents/scout/duplicate', { name: 'copy' });
  const answers: unknown[] = [read, refused.body, copy.body];
  for (const route of [
    ROUTE,
    '/api/agents/scout/json/models.json',
    '/api/agents/scout/checks',
    '/api/agents/scout/prompt',
    '/api/agents/scout/entries',
    '/api/agents/scout/cost',
    '/api/agents/scout/readiness',
    `/api/search?q=${MARK}`,
    '/api/drafts',
    '/api/requests',
    '/api/profiles',
  ]) {
    const answer = await call('GET', route, undefined, { Authorization: `Bearer ${operatorToken}` });
    answers.push(answer.body);
  }
  for (const answer of answers) expect(JSON.stringify(answer)).not.toContain(MARK);
  expect(await text()).toBe(kept);
  const changed = await change({ provider: 'shop', change: { name: 'Shop' } });
  expect((await undo(changed)).body.applied).toBe(1);
  expect(await text()).toBe(kept);
  // Nor does the log, or a file that dot-mi keeps.
  expect(lines.join('')).not.toContain(MARK);
  for (const entry of await readdir(dataDirectory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    expect(await readFile(join(entry.parentPath, entry.name), 'latin1')).not.toContain(MARK);
  }
  // The file can't be read or written as text.
  for (const [method, route] of [
    ['GET', '/api/agents/scout/file?path=models.json'],
    ['PUT', '/api/agents/scout/file'],
  ] as const) {
    const { body } = await call(
      method,
      route,
      method === 'PUT' ? { path: 'models.json', content: '{}' } : undefined,
    );
    expect(body.code).toBe('invalid_file_name');
  }
});

test('an agent without models has none, with or without a file', async () => {
  const { list, path } = await serveModels();
  expect(await list()).toEqual({ exists: false, etag: null, providers: [], otherKeys: [] });
  await writeFile(path, '{"providers": {}}');
  expect(await list()).toMatchObject({ exists: true, providers: [] });
});

test('adds a provider and its models, and undoes all of it down to no file', { tags: 'slow' }, async () => {
  const { change, list, text, undo, path } = await serveModels();
  const first = await change(
    {
      provider: 'local',
      change: {
        baseUrl: 'http://127.0.0.1:1/v1',
        api: 'openai-completions',
        apiKey: '$KEY',
        headers: { A: '$A' },
      },
    },
    { ifNoneMatch: '*' },
  );
  expect(first.error).toBeUndefined();
  const second = await change({
    provider: 'local',
    model: 'qwen',
    change: {
      name: 'Qwen',
      reasoning: true,
      input: ['text', 'image'],
      contextWindow: 8000,
      cost: { input: 0.5, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
  });
  const third = await change({
    provider: 'anthropic',
    override: 'claude-opus-5',
    change: { maxTokens: 4000 },
  });
  expect(await text()).toBe(`{
  "providers": {
    "local": {
      "baseUrl": "http://127.0.0.1:1/v1",
      "api": "openai-completions",
      "apiKey": "$KEY",
      "headers": {
        "A": "$A"
      },
      "models": [
        {
          "id": "qwen",
          "name": "Qwen",
          "reasoning": true,
          "input": ["text", "image"],
          "contextWindow": 8000,
          "cost": {
            "input": 0.5,
            "output": 0,
            "cacheRead": 0,
            "cacheWrite": 0
          }
        }
      ]
    },
    "anthropic": {
      "modelOverrides": {
        "claude-opus-5": {
          "maxTokens": 4000
        }
      }
    }
  }
}
`);
  for (const made of [third, second]) expect((await undo(made)).body.applied).toBe(1);
  expect((await undo(first)).body.applied).toBe(1);
  expect(await list()).toEqual({
    exists: false,
    etag: null,
    providers: [],
    otherKeys: [],
  });
  await expect(stat(path)).rejects.toThrow('ENOENT');
  expect((await undo(first)).body).toEqual({ change: null, applied: 0, unchanged: 1, refused: [] });
});

const LOCAL = { provider: 'local' };
const QWEN = { ...LOCAL, model: 'qwen' };
const GLM = { ...LOCAL, model: 'glm/4.5:free' };
const GPT = { provider: 'openai', override: 'gpt-5.4' };

for (const [tags, rows] of firstQuick<[string, ModelsChange, readonly [string, string][]]>(3, [
  [
    'changes a URL',
    { ...LOCAL, change: { baseUrl: 'http://[::1]/v1', apiKey: '$KEY' } },
    [
      ['http://127.0.0.1:8080/v1', 'http://[::1]/v1'],
      [MARK, '$KEY'],
    ],
  ],
  ['moves a key to a variable', { ...LOCAL, change: { apiKey: '$KEY' } }, [[MARK, '$KEY']]],
  ['leaves an equal number as it is written', { ...QWEN, change: { contextWindow: 32_000 } }, []],
  ['changes a number', { ...QWEN, change: { contextWindow: 64_000 } }, [['32e3', '64000']]],
  ['changes one price', { ...GLM, change: { cost: { output: 3 } } }, [['"output":2', '"output":3']]],
  ['renames a model', { ...QWEN, newId: 'qwen-2', change: {} }, [['"qwen"', '"qwen-2"']]],
  ['renames a provider', { ...LOCAL, newId: 'home', change: {} }, [['"local" :', '"home" :']]],
  ['renames an override', { ...GPT, newId: 'gpt-5.5', change: {} }, [['"gpt-5.4"', '"gpt-5.5"']]],
  ['removes a field', { ...GPT, change: { maxTokens: null } }, [['"maxTokens": 9000, ', '']]],
  [
    'adds a field to an override',
    { ...GPT, change: { reasoning: true } },
    [['true } }', 'true, "reasoning": true } }']],
  ],
  [
    'adds what a model reads',
    { ...GLM, change: { input: ['text'] } },
    [['"cacheWrite": 0 }, }', '"cacheWrite": 0 }, "input": ["text"], }']],
  ],
  [
    'removes a model',
    { ...QWEN, change: null },
    [['\t\t\t\t{ "id": "qwen", "contextWindow": 32e3, "compat": { "supportsStore": false } },\r\n', '']],
  ],
  [
    'removes the only override of a provider of pi, and so its entry',
    { ...GPT, change: null },
    [['\t\t"openai": { "modelOverrides": { "gpt-5.4": { "maxTokens": 9000, "later": true } } }, ', '\t\t']],
  ],
  [
    'adds a model after the last one and its comment',
    { ...LOCAL, model: 'new', change: { contextWindow: 5 } },
    [
      [
        '}, }, // Last\r\n',
        '}, }, // Last\r\n\t\t\t\t{\r\n\t\t\t\t\t"id": "new",\r\n\t\t\t\t\t"contextWindow": 5\r\n\t\t\t\t},\r\n',
      ],
    ],
  ],
]))
  test.each(rows)('%s, and leaves every other byte', { tags }, async (_, body, replaced) => {
    const { change, text, list, undo } = await serveModels(ODD);
    const made = await change(body, { ifMatch: (await list()).etag });
    expect(made.error).toBeUndefined();
    const expected = replaced.reduce((all, [from, to]) => {
      expect(all).toContain(from);
      return all.replace(from, () => to);
    }, ODD);
    expect(await text()).toBe(expected);
    if (replaced.length > 0) expect((await undo(made)).body.applied).toBe(1);
    expect(await text()).toBe(ODD);
  });

test('refuses what pi would not accept, and changes nothing', async () => {
  const { change, edit, text } = await serveModels(ODD);
  const refusals: [ModelsChange, string, string][] = [
    [{ provider: 'new', change: {} }, 'model_refused', 'It needs a "baseUrl"'],
    [{ provider: 'new', change: { api: 'x' } }, 'model_refused', 'It needs a "baseUrl"'],
    [{ provider: 'new', model: 'm', change: {} }, 'model_refused', 'model "m" of "new": It needs an "api"'],
    [{ provider: 'azure', model: 'm', change: {} }, 'model_refused', 'It needs a "baseUrl"'],
    [{ provider: 'a b', change: { baseUrl: 'http://x' } }, 'model_refused', 'A provider id must'],
    [{ ...LOCAL, model: 'a b', change: {} }, 'model_refused', 'can’t contain spaces'],
    [{ ...LOCAL, override: 'a b', change: {} }, 'model_refused', 'can’t contain spaces'],
    [{ ...LOCAL, newId: 'a b', change: {} }, 'model_refused', 'A provider id must'],
    [{ ...LOCAL, change: { api: null } }, 'model_refused', 'model "qwen" of "local": It needs an "api"'],
    [{ ...LOCAL, change: { baseUrl: null } }, 'model_refused', 'It needs a "baseUrl"'],
    [{ ...LOCAL, change: { name: '' } }, 'model_refused', '"name" can’t be empty'],
    [{ ...GLM, change: { cost: { input: null } } }, 'model_refused', '"cost.input" is missing'],
    [{ ...QWEN, change: { contextWindow: 0 } }, 'model_refused', '"contextWindow" must be more than 0'],
    [{ ...QWEN, change: { input: ['audio'] } }, 'model_refused', '"input[0]" must be "text" or "image"'],
    [{ ...QWEN, newId: 'glm/4.5:free', change: {} }, 'model_exists', 'already has a model'],
    [{ ...LOCAL, newId: 'openai', change: {} }, 'model_exists', 'already has a provider'],
    [{ provider: 'none', newId: 'y', change: {} }, 'model_not_found', 'no provider "none"'],
    [{ ...LOCAL, newId: 'y', override: 'x', change: {} }, 'model_not_found', 'no override'],
  ];
  for (const [request, code, says] of refusals) {
    const made = await change(request);
    expect([request, made.code, made.error]).toEqual([request, code, expect.stringContaining(says)]);
  }
  const { code } = await edit([{ path: ['providers', 'local', 'apiKey'], rename: 'name' }]);
  expect(code).toBe('model_refused');
  expect(await text()).toBe(ODD);
});

test('repairs a file that pi ignores step by step', { tags: 'slow' }, async () => {
  const { change, list } = await serveModels(
    '{"providers": {"a": "text", "b": {"baseUrl": 5, "models": [{"id": "m", "cost": {"input": 1}}, {"id": "m", "maxTokens": -1}]}}}',
  );
  const read = await list();
  expect(read.problem).toBe(
    'pi ignores all of models.json: provider "a": It must be an object, such as { "name": "value" }.',
  );
  expect(read.providers.map(({ accepted }) => accepted)).toEqual([false, false]);
  expect(provider(read, 'b')).toMatchObject({
    problem: '"baseUrl" must be text in quotes.',
    models: [
      { id: 'm', problem: 'A later model has the same id, so pi uses that one.' },
      { id: 'm', problem: expect.stringContaining('"maxTokens" must be more than 0.') },
    ],
  });
  for (const body of [
    { provider: 'a', change: { baseUrl: 'http://a/v1' } },
    { provider: 'b', change: { baseUrl: 'http://b/v1' } },
    { provider: 'b', change: { api: 'openai-completions' } },
    { provider: 'b', model: 'm', newId: 'n', change: { maxTokens: 9 } },
  ])
    expect((await change(body)).error).toBeUndefined();
  const repaired = await list();
  expect(repaired.problem).toBeUndefined();
  expect(repaired.providers.every(({ accepted }) => accepted)).toBe(true);
  // Or else pi would use the other one now.
  expect(provider(repaired, 'b')?.models.map(({ id, maxTokens }) => [id, maxTokens])).toEqual([['n', 9]]);
});

test('removes every model of an id, because pi would use the one before', async () => {
  const { change, text } = await serveModels(
    '{"providers": {"x": {"baseUrl": "http://x", "api": "a", "models": [{"id":"m"}, {"id":"n"}, {"id":"m"}]}}}',
  );
  await change({ provider: 'x', model: 'm', change: null });
  expect(JSON.parse(await text()).providers.x.models).toEqual([{ id: 'n' }]);
});

test('keeps the comments in a list that changes', { tags: 'slow' }, async () => {
  const file = (input: string) =>
    `{"providers": {"x": {"baseUrl": "http://x", "api": "a", "models": [{"id":"m", "input": [ // What it reads\n${input}]}]}}}`;
  const { change, text } = await serveModels(file('"text", // Words\n"image" // Pictures\n'));
  await change({ provider: 'x', model: 'm', change: { input: ['text'] } });
  expect(await text()).toContain('// What it reads');
  expect(await text()).toContain('// Words');
  expect(await text()).not.toContain('"image"');
});

test('refuses to overwrite the edit of another program', async () => {
  const { change, list, path, text } = await serveModels(ODD);
  const { etag } = await list();
  await writeFile(path, '{"providers":{}}');
  const body = { provider: 'x', change: { baseUrl: 'http://x' } };
  expect((await change(body, { ifMatch: etag })).code).toBe('file_changed');
  expect((await change(body, { ifNoneMatch: '*' })).code).toBe('file_changed');
  expect(await text()).toBe('{"providers":{}}');
});

test('leaves a file that it can’t edit, and doesn’t write through a symlink', { tags: 'slow' }, async () => {
  const { change, edit, list, path, text, rootPath } = await serveModels('{}');
  const add = { provider: 'x', change: { baseUrl: 'http://x' } };
  for (const [broken, says] of [
    ['{"providers":', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['{"providers": {} /* no */}', 'not valid JSON'],
    ['[]', '"providers" object'],
    ['{"providers": []}', '"providers" object'],
    [`{"providers": {}, "x": "${'x'.repeat(300_000)}"}`, 'too large'],
  ] as const) {
    await writeFile(path, broken);
    expect((await list()).problem).toContain(says);
    expect((await change(add)).code).toBe('models_unreadable');
    expect(await text()).toBe(broken);
  }
  await writeFile(path, '{"providers": {"x": {"models": {}}}}');
  const model = { path: ['providers', 'x', 'models', 0], value: { id: 'm' } };
  expect((await edit([model])).code).toBe('models_unreadable');
  await rm(path);
  await plant(rootPath, { 'shared/models.json': ODD });
  await symlink('../../shared/models.json', path);
  expect((await change(add)).code).toBe('linked_file');
  expect(await readFile(join(rootPath, 'shared/models.json'), 'utf8')).toBe(ODD);
});
