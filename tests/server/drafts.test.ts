import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_DRAFTS } from '../../src/shared/api/drafts.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const PATH = '/api/drafts/scout/writer-one';
const draft = (text: string, more = {}) => ({
  path: 'SYSTEM.md',
  text,
  base: { content: 'before', etag: '"1"' },
  typedAt: '2026-11-23T10:00:00.000Z',
  ...more,
});
const as = ({ operatorToken }: TestServer) => ({ Authorization: `Bearer ${operatorToken}` });
const put = (server: TestServer, path: string, body: unknown) => server.call('PUT', path, body, as(server));
const list = async (server: TestServer) =>
  (await server.call('GET', '/api/drafts', undefined, as(server))).body.drafts;

/** Another server with the same data, apart from the wallet, which only one server can use. */
const startAgain = async (root: string, dataDirectory: string) =>
  serve(root, { dataDirectory, environment: { WALLET_DB_PATH: await makeTempDirectory() } });

test('keeps a draft of each page in a private file, across a restart, for its root alone', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  const first = await put(server, PATH, draft('one'));
  expect(first.status).toBe(200);
  await put(server, '/api/drafts/scout/writer-two', draft('two', { typedAt: '2026-11-23T11:00:00.000Z' }));
  const { dataDirectory } = server;
  const rootId = (await server.call('GET', '/api/health')).body.rootId;
  const folder = join(dataDirectory, 'data/drafts', rootId);
  const names = await readdir(folder);
  expect(names).toHaveLength(2);
  for (const name of names) {
    if (process.platform !== 'win32') expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  }
  await writeFile(join(folder, `${'0'.repeat(40)}.json`), '{"version":1,"dra');

  const again = await startAgain(root, dataDirectory);
  expect((await list(again)).map(({ writer }: { writer: string }) => writer)).toEqual([
    'writer-two',
    'writer-one',
  ]);
  const read = await again.call('GET', `${PATH}?path=SYSTEM.md`, undefined, as(again));
  expect(read.body).toMatchObject({
    agentId: 'scout',
    text: 'one',
    base: { content: 'before', etag: '"1"' },
    version: first.body.version,
  });
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
  expect(await list(await startAgain(await makeRoot(), dataDirectory))).toEqual([]);
});

test('removes or replaces only the version that the page names', async () => {
  const server = await serve(await makeRoot());
  const { version: old } = (await put(server, PATH, draft('one'))).body;
  const { version } = (await put(server, PATH, draft('one, and more'))).body;
  const remove = (of: string) =>
    server.call('DELETE', `${PATH}?path=SYSTEM.md&version=${of}`, undefined, as(server));
  expect((await remove(old)).body.code).toBe('draft_changed');
  const two = '/api/drafts/scout/writer-two';
  await put(server, two, draft('two', { replaces: { writer: 'writer-one', version: old } }));
  expect(await list(server)).toHaveLength(2);
  await put(server, two, draft('two', { replaces: { writer: 'writer-one', version } }));
  expect((await list(server)).map(({ writer }: { writer: string }) => writer)).toEqual(['writer-two']);
  expect((await remove(version)).status).toBe(200);
});

test('refuses what is too large or too much, a caller without the operator token, and another root', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const server = await serve(root);
  expect((await server.call('GET', '/api/drafts')).status).toBe(403);
  const elsewhere = await server.call('PUT', PATH, draft('x'), { ...as(server), 'Dot-Mi-Root': 'another' });
  expect(elsewhere.body.code).toBe('root_changed');
  expect((await put(server, PATH, draft('x'.repeat(4 * 1024 * 1024 + 1)))).body.code).toBe('file_too_large');

  const { rootId } = (await server.call('GET', '/api/health')).body;
  const { dataDirectory } = server;
  const folder = join(dataDirectory, 'data/drafts', rootId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let index = 0; index < MAX_DRAFTS; index++) {
    const kept = { ...draft('x'), agentId: 'scout', writer: `writer-${index}`, version: '1' };
    const name = `${String(index).padStart(40, '0')}.json`;
    await writeFile(join(folder, name), JSON.stringify({ version: 1, draft: kept }), { mode: 0o600 });
  }
  const full = await startAgain(root, dataDirectory);
  expect((await put(full, PATH, draft('x'))).body.code).toBe('too_many_drafts');
  expect((await put(full, '/api/drafts/scout/writer-12', draft('y'))).status).toBe(200);
});
