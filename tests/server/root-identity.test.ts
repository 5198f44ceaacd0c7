import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRootIdentities } from '../../src/server/root/root-identity.ts';
import { plant } from '../support/plant.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** What belongs to a root moves with it, and no other root gets it. */

const asOperator = (server: TestServer) => (method: string, path: string, body?: unknown) =>
  server.call(method, path, body, { Authorization: `Bearer ${server.operatorToken}` });

const DRAFT = '/api/drafts/scout/writer-one';

/** Gives a root a budget, a key, a draft and trust. */
const furnish = async (server: TestServer) => {
  const operator = asOperator(server);
  expect((await operator('PUT', '/api/agents/scout/budget', { usdPerDay: 1 })).status).toBe(200);
  const key = { label: 'x', agent: 'scout', scopes: ['read-agents'] };
  expect((await operator('POST', '/api/keys', key)).status).toBe(201);
  const typedAt = '2026-11-28T12:00:00.000Z';
  const draft = { path: 'SYSTEM.md', text: 'typed', typedAt, base: { content: 'before', etag: '"1"' } };
  expect((await operator('PUT', DRAFT, draft)).body).toMatchObject({ version: expect.any(String) });
  const { script } = (await operator('GET', '/api/root/trust')).body;
  expect((await operator('PUT', '/api/root/trust', { sha256: script?.sha256 ?? null })).status).toBe(200);
};

/** Describes what a root has. */
const belongings = async (server: TestServer) => {
  const operator = asOperator(server);
  return {
    budget: (await operator('GET', '/api/agents/scout/budget')).body.limits.length === 1,
    key: (await operator('GET', '/api/keys')).body.keys[0].otherRoot === false,
    draft: (await operator('GET', '/api/drafts')).body.drafts.length === 1,
    trust: (await operator('GET', '/api/root/trust')).body.trusted as boolean,
  };
};

const ALL = { budget: true, key: true, draft: true, trust: true };
const NOTHING = { budget: false, key: false, draft: false, trust: false };

const withRoot = async () => {
  const dataDirectory = await makeTempDirectory();
  const root = await makeRoot();
  const server = await serve(root, { dataDirectory });
  await furnish(server);
  expect(await belongings(server)).toEqual(ALL);
  await server.close();
  const has = async (path: string) => {
    const next = await serve(path, { dataDirectory });
    const found = await belongings(next);
    await next.close();
    return found;
  };
  return { root, dataDirectory, has };
};

test('a root that moves keeps its budgets, keys, drafts and trust, and a new one at its path gets none', async () => {
  const { root, has } = await withRoot();
  await rename(root, `${root}-moved`);
  expect(await has(`${root}-moved`)).toEqual(ALL);
  await cp(await makeRoot(), root, { recursive: true });
  expect(await has(root)).toEqual(NOTHING);
  expect(await has(`${root}-moved`)).toEqual(ALL);
});

test('a copy gets an id of its own, whichever dot-mi opens first, and so does a root with another’s mark', async () => {
  const { root, has } = await withRoot();
  await cp(root, `${root}-copy`, { recursive: true });
  const hostile = await makeRoot({ 'agents/scout/SYSTEM.md': 'I run code.' });
  await cp(join(root, '.dot-mi'), join(hostile, '.dot-mi'), { recursive: true });
  expect(await has(hostile)).toEqual(NOTHING);
  expect(await has(`${root}-copy`)).toEqual(NOTHING);
  expect(await has(root)).toEqual(ALL);
  const marks = await Promise.all(
    [root, `${root}-copy`, hostile].map((path) => readFile(join(path, '.dot-mi/root-id'), 'utf8')),
  );
  expect(new Set(marks).size).toBe(3);
});

test('a root that another disk has now keeps all but its trust', async () => {
  const { root, has } = await withRoot();
  // What `mv` does between two disks.
  await cp(root, `${root}-moved`, { recursive: true });
  await rm(root, { recursive: true });
  expect(await has(`${root}-moved`)).toEqual({ ...ALL, trust: false });
});

test('a mark that git or a person removed comes back, and it is private and ignored by git', async () => {
  const { root, has } = await withRoot();
  const mark = await readFile(join(root, '.dot-mi/root-id'), 'utf8');
  await rm(join(root, '.dot-mi'), { recursive: true });
  expect(await has(root)).toEqual(ALL);
  expect(await readFile(join(root, '.dot-mi/root-id'), 'utf8')).toBe(mark);
  expect(await readFile(join(root, '.dot-mi/.gitignore'), 'utf8')).toBe('*\n');
  if (process.platform !== 'win32')
    expect((await stat(join(root, '.dot-mi/root-id'))).mode & 0o777).toBe(0o600);
});

test('while dot-mi runs, another root in the place of a trusted one is not trusted', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  await furnish(server);
  await rename(root, `${root}-away`);
  await cp(await makeRoot({ 'agents/scout/SYSTEM.md': 'I run code.' }), root, { recursive: true });
  expect((await asOperator(server)('GET', '/api/root/trust')).body.trusted).toBe(false);
});

test('the id that clients see is not the mark, and a missing root keeps its id', async () => {
  const { root, dataDirectory } = await withRoot();
  const idOf = async () => {
    const server = await serve(root, { dataDirectory });
    const { rootId } = (await server.call('GET', '/api/health')).body;
    await server.close();
    return rootId;
  };
  const id = await idOf();
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(await readFile(join(root, '.dot-mi/root-id'), 'utf8')).not.toContain(id);
  await rename(root, `${root}-unplugged`);
  expect(await idOf()).toBe(id);
  await rename(`${root}-unplugged`, root);
  expect(await idOf()).toBe(id);
});

test('a mark that is a link, a directory or too long is none, and what it points to stays as it is', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, { mark: `${'a'.repeat(64)}\n` });
  const kinds: ((path: string) => Promise<unknown>)[] = [
    (path) => mkdir(path),
    (path) => writeFile(path, 'a'.repeat(10_000)),
    (path) => writeFile(path, '../../etc/passwd'),
    ...(process.platform === 'win32' ? [] : [(path: string) => symlink(join(outside, 'mark'), path)]),
  ];
  for (const make of kinds) {
    const root = await makeRoot();
    await mkdir(join(root, '.dot-mi'));
    await make(join(root, '.dot-mi/root-id'));
    const identities = createRootIdentities(join(await makeTempDirectory(), 'root-ids.json'));
    const first = await identities.identify(root);
    expect((await identities.identify(root)).id).toBe(first.id);
  }
  expect(await readFile(join(outside, 'mark'), 'utf8')).toBe(`${'a'.repeat(64)}\n`);
  if (process.platform === 'win32') return;
  const root = await makeRoot();
  await symlink(outside, join(root, '.dot-mi'));
  await createRootIdentities(join(await makeTempDirectory(), 'root-ids.json')).identify(root);
  expect(await readdir(outside)).toEqual(['mark']);
});

test.skipIf(process.platform === 'win32')('a root that dot-mi can’t write keeps its id', async () => {
  const root = await makeRoot();
  await writeFile(join(root, '.dot-mi'), 'a file of someone else');
  await chmod(root, 0o500);
  try {
    const list = join(await makeTempDirectory(), 'root-ids.json');
    const { id, place } = await createRootIdentities(list).identify(root);
    expect(await createRootIdentities(list).identify(root)).toEqual({ id, place });
  } finally {
    await chmod(root, 0o700);
  }
});

test('with a damaged list of roots, dot-mi doesn’t start without the budgets', async () => {
  const { root, dataDirectory } = await withRoot();
  await writeFile(join(dataDirectory, 'data/root-ids.json'), '{"version":1,');
  await expect(serve(root, { dataDirectory })).rejects.toThrow(/can’t read data\/root-ids\.json/);
});
