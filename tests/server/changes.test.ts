import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRoot, plant } from '../support/root.ts';
import { makeSession } from '../support/session-file.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { changeOf, planChanges, serveChanges, startChanges } from './history.ts';

const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;

test('a saved file is an entry with who, when, and what was there, and its response names it', async () => {
  const { write, list, get } = await startChanges();
  const saved = await write('SYSTEM.md', 'New.\n');
  expect(Object.keys(saved.body)).toEqual(['ok', 'etag', 'created']);
  const id = changeOf(saved) ?? '';
  expect(await list()).toEqual([
    {
      id,
      at: expect.any(String),
      by: { kind: 'operator' },
      label: 'Edit SYSTEM.md',
      summary: 'scout/SYSTEM.md +1 −1',
      state: 'done',
      items: 1,
      applied: 1,
    },
  ]);
  expect((await get(id)).paths).toEqual([
    {
      path: 'agents/scout/SYSTEM.md',
      state: 'applied',
      canUndo: true,
      before: { is: 'file', text: 'You are a scout.\n' },
      after: { is: 'file', text: 'New.\n' },
    },
  ]);
  // What changes nothing isn’t an entry.
  expect(changeOf(await write('SYSTEM.md', 'New.\n'))).toBe(null);
  expect(await list()).toHaveLength(1);
});

test('a version is restored byte for byte over later changes, which an undo brings back', async () => {
  const { root, asOperator, write, text, undo, list, server } = await startChanges();
  const version = '\uFEFFSecond\r\nversion.';
  const change = changeOf(await write('SYSTEM.md', version));
  const created = changeOf(await write('AGENT.md', 'New.\n'));
  await write('SYSTEM.md', 'Third.\n');
  await rm(join(root, 'agents/scout/AGENT.md'));
  const restored = await asOperator('POST', `/api/changes/${change}/restore`);
  expect(restored.body).toMatchObject({ applied: 1, unchanged: 0, refused: [] });
  expect(await text('SYSTEM.md')).toBe(version);
  expect((await list())[0]).toMatchObject({ label: 'Restore: Edit SYSTEM.md' });
  expect((await asOperator('POST', `/api/changes/${change}/restore`)).body).toMatchObject({
    change: null,
    unchanged: 1,
  });
  expect((await undo(changeOf(restored))).body.refused).toEqual([]);
  expect(await text('SYSTEM.md')).toBe('Third.\n');
  // A file that is gone comes back, too.
  expect((await asOperator('POST', `/api/changes/${created}/restore`)).body.applied).toBe(1);
  expect(await text('AGENT.md')).toBe('New.\n');
  // Only files and links have versions, and only the operator restores them.
  const deleted = await asOperator('DELETE', '/api/agents/scout', { confirm: 'scout' });
  const { body } = await asOperator('POST', `/api/changes/${changeOf(deleted)}/restore`);
  expect(body).toMatchObject({ change: null, refused: [{ code: 'nothing_to_undo' }] });
  expect((await server.call('POST', `/api/changes/${change}/restore`)).body.code).toBe('operator_required');
});

test('an undo restores a file byte for byte, and undoing the undo brings the change back', async () => {
  const old = '\uFEFFYou are\r\na scout.';
  const { write, text, undo, list } = await startChanges({ 'agents/scout/SYSTEM.md': old });
  const first = changeOf(await write('SYSTEM.md', 'New.\n'));
  const undone = await undo(first);
  expect(undone.body).toEqual({ change: changeOf(undone), applied: 1, unchanged: 0, refused: [] });
  expect(await text('SYSTEM.md')).toBe(old);
  const [latest, earlier] = await list();
  expect([latest.label, latest.undoes, earlier.undoneBy]).toEqual(['Undo: Edit SYSTEM.md', first, latest.id]);
  const redone = await undo(latest.id);
  expect(await text('SYSTEM.md')).toBe('New.\n');
  expect((await list())[0].label).toBe('Redo: Edit SYSTEM.md');
  await undo(redone.body.change);
  expect(await text('SYSTEM.md')).toBe(old);
  expect((await list())[0].label).toBe('Undo: Edit SYSTEM.md');
});

test('an undo that is refused names the change that came later', async () => {
  const { write, undo } = await startChanges();
  const first = changeOf(await write('SYSTEM.md', 'New.\n'));
  await write('SYSTEM.md', 'Newer.\n');
  const [refusal] = (await undo(first)).body.refused;
  expect(refusal.error).toContain('has changed since (Edit SYSTEM.md)');
});

test('an undo is refused if the file has changed since, and shows what is there and what was wanted', async () => {
  const { root, write, undo, text } = await startChanges();
  const id = changeOf(await write('SYSTEM.md', 'New.\n'));
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'By another program.\n');
  const { body } = await undo(id);
  expect(body).toEqual({
    change: null,
    applied: 0,
    unchanged: 0,
    refused: [
      {
        index: 0,
        path: 'agents/scout/SYSTEM.md',
        code: 'file_changed',
        error: expect.stringContaining('has changed since'),
        now: { is: 'file', text: 'By another program.\n' },
        wanted: { is: 'file', text: 'You are a scout.\n' },
      },
    ],
  });
  expect(await text('SYSTEM.md')).toBe('By another program.\n');
});

test('a change set changes files and links of several agents, and one undo takes all of them back', async () => {
  const { root, asOperator, undo, text, list } = await startChanges({
    'agents/courier/SYSTEM.md': 'You are a courier.\n',
    'agents/courier/AGENT.md': 'old',
  });
  const { body } = await asOperator('POST', '/api/changes', {
    label: 'Both',
    items: [
      { agent: 'scout', file: 'SYSTEM.md', content: 'Scout.\n' },
      { agent: 'courier', file: 'AGENT.md', content: null },
      { agent: 'courier', link: { kind: 'skills', name: 'git-summary' }, to: 'shared' },
      { agent: 'courier', link: { kind: 'skills', name: 'nope' }, to: 'shared' },
      { agent: 'scout', file: 'pi-args', content: 'x', ifMatch: '"wrong"' },
      { agent: 'nobody', file: 'pi-args', content: 'x' },
      { agent: 'courier', link: { kind: 'themes', name: 'nope' }, to: null },
    ],
  });
  expect([body.applied, body.unchanged]).toEqual([3, 1]);
  expect(body.refused.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
    [3, 'shared_entry_not_found'],
    [4, 'file_changed'],
    [5, 'agent_not_found'],
  ]);
  const link = join(root, 'agents/courier/skills/git-summary');
  expect(await text('SYSTEM.md')).toBe('Scout.\n');
  expect(readlinkSync(link)).toBe('../../../shared/skills/git-summary');
  expect(isMissing(join(root, 'agents/courier/AGENT.md'))).toBe(true);
  expect((await list('?agent=courier'))[0].label).toBe('Both');
  expect(await list('?agent=nobody')).toEqual([]);

  expect((await undo(body.change)).body).toMatchObject({ applied: 3, refused: [] });
  expect(await text('SYSTEM.md')).toBe('You are a scout.\n');
  expect(await text('AGENT.md', 'courier')).toBe('old');
  // The directory didn't exist before either.
  expect(isMissing(join(root, 'agents/courier/skills'))).toBe(true);
});

test('undo restores an agent that was deleted, and redo deletes it again', async () => {
  const { root, asOperator, undo } = await startChanges();
  const deleted = await asOperator('DELETE', '/api/agents/scout', { confirm: 'scout' });
  expect(readdirSync(join(root, '.trash'))).toContain(deleted.body.entry);
  const undone = await undo(changeOf(deleted));
  expect(undone.body).toMatchObject({ applied: 1, refused: [] });
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
  expect((await undo(undone.body.change)).body).toMatchObject({ applied: 1, refused: [] });
  expect(isMissing(join(root, 'agents/scout'))).toBe(true);
});

test('several agents are deleted as one change, and one undo restores all of them, byte for byte', async () => {
  const courier = '\uFEFFYou are\r\na courier.';
  const { root, asOperator, undo, list, text } = await startChanges({ 'agents/courier/SYSTEM.md': courier });
  const post = (...items: object[]) => asOperator('POST', '/api/changes', { label: 'Delete', items });
  const deletionOf = (agent: string) => ({ agent, delete: true });
  const deleted = await post(...['scout', 'courier', 'nobody'].map(deletionOf));
  expect(deleted.body).toMatchObject({ applied: 2, refused: [{ index: 2, code: 'agent_not_found' }] });
  expect(changeOf(deleted)).toBe(deleted.body.change);
  expect(readdirSync(join(root, 'agents'))).toEqual([]);
  expect((await list()).map(({ summary }: { summary: string }) => summary)).toEqual([
    'delete scout, delete courier',
  ]);
  expect((await asOperator('GET', '/api/trash')).body.entries).toHaveLength(2);
  const undone = await undo(deleted.body.change);
  expect(undone.body).toMatchObject({ applied: 2, refused: [] });
  expect([await text('SYSTEM.md'), await text('SYSTEM.md', 'courier')]).toEqual([
    'You are a scout.\n',
    courier,
  ]);
  expect((await undo(undone.body.change)).body).toMatchObject({ applied: 2, refused: [] });
  // It would depend on the order whether the file is in the trash.
  const file = { agent: 'scout', file: 'SYSTEM.md', content: 'x' };
  for (const other of [file, deletionOf('scout')]) {
    const { status, body } = await post(other, deletionOf('scout'));
    expect([status, body.code, body.issues[0].path]).toEqual([400, 'invalid_request', 'body.items.0']);
  }
});

test('callers without a token can undo their own changes only, and see no history', async () => {
  const { server, write, undo, text } = await startChanges();
  const { call } = server;
  const theirs = changeOf(
    await call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: 'Theirs.\n' }),
  );
  const ours = changeOf(await write('pi-args', '--print\n'));
  expect((await undo(ours, call)).body.code).toBe('operator_required');
  expect((await undo(theirs, call)).body.applied).toBe(1);
  expect(await text('SYSTEM.md')).toBe('You are a scout.\n');
  for (const path of ['/api/changes', `/api/changes/${theirs}`])
    expect((await call('GET', path)).body.code).toBe('operator_required');
  expect((await call('POST', '/api/changes', { label: 'x', items: [] })).body.code).toBe('operator_required');
  const deleted = await call('DELETE', '/api/agents/scout', { confirm: 'scout' });
  // Only the operator restores agents.
  expect((await undo(changeOf(deleted), call)).body.refused[0].code).toBe('operator_required');
});

test('the history hides what may be a secret, and the undo restores it anyway', async () => {
  const before = '{\n  "mcpServers": { "x": { "command": "x", "env": { "TOKEN": "hunter2" } } }\n}\n';
  const { asOperator, get, undo, text } = await startChanges({ 'agents/scout/mcp.json': before });
  const changed = await asOperator('POST', '/api/changes', {
    label: 'Remove x',
    items: [{ agent: 'scout', json: 'mcp.json', edits: [{ path: ['mcpServers', 'x'] }] }],
  });
  const id = changeOf(changed) ?? '';
  const detail = await get(id);
  expect(detail.paths[0]?.before.text).toContain('"TOKEN": "•••"');
  expect(JSON.stringify(detail)).not.toContain('hunter2');
  expect(await text('mcp.json')).not.toContain('hunter2');
  const { body } = await undo(id);
  expect(JSON.stringify(body)).not.toContain('hunter2');
  expect(await text('mcp.json')).toBe(before);
});

test('a set that was interrupted says how far it came, and can be finished or undone', async () => {
  const names = ['APPEND_SYSTEM.md', 'AGENT.md', 'workspace.conf'];
  for (const way of ['finish', 'undo'] as const) {
    const { root, dataDirectory, id } = await planChanges(
      names.map((name) => ({
        path: `agents/scout/${name}`,
        before: name === 'AGENT.md' ? { is: 'file', text: 'old' } : { is: 'missing' },
        after: { is: 'file', text: 'new' },
      })),
      { 'agents/scout/AGENT.md': 'old' },
    );
    await writeFile(join(root, 'agents/scout/APPEND_SYSTEM.md'), 'new');

    const { list, asOperator, text } = await serveChanges(root, { dataDirectory });
    await expect
      .poll(async () => (await list())[0])
      .toMatchObject({ state: 'partial', items: 3, applied: 1 });
    const { body } = await asOperator('POST', `/api/changes/${id}/${way}`);
    expect(body).toMatchObject({ applied: way === 'finish' ? 2 : 1, refused: [] });
    if (way === 'finish') {
      for (const name of names) expect(await text(name)).toBe('new');
      expect((await list())[0]).toMatchObject({ state: 'done', applied: 3 });
    } else {
      expect(isMissing(join(root, 'agents/scout/APPEND_SYSTEM.md'))).toBe(true);
      expect(await text('AGENT.md')).toBe('old');
    }
  }
});

test('if the journal can’t be written, the change is made, and the response says that it can’t be undone', async () => {
  const root = await makeRoot();
  const dataDirectory = await makeTempDirectory();
  // Where the journal's directory would be.
  const { write, text, list, asOperator } = await serveChanges(root, {
    dataDirectory,
    environment: {},
  }).then(async (opened) => {
    await writeFile(join(dataDirectory, 'data/changes'), 'a file');
    return opened;
  });
  const saved = await write('SYSTEM.md', 'Two.\n');
  expect([saved.status, changeOf(saved), await text('SYSTEM.md')]).toEqual([200, null, 'Two.\n']);
  const { body } = await asOperator('POST', '/api/changes', {
    label: 'x',
    items: [{ agent: 'scout', file: 'SYSTEM.md', content: 'Three.\n' }],
  });
  expect(body).toEqual({ change: null, applied: 1, unchanged: 0, refused: [] });
  expect(await list()).toEqual([]);
});

test('only their owner can read the files of the journal', async () => {
  const { server, write } = await startChanges();
  await write('SYSTEM.md', 'New.\n');
  const directory = join(server.dataDirectory, 'data/changes');
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  const files = readdirSync(directory);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files)
    expect([file, (await stat(join(directory, file))).mode & 0o777]).toEqual([file, 0o600]);
});

test('the journal keeps so many versions of a file and so many bytes, the operator’s longest', async () => {
  const limits = { bytes: 60_000, days: 90, versions: 5 };
  const { server, write, undo, list, text } = await startChanges({}, { journalLimits: limits });
  const ids: (string | null)[] = [];
  for (let version = 1; version <= 7; version++) ids.push(changeOf(await write('SYSTEM.md', `${version}\n`)));
  // Versions of other callers don't push out the operator's.
  for (let version = 0; version < 9; version++)
    await server.call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: `anyone ${version}\n` });
  await write('SYSTEM.md', '2\n');
  expect((await undo(ids[1] ?? null)).body.refused[0].code).toBe('nothing_to_undo');
  await write('SYSTEM.md', '6\n');
  expect((await undo(ids[5] ?? null)).body.applied).toBe(1);
  expect(await text('SYSTEM.md')).toBe('5\n');

  const noise = () =>
    Array.from({ length: 20_000 }, () => String.fromCharCode(33 + Math.random() * 90)).join('');
  for (let count = 0; count < 8; count++)
    await server.call('PUT', '/api/agents/scout/file', { path: 'AGENT.md', content: noise() });
  const kinds = (await list('?limit=200')).map(({ by }: { by: { kind: string } }) => by.kind);
  expect(kinds.filter((kind: string) => kind === 'operator').length).toBeGreaterThan(5);
  expect(kinds.filter((kind: string) => kind === 'anyone').length).toBeLessThan(8);
});

test('each entry of an agent says what its sessions cost from this change to the next', async () => {
  const dataDirectory = await makeTempDirectory();
  const price = { at: Date.now() - 1_000, price: 100_000, source: 'kraken' };
  await plant(dataDirectory, { 'data/btc_price_history.jsonl': `${JSON.stringify(price)}\n` });
  const { root, asOperator, write, list } = await startChanges({}, { dataDirectory });
  // $0.50 at $100,000 are 500 sats.
  const run = async (usd: number, { failed = false, priced = true, agent = 'scout' } = {}) => {
    const session = makeSession({ startedAtMs: Date.now() });
    if (failed) session.call({}, { stopReason: 'error' });
    session.call({ input: 1_000, usd: priced ? usd : 0 });
    await plant(root, { [`agents/${agent}/sessions/--work--/${session.fileName}`]: session.text() });
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await run(9);
  await write('SYSTEM.md', 'One.\n');
  await run(0.5);
  await run(0.25, { failed: true });
  await write('SYSTEM.md', 'Two.\n');
  await write('SYSTEM.md', 'Three.\n');
  await run(1);
  await run(5, { agent: 'courier' });
  const since = async (query = '') =>
    (await list(`?agent=scout${query}`)).map((change: { since: unknown }) => change.since);
  // All that the agent did before the first change that is known.
  const earliest = { sessions: 1, failedSessions: 0, sats: 9_000, satsPerSession: 9_000 };
  const first = { sessions: 2, failedSessions: 1, sats: 750, satsPerSession: 375 };
  const none = { sessions: 0, failedSessions: 0, sats: 0, satsPerSession: null };
  const third = { sessions: 1, failedSessions: 0, sats: 1_000, satsPerSession: 1_000 };
  expect(await since()).toEqual([
    { ...third, before: null },
    { ...none, before: first },
    { ...first, before: earliest },
  ]);
  // A page has the same as the whole list.
  const { body } = await asOperator('GET', '/api/changes?agent=scout&limit=2');
  expect(body.changes[1].since).toEqual({ ...none, before: first });
  expect([body.complete, body.reading, body.notCounted]).toEqual([true, false, false]);
  expect(await since(`&cursor=${body.nextCursor}`)).toEqual([{ ...first, before: earliest }]);
  // Sats that aren't known aren't guessed.
  await run(1, { priced: false });
  expect((await since())[0]).toMatchObject({ sessions: 2, sats: null, satsPerSession: null });
  expect((await list())[0].since).toBe(undefined);
});

test('an agent that was changed since it was created isn’t removed by the undo', async () => {
  const { root, asOperator, undo, list } = await startChanges();
  const made = changeOf(await asOperator('POST', '/api/agents/scout/duplicate', { name: 'copy' }));
  const path = join(root, 'agents/copy/SYSTEM.md');
  const refused = async () => (await undo(made)).body.refused.map(({ code }: { code: string }) => code);
  // dot-mi's own look at the new agent comes first.
  await list('?agent=copy');
  const saved = await asOperator('PUT', '/api/agents/copy/file', { path: 'SYSTEM.md', content: 'Mine.\n' });
  expect(await refused()).toEqual(['file_changed']);
  await undo(changeOf(saved));
  const text = await readFile(path, 'utf8');
  await writeFile(path, 'By another program.\n');
  expect(await refused()).toEqual(['file_changed']);
  await writeFile(path, text);
  const { body } = await undo(made);
  expect(body).toMatchObject({ applied: 1, refused: [] });
  // The one that is there now is another one.
  await asOperator('POST', '/api/agents/scout/duplicate', { name: 'copy' });
  expect(await refused()).toEqual(['file_changed']);
  expect(await readFile(path, 'utf8')).toBe(text);
});
