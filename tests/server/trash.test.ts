import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Changes } from '../../src/server/platform/changes.ts';
import { createKeyedLock } from '../../src/server/platform/keyed-lock.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { createTrashService } from '../../src/server/trash/trash.service.ts';
import type { TrashEntry } from '../../src/shared/api/trash.ts';
import { serveOperator as serve } from '../support/as-operator.ts';
import { makeClock } from '../support/clock.ts';
import { sendRaw, until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import type { Answer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const nothing = () => Promise.resolve();
const changes: Pick<Changes, 'record'> = {
  record: async (_, __, make) => ({ value: await make(Promise.resolve()), change: null }),
};
const deps = {
  changes,
  forgetAgent: nothing,
  putAway: nothing,
  bringBack: nothing,
  discard: nothing,
  placePreset: nothing,
};

const told = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body.code];

const start = async (root: string, clock = makeClock()) => {
  const server = await serve(root, { clock });
  const { call, url } = server;
  await trustRoot(server);
  return {
    call,
    operatorToken: server.operatorToken,
    url,
    clock,
    list: async (): Promise<TrashEntry[]> => {
      const { status, body } = await call('GET', '/api/trash');
      expect([status, body.code]).toEqual([200, undefined]);
      return body.entries;
    },
    remove: async (id: string): Promise<string> => {
      const { status, body } = await call('DELETE', `/api/agents/${id}`, { confirm: id });
      expect([status, body.code]).toEqual([200, undefined]);
      return body.entry;
    },
    restore: (entry: string, name?: string) =>
      call(
        'POST',
        `/api/trash/${encodeURIComponent(entry)}/restore${name === undefined ? '' : `?name=${name}`}`,
      ),
    erase: (entry: string) => call('DELETE', `/api/trash/${encodeURIComponent(entry)}`),
    agents: async () => (await call('GET', '/api/agents')).body.agents.map(({ id }: { id: string }) => id),
  };
};

/** All that a tree is: kinds, modes, times, contents and link texts, by path. */
const snapshot = async (directory: string, path = '.'): Promise<Record<string, unknown>> => {
  const full = join(directory, path);
  const stats = await lstat(full);
  const common = {
    mode: stats.mode.toString(8),
    modifiedAt: stats.mtimeMs,
    owner: `${stats.uid}:${stats.gid}`,
  };
  if (stats.isSymbolicLink()) return { [path]: { ...common, link: await readlink(full) } };
  if (stats.isFile()) return { [path]: { ...common, bytes: (await readFile(full)).toString('base64') } };
  if (!stats.isDirectory()) return { [path]: common };
  const below = await Promise.all((await readdir(full)).map((name) => snapshot(directory, join(path, name))));
  return Object.assign({ [path]: common }, ...below);
};

test('a deleted agent comes back exactly as it was', async () => {
  const outside = await makeTempDirectory();
  const root = await makeRoot({
    'agents/scout/workspace.conf': 'out\r\n',
    'agents/scout/AGENT.md': Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    'agents/scout/run.sh': { script: '#!/bin/sh\n' },
    'agents/scout/.hidden/deep/er/file': 'x',
    'agents/scout/empty': null,
    'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
    'agents/scout/skills/dangling': { link: '../../../shared/skills/gone' },
    'agents/scout/skills/own/SKILL.md': 'own',
    'agents/scout/bin': { link: outside },
    'agents/scout/ünï code': 'x',
    'agents/scout/entry.json': '{}',
  });
  const agent = join(root, 'agents/scout');
  execFileSync('mkfifo', [join(agent, 'pipe')]);
  await chmod(join(agent, 'pi-args'), 0o640);
  await chmod(join(agent, 'SYSTEM.md'), 0o400);
  await chmod(join(agent, 'empty'), 0o1777);
  await utimes(join(agent, 'pi-args'), 1e9, 1e9);
  await chmod(agent, 0o750);
  await utimes(agent, 1.1e9, 1.1e9);
  const before = await snapshot(agent);
  const { remove, restore, list, agents } = await start(root);

  const entry = await remove('scout');
  expect(await agents()).toEqual([]);
  expect(await list()).toEqual([{ entry, id: 'scout', deletedAt: '2026-03-01T12:00:00.000Z' }]);
  await expect(lstat(agent)).rejects.toThrow('ENOENT');

  const answer = await restore(entry);
  expect([answer.status, answer.body]).toEqual([200, { ok: true, id: 'scout' }]);
  expect(await snapshot(agent)).toEqual(before);
  expect(await agents()).toEqual(['scout']);
  expect(await list()).toEqual([]);
  expect(await readdir(join(root, '.trash'))).toEqual(['.gitignore']);
  expect(told(await restore(entry))).toEqual([404, 'trash_entry_not_found']);
});

test('lists the newest first and keeps several deletions of one id apart', { tags: 'slow' }, async () => {
  const root = await makeRoot({ 'agents/other/SYSTEM.md': '' });
  const { call, remove, restore, erase, list, clock } = await start(root);
  const entries: string[] = [];
  for (const text of ['first', 'second', 'third']) {
    if (text !== 'first') expect((await call('POST', '/api/agents', { name: 'scout' })).status).toBe(201);
    await call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: text });
    entries.unshift(await remove('scout'));
    clock.pass(1);
  }
  entries.unshift(await remove('other'));
  expect((await list()).map(({ entry }) => entry)).toEqual(entries);
  expect((await list()).map(({ id }) => id)).toEqual(['other', 'scout', 'scout', 'scout']);

  const [, third = '', second = '', first = ''] = entries;
  expect((await restore(second)).status).toBe(200);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('second');
  expect(told(await restore(first))).toEqual([409, 'agent_exists']);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('second');
  expect((await erase(third)).body).toEqual({ ok: true });
  expect((await list()).map(({ entry }) => entry)).toEqual([entries[0], first]);
  await remove('scout');
  expect((await restore(first)).status).toBe(200);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('first');
});

test('deletions in the same millisecond are kept apart too', async () => {
  const root = await makeRoot();
  const { call, remove, restore, list } = await start(root);
  const first = await remove('scout');
  await call('POST', '/api/agents', { name: 'scout' });
  const second = await remove('scout');
  expect(first).not.toBe(second);
  expect((await list()).map(({ entry }) => entry).sort()).toEqual([first, second].sort());
  expect((await restore(first)).status).toBe(200);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
});

test('never restores over an existing entry, whatever it is', async () => {
  const root = await makeRoot();
  const { remove, restore, list } = await start(root);
  const entry = await remove('scout');
  const place = join(root, 'agents/scout');
  for (const occupy of [
    () => mkdir(place),
    () => writeFile(place, 'a file'),
    () => symlink('nowhere', place),
    () => symlink('scout', place),
  ]) {
    await occupy();
    expect(told(await restore(entry))).toEqual([409, 'agent_exists']);
    expect(await list()).toHaveLength(1);
    await rm(place, { recursive: true });
  }
  await rm(join(root, 'agents'), { recursive: true });
  expect((await restore(entry)).status).toBe(200);
  expect(await readFile(join(place, 'SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
});

test('restores under another name where the old one is taken, once, however many ask', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({ 'agents/writer/SYSTEM.md': 'You write.\n' });
  const { remove, restore, agents, list } = await start(root);
  const entry = await remove('scout');
  expect(told(await restore(entry, '..'))).toEqual([400, 'invalid_agent_id']);
  expect(told(await restore(entry, 'writer'))).toEqual([409, 'agent_exists']);
  const answers = await Promise.all(
    ['scout-2', 'scout', 'a-scout', 'scout-2'].map((name) => restore(entry, name)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  const restored = answers.find(({ status }) => status === 200)?.body.id;
  expect(await agents()).toEqual([restored, 'writer'].sort());
  expect(await readFile(join(root, 'agents', restored, 'SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
  expect(await list()).toEqual([]);
});

test('never restores through a linked agents folder', async () => {
  const outside = await makeTempDirectory();
  const root = await makeRoot();
  const { remove, restore, list } = await start(root);
  const entry = await remove('scout');
  await rm(join(root, 'agents'), { recursive: true });
  for (const text of [outside, 'nowhere', 'agents']) {
    await symlink(text, join(root, 'agents'));
    expect(told(await restore(entry))).toEqual([503, 'root_unavailable']);
    await rm(join(root, 'agents'));
  }
  await writeFile(join(root, 'agents'), '');
  expect(told(await restore(entry))).toEqual([503, 'root_unavailable']);
  await rm(join(root, 'agents'));
  expect(await readdir(outside)).toEqual([]);
  expect(await list()).toHaveLength(1);
  expect((await restore(entry)).status).toBe(200);
});

test('permanently removes the requested entry, once, and follows no link in it', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'kept'), 'kept');
  const root = await makeRoot({ 'agents/scout/bin': { link: outside }, 'agents/other/SYSTEM.md': '' });
  const { remove, erase, restore, list } = await start(root);
  const entry = await remove('scout');
  const other = await remove('other');
  expect((await erase(entry)).status).toBe(200);
  expect(told(await erase(entry))).toEqual([404, 'trash_entry_not_found']);
  expect(told(await restore(entry))).toEqual([404, 'trash_entry_not_found']);
  expect((await list()).map((left) => left.entry)).toEqual([other]);
  expect(await readFile(join(outside, 'kept'), 'utf8')).toBe('kept');
});

test('odd names are not found, and nothing is removed', async () => {
  const root = await makeRoot();
  const { url, call, remove, list, operatorToken } = await start(root);
  const entry = await remove('scout');
  const odd = [
    '..',
    '.',
    '.gitignore',
    '../agents',
    '../.trash',
    `../.trash/${entry}`,
    `${entry}/agent`,
    `${entry}/..`,
    `./${entry}`,
    `${entry}/`,
    `${entry}\0`,
    `${entry}\n`,
    ` ${entry}`,
    '\\',
    '__proto__',
    'nobody',
    'scout',
    `${'x'.repeat(300)}@0-000000000000`,
    'x@0-000000000000',
    '@',
    entry.slice(0, -1),
    entry.toUpperCase(),
  ];
  for (const name of odd) {
    // By hand: a client resolves dots before it asks.
    const path = encodeURIComponent(name).replaceAll('.', '%2e');
    const close = `Host: localhost\r\nAuthorization: Bearer ${operatorToken}\r\nConnection: close\r\n`;
    const restored = await sendRaw(
      url,
      `POST /api/trash/${path}/restore HTTP/1.1\r\n${close}Content-Length: 0\r\n\r\n`,
    );
    expect([name, ...told(restored)]).toEqual([name, 404, 'trash_entry_not_found']);
    const erased = await sendRaw(url, `DELETE /api/trash/${path} HTTP/1.1\r\n${close}\r\n`);
    expect([name, ...told(erased)]).toEqual([name, 404, 'trash_entry_not_found']);
  }
  expect(told(await call('DELETE', '/api/trash'))).toEqual([405, 'method_not_allowed']);
  expect(told(await call('POST', `/api/trash/%ff/restore`))).toEqual([400, 'invalid_request']);
  expect((await list()).map((left) => left.entry)).toEqual([entry]);
  expect((await readdir(join(root, '.trash'))).sort()).toEqual(['.gitignore', entry].sort());
});

test('a root without deleted agents has an empty trash, and reading it creates none', async () => {
  const root = await makeRoot();
  const { list, restore } = await start(root);
  expect(await list()).toEqual([]);
  expect(told(await restore('x@0-000000000000'))).toEqual([404, 'trash_entry_not_found']);
  expect(await readdir(root)).not.toContain('.trash');
});

test('git ignores the trash, even after somebody removed its .gitignore', async () => {
  const root = await makeRoot({ 'agents/other/SYSTEM.md': '' });
  const { remove } = await start(root);
  await remove('scout');
  expect(await readFile(join(root, '.trash/.gitignore'), 'utf8')).toBe('*\n');
  expect((await lstat(join(root, '.trash'))).mode & 0o777).toBe(0o700);
  await rm(join(root, '.trash/.gitignore'));
  await remove('other');
  expect(await readFile(join(root, '.trash/.gitignore'), 'utf8')).toBe('*\n');
});

test('an entry is kept for 30 days from the recorded deletion, whatever the times of its files', async () => {
  const root = await makeRoot({ 'agents/other/SYSTEM.md': '', 'agents/third/SYSTEM.md': '' });
  const { remove, restore, erase, list, clock } = await start(root);
  const scout = await remove('scout');
  const third = await remove('third');
  clock.pass(DAY_MS);
  const other = await remove('other');
  // Old and new times, on the files and the directories.
  for (const [entry, seconds] of [
    [scout, 4e9],
    [third, 4e9],
    [other, 1e6],
  ] as const) {
    for (const path of ['entry.json', 'agent/SYSTEM.md', 'agent', '.']) {
      await utimes(join(root, '.trash', entry, path), seconds, seconds);
    }
  }
  clock.pass(29 * DAY_MS);
  expect((await list()).map(({ entry }) => entry).sort()).toEqual([other, scout, third].sort());
  expect((await restore(third)).status).toBe(200);
  clock.pass(1);
  expect((await list()).map(({ entry }) => entry)).toEqual([other]);
  expect(told(await restore(scout))).toEqual([404, 'trash_entry_not_found']);
  expect(told(await erase(scout))).toEqual([404, 'trash_entry_not_found']);

  const trash = createTrashService(createRoot(root), clock, createKeyedLock(), deps);
  await trash.purge();
  expect((await readdir(join(root, '.trash'))).sort()).toEqual(['.gitignore', other].sort());
  clock.pass(DAY_MS);
  await trash.purge();
  expect(await readdir(join(root, '.trash'))).toEqual(['.gitignore']);
  expect(await list()).toEqual([]);
});

test('a running server removes entries that are too old', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const clock = makeClock();
  const { remove } = await start(root, clock);
  const entry = await remove('scout');
  clock.pass(30 * DAY_MS + 1);
  await until(async () => !(await readdir(join(root, '.trash'))).includes(entry));
});

test('leftovers of a crash or another program hide nothing and are removed only when they hold no agent', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({ 'agents/other/SYSTEM.md': '' });
  const { remove, restore, list, clock } = await start(root);
  const scout = await remove('scout');
  const trash = join(root, '.trash');
  const now = clock.now().toString(36);
  const names = Object.fromEntries(
    ['bare', 'contentless', 'recordless', 'torn', 'wrong', 'hostile', 'folder', 'pipe', 'file', 'deep'].map(
      (id, i) => [id, `${id}@${now}-00000000000${i}`],
    ),
  ) as Record<string, string>;
  const record = await readFile(join(trash, scout, 'entry.json'), 'utf8');
  const plantEntry = async (id: string, json: string | undefined, withAgent = true) => {
    await mkdir(join(trash, names[id] ?? '', withAgent ? 'agent' : ''), { recursive: true });
    if (json !== undefined) await writeFile(join(trash, names[id] ?? '', 'entry.json'), json);
  };
  await plantEntry('bare', undefined, false);
  await plantEntry('contentless', record, false);
  await plantEntry('recordless', undefined);
  await plantEntry('torn', record.slice(0, 10));
  await plantEntry('wrong', JSON.stringify({ id: 'scout', deletedAt: 'yesterday' }));
  await plantEntry('hostile', JSON.stringify({ id: '../../outside', deletedAt: '2026-03-01T12:00:00.000Z' }));
  await plantEntry('deep', `${record.trim().slice(0, -1)},"x":${'['.repeat(2_000)}${']'.repeat(2_000)}}`);
  await plantEntry('folder', undefined);
  await mkdir(join(trash, names.folder ?? '', 'entry.json'));
  await plantEntry('pipe', undefined);
  execFileSync('mkfifo', [join(trash, names.pipe ?? '', 'entry.json')]);
  await writeFile(join(trash, names.file ?? ''), '');
  await writeFile(join(trash, 'notes.txt'), 'of a person');
  // A link to a whole entry elsewhere.
  const outside = await makeTempDirectory();
  await mkdir(join(outside, 'agent'));
  await writeFile(join(outside, 'entry.json'), record);
  await symlink(outside, join(trash, `linked@${now}-000000000009`));

  const damaged = ['recordless', 'torn', 'wrong', 'hostile', 'folder', 'pipe', 'deep'];
  const listed = await list();
  expect(listed.filter(({ problem }) => !problem).map(({ entry }) => entry)).toEqual([scout]);
  expect(
    listed
      .filter(({ problem }) => problem)
      .map(({ id, problem }) => [id, problem?.code])
      .sort(),
  ).toEqual(damaged.map((id) => [id, 'unreadable']).sort());
  for (const id of damaged)
    expect([id, ...told(await restore(names[id] ?? ''))]).toEqual([id, 409, 'trash_entry_unreadable']);
  for (const name of [names.bare, names.contentless, names.file, `linked@${now}-000000000009`]) {
    expect([name, ...told(await restore(name ?? ''))]).toEqual([name, 404, 'trash_entry_not_found']);
  }
  expect(await readdir(outside)).toEqual(['agent', 'entry.json']);

  // A day later the empty remains go; what holds an agent stays for a person to look at.
  clock.pass(2 * DAY_MS);
  await createTrashService(createRoot(root), clock, createKeyedLock(), deps).purge();
  const left = await readdir(trash);
  expect(left).not.toContain(names.bare);
  expect(left).not.toContain(names.contentless);
  for (const id of damaged) expect(left).toContain(names[id]);
  expect(left).toContain('notes.txt');
  expect(await readdir(outside)).toEqual(['agent', 'entry.json']);
  expect((await restore(scout)).status).toBe(200);
});

test('a linked trash or a file in its place is refused, and nothing is moved', { tags: 'slow' }, async () => {
  const outside = await makeTempDirectory();
  const root = await makeRoot();
  const { call, agents } = await start(root);
  for (const plantTrash of [
    () => symlink(outside, join(root, '.trash')),
    () => symlink('nowhere', join(root, '.trash')),
    () => symlink('.trash', join(root, '.trash')),
    () => writeFile(join(root, '.trash'), 'mine'),
  ]) {
    await plantTrash();
    const remove = await call('DELETE', '/api/agents/scout', { confirm: 'scout' });
    expect(told(remove)).toEqual([409, 'not_a_directory']);
    expect(told(await call('GET', '/api/trash'))).toEqual([409, 'not_a_directory']);
    expect(told(await call('POST', '/api/trash/x@0-000000000000/restore'))).toEqual([409, 'not_a_directory']);
    expect(told(await call('DELETE', '/api/trash/x@0-000000000000'))).toEqual([409, 'not_a_directory']);
    await rm(join(root, '.trash'));
  }
  expect(await readdir(outside)).toEqual([]);
  expect(await readdir(root)).not.toContain('nowhere');
  expect(await agents()).toEqual(['scout']);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
});

test('of many simultaneous requests to restore or remove one entry, one succeeds', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { remove, restore, erase, agents } = await start(root);
  for (let round = 0; round < 5; round++) {
    const entry = await remove('scout');
    const restored = await Promise.all(Array.from({ length: 12 }, () => restore(entry)));
    expect(restored.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(404)]);
    expect(await agents()).toEqual(['scout']);
  }
  const entry = await remove('scout');
  const mixed = await Promise.all(
    Array.from({ length: 12 }, (_, i) => (i % 2 ? restore(entry) : erase(entry))),
  );
  expect(mixed.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(404)]);
  const isBack = mixed.findIndex(({ status }) => status === 200) % 2 === 1;
  expect(await agents()).toEqual(isBack ? ['scout'] : []);
  if (isBack) expect((await lstat(join(root, 'agents/scout/SYSTEM.md'))).isFile()).toBe(true);
});

test('of two entries of one id that are restored at once, one comes back and the other stays', async () => {
  const root = await makeRoot();
  const { call, remove, restore, list } = await start(root);
  const first = await remove('scout');
  await call('POST', '/api/agents', { name: 'scout' });
  const second = await remove('scout');
  const answers = await Promise.all([first, second, first, second].map((entry) => restore(entry)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await list()).toHaveLength(1);
});

test('of many simultaneous requests to delete one agent, one succeeds, and the agent can be restored whole', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { call, restore, list } = await start(root);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => call('DELETE', '/api/agents/scout', { confirm: 'scout' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(404)]);
  const [only, ...others] = await list();
  expect(others).toEqual([]);
  expect((await restore(only?.entry ?? '')).status).toBe(200);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
});

test('the trash disappears and returns with its root', async () => {
  const root = await makeRoot();
  const { call, remove, restore, list } = await start(root);
  const entry = await remove('scout');
  await rename(root, `${root}-gone`);
  expect(told(await restore(entry))).toEqual([503, 'root_unavailable']);
  expect(told(await call('DELETE', `/api/trash/${entry}`))).toEqual([503, 'root_unavailable']);
  await rename(`${root}-gone`, root);
  expect(await list()).toHaveLength(1);
  expect((await restore(entry)).status).toBe(200);
});
