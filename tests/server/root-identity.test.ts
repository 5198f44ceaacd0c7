import { cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
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

/** Gives a root a budget, a key, a draft and trust. */
const furnish = async (server: TestServer) => {
  const operator = asOperator(server);
  expect((await operator('PUT', '/api/agents/scout/budget', { usdPerDay: 1 })).status).toBe(200);
  const key = { label: 'x', agent: 'scout', scopes: ['read-agents'] };
  expect((await operator('POST', '/api/keys', key)).status).toBe(201);
  const typedAt = '2026-11-28T12:00:00.000Z';
  const draft = { path: 'SYSTEM.md', text: 'typed', typedAt, base: { content: 'before', etag: '"1"' } };
  expect((await operator('PUT', '/api/drafts/scout/writer-one', draft)).status).toBe(200);
  const { script } = (await operator('GET', '/api/root/trust')).body;
  const trusted = await operator('PUT', '/api/root/trust', { sha256: script?.sha256 ?? null });
  expect(trusted.status).toBe(200);
};

const belongings = async (server: TestServer) => {
  const operator = asOperator(server);
  return {
    budget: (await operator('GET', '/api/agents/scout/budget')).body.limits.length === 1,
    key: (await operator('GET', '/api/keys')).body.keys[0].otherRoot === false,
    draft: (await operator('GET', '/api/drafts')).body.drafts.length === 1,
    trust: (await operator('GET', '/api/root/trust')).body.trusted,
  };
};

const ALL = { budget: true, key: true, draft: true, trust: true };
const NOTHING = { budget: false, key: false, draft: false, trust: false };

test('a root that moves keeps its budgets, keys, drafts and trust, and a new one at its path gets none', async () => {
  const dataDirectory = await makeTempDirectory();
  const root = await makeRoot();
  const first = await serve(root, { dataDirectory });
  await furnish(first);
  expect(await belongings(first)).toEqual(ALL);
  await rename(root, `${root}-moved`);
  await cp(await makeRoot({ 'agents/scout/SYSTEM.md': 'I run code.' }), root, { recursive: true });
  // It isn't trusted even before dot-mi starts again.
  expect((await belongings(first)).trust).toBe(false);
  await first.close();

  const other = await serve(root, { dataDirectory });
  expect(await belongings(other)).toEqual(NOTHING);
  await other.close();
  const moved = await serve(`${root}-moved`, { dataDirectory });
  expect(await belongings(moved)).toEqual(ALL);
  const { rootId } = (await moved.call('GET', '/api/health')).body;
  expect(await readFile(join(`${root}-moved`, '.dot-mi/root-id'), 'utf8')).not.toContain(rootId);
});

test('with a damaged list of roots, dot-mi doesn’t start without the budgets', async () => {
  const dataDirectory = await makeTempDirectory();
  await plant(dataDirectory, { 'data/root-ids.json': '{"version":1,' });
  await expect(serve(await makeRoot(), { dataDirectory })).rejects.toThrow(/can’t read data\/root-ids\.json/);
});

const copy = (from: string, to: string) => cp(from, to, { recursive: true });
const markOf = (root: string) => readFile(join(root, '.dot-mi/root-id'), 'utf8');

/** A list of roots with one root, and what dot-mi says after each restart. */
const withRoot = async () => {
  const list = join(await makeTempDirectory(), 'root-ids.json');
  const identify = (path: string) => createRootIdentities(list).identify(path);
  const root = await makeRoot();
  return { root, identify, known: await identify(root) };
};

test('a copy gets an id of its own, whichever dot-mi opens first, and so does a root with another’s mark', async () => {
  const { root, identify, known } = await withRoot();
  await copy(root, `${root}-copy`);
  const hostile = await makeRoot({ 'agents/scout/SYSTEM.md': 'I run code.' });
  await copy(join(root, '.dot-mi'), join(hostile, '.dot-mi'));
  const ids = [];
  for (const path of [hostile, `${root}-copy`, root]) ids.push((await identify(path)).id);
  expect(new Set(ids).size).toBe(3);
  expect(await identify(root)).toEqual(known);
  const marks = await Promise.all([root, `${root}-copy`, hostile].map(markOf));
  expect(new Set(marks).size).toBe(3);
  // Nor does it get the id once the other root has moved.
  await rename(root, `${root}-moved`);
  expect((await identify(hostile)).id).toBe(ids[0]);
  expect(await identify(`${root}-moved`)).toEqual(known);
});

test('a root that another disk or a backup has keeps its id, but not its place, to which trust belongs', async () => {
  const { root, identify, known } = await withRoot();
  // What `mv` does between two disks.
  await copy(root, `${root}-moved`);
  await rm(root, { recursive: true });
  const moved = await identify(`${root}-moved`);
  expect([moved.id, moved.place]).toEqual([known.id, expect.not.stringContaining(known.place)]);
  expect(await identify(`${root}-moved`)).toEqual(moved);
  await copy(`${root}-moved`, `${root}-backup`);
  await rm(`${root}-moved`, { recursive: true });
  await rename(`${root}-backup`, `${root}-moved`);
  const restored = await identify(`${root}-moved`);
  expect([restored.id, restored.place]).toEqual([known.id, expect.not.stringContaining(moved.place)]);
});

test('a mark that git or a person removed comes back, and it is private and ignored by git', async () => {
  const { root, identify, known } = await withRoot();
  const mark = await markOf(root);
  await rm(join(root, '.dot-mi'), { recursive: true });
  expect(await identify(root)).toEqual(known);
  expect(await markOf(root)).toBe(mark);
  expect(await readFile(join(root, '.dot-mi/.gitignore'), 'utf8')).toBe('*\n');
  if (process.platform === 'win32') return;
  expect((await stat(join(root, '.dot-mi/root-id'))).mode & 0o777).toBe(0o600);
});

test('a root that is missing at the start keeps its id, which another root in its place doesn’t get', async () => {
  const { root, identify, known } = await withRoot();
  await rename(root, `${root}-unplugged`);
  expect(await identify(root)).toEqual(known);
  await copy(await makeRoot(), root);
  expect((await identify(root)).id).not.toBe(known.id);
  await rm(root, { recursive: true });
  await rename(`${root}-unplugged`, root);
  expect(await identify(root)).toEqual(known);
});

test('a mark that is a link, a directory or no mark is none, and what it points to stays as it is', async () => {
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
    expect(await identities.identify(root)).toEqual(first);
  }
  expect(await readFile(join(outside, 'mark'), 'utf8')).toBe(`${'a'.repeat(64)}\n`);
  if (process.platform === 'win32') return;
  const root = await makeRoot();
  await symlink(outside, join(root, '.dot-mi'));
  await createRootIdentities(join(await makeTempDirectory(), 'root-ids.json')).identify(root);
  expect(await readdir(outside)).toEqual(['mark']);
});

test('a root that dot-mi can’t mark keeps its id at its path', async () => {
  const list = join(await makeTempDirectory(), 'root-ids.json');
  const root = await makeRoot();
  await writeFile(join(root, '.dot-mi'), 'a file of someone else');
  const known = await createRootIdentities(list).identify(root);
  expect(await createRootIdentities(list).identify(root)).toEqual(known);
  await rm(root, { recursive: true });
  await plant(root, { '.dot-mi': 'a file of someone else' });
  const { id, place } = await createRootIdentities(list).identify(root);
  expect([id, place]).toEqual([known.id, expect.not.stringContaining(known.place)]);
});
