import { lstat, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { untilSettled } from '../support/settled.ts';
import { makeTempDirectory } from '../support/temp.ts';

const changedAt = expect.stringMatching(/^\d{4}-.*Z$/);

test('lists agents sorted by code units with their problems, and says which folders are hidden and why', async () => {
  const root = await makeRoot({
    'agents/Zed/SYSTEM.md': '',
    'agents/Zed/pi-args': { link: 'nowhere' },
    'agents/a-b/workspace.conf': '',
    'agents/a.b/SYSTEM.md': '',
    'agents/a.b/pi-args': { link: '../scout/pi-args' },
    'agents/README.md': 'a plain file',
    'agents/.hidden/SYSTEM.md': '',
    'agents/.git/HEAD': 'A folder of a tool.',
    'agents/.scout.1-0123456789abcdef.copy/SYSTEM.md': 'A copy that is not complete.',
    'agents/.linked': { link: 'scout' },
    'agents/with space/SYSTEM.md': '',
    'agents/linked': { link: 'scout' },
    'agents/dangling': { link: 'nowhere' },
    'agents/notes.txt': { link: 'README.md' },
    'agents/odd/SYSTEM.md': null,
  });
  const { call } = await serve(root);
  const { status, body } = await call('GET', '/api/agents');
  expect(status).toBe(200);
  expect(body).toEqual({
    agents: [
      { id: 'Zed', workspace: false, changedAt },
      { id: 'a-b', workspace: true, changedAt, missingFiles: ['SYSTEM.md'] },
      { id: 'a.b', workspace: false, changedAt },
      {
        id: 'odd',
        workspace: false,
        changedAt,
        problem: { code: 'not_a_file', message: expect.stringContaining('SYSTEM.md is not a regular file') },
      },
      { id: 'scout', workspace: false, changedAt },
    ],
    hidden: [
      {
        name: '.hidden',
        problem: { code: 'unsupported_name', message: expect.stringContaining('can’t start with a dot') },
      },
      {
        name: 'dangling',
        problem: { code: 'linked_agent', message: expect.stringContaining('It is a symlink') },
      },
      { name: 'linked', problem: { code: 'linked_agent', message: expect.any(String) } },
      {
        name: 'with space',
        problem: { code: 'unsupported_name', message: expect.stringContaining('Rename it') },
      },
    ],
  });

  await rm(join(root, 'agents/linked'));
  await rename(join(root, 'agents/with space'), join(root, 'agents/without'));
  const after = (await call('GET', '/api/agents')).body;
  expect(after.hidden.map(({ name }: { name: string }) => name)).toEqual(['.hidden', 'dangling']);
  await rm(join(root, 'agents/.hidden'), { recursive: true });
  expect(after.agents.map(({ id }: { id: string }) => id)).toContain('without');
  await rm(join(root, 'agents/dangling'));
  expect((await call('GET', '/api/agents')).body).not.toHaveProperty('hidden');
});

test('the very next request shows what another program created, changed or removed', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const list = async () => (await call('GET', '/api/agents')).body.agents;

  for (let round = 0; round < 20; round++) {
    await mkdir(join(root, 'agents/new'));
    const missingFiles = ['SYSTEM.md'];
    expect(await list()).toContainEqual({ id: 'new', workspace: false, changedAt, missingFiles });
    await writeFile(join(root, 'agents/new/workspace.conf'), '');
    expect(await list()).toContainEqual({ id: 'new', workspace: true, changedAt, missingFiles });
    await rm(join(root, 'agents/new/workspace.conf'));
    await writeFile(join(root, 'agents/new/SYSTEM.md'), '');
    expect(await list()).toContainEqual({ id: 'new', workspace: false, changedAt });
    await rm(join(root, 'agents/new'), { recursive: true });
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual(['scout']);
  }
});

test('notices a change to the target of a linked workspace.conf, long after the agent itself changed', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({ 'agents/scout/workspace.conf': { link: '../../shared/workspace.conf' } });
  const { call } = await serve(root);
  const workspace = async () => (await call('GET', '/api/agents')).body.agents[0].workspace;
  // Older than the span in which everything is looked at again.
  await untilSettled(join(root, 'agents/scout'));
  expect(await workspace()).toBe(false);
  await writeFile(join(root, 'shared/workspace.conf'), '');
  expect(await workspace()).toBe(true);
  await rm(join(root, 'shared/workspace.conf'));
  expect(await workspace()).toBe(false);
});

test('says when an agent last changed, also by a write into a file, which leaves its directory as it was', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({ 'agents/scout/AGENT.md': 'x' });
  const { url, call } = await serve(root);
  const agent = join(root, 'agents/scout');
  const old = new Date('2020-01-02T03:04:05.000Z');
  const setTimes = async (name: string, at: Date) => utimes(join(agent, name), at, at);
  const listed = async () => (await call('GET', '/api/agents')).body.agents[0].changedAt;
  for (const name of await readdir(agent)) await setTimes(name, old);
  await setTimes('.', old);
  expect(await listed()).toBe(old.toISOString());
  const newer = new Date('2021-01-01T00:00:00.000Z');
  await setTimes('pi-args', newer);
  expect(await listed()).toBe(newer.toISOString());

  // The directory's times are settled now, so only an event reveals a write into the file.
  await untilSettled(agent);
  const stopped = new AbortController();
  const stream = await fetch(`${url}/api/events`, { signal: stopped.signal });
  const reading = stream.body?.getReader();
  await reading?.read();
  await writeFile(join(agent, 'SYSTEM.md'), 'longer than before');
  await until(async () => (await listed()) > newer.toISOString());
  stopped.abort();
});

test('a root without agents is an empty list, and a missing root is 503 until it is back', async () => {
  const root = await makeRoot();
  const { call, asOperator } = await serve(root);
  await rename(join(root, 'agents'), join(root, 'elsewhere'));
  expect((await call('GET', '/api/agents')).body).toEqual({ agents: [] });
  await rename(join(root, 'elsewhere'), join(root, 'agents'));

  await rename(root, `${root}-gone`);
  for (const path of [
    '/api/agents',
    '/api/agents/scout',
    '/api/catalog/skills',
    '/api/catalog/extensions',
    '/api/trash',
  ]) {
    const { status, body } = await asOperator('GET', path);
    expect([path, status, body.code]).toEqual([path, 503, 'root_unavailable']);
  }
  expect((await call('GET', '/api/health')).status).toBe(200);
  await rename(`${root}-gone`, root);
  expect((await call('GET', '/api/agents')).body.agents).toHaveLength(1);
});

test('a linked agents folder is refused as a whole', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const outside = await makeTempDirectory();
  await rename(join(root, 'agents'), join(outside, 'agents'));
  await symlink(join(outside, 'agents'), join(root, 'agents'));
  expect((await call('GET', '/api/agents')).body.code).toBe('root_unavailable');
  expect((await call('GET', '/api/agents/scout')).body.code).toBe('agent_not_found');
});

test('summarizes an agent and follows each file', async () => {
  const root = await makeRoot({ 'agents/scout/AGENT.md': '---\nmodel: a/b\n---\n' });
  const { call } = await serve(root);
  const { status, body } = await call('GET', '/api/agents/scout');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: 'scout',
    path: join(root, 'agents/scout'),
    workspace: false,
    optionalFiles: { appendSystem: false, agentMd: true },
  });
  expect(Object.keys(body.files)).toEqual([
    'pi-args',
    'SYSTEM.md',
    'APPEND_SYSTEM.md',
    'AGENT.md',
    'workspace.conf',
  ]);
  expect(body.files['APPEND_SYSTEM.md']).toEqual({ exists: false, size: null, modifiedAt: null });
  const read = await call('GET', '/api/agents/scout/file?path=SYSTEM.md');
  expect(body.files['SYSTEM.md']).toEqual({
    exists: true,
    size: 17,
    modifiedAt: read.body.modifiedAt,
  });

  await writeFile(join(root, 'agents/scout/workspace.conf'), 'out\n');
  const after = (await call('GET', '/api/agents/scout')).body;
  expect(after.workspace).toBe(true);
  expect(after.files['workspace.conf']).toMatchObject({ exists: true, size: 4 });
});

test('a summary reveals nothing about the target of a link out of the root', async () => {
  const outside = join(await makeTempDirectory(), 'secret');
  await writeFile(outside, 'secret');
  const root = await makeRoot({
    'agents/scout/AGENT.md': { link: outside },
    'agents/scout/APPEND_SYSTEM.md': { link: 'nowhere' },
  });
  const { call } = await serve(root);
  const { files } = (await call('GET', '/api/agents/scout')).body;
  expect(files['AGENT.md']).toEqual({ exists: true, size: null, modifiedAt: null });
  expect(files['APPEND_SYSTEM.md'].exists).toBe(false);
});

test('deletes only when the request repeats the id', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const wrong = await call('DELETE', '/api/agents/scout', { confirm: 'Scout' });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'confirm_mismatch']);
  const none = await call('DELETE', '/api/agents/scout', {});
  expect([none.status, none.body.code]).toEqual([400, 'invalid_request']);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');

  const right = await call('DELETE', '/api/agents/scout', { confirm: 'scout' });
  expect([right.status, right.body.ok]).toEqual([200, true]);
  expect((await call('GET', '/api/agents')).body.agents).toEqual([]);
  const again = await call('DELETE', '/api/agents/scout', { confirm: 'scout' });
  expect([again.status, again.body.code]).toEqual([404, 'agent_not_found']);
});

test('deleting follows no link, and their targets stay', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'kept.md'), 'kept');
  const root = await makeRoot({
    'agents/scout/skills/out': { link: outside },
    'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  });
  const { call, asOperator } = await serve(root);
  const { body } = await call('DELETE', '/api/agents/scout', { confirm: 'scout' });
  expect((await asOperator('DELETE', `/api/trash/${body.entry}`)).status).toBe(200);
  expect(await readFile(join(outside, 'kept.md'), 'utf8')).toBe('kept');
  expect((await lstat(join(root, 'shared/skills/git-summary/SKILL.md'))).isFile()).toBe(true);
});

test('circular links and links with an impossible text break no listing and no other agent', {
  tags: 'slow',
}, async () => {
  const impossible = { link: 'x'.repeat(300) };
  const root = await makeRoot({
    'agents/circle': { link: 'circle' },
    'agents/odd/workspace.conf': impossible,
    'agents/odd/AGENT.md': impossible,
    'agents/odd/APPEND_SYSTEM.md': { link: 'APPEND_SYSTEM.md' },
  });
  const { call } = await serve(root);
  const { status, body } = await call('GET', '/api/agents');
  expect([status, body.agents]).toEqual([
    200,
    [
      { id: 'odd', workspace: false, changedAt, missingFiles: ['SYSTEM.md'] },
      { id: 'scout', workspace: false, changedAt },
    ],
  ]);
  expect((await call('GET', '/api/agents/circle')).body.code).toBe('agent_not_found');
  const summary = await call('GET', '/api/agents/odd');
  expect([summary.status, summary.body.files['AGENT.md'].exists]).toEqual([200, false]);
  for (const path of ['AGENT.md', 'APPEND_SYSTEM.md', 'workspace.conf']) {
    expect((await call('GET', `/api/agents/odd/file?path=${path}`)).body.code).toBe('file_not_found');
  }
});

test('a root that is a circular link is unavailable', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  await rename(root, `${root}-kept`);
  await symlink(root, root);
  const { asOperator } = await serve(root);
  for (const path of ['/api/agents', '/api/agents/scout', '/api/catalog/skills', '/api/trash']) {
    expect((await asOperator('GET', path)).body.code).toBe('root_unavailable');
  }
});
