import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../../support/nobody.ts';
import { readJson } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const startAsUser = async (root: string) => {
  const data = await makeTempDirectory();
  const inside = (await readdir(root, { recursive: true })).map((name) => join(root, name));
  await giveToUnprivilegedUser([data, dirname(root), root, ...inside]);
  const { url } = await startServerProcess({ DOT_MI_ROOT: root }, data, unprivilegedUser);
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
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
  // Its names can be listed, but nothing else of its entries.
  await chmod(join(root, 'agents/scout'), 0o444);
  const { entries } = await call('GET', '/api/agents/scout/entries');
  expect(entries[0]).toMatchObject({ name: 'SYSTEM.md', problem: { code: 'permission_denied' } });
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

test('what nobody may read is reported in its own entry, and hides no other', async ({ skip }) => {
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const toSkill = { link: '../../../shared/skills/git-summary' };
  const root = await makeRoot({
    'agents/closed/SYSTEM.md': 'Nobody reads this.\n',
    'agents/closed/skills/git-summary': toSkill,
    'agents/listed/SYSTEM.md': 'Readable.\n',
    'agents/listed/skills/git-summary': toSkill,
    'agents/scout/skills/git-summary': toSkill,
    'agents/gone/SYSTEM.md': 'Deleted.\n',
    'shared/extensions/behind.ts': { link: '../../vault/behind.ts' },
    'vault/behind.ts': '',
  });
  const call = await startAsUser(root);
  const { entry } = await call('DELETE', '/api/agents/gone', { confirm: 'gone' });
  const closed = ['agents/closed', 'agents/scout/SYSTEM.md', 'vault', `.trash/${entry}`];
  for (const path of closed) await chmod(join(root, path), 0o000);
  // Its names can be listed, but not followed.
  await chmod(join(root, 'agents/listed/skills'), 0o444);
  const problem = { code: 'permission_denied', message: expect.stringContaining('denies access') };

  const changedAt = expect.any(String);
  const { status, agents } = await call('GET', '/api/agents');
  expect(status).toBe(200);
  expect(agents).toEqual([
    { id: 'closed', workspace: false, changedAt, problem },
    { id: 'listed', workspace: false, changedAt },
    { id: 'scout', workspace: false, changedAt },
  ]);

  // An unreadable file takes neither the agent nor its other files away.
  const scout = await call('GET', '/api/agents/scout');
  expect(scout.status).toBe(200);
  expect(scout.files).toMatchObject({
    'SYSTEM.md': { exists: true, size: 17 },
    'pi-args': { exists: true, size: 15 },
  });
  expect((await call('GET', '/api/agents/scout/file?path=pi-args')).status).toBe(200);
  expect(await call('GET', '/api/agents/scout/file?path=SYSTEM.md')).toMatchObject({
    status: 403,
    code: 'permission_denied',
    error: expect.stringContaining('SYSTEM.md'),
  });

  expect((await call('GET', '/api/links')).agents).toEqual([
    { id: 'closed', links: 0, brokenLinks: 0, problem },
    { id: 'listed', links: 0, brokenLinks: 0, problem },
    { id: 'scout', links: 1, brokenLinks: 0 },
  ]);
  expect(await call('GET', '/api/catalog/skills/usage')).toEqual({
    status: 200,
    usage: [{ name: 'git-summary', agents: ['scout'] }],
    unread: [
      { id: 'closed', problem },
      { id: 'listed', problem },
    ],
  });
  expect((await call('GET', '/api/agents/listed/links/skills')).entries).toEqual([
    { name: 'git-summary', kind: 'symlink', linksToShared: false, broken: false, problem },
  ]);
  const { extensions } = await call('GET', '/api/catalog/extensions');
  expect(extensions).toMatchObject([
    { name: 'behind.ts', diagnostics: [{ rule: 'extension-unreachable' }] },
    { name: 'say.ts', diagnostics: [] },
  ]);

  expect((await call('GET', '/api/trash')).entries).toMatchObject([{ entry, id: 'gone', problem }]);
  expect(await call('POST', `/api/trash/${entry}/restore`)).toMatchObject({
    status: 409,
    code: 'trash_entry_unreadable',
  });

  for (const path of closed) await chmod(join(root, path), 0o755);
  expect((await call('GET', '/api/agents')).agents[0]).toEqual({ changedAt, id: 'closed', workspace: false });
  expect((await call('GET', '/api/agents/scout')).files['SYSTEM.md']).toMatchObject({ size: 17 });
  expect((await call('POST', `/api/trash/${entry}/restore`)).status).toBe(200);
});

test('a search names what it may not read, and finds the rest', async ({ skip }) => {
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const root = await makeRoot({
    'agents/closed/SYSTEM.md': 'courier',
    'agents/locked/SYSTEM.md': 'courier',
    'agents/open/SYSTEM.md': 'courier',
  });
  const call = await startAsUser(root);
  await chmod(join(root, 'agents/closed'), 0);
  await chmod(join(root, 'agents/locked/SYSTEM.md'), 0);
  const { matches, unreadable } = await call('GET', '/api/search?q=courier');
  expect(matches).toMatchObject([{ agent: 'open' }]);
  expect(unreadable).toMatchObject([
    { agent: 'closed', file: null },
    { agent: 'locked', file: 'SYSTEM.md' },
  ]);
  await chmod(join(root, 'agents/closed'), 0o700);
});
