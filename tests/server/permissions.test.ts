import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';
import { readJson } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTempDirectory } from '../support/temp.ts';

const startAsUser = async (root: string) => {
  const data = await makeTempDirectory();
  const inside = (await readdir(root, { recursive: true })).map((name) => join(root, name));
  await giveToUnprivilegedUser([data, dirname(root), root, ...inside]);
  const { url } = await startServerProcess({ DOT_MI_ROOT: root }, data, unprivilegedUser);
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, ...(await readJson(response)) };
  };
};

test('an operation that the system does not permit is 403 on every kind of route', async ({ skip }) => {
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const root = await makeRoot();
  const call = await startAsUser(root);
  const denied = { status: 403, code: 'permission_denied' };

  await chmod(join(root, 'agents/scout/SYSTEM.md'), 0o000);
  expect(await call('GET', '/api/agents/scout/file?path=SYSTEM.md')).toMatchObject(denied);
  await chmod(join(root, 'agents/scout/SYSTEM.md'), 0o644);

  await chmod(join(root, 'agents/scout'), 0o555);
  const write = await call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: 'new' });
  expect(write).toMatchObject(denied);
  expect(write.error).not.toContain(root);
  await chmod(join(root, 'agents/scout'), 0o755);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');

  await chmod(join(root, 'agents/scout/skills'), 0o555);
  expect(await call('POST', '/api/agents/scout/links/skills', { name: 'git-summary' })).toMatchObject(denied);

  await mkdir(join(root, 'agents/other'));
  await chmod(join(root, 'agents'), 0o000);
  expect(await call('GET', '/api/agents')).toMatchObject(denied);
  await chmod(join(root, 'agents'), 0o555);
  expect(await call('DELETE', '/api/agents/scout', { confirm: 'scout' })).toMatchObject(denied);
  await chmod(join(root, 'agents'), 0o755);
  expect((await call('GET', '/api/agents')).agents).toHaveLength(2);
  expect((await call('GET', '/api/trash')).entries).toEqual([]);
});
