import { chmod, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';
import { makeRoot } from '../support/root.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTempDirectory } from '../support/temp.ts';

// Another user of the machine may write in a shared root. The tests own it; the server runs as somebody else.

const SET_ID_BITS = 0o6000;

const everythingIn = async (directory: string): Promise<string[]> => [
  directory,
  ...(await readdir(directory, { recursive: true })).map((name) => join(directory, name)),
];

const serveAsOther = async (root: string) => {
  const data = await makeTempDirectory();
  await giveToUnprivilegedUser([data]);
  await chmod(dirname(root), 0o755);
  for (const path of await everythingIn(root))
    if ((await lstat(path)).isDirectory()) await chmod(path, 0o777);
  const { url } = await startServerProcess({ DOT_MI_ROOT: root }, data, unprivilegedUser);
  return async (method: string, path: string, body: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  };
};

test('no file that the server writes has a set-id bit', async ({ skip }) => {
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
