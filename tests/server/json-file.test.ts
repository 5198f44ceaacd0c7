/** The JSON files that dot-mi changes by form, as text without secrets. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownJson } from '../../src/server/json-files/shown-json.ts';
import type { JsonFile } from '../../src/shared/api/json-files.ts';
import { serveOperator as serve } from '../support/as-operator.ts';
import { makeRoot } from '../support/root.ts';
import { serve as serveAnyone } from '../support/server.ts';

/** A variable as pi reads it. */
const inBraces = (name: string) => `$\{${name}}`;

const MODELS = `{\r
\t// The key was 1234.\r
\t"providers": {\r
\t\t"local": {\r
\t\t\t"baseUrl": "http://127.0.0.1:8080/v1", "apiKey": "hunter2", "headers": { "X": "$X", "Y": "y" },\r
\t\t\t"mine": "a word", "compat": { "thinkingFormat": "openai", "supportsStore": false },\r
\t\t\t"models": [{ "id": "m", "contextWindow": 32e3, }, ],\r
\t\t},\r
\t},\r
}`;

const SHOWN = `{\r
\t// •••\r
\t"providers": {\r
\t\t"local": {\r
\t\t\t"baseUrl": "http://127.0.0.1:8080/v1", "apiKey": "•••", "headers": { "X": "$X", "Y": "•••" },\r
\t\t\t"mine": "•••", "compat": { "thinkingFormat": "openai", "supportsStore": false },\r
\t\t\t"models": [{ "id": "m", "contextWindow": 32e3, }, ],\r
\t\t},\r
\t},\r
}`;

test('shows the file as it is written, without keys, comments and unknown texts', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({ 'agents/scout/models.json': `\uFEFF${MODELS}` });
  const { call } = await serve(root);
  const read = (path: string) => call('GET', `/api/agents/scout/json/${encodeURIComponent(path)}`);
  const { body, headers } = await read('models.json');
  expect(body).toEqual({
    file: 'models.json',
    exists: true,
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    value: {
      providers: {
        local: {
          baseUrl: 'http://127.0.0.1:8080/v1',
          apiKey: '•••',
          headers: { X: '$X', Y: '•••' },
          mine: '•••',
          compat: { thinkingFormat: 'openai', supportsStore: false },
          models: [{ id: 'm', contextWindow: 32_000 }],
        },
      },
    },
    text: SHOWN,
    hidden: [
      { hidden: 'text', instead: inBraces('LOCAL_API_KEY'), path: ['providers', 'local', 'apiKey'] },
      { hidden: 'text', instead: inBraces('LOCAL_Y'), path: ['providers', 'local', 'headers', 'Y'] },
      { hidden: 'text', path: ['providers', 'local', 'mine'] },
    ],
    problems: [
      {
        path: ['providers', 'local', 'models', 0],
        message: 'It needs an "api", here or in the provider.',
      },
    ],
  });
  expect(headers.get('etag')).toBe(body.etag);
  expect((await call('GET', '/api/agents/scout/models')).body.etag).toBe(body.etag);

  const missing = await read('mcp.json');
  expect(missing.body).toEqual({
    file: 'mcp.json',
    exists: false,
    etag: null,
    value: null,
    text: null,
    hidden: [],
    problems: [],
  });
  for (const [text, problem] of [
    ['{"a":', 'mcp.json is not valid JSON'],
    [`{"a":"${'x'.repeat(300_000)}"}`, 'mcp.json is too large'],
    ['['.repeat(100_000), 'mcp.json is too large'],
  ] as const) {
    await writeFile(join(root, 'agents/scout/mcp.json'), text);
    const broken = await read('mcp.json');
    expect(broken.body).toMatchObject({
      exists: true,
      value: null,
      text: null,
      problems: [{ path: [], message: expect.stringContaining(problem) }],
    });
  }
  for (const path of ['auth.json', 'mcp-auth.json', 'SYSTEM.md', '../scout/mcp.json'])
    expect((await read(path)).status).toBe(400);
});

test('shows everything only to the operator who asks for it, and what pi refuses only to the operator', async () => {
  const text = '{ "mcpServers": { "a": { "command": "x", "env": { "T": "hunter2" } }, "b": {} } }\n';
  const root = await makeRoot({ 'agents/scout/mcp.json': text, 'agents/scout/settings.json': '{"theme":5}' });
  const { call, asOperator } = await serveAnyone(root);
  const path = '/api/agents/scout/json/mcp.json';
  const key = (
    await asOperator('POST', '/api/keys', {
      label: 'x',
      agent: 'scout',
      scopes: ['read-agents', 'write-agent'],
    })
  ).body.key;
  for (const headers of [{}, { Authorization: `Bearer ${key}` }]) {
    const refused = await call('GET', `${path}?reveal=true`, undefined, headers);
    expect([refused.status, refused.body.code]).toEqual([403, 'operator_required']);
    const { body } = await call('GET', path, undefined, headers);
    expect(body).toMatchObject({
      etag: null,
      value: { mcpServers: { a: { command: '•••', env: { T: '•••' } }, b: {} } },
      problems: [],
    });
  }
  const { body } = await asOperator('GET', `${path}?reveal=true`);
  expect(body).toMatchObject({ value: JSON.parse(text), text, hidden: [] });
  expect(body.problems).toEqual([
    { path: ['mcpServers', 'b'], message: 'A server needs a "command" or a "url".' },
  ]);
  expect((await asOperator('GET', '/api/agents/scout/json/settings.json')).body.problems).toEqual([
    { path: ['theme'], message: '"theme" must be text in quotes.' },
  ]);
});

test('a secret is hidden in every place where the forms hide it, also in a member that a later one replaces', () => {
  for (const [file, text, secrets] of [
    ['mcp.json', '{"mcpServers":{"a":{"args":["--token","hunter2pass"],"args":[]}}}', ['hunter2pass']],
    ['mcp.json', '{"mcpServers":{"a":{"url":"https://x.example/?api_key=hunter2pass"}}}', ['hunter2pass']],
    ['mcp.json', '{"mcpServers":{"a":{"env":{"A":"one","B":2,"C":["three"]}}}}', ['one', '2', 'three']],
    ['mcp.json', `{"mcpServers":{"a":{"command":"ghp_${'a1B2c3D4e5'.repeat(4)}"}}}`, ['ghp_']],
    ['settings.json', '{"packages":["git:https://me:hunter2@x.example/a/b"]}', ['hunter2']],
    ['settings.json', '{"httpProxy":"http://me:hunter2@x.example:3128","later":"word"}', ['hunter2', 'word']],
    ['models.json', `{"sk-ant-api03-${'a1B2c3D4e5'.repeat(3)}":1}`, ['sk-ant']],
    ['models.json', '{"providers":{"a":{"apiKey":"!pass show hunter2"}}} // hunter2', ['hunter2']],
  ] as const) {
    const { text: shown, hidden } = shownJson(file, text, 'no-secrets');
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).toContain('•••');
    expect(JSON.stringify(hidden)).not.toContain(secrets[0]);
    if (file !== 'models.json') expect(() => JSON.parse(shown ?? '')).not.toThrow();
  }
});

test('whatever a file holds, its text keeps its shape, and only a listed key or value is shown as text', () => {
  const secret = 'Zq4T8vW1nB6x';
  const values = fc.oneof(
    fc.constant(secret),
    fc.constant(`Bearer ${secret}`),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const keys = fc.constantFrom(
    'apiKey',
    'env',
    'headers',
    'providers',
    'mcpServers',
    'models',
    'mine',
    'a',
    'oauth',
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 6 }, values, fc.array(tie('value')), fc.dictionary(keys, tie('value'))),
  })).value;
  const shapeOf = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shapeOf)
      : typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, each]) => [key, shapeOf(each)])
        : typeof value === 'boolean' || value === null
          ? value
          : 'text or number';
  fc.assert(
    fc.property(
      fc.constantFrom<JsonFile['file']>('mcp.json', 'models.json', 'settings.json'),
      json,
      fc.constantFrom(undefined, 2, '\t'),
      (file, value, indent) => {
        const { text } = shownJson(file, JSON.stringify(value, null, indent), 'no-secrets');
        expect(text).not.toContain(secret);
        expect(shapeOf(JSON.parse(text ?? ''))).toEqual(shapeOf(value));
      },
    ),
    { numRuns: 150 },
  );
});
