import { spawn } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';
import { LONG_TEST_MS } from '../support/patience.ts';
import { makeRoot } from '../support/root.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTempDirectory } from '../support/temp.ts';

// Another user of the machine may write in a shared root. The tests own it; the server runs as somebody else.

const SET_ID_BITS = 0o6000;
const ROUNDS = 200;
const ACTIONS = ['duplicate', 'delete', 'restore', 'purge'];
const ATTACKER = 12_345;
const SWAP_LINKS = fileURLToPath(new URL('../support/swap-links.ts', import.meta.url));

/** A directory and all below it. No link is followed. */
const everythingIn = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const below = entries.map((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? everythingIn(path) : [path];
  });
  return [directory, ...(await Promise.all(below)).flat()];
};

const serveAsOther = async (root: string) => {
  const data = await makeTempDirectory();
  await giveToUnprivilegedUser([data]);
  await chmod(dirname(root), 0o755);
  for (const path of await everythingIn(root))
    if ((await lstat(path)).isDirectory()) await chmod(path, 0o777);
  const { url } = await startServerProcess({ DOT_MI_ROOT: root }, data, unprivilegedUser);
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();
  return async (method: string, path: string, body: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  };
};

test('no file that the server writes has a set-id bit', { tags: 'slow' }, async ({ skip }) => {
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const root = await makeRoot({
    'agents/scout/tools/become': { script: '#!/bin/sh\n' },
    'agents/scout/shared/note': 'n',
  });
  const agent = (path: string) => join(root, 'agents', path);
  const call = await serveAsOther(root);
  await chmod(agent('scout/tools/become'), 0o6755);
  await chmod(agent('scout/SYSTEM.md'), 0o6755);
  await chmod(agent('scout/shared'), 0o2777);

  expect(await call('POST', '/api/agents/scout/duplicate', { name: 'ranger' })).toBe(201);
  for (const path of await everythingIn(agent('ranger')))
    expect([path, (await lstat(path)).mode & SET_ID_BITS]).toEqual([path, 0]);
  expect((await lstat(agent('ranger/tools/become'))).mode & 0o777).toBe(0o755);

  expect(await call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: 'new' })).toBe(200);
  expect((await lstat(agent('scout/SYSTEM.md'))).mode & 0o7777).toBe(0o755);
});

/** What a directory holds, by path: modes and contents. */
const contentOf = async (directory: string): Promise<Record<string, string>> => {
  const content: Record<string, string> = {};
  for (const path of await everythingIn(directory)) {
    const stats = await lstat(path);
    content[path] = `${stats.mode.toString(8)} ${stats.isFile() ? await readFile(path, 'utf8') : ''}`;
  }
  return content;
};

test('200 rounds against a process that swaps directories for links touch nothing outside', {
  tags: 'slow',
  timeout: LONG_TEST_MS,
}, async ({ skip }) => {
  const why = process.getuid?.() === 0 ? noUnprivilegedUser() : 'a second user needs root';
  skip(why !== undefined, why);

  const outside = join(await makeTempDirectory(), 'private');
  await mkdir(join(outside, 'deep'), { recursive: true });
  await mkdir(join(outside, 'agent'));
  // Also what the server looks for by name.
  for (const path of ['letter', 'deep/letter', 'agent/letter', 'SYSTEM.md'])
    await writeFile(join(outside, path), 'not for you');
  const record = { id: 'letter', deletedAt: new Date().toISOString() };
  await writeFile(join(outside, 'entry.json'), JSON.stringify(record));
  await mkdir(join(outside, 'scout'));
  await writeFile(join(outside, 'scout/SYSTEM.md'), 'not for you');
  await chmod(dirname(outside), 0o755);
  await giveToUnprivilegedUser(await everythingIn(outside));
  // Only the server's user may read it.
  await chmod(outside, 0o700);
  const before = await contentOf(outside);

  const files = Array.from({ length: 12 }, (_, i) => [`agents/scout/notes/deep/${i}`, `note ${i}`]);
  const root = await makeRoot({ ...Object.fromEntries(files), '.trash/.gitignore': '*\n' });
  const call = await serveAsOther(root);
  for (const path of await everythingIn(root)) await chown(path, ATTACKER, ATTACKER);
  const attacker = spawn(process.execPath, [SWAP_LINKS, root, outside], {
    uid: ATTACKER,
    gid: ATTACKER,
    stdio: 'ignore',
  });
  onTestFinished(() => void attacker.kill('SIGKILL'));

  const succeeded: Record<string, number> = {};
  const count = (what: string, status: number) => {
    if (status < 300) succeeded[what] = (succeeded[what] ?? 0) + 1;
  };
  const entries = async (): Promise<string[]> => {
    const names = await readdir(join(root, '.trash')).catch(() => [] as string[]);
    return names.filter((name) => /^[a-z0-9-]+@[0-9a-z]+-[0-9a-f]{12}$/.test(name));
  };
  const everySucceeded = () => ACTIONS.every((what) => (succeeded[what] ?? 0) > 0);
  // The attacker spoils many rounds, but not all: with fewer the test would prove nothing.
  for (let round = 0; round < ROUNDS || !everySucceeded(); round++) {
    const name = `copy-${round}`;
    count('duplicate', await call('POST', '/api/agents/scout/duplicate', { name }));
    count('delete', await call('DELETE', `/api/agents/${name}`, { confirm: name }));
    for (const entry of await entries())
      count('restore', await call('POST', `/api/trash/${entry}/restore`, {}));
    count('delete', await call('DELETE', `/api/agents/${name}`, { confirm: name }));
    for (const entry of await entries()) count('purge', await call('DELETE', `/api/trash/${entry}`, {}));
  }
  attacker.kill('SIGKILL');

  expect(await contentOf(outside)).toEqual(before);
  const kept = Object.values(await contentOf(root));
  expect(kept.filter((text) => text.includes('not for you'))).toEqual([]);
});
