import { rmSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Change, ChangeDetail, ChangeResult } from '../../src/shared/api/changes.ts';
import { eventually } from '../support/eventually.ts';
import { followEvents } from '../support/follow.ts';
import { makeRoot, type Tree } from '../support/root.ts';
import { type ServeOptions, serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** What other programs change is in the history, too. */

const SOON = { firstMs: 0, quietMs: 150, everyMs: 100 };

/** Only what a test asks for looks at an agent. */
const ON_REQUEST = { firstMs: 1e6, quietMs: 0, everyMs: 1e6 };

const withRoot = async (root: string, options: ServeOptions) => {
  const server = await serve(root, options);
  const { asOperator } = server;
  const list = async (query = ''): Promise<Change[]> =>
    (await asOperator('GET', `/api/changes${query}`)).body.changes;
  return {
    root,
    server,
    asOperator,
    list,
    path: (name: string) => join(root, 'agents/scout', name),
    text: (name: string) => readFile(join(root, 'agents/scout', name), 'utf8'),
    edit: (name: string, text: string) => writeFile(join(root, 'agents/scout', name), text),
    /** Waits until all agents were seen. */
    seen: async () => {
      await list('?agent=scout');
    },
    get: async (id: string): Promise<ChangeDetail> => (await asOperator('GET', `/api/changes/${id}`)).body,
    undo: async (id: string): Promise<ChangeResult> =>
      (await asOperator('POST', `/api/changes/${id}/undo`)).body,
    save: (path: string, content: string) => asOperator('PUT', '/api/agents/scout/file', { path, content }),
  };
};

const start = async (tree: Tree = {}, options: ServeOptions = { lookTimes: ON_REQUEST }) =>
  withRoot(await makeRoot(tree), options);

const briefly = (changes: readonly Change[]) => changes.map(({ by, summary }) => [by.kind, summary]);

test('an edit by another program is an entry with both texts, and undo restores it byte for byte', async () => {
  const old = '\uFEFFYou are\r\na scout.';
  const { seen, edit, list, get, undo, text } = await start({ 'agents/scout/SYSTEM.md': old });
  await seen();
  await edit('SYSTEM.md', 'New.\n');
  const [change] = await list('?agent=scout');
  expect(change).toMatchObject({
    by: { kind: 'program' },
    label: 'Changed by another program',
    summary: 'SYSTEM.md +1 −2',
    state: 'done',
    items: 1,
    applied: 1,
  });
  const { paths } = await get(change?.id ?? '');
  expect(paths).toEqual([
    {
      path: 'agents/scout/SYSTEM.md',
      state: 'applied',
      canUndo: true,
      before: { is: 'file', text: old },
      after: { is: 'file', text: 'New.\n' },
    },
  ]);
  expect(await undo(change?.id ?? '')).toMatchObject({ applied: 1, refused: [] });
  expect(await text('SYSTEM.md')).toBe(old);
  // Neither the undo nor an entry of dot-mi appears twice.
  expect(briefly(await list('?agent=scout'))).toEqual([
    ['operator', 'SYSTEM.md +2 −1'],
    ['program', 'SYSTEM.md +1 −2'],
  ]);
});

test('what dot-mi writes itself is one entry, also after a restart', async () => {
  const root = await makeRoot({ 'agents/scout/mcp.json': '{"mcpServers":{}}' });
  const dataDirectory = await makeTempDirectory();
  const first = await withRoot(root, { dataDirectory, lookTimes: ON_REQUEST });
  await first.seen();
  await first.save('SYSTEM.md', 'One.\n');
  await first.asOperator('POST', '/api/changes', {
    label: 'All',
    items: [
      { agent: 'scout', file: 'AGENT.md', content: 'x' },
      { agent: 'scout', link: { kind: 'skills', name: 'git-summary' }, to: 'shared' },
      { agent: 'scout', json: 'mcp.json', edits: [{ path: ['mcpServers', 'a'], value: { command: 'a' } }] },
    ],
  });
  await first.asOperator('POST', '/api/agents/scout/duplicate', { name: 'copy' });
  await first.asOperator('DELETE', '/api/agents/copy', { confirm: 'copy' });
  const kinds = async (opened: typeof first) => {
    for (const id of ['scout', 'copy']) await opened.list(`?agent=${id}`);
    return (await opened.list()).map(({ by }) => by.kind);
  };
  const all = ['operator', 'operator', 'operator', 'operator'];
  expect(await kinds(first)).toEqual(all);
  await first.server.close();
  expect(await kinds(await withRoot(root, { dataDirectory, lookTimes: ON_REQUEST }))).toEqual(all);
});

test('a change while dot-mi was stopped is found at the next start, without any request', async () => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'Old.\n' });
  const dataDirectory = await makeTempDirectory();
  const first = await withRoot(root, { dataDirectory, lookTimes: ON_REQUEST });
  await first.list('?agent=courier');
  await first.server.close();
  await writeFile(join(root, 'agents/courier/SYSTEM.md'), 'While it was stopped.\n');
  const { list, get } = await withRoot(root, { dataDirectory, lookTimes: SOON });
  await eventually(async () => expect((await list()).length).toBe(1));
  const [change] = await list();
  expect((await get(change?.id ?? '')).paths[0]?.before).toEqual({ is: 'file', text: 'Old.\n' });
});

test('the writes of an editor in a short time are one entry, which the open page hears of', async () => {
  const { server, seen, edit, path, list, get } = await start({}, { lookTimes: { ...SOON, firstMs: 1e6 } });
  await seen();
  const { events } = await followEvents(server.url, { Authorization: `Bearer ${server.operatorToken}` });
  await eventually(() => expect(events.some(({ name }) => name === 'agents')).toBe(true));
  for (let step = 1; step <= 5; step++) {
    await edit('SYSTEM.md', `Step ${step}.\n`);
    await edit('.SYSTEM.md.swp', 'x');
    await rename(path('.SYSTEM.md.swp'), path('AGENT.md'));
    await list('?agent=scout');
  }
  await eventually(async () => expect((await list()).length).toBe(1));
  const [change] = await list();
  expect(change?.summary).toBe('scout/SYSTEM.md +1 −1, create scout/AGENT.md +1');
  expect((await get(change?.id ?? '')).paths[0]?.after.text).toBe('Step 5.\n');
  await eventually(() => expect(events.some(({ name }) => name === 'changes')).toBe(true));
  expect(await list()).toHaveLength(1);
});

test('a save over an edit that nobody has seen yet keeps that edit in the history', async () => {
  const { seen, edit, save, list, undo, text } = await start(
    {},
    {
      lookTimes: { ...ON_REQUEST, quietMs: 60_000 },
    },
  );
  await seen();
  await edit('SYSTEM.md', 'Theirs.\n');
  await save('SYSTEM.md', 'Ours.\n');
  const [ours, theirs] = await list();
  expect([ours?.by.kind, theirs?.by.kind]).toEqual(['operator', 'program']);
  await undo(ours?.id ?? '');
  expect(await text('SYSTEM.md')).toBe('Theirs.\n');
  await undo(theirs?.id ?? '');
  expect(await text('SYSTEM.md')).toBe('You are a scout.\n');
});

test('links that another program adds, changes or removes are entries', async () => {
  const { root, seen, path, list, undo } = await start({
    'agents/scout/skills/one': { link: '../../../shared/skills/one' },
    'agents/scout/skills/own/SKILL.md': 'own',
  });
  await seen();
  rmSync(path('skills/one'));
  symlinkSync('../../../shared/skills/git-summary', path('skills/two'));
  const [change] = await list('?agent=scout');
  expect(change?.summary).toBe('link two, unlink one');
  expect((await undo(change?.id ?? '')).applied).toBe(2);
  // The agent's own skill is neither a link nor a change.
  await rm(join(root, 'agents/scout/skills/own'), { recursive: true });
  expect(await list('?agent=scout')).toHaveLength(2);
});

test('a file that is too large or not text is recorded as changed, and hides no other file', async () => {
  const { seen, edit, list, get, undo, text } = await start({ 'agents/scout/AGENT.md': 'Agent.\n' });
  await seen();
  await edit('SYSTEM.md', 'x'.repeat(2 * 1024 * 1024 + 1));
  await edit('AGENT.md', 'New.\n');
  const [change] = await list('?agent=scout');
  const { paths } = await get(change?.id ?? '');
  expect(paths.map(({ path, canUndo, before, after }) => [path, canUndo, before, after])).toEqual([
    ['agents/scout/SYSTEM.md', false, { is: 'file', text: 'You are a scout.\n' }, { is: 'other' }],
    ['agents/scout/AGENT.md', true, { is: 'file', text: 'Agent.\n' }, { is: 'file', text: 'New.\n' }],
  ]);
  const undone = await undo(change?.id ?? '');
  expect([undone.applied, undone.refused.map(({ path }) => path)]).toEqual([1, ['agents/scout/SYSTEM.md']]);
  expect(await text('AGENT.md')).toBe('Agent.\n');
  // From one such file to another.
  await edit('SYSTEM.md', '\0');
  const [again] = await list('?agent=scout');
  expect([again?.by.kind, again?.summary]).toEqual(['program', 'change SYSTEM.md']);
  expect((await undo(again?.id ?? '')).refused).toHaveLength(1);
  expect(await text('SYSTEM.md')).toBe('\0');
});

test('agents that another program creates or deletes are entries, with the texts that were lost', async () => {
  const { root, list, get, undo, asOperator } = await start(
    { 'agents/courier/SYSTEM.md': 'Courier.\n' },
    {
      lookTimes: SOON,
    },
  );
  // An agent that is there before all were seen isn't new.
  let id = '';
  const names: string[] = [];
  await eventually(async () => {
    const made = `x${names.length}`;
    names.push(made);
    await mkdir(join(root, 'agents', made));
    await writeFile(join(root, 'agents', made, 'SYSTEM.md'), 'New.\n');
    const entries = await list();
    id = names.find((name) => entries.some(({ summary }) => summary === `create ${name}`)) ?? '';
    expect(id).not.toBe('');
  }, 100);
  await rm(join(root, 'agents/courier'), { recursive: true });
  await eventually(async () =>
    expect((await list('?agent=courier'))[0]?.summary).toBe('remove SYSTEM.md −1, delete courier'),
  );
  const [deleted] = await list('?agent=courier');
  expect((await get(deleted?.id ?? '')).paths[0]?.before.text).toBe('Courier.\n');
  // dot-mi doesn't have the other files of the agent.
  expect((await undo(deleted?.id ?? '')).applied).toBe(0);
  const [created] = await list(`?agent=${id}`);
  expect(created?.summary).toBe(`create ${id}`);
  expect((await undo(created?.id ?? '')).applied).toBe(1);
  expect((await asOperator('GET', '/api/trash')).body.entries[0].id).toBe(id);
});

test('a missing root is no deletion, and an agent that can’t be read is no change', async () => {
  const { root, seen, path, list } = await start();
  await seen();
  await rename(root, `${root}-away`);
  await list('?agent=scout');
  await rename(`${root}-away`, root);
  if (process.getuid?.() !== 0) {
    await chmod(path('.'), 0o000);
    await list('?agent=scout');
    await chmod(path('.'), 0o755);
  }
  expect(await list('?agent=scout')).toEqual([]);
});

test('the history hides the secrets of another program’s edit as those of a form', async () => {
  const { seen, edit, list, get, undo, text } = await start({
    'agents/scout/mcp.json': '{"mcpServers":{"x":{"command":"x","env":{"TOKEN":"hunter1"}}}}',
  });
  await seen();
  const before = await text('mcp.json');
  await edit('mcp.json', '{"mcpServers":{"x":{"command":"x","env":{"TOKEN":"hunter2"}}}}');
  const [change] = await list('?agent=scout');
  const detail = await get(change?.id ?? '');
  expect(detail.paths[0]?.after.text).toContain('•••');
  expect(JSON.stringify([change, detail])).not.toContain('hunter');
  await undo(change?.id ?? '');
  expect(await text('mcp.json')).toBe(before);
});

test('neither a key nor a caller without a token can undo what another program changed', async () => {
  const { server, seen, edit, list } = await start();
  await seen();
  await edit('SYSTEM.md', 'New.\n');
  const [change] = await list('?agent=scout');
  const { body } = await server.asOperator('POST', '/api/keys', {
    label: 'x',
    agent: 'scout',
    scopes: ['write-agent'],
  });
  for (const headers of [{}, { Authorization: `Bearer ${body.key}` }])
    expect((await server.call('POST', `/api/changes/${change?.id}/undo`, undefined, headers)).body.code).toBe(
      'operator_required',
    );
});
