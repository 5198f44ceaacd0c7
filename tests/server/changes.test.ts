import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createJournal, journalPath } from '../../src/server/changes/journal.ts';
import { countChangedLines } from '../../src/server/changes/summary.ts';
import type { ChangeDetail } from '../../src/shared/api/changes.ts';
import { makeRoot, plant, type Tree } from '../support/root.ts';
import { type ServeOptions, serve, type TestServer } from '../support/server.ts';
import { makeSession } from '../support/session-file.ts';
import { makeTempDirectory } from '../support/temp.ts';

const FILE = '/api/agents/scout/file';

const start = async (tree: Tree = {}, options?: ServeOptions) => {
  const root = await makeRoot(tree);
  return { root, ...(await withRoot(root, options)) };
};

const withRoot = async (root: string, options?: ServeOptions) => {
  const server = await serve(root, options);
  const { asOperator } = server;
  const list = async (query = '') => (await asOperator('GET', `/api/changes${query}`)).body.changes;
  return {
    server,
    asOperator,
    list,
    text: (name: string, agent = 'scout') => readFile(join(root, 'agents', agent, name), 'utf8'),
    write: (name: string, content: string, headers?: Record<string, string>) =>
      asOperator('PUT', FILE, { path: name, content }, headers),
    undo: (id: string | null, call: TestServer['call'] = asOperator) =>
      call('POST', `/api/changes/${id}/undo`),
    get: async (id: string): Promise<ChangeDetail> => (await asOperator('GET', `/api/changes/${id}`)).body,
  };
};

const changeOf = ({ headers }: { headers: Headers }) => headers.get('change-id');

const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;

test('a saved file is an entry with who, when, and what was there, and its response names it', async () => {
  const { write, list, get } = await start();
  const saved = await write('SYSTEM.md', 'New.\n');
  expect(Object.keys(saved.body)).toEqual(['ok', 'etag', 'created']);
  const id = changeOf(saved) ?? '';
  expect(await list()).toEqual([
    {
      id,
      at: expect.any(String),
      by: { kind: 'operator' },
      label: 'Write SYSTEM.md',
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
  // What changes nothing is no entry.
  expect(changeOf(await write('SYSTEM.md', 'New.\n'))).toBe(null);
  expect(await list()).toHaveLength(1);
});

test('a version is restored byte for byte over later changes, which an undo brings back', async () => {
  const { root, asOperator, write, text, undo, list, server } = await start();
  const version = '\uFEFFSecond\r\nversion.';
  const change = changeOf(await write('SYSTEM.md', version));
  const created = changeOf(await write('AGENT.md', 'New.\n'));
  await write('SYSTEM.md', 'Third.\n');
  await rm(join(root, 'agents/scout/AGENT.md'));
  const restored = await asOperator('POST', `/api/changes/${change}/restore`);
  expect(restored.body).toMatchObject({ applied: 1, unchanged: 0, refused: [] });
  expect(await text('SYSTEM.md')).toBe(version);
  expect((await list())[0]).toMatchObject({ label: 'Restore: Write SYSTEM.md' });
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
  const { write, text, undo, list } = await start({ 'agents/scout/SYSTEM.md': old });
  const first = changeOf(await write('SYSTEM.md', 'New.\n'));
  const undone = await undo(first);
  expect(undone.body).toEqual({ change: changeOf(undone), applied: 1, unchanged: 0, refused: [] });
  expect(await text('SYSTEM.md')).toBe(old);
  const [latest, earlier] = await list();
  expect([latest.label, latest.undoes, earlier.undoneBy]).toEqual([
    'Undo: Write SYSTEM.md',
    first,
    latest.id,
  ]);
  await undo(latest.id);
  expect(await text('SYSTEM.md')).toBe('New.\n');
  expect((await list())[0].label).toBe('Redo: Write SYSTEM.md');
});

test('a file that was created is removed by the undo, and comes back with its text by the redo', async () => {
  const { root, write, undo } = await start();
  const path = join(root, 'agents/scout/AGENT.md');
  const undone = await undo(changeOf(await write('AGENT.md', 'Agent.\n')));
  expect(isMissing(path)).toBe(true);
  await undo(undone.body.change);
  expect(await readFile(path, 'utf8')).toBe('Agent.\n');
});

test('an undo is refused if the file has changed since, and shows what is there and what was wanted', async () => {
  const { root, write, undo, text } = await start();
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
  const { root, asOperator, undo, text, list } = await start({
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

test('two items of one path in a set build on each other, and the undo restores the first state', async () => {
  const { root, asOperator, undo } = await start({
    'agents/scout/skills/git-summary': { link: '../elsewhere' },
  });
  const link = { kind: 'skills', name: 'git-summary' };
  const { body } = await asOperator('POST', '/api/changes', {
    label: 'Relink',
    items: [
      { agent: 'scout', link, to: null },
      { agent: 'scout', link, to: 'shared' },
    ],
  });
  const path = join(root, 'agents/scout/skills/git-summary');
  expect(body).toMatchObject({ applied: 2, refused: [] });
  expect(readlinkSync(path)).toBe('../../../shared/skills/git-summary');
  await undo(body.change);
  expect(readlinkSync(path)).toBe('../elsewhere');
});

test('a link to a shared entry replaces a broken link, and the undo restores that', async () => {
  const { root, asOperator, undo } = await start({
    'agents/scout/skills/git-summary': { link: '/elsewhere/git-summary' },
  });
  const path = join(root, 'agents/scout/skills/git-summary');
  const { body } = await asOperator('POST', '/api/changes', {
    label: 'Repair',
    items: [{ agent: 'scout', link: { kind: 'skills', name: 'git-summary' }, to: 'shared' }],
  });
  expect(body).toMatchObject({ applied: 1, refused: [] });
  expect(readlinkSync(path)).toBe(join('..', '..', '..', 'shared', 'skills', 'git-summary'));
  await undo(body.change);
  expect(readlinkSync(path)).toBe('/elsewhere/git-summary');
});

test('undo restores an agent that was deleted, and redo deletes it again', async () => {
  const { root, asOperator, undo } = await start();
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
  const { root, asOperator, undo, list, text } = await start({ 'agents/courier/SYSTEM.md': courier });
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

test('undo removes the copy of an agent, and redo brings it back', async () => {
  const { root, asOperator, undo } = await start();
  const made = await asOperator('POST', '/api/agents/scout/duplicate', { name: 'copy' });
  const undone = await undo(changeOf(made));
  expect(isMissing(join(root, 'agents/copy'))).toBe(true);
  expect((await undo(undone.body.change)).body).toMatchObject({ applied: 1, refused: [] });
  expect(isMissing(join(root, 'agents/copy'))).toBe(false);
});

test('callers without a token can undo their own changes only, and see no history', async () => {
  const { server, write, undo, text } = await start();
  const { call } = server;
  const theirs = changeOf(await call('PUT', FILE, { path: 'SYSTEM.md', content: 'Theirs.\n' }));
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

test('an entry says which agent key made a change, and that key can undo it', async () => {
  const { server, asOperator, list, undo } = await start();
  const key = async (label: string) =>
    (await asOperator('POST', '/api/keys', { label, agent: 'scout', scopes: ['write-agent'] })).body.key;
  const [mine, other] = [await key('mine'), await key('other')];
  const as =
    (token: string): TestServer['call'] =>
    (method, path, body) =>
      server.call(method, path, body, { Authorization: `Bearer ${token}` });
  const id = changeOf(await as(mine)('PUT', FILE, { path: 'SYSTEM.md', content: 'Key.\n' }));
  expect((await list())[0].by).toEqual({ kind: 'agent', key: 'mine' });
  expect((await undo(id, as(other))).body.code).toBe('operator_required');
  expect((await undo(id, as(mine))).body.applied).toBe(1);
});

test('the history hides what may be a secret, and the undo restores it anyway', async () => {
  const before = '{\n  "mcpServers": { "x": { "command": "x", "env": { "TOKEN": "hunter2" } } }\n}\n';
  const { asOperator, get, undo, text } = await start({ 'agents/scout/mcp.json': before });
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
    const root = await makeRoot({ 'agents/scout/AGENT.md': 'old' });
    const dataDirectory = await makeTempDirectory();
    const first = await withRoot(root, { dataDirectory });
    const { rootId } = (await first.asOperator('GET', '/api/health')).body;
    await first.server.close();
    const journal = createJournal(journalPath(dataDirectory, rootId), Date, console);
    const set = await journal.begin({
      by: { kind: 'operator' },
      label: 'Three files',
      items: names.map((name) => ({
        path: `agents/scout/${name}`,
        before: name === 'AGENT.md' ? { is: 'file', text: 'old' } : { is: 'missing' },
        after: { is: 'file', text: 'new' },
      })),
    });
    await set?.recorded;
    // As if the server was killed here.
    await writeFile(join(root, 'agents/scout/APPEND_SYSTEM.md'), 'new');

    const { list, asOperator, text } = await withRoot(root, { dataDirectory });
    await expect
      .poll(async () => (await list())[0])
      .toMatchObject({ state: 'partial', items: 3, applied: 1 });
    const { body } = await asOperator('POST', `/api/changes/${set?.id}/${way}`);
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

test('a damaged journal stops no change, and a new one begins', async () => {
  const root = await makeRoot();
  const dataDirectory = await makeTempDirectory();
  const first = await withRoot(root, { dataDirectory });
  const { rootId } = (await first.asOperator('GET', '/api/health')).body;
  const lost = changeOf(await first.write('SYSTEM.md', 'One.\n'));
  await first.server.close();
  const path = journalPath(dataDirectory, rootId);
  await writeFile(path, 'not a database'.repeat(1_000));

  const { write, text, undo, list } = await withRoot(root, { dataDirectory });
  const saved = await write('SYSTEM.md', 'Two.\n');
  expect([saved.status, await text('SYSTEM.md')]).toEqual([200, 'Two.\n']);
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([changeOf(saved)]);
  expect((await undo(lost)).body.code).toBe('change_not_found');
  expect((await stat(`${path}.damaged`)).size).toBeGreaterThan(0);
});

test('if the journal can’t be written, the change is made, and the response says that it can’t be undone', async () => {
  const root = await makeRoot();
  const dataDirectory = await makeTempDirectory();
  // Where the journal's directory would be.
  const { write, text, list, asOperator } = await withRoot(root, {
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
  const { server, write } = await start();
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
  const { server, write, undo, list, text } = await start({}, { journalLimits: limits });
  const ids: (string | null)[] = [];
  for (let version = 1; version <= 7; version++) ids.push(changeOf(await write('SYSTEM.md', `${version}\n`)));
  // Versions of other callers don't push out the operator's.
  for (let version = 0; version < 9; version++)
    await server.call('PUT', FILE, { path: 'SYSTEM.md', content: `anyone ${version}\n` });
  await write('SYSTEM.md', '2\n');
  expect((await undo(ids[1] ?? null)).body.refused[0].code).toBe('nothing_to_undo');
  await write('SYSTEM.md', '6\n');
  expect((await undo(ids[5] ?? null)).body.applied).toBe(1);
  expect(await text('SYSTEM.md')).toBe('5\n');

  const noise = () =>
    Array.from({ length: 20_000 }, () => String.fromCharCode(33 + Math.random() * 90)).join('');
  for (let count = 0; count < 8; count++)
    await server.call('PUT', FILE, { path: 'AGENT.md', content: noise() });
  const kinds = (await list('?limit=200')).map(({ by }: { by: { kind: string } }) => by.kind);
  expect(kinds.filter((kind: string) => kind === 'operator').length).toBeGreaterThan(5);
  expect(kinds.filter((kind: string) => kind === 'anyone').length).toBeLessThan(8);
});

test('the settings say how many versions of a file the journal keeps', async () => {
  const { write, undo } = await start({}, { environment: { HISTORY_VERSIONS: '2' } });
  const first = changeOf(await write('SYSTEM.md', '1\n'));
  for (const text of ['2\n', '3\n', '1\n']) await write('SYSTEM.md', text);
  expect((await undo(first)).body.refused[0].code).toBe('nothing_to_undo');
});

test('edits of a JSON file keep every other byte and its hidden values, and undo restores it', async () => {
  const mcp =
    '{"mcpServers" : {\n\t"docs":  {"command":"docs", "env":{"TOKEN":"hunter2"}, "x": [1,  2]},\n\t"b": {"command":"b"}}}';
  const models =
    '{\n  // Mine\n  "providers": {\n    "own": {"baseUrl": "https://one.example/v1", "api": "openai-completions", "apiKey": "k1", "models": [{"id": "m"}]}\n  }\n}\n';
  const { asOperator, text, undo } = await start({
    'agents/scout/mcp.json': mcp,
    'agents/scout/models.json': models,
  });
  const edit = (json: string, edits: object[], more: object = {}) =>
    asOperator('POST', '/api/changes', {
      label: 'Edit',
      items: [{ agent: 'scout', json, edits, ...more }],
    });
  const first = await edit('mcp.json', [
    { path: ['mcpServers', 'docs', 'description'], value: 'Docs.' },
    { path: ['mcpServers', 'b'] },
  ]);
  expect(first.body).toMatchObject({ applied: 1, refused: [] });
  expect(await text('mcp.json')).toContain(
    '"docs":  {"command":"docs", "env":{"TOKEN":"hunter2"}, "x": [1,  2]',
  );
  expect(JSON.parse(await text('mcp.json')).mcpServers).toEqual({
    docs: { command: 'docs', env: { TOKEN: 'hunter2' }, x: [1, 2], description: 'Docs.' },
  });
  const name = await edit('models.json', [{ path: ['providers', 'own', 'models', 0, 'name'], value: 'Em' }]);
  expect(name.body).toMatchObject({ applied: 1, refused: [] });
  expect(await text('models.json')).toContain('// Mine');
  await edit('settings.json', [{ path: ['theme'], value: 'dark' }], { ifNoneMatch: '*' });
  expect(await text('settings.json')).toBe('{\n  "theme": "dark"\n}\n');

  const refusals = [
    // What pi would refuse, or doesn't know.
    ['mcp.json', [{ path: ['mcpServers', 'docs', 'command'] }], 'mcp_server_refused'],
    ['mcp.json', [{ path: ['mcpServers', 'a b'], value: { command: 'x' } }], 'mcp_server_refused'],
    ['models.json', [{ path: ['providers', 'own', 'models', 0, 'id'], value: 5 }], 'model_refused'],
    ['settings.json', [{ path: ['nope'], value: 1 }], 'pi_setting_unknown'],
    ['settings.json', [{ path: ['theme'], value: 5 }], 'pi_setting_refused'],
    ['settings.json', [{ path: ['theme'], value: 'light' }], 'file_changed', { ifNoneMatch: '*' }],
    // Hidden values don't follow a new address.
    ['mcp.json', [{ path: ['mcpServers', 'docs', 'command'], value: 'evil' }], 'mcp_server_refused'],
    [
      'models.json',
      [{ path: ['providers', 'own', 'baseUrl'], value: 'https://two.example' }],
      'model_refused',
    ],
  ] as const;
  for (const [file, edits, code, more] of refusals) {
    const before = await text(file);
    const { body } = await edit(file, [...edits], more);
    expect([file, body.applied, body.refused[0]?.code]).toEqual([file, 0, code]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(await text(file)).toBe(before);
  }
  // They do if they're typed again.
  const moved = await edit('models.json', [
    { path: ['providers', 'own', 'baseUrl'], value: 'https://two.example/v1' },
    { path: ['providers', 'own', 'apiKey'], value: 'k2' },
  ]);
  expect(moved.body).toMatchObject({ applied: 1, refused: [] });

  for (const { body } of [moved, name, first]) expect((await undo(body.change)).body.applied).toBe(1);
  expect([await text('mcp.json'), await text('models.json')]).toEqual([mcp, models]);
});

test('undo restores files of shared entries and presets that were changed, created or removed', async () => {
  const { root, asOperator, undo } = await start({
    'shared/extensions/say.ts': 'one',
    'shared/skills/out': { link: '../../..' },
    'shared/presets/web.json': '{"skills":["git-summary"]}',
  });
  const at = (path: string) => readFile(join(root, 'shared', path), 'utf8');
  const skill = { kind: 'skills', name: 'new' };
  const made = await asOperator('POST', '/api/changes', {
    label: 'Shared',
    items: [
      { shared: skill, file: 'SKILL.md', content: 'new' },
      { shared: { kind: 'extensions', name: 'say.ts' }, content: 'two' },
      { shared: { kind: 'skills', name: 'git-summary' }, file: 'SKILL.md', content: null },
      { shared: { kind: 'skills', name: 'out' }, file: 'a', content: 'x' },
      { shared: { kind: 'extensions', name: 'say.ts' }, content: 'x', ifMatch: '"wrong"' },
    ],
  });
  expect(made.body.applied).toBe(3);
  expect(made.body.refused.map(({ code }: { code: string }) => code)).toEqual([
    'linked_file',
    'file_changed',
  ]);
  expect([await at('skills/new/SKILL.md'), await at('extensions/say.ts')]).toEqual(['new', 'two']);
  expect((await undo(made.body.change)).body).toMatchObject({ applied: 3, refused: [] });
  expect(await at('extensions/say.ts')).toBe('one');
  expect(await at('skills/git-summary/SKILL.md')).toContain('Summarise a branch.');
  // The directory of the new skill didn't exist before either.
  expect(isMissing(join(root, 'shared/skills/new'))).toBe(true);

  const before = await at('presets/web.json');
  const saved = await asOperator('PUT', '/api/presets/web', { skills: [] });
  const renamed = await asOperator('POST', '/api/presets/web/rename', { name: 'net' });
  const deleted = await asOperator('DELETE', '/api/presets/net');
  for (const change of [deleted, renamed, saved])
    expect((await undo(changeOf(change))).body).toMatchObject({ refused: [] });
  expect(await at('presets/web.json')).toBe(before);
  expect(isMissing(join(root, 'shared/presets/net.json'))).toBe(true);
  for (const file of ['../x', '.hidden', 'a/../../b'])
    expect(
      (
        await asOperator('POST', '/api/changes', {
          label: 'x',
          items: [{ shared: skill, file, content: 'x' }],
        })
      ).status,
    ).toBe(400);
});

test('a summary counts the lines and names the links, and has no text of a file', async () => {
  const { asOperator, write, list, undo } = await start({
    'agents/courier/SYSTEM.md': 'You are a courier.\n',
    'agents/scout/SYSTEM.md': 'a\nb\nsecret\nd\n',
    'agents/scout/AGENT.md': 'one\ntwo',
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`shared/skills/${name}/SKILL.md`, name])),
  });
  await write('SYSTEM.md', 'a\nnew\nb\nhunter2\nd\nlast');
  expect((await list('?agent=scout'))[0].summary).toBe('SYSTEM.md +3 −1');
  const link = (name: string) => ({ agent: 'scout', link: { kind: 'skills', name }, to: 'shared' });
  const { body } = await asOperator('POST', '/api/changes', {
    label: 'All',
    items: [
      { agent: 'scout', file: 'AGENT.md', content: null },
      { agent: 'scout', file: 'APPEND_SYSTEM.md', content: 'one\ntwo\n' },
      link('git-summary'),
      link('a'),
      link('b'),
      link('nothing'),
      { agent: 'courier', file: 'SYSTEM.md', content: 'You are a courier.\nBe fast.\n' },
    ],
  });
  expect([body.applied, body.refused.length]).toEqual([6, 1]);
  const created = 'create APPEND_SYSTEM.md +2';
  expect((await list('?agent=scout'))[0].summary).toBe(
    `remove AGENT.md −2, ${created}, link git-summary and 2 more`,
  );
  expect((await list('?agent=courier'))[0].summary).toBe('SYSTEM.md +1');
  expect((await list())[0].summary).toBe(
    'remove scout/AGENT.md −2, create scout/APPEND_SYSTEM.md +2, link scout/git-summary and 3 more',
  );
  await undo(body.change);
  const [undone] = await list('?agent=scout');
  expect(undone.summary).toBe('unlink b, unlink a, unlink git-summary and 2 more');
  expect(JSON.stringify(await list())).not.toMatch(/hunter2|secret|courier\./);
});

test('the counted lines are those of the shortest difference', () => {
  const file = (text: string) => ({ is: 'file', text }) as const;
  const linesOf = (text: string) => (text === '' ? [] : text.split(/(?<=\n)/));
  /** The length of the longest common subsequence. */
  const common = (a: string[], b: string[]): number => {
    let row = new Array<number>(b.length + 1).fill(0);
    for (const line of a) {
      const next = [0];
      for (const [at, other] of b.entries())
        next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
      row = next;
    }
    return row[b.length] ?? 0;
  };
  const random = (below: number) => Math.floor(Math.random() * below);
  const make = () =>
    Array.from({ length: random(9) }, () => 'ab\n\n'[random(4)] ?? '').join('') + (random(2) ? 'ab' : '');
  for (let round = 0; round < 3_000; round++) {
    const [from, to] = [make(), make()];
    const [a, b] = [linesOf(from), linesOf(to)];
    const kept = common(a, b);
    const counted = from === to ? { added: 0, removed: 0 } : countChangedLines(file(from), file(to));
    expect([from, to, counted]).toEqual([from, to, { added: b.length - kept, removed: a.length - kept }]);
  }
  expect(countChangedLines({ is: 'missing' }, file('a\nb'))).toEqual({ added: 2, removed: 0 });
  expect(countChangedLines({ is: 'missing' }, { is: 'link', text: 'x' })).toBe(undefined);
  const long = (first: string) => `${first}\n${'x\n'.repeat(1_000_000)}`;
  expect(countChangedLines(file(long('a')), file(long('b')))).toEqual({ added: 1, removed: 1 });
});

test('an agent whose items were all refused has no entry', async () => {
  const { asOperator, list } = await start({ 'agents/courier/SYSTEM.md': 'x' });
  await asOperator('POST', '/api/changes', {
    label: 'Both',
    items: [
      { agent: 'scout', file: 'SYSTEM.md', content: 'y' },
      // Planned, and refused when it is written: a directory has the name of the folder.
      { agent: 'courier', file: 'SYSTEM.md', content: 'y', ifMatch: '"wrong"' },
    ],
  });
  expect(await list('?agent=courier')).toEqual([]);
  expect(await list('?agent=scout')).toHaveLength(1);
});

test('the history of a shared entry has only its own changes', async () => {
  const { asOperator, list } = await start({
    'shared/extensions/say.ts': 'one',
    'shared/skills/git-summary-2/SKILL.md': 'x',
  });
  const change = (label: string, ...items: object[]) => asOperator('POST', '/api/changes', { label, items });
  const skill = { kind: 'skills', name: 'git-summary' };
  await change('Skill', { shared: skill, file: 'references/api.md', content: 'a\nb\n' });
  await change('Extension', { shared: { kind: 'extensions', name: 'say.ts' }, content: 'two' });
  await change('Other', {
    shared: { kind: 'skills', name: 'git-summary-2' },
    file: 'SKILL.md',
    content: null,
  });
  await change('Link', { agent: 'scout', link: skill, to: 'shared' });
  const shown = async (query: string) =>
    (await list(query)).map(({ label, summary }: { label: string; summary: string }) => [label, summary]);
  expect(await shown('?shared=skills/git-summary')).toEqual([['Skill', 'create references/api.md +2']]);
  expect(await shown('?shared=extensions/say.ts')).toEqual([['Extension', 'say.ts +1 −1']]);
  expect(await shown('')).toEqual([
    ['Link', 'link scout/git-summary'],
    ['Other', 'remove skills/git-summary-2/SKILL.md −1'],
    ['Extension', 'extensions/say.ts +1 −1'],
    ['Skill', 'create skills/git-summary/references/api.md +2'],
  ]);
  expect(await list('?shared=skills/none')).toEqual([]);
  for (const query of ['shared=skills', 'shared=skills/../x', 'shared=files/x', 'shared=skills/.x'])
    expect([query, (await asOperator('GET', `/api/changes?${query}`)).body.code]).toEqual([
      query,
      'invalid_name',
    ]);
  const both = await asOperator('GET', '/api/changes?agent=scout&shared=skills/git-summary');
  expect([both.status, both.body.code]).toEqual([400, 'invalid_request']);
});

test('each entry of an agent says what its sessions cost from this change to the next', async () => {
  const dataDirectory = await makeTempDirectory();
  const price = { at: Date.now() - 1_000, price: 100_000, source: 'kraken' };
  await plant(dataDirectory, { 'data/btc_price_history.jsonl': `${JSON.stringify(price)}\n` });
  const { root, asOperator, write, list } = await start({}, { dataDirectory });
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
  const first = { sessions: 2, failedSessions: 1, sats: 750, satsPerSession: 375 };
  const none = { sessions: 0, failedSessions: 0, sats: 0, satsPerSession: null };
  const third = { sessions: 1, failedSessions: 0, sats: 1_000, satsPerSession: 1_000 };
  expect(await since()).toEqual([
    { ...third, before: null },
    { ...none, before: first },
    // It isn't known since when the agent had its first version.
    { ...first, before: null },
  ]);
  // A page has the same as the whole list.
  const { body } = await asOperator('GET', '/api/changes?agent=scout&limit=2');
  expect(body.changes[1].since).toEqual({ ...none, before: first });
  expect([body.complete, body.reading, body.notCounted]).toEqual([true, false, false]);
  expect(await since(`&cursor=${body.nextCursor}`)).toEqual([{ ...first, before: null }]);
  // Sats that aren't known aren't guessed.
  await run(1, { priced: false });
  expect((await since())[0]).toMatchObject({ sessions: 2, sats: null, satsPerSession: null });
  expect((await list())[0].since).toBe(undefined);
});

test('an agent that was changed since it was created isn’t removed by the undo', async () => {
  const { root, asOperator, undo, list } = await start();
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

test('a deleted preset leaves the trash when its deletion is undone, and a restored one is an entry', async () => {
  const { asOperator, undo, list } = await start({ 'shared/presets/web.json': '{"skills":["git-summary"]}' });
  const trash = async () =>
    (await asOperator('GET', '/api/trash')).body.entries.map(({ id }: { id: string }) => id);
  const deleted = await asOperator('DELETE', '/api/presets/web');
  expect(await trash()).toEqual(['web']);
  await undo(changeOf(deleted));
  expect(await trash()).toEqual([]);
  const { body } = await asOperator('DELETE', '/api/presets/web');
  const restored = await asOperator('POST', `/api/trash/${body.entry}/restore`);
  expect((await list())[0]).toMatchObject({ id: changeOf(restored), label: 'Restore preset web' });
  expect((await undo(changeOf(restored))).body).toMatchObject({ applied: 1, refused: [] });
  expect((await asOperator('GET', '/api/presets/web')).status).toBe(404);
});

test('installing and removing what ships with dot-mi are entries, with an exact undo', async () => {
  const { root, asOperator, undo } = await start();
  const at = (path: string) => join(root, 'shared', path);
  const added = await asOperator('POST', '/api/catalog/skills/dot-mi/install');
  const skill = await readFile(at('skills/dot-mi/SKILL.md'), 'utf8');
  const undone = await undo(changeOf(added));
  expect(undone.body).toMatchObject({ applied: 2, refused: [] });
  expect(isMissing(at('skills/dot-mi'))).toBe(true);
  expect((await undo(undone.body.change)).body).toMatchObject({ applied: 2, refused: [] });
  expect(await readFile(at('skills/dot-mi/SKILL.md'), 'utf8')).toBe(skill);
  // The same as before, byte for byte, so that dot-mi still knows it.
  expect((await asOperator('POST', '/api/catalog/skills/dot-mi/install')).body.created).toBe(false);
  const removed = await asOperator('DELETE', '/api/catalog/skills/dot-mi/install');
  expect((await undo(changeOf(removed))).body).toMatchObject({ applied: 2, refused: [] });
  expect(isMissing(at('skills/dot-mi/references/errors.md'))).toBe(false);

  const extension = await asOperator('POST', '/api/catalog/extensions/dot-mi-status.ts/install');
  expect((await undo(changeOf(extension))).body).toMatchObject({ applied: 1, refused: [] });
  expect(isMissing(at('extensions/dot-mi-status.ts'))).toBe(true);
});

test('a session that is deleted or restored is an entry without its text, and no other version of its agent', async () => {
  const { root, asOperator, undo, list, get } = await start();
  const session = makeSession();
  session.say('hunter2');
  session.call({ input: 1, usd: 0.1 });
  const path = `agents/scout/sessions/--work--/${session.fileName}`;
  await plant(root, { [path]: session.text() });
  const full = join(root, path);
  const deleted = await asOperator('DELETE', `/api/sessions/${session.id}`);
  expect(isMissing(full)).toBe(true);
  const id = changeOf(deleted) ?? '';
  const undone = await undo(id);
  expect(undone.body).toMatchObject({ applied: 1, refused: [] });
  expect(await readFile(full, 'utf8')).toBe(session.text());
  expect((await asOperator('GET', '/api/trash')).body.entries).toEqual([]);
  expect((await undo(undone.body.change)).body).toMatchObject({ applied: 1, refused: [] });
  const [entry] = (await asOperator('GET', '/api/trash')).body.entries;
  expect(entry).toMatchObject({ entry: deleted.body.entry, id: 'scout', session: { id: session.id, path } });
  const restored = await asOperator('POST', `/api/trash/${entry.entry}/restore`);
  expect(await readFile(full, 'utf8')).toBe(session.text());
  expect((await undo(changeOf(restored))).body).toMatchObject({ applied: 1, refused: [] });
  expect(isMissing(full)).toBe(true);
  expect((await get(id)).paths[0]).toMatchObject({ path, before: { is: 'other' }, after: { is: 'missing' } });
  expect(JSON.stringify(await list())).not.toContain('hunter2');
  expect(await list('?agent=scout')).toEqual([]);
});

test('several items of one path that were not made before a kill don’t count as made', async () => {
  const root = await makeRoot();
  const dataDirectory = await makeTempDirectory();
  const first = await withRoot(root, { dataDirectory });
  const { rootId } = (await first.asOperator('GET', '/api/health')).body;
  await first.server.close();
  const journal = createJournal(journalPath(dataDirectory, rootId), Date, console);
  const file = (text: string) => ({ is: 'file', text }) as const;
  const steps = [file('You are a scout.\n'), { is: 'missing' } as const, file('two'), file('three')];
  const chain = (path: string) =>
    steps.slice(1).map((after, at) => ({ path, before: steps[at] ?? after, after }));
  const set = await journal.begin({
    by: { kind: 'operator' },
    label: 'Three steps',
    items: [
      ...chain('agents/scout/SYSTEM.md'),
      { path: 'agents/scout/AGENT.md', before: { is: 'missing' }, after: file('x') },
    ],
  });
  await set?.recorded;
  await writeFile(join(root, 'agents/scout/AGENT.md'), 'x');
  const { get, list } = await withRoot(root, { dataDirectory });
  await expect.poll(async () => (await list())[0]?.applied).toBe(1);
  expect((await get(set?.id ?? '')).paths.map(({ state }) => state)).toEqual([
    'planned',
    'planned',
    'planned',
    'applied',
  ]);
});
