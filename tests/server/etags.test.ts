import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const MODELS = '{ "providers": { "own": { "baseUrl": "http://127.0.0.1:1", "apiKey": "hunter2" } } }\n';

const ROUTES = [
  '/api/agents/scout',
  '/api/agents/scout/file?path=SYSTEM.md',
  '/api/agents/scout/models',
  '/api/agents/scout/json/models.json',
  '/api/agents/scout/checks',
  '/api/presets',
  '/api/pricing/models',
];

const answersOf = async (server: TestServer, token?: string): Promise<string> => {
  const texts: string[] = [];
  for (const route of ROUTES) {
    const headers = { Authorization: `Bearer ${token ?? server.operatorToken}` };
    const { body, headers: sent } = await server.call('GET', route, undefined, headers);
    texts.push(JSON.stringify([route, sent.get('etag'), body]));
  }
  return texts.join('\n');
};

test('no ETag is a plain hash, which would let a caller guess hidden values, and ETags survive a restart', async () => {
  const dataDirectory = await makeTempDirectory();
  const preset = '{ "skills": [] }\n';
  const files = { 'agents/scout/models.json': MODELS, 'shared/presets/quiet.json': preset };
  const root = await makeRoot(files);
  const first = await serve(root, { dataDirectory });
  const answers = await answersOf(first);
  const priced = await readFile(join(dataDirectory, 'data/model_pricing.json'));
  for (const bytes of [MODELS, preset, 'You are a scout.\n', priced])
    expect(answers).not.toContain(createHash('sha256').update(bytes).digest('hex'));
  // The response's own bytes, too.
  const list = await fetch(`${first.url}/api/agents`);
  const bytes = Buffer.from(await list.arrayBuffer());
  expect(list.headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
  expect(list.headers.get('etag')).not.toContain(createHash('sha256').update(bytes).digest('hex'));
  await first.close();

  const again = await serve(root, { dataDirectory });
  expect(await answersOf(again)).toBe(answers);
  const same = await fetch(`${again.url}/api/agents`, {
    headers: { 'If-None-Match': list.headers.get('etag') ?? '' },
  });
  expect(same.status).toBe(304);

  const other = await serve(root, { dataDirectory: await makeTempDirectory() });
  const etag = async (server: TestServer) =>
    (await server.asOperator('GET', '/api/agents/scout/models')).body.etag;
  expect(await etag(other)).not.toBe(await etag(again));
});

test('the installation key is private, and dot-mi replaces one that is damaged', async () => {
  const dataDirectory = await makeTempDirectory();
  const root = await makeRoot();
  const file = join(dataDirectory, 'data/installation-key');
  await (await serve(root, { dataDirectory })).close();
  const key = await readFile(file, 'utf8');
  expect(key).toMatch(/^[0-9a-f]{64}\n$/);
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  await writeFile(file, 'damaged\n');
  await (await serve(root, { dataDirectory })).close();
  expect(await readFile(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
});
