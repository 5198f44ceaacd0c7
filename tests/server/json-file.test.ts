/** The JSON files that dot-mi changes by form, as text without secrets. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownJson } from '../../src/server/json-files/shown-json.ts';
import type { JsonFile } from '../../src/shared/api/json-files.ts';
import { serveOperator as serve } from '../support/as-operator.ts';
import { makeRoot } from '../support/root.ts';

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
  const read = (path: string) => call('GET', `/api/agents/scout/json?path=${path}`);
  const { body, headers } = await read('models.json');
  expect(body).toEqual({
    path: 'models.json',
    exists: true,
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    text: SHOWN,
    hidden: 4,
  });
  expect(headers.get('etag')).toBe(body.etag);
  expect((await call('GET', '/api/agents/scout/models')).body.etag).toBe(body.etag);

  const missing = await read('mcp.json');
  expect(missing.body).toEqual({ path: 'mcp.json', exists: false, etag: null, text: null, hidden: 0 });
  for (const [text, problem] of [
    ['{"a":', 'mcp.json is not valid JSON'],
    [`{"a":"${'x'.repeat(300_000)}"}`, 'mcp.json is too large'],
    ['['.repeat(100_000), 'mcp.json is too large'],
  ] as const) {
    await writeFile(join(root, 'agents/scout/mcp.json'), text);
    const broken = await read('mcp.json');
    expect(broken.body).toMatchObject({
      exists: true,
      text: null,
      problem: expect.stringContaining(problem),
    });
  }
  for (const path of ['auth.json', 'mcp-auth.json', 'SYSTEM.md', '../scout/mcp.json'])
    expect((await read(path)).status).toBe(400);
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
    const { text: shown, hidden } = shownJson(file, text, true);
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(hidden).toBeGreaterThanOrEqual(1);
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
      fc.constantFrom<JsonFile['path']>('mcp.json', 'models.json', 'settings.json'),
      json,
      fc.constantFrom(undefined, 2, '\t'),
      (file, value, indent) => {
        const { text } = shownJson(file, JSON.stringify(value, null, indent), true);
        expect(text).not.toContain(secret);
        expect(shapeOf(JSON.parse(text ?? ''))).toEqual(shapeOf(value));
      },
    ),
    { numRuns: 150 },
  );
});
