import { lstatSync, readlinkSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalPath } from '../../../src/server/changes/journal.ts';
import { countChangedLines } from '../../../src/server/changes/summary.ts';
import { makeRoot, plant } from '../../support/root.ts';
import type { TestServer } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { changeOf, planChanges, serveChanges, startChanges } from '../history.ts';

const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;

test('a file that was created is removed by the undo, and comes back with its text by the redo', async () => {
  const { root, write, undo } = await startChanges();
  const path = join(root, 'agents/scout/AGENT.md');
  const undone = await undo(changeOf(await write('AGENT.md', 'Agent.\n')));
  expect(isMissing(path)).toBe(true);
  await undo(undone.body.change);
  expect(await readFile(path, 'utf8')).toBe('Agent.\n');
});

test('two items of one path in a set build on each other, and the undo restores the first state', async () => {
  const { root, asOperator, undo } = await startChanges({
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
  const { root, asOperator, undo } = await startChanges({
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

test('undo removes the copy of an agent, and redo brings it back', async () => {
  const { root, asOperator, undo } = await startChanges();
  const made = await asOperator('POST', '/api/agents/scout/duplicate', { name: 'copy' });
  const undone = await undo(changeOf(made));
  expect(isMissing(join(root, 'agents/copy'))).toBe(true);
  expect((await undo(undone.body.change)).body).toMatchObject({ applied: 1, refused: [] });
  expect(isMissing(join(root, 'agents/copy'))).toBe(false);
});

test('an entry says which agent key made a change, and that key can undo it', async () => {
  const { server, asOperator, list, undo } = await startChanges();
  const key = async (label: string) =>
    (await asOperator('POST', '/api/keys', { label, agent: 'scout', scopes: ['write-agent'] })).body.key;
  const [mine, other] = [await key('mine'), await key('other')];
  const as =
    (token: string): TestServer['call'] =>
    (method, path, body) =>
      server.call(method, path, body, { Authorization: `Bearer ${token}` });
  const id = changeOf(
    await as(mine)('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: 'Key.\n' }),
  );
  expect((await list())[0].by).toEqual({ kind: 'agent', key: 'mine' });
  expect((await undo(id, as(other))).body.code).toBe('operator_required');
  expect((await undo(id, as(mine))).body.applied).toBe(1);
});

test('a damaged journal stops no change, and a new one begins', async () => {
  const root = await makeRoot();
  const dataDirectory = await makeTempDirectory();
  const first = await serveChanges(root, { dataDirectory });
  const { rootId } = (await first.asOperator('GET', '/api/health')).body;
  const lost = changeOf(await first.write('SYSTEM.md', 'One.\n'));
  await first.server.close();
  const path = journalPath(dataDirectory, rootId);
  await writeFile(path, 'not a database'.repeat(1_000));

  const { write, text, undo, list } = await serveChanges(root, { dataDirectory });
  const saved = await write('SYSTEM.md', 'Two.\n');
  expect([saved.status, await text('SYSTEM.md')]).toEqual([200, 'Two.\n']);
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([changeOf(saved)]);
  expect((await undo(lost)).body.code).toBe('change_not_found');
  expect((await stat(`${path}.damaged`)).size).toBeGreaterThan(0);
});

test('the settings say how many versions of a file the journal keeps', async () => {
  const { write, undo } = await startChanges({}, { environment: { HISTORY_VERSIONS: '2' } });
  const first = changeOf(await write('SYSTEM.md', '1\n'));
  for (const text of ['2\n', '3\n', '1\n']) await write('SYSTEM.md', text);
  expect((await undo(first)).body.refused[0].code).toBe('nothing_to_undo');
});

test('edits of a JSON file keep every other byte and its hidden values, and undo restores it', async () => {
  const mcp =
    '{"mcpServers" : {\n\t"docs":  {"command":"docs", "env":{"TOKEN":"hunter2"}, "x": [1,  2]},\n\t"b": {"command":"b"}}}';
  const models =
    '{\n  // Mine\n  "providers": {\n    "own": {"baseUrl": "https://one.example/v1", "api": "openai-completions", "apiKey": "k1", "models": [{"id": "m"}]}\n  }\n}\n';
  const { asOperator, text, undo } = await startChanges({
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
  const { root, asOperator, undo } = await startChanges({
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
  const { asOperator, write, list, undo } = await startChanges({
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
  const { asOperator, list } = await startChanges({ 'agents/courier/SYSTEM.md': 'x' });
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
  const { asOperator, list } = await startChanges({
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

test('a deleted preset leaves the trash when its deletion is undone, and a restored one is an entry', async () => {
  const { asOperator, undo, list } = await startChanges({
    'shared/presets/web.json': '{"skills":["git-summary"]}',
  });
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
  const { root, asOperator, undo } = await startChanges();
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
  const { root, asOperator, undo, list, get } = await startChanges();
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

const file = (text: string) => ({ is: 'file', text }) as const;
const MISSING = { is: 'missing' } as const;

test('several items of one path that were not made before a kill don’t count as made', async () => {
  const steps = [file('You are a scout.\n'), MISSING, file('two'), file('three')];
  const chain = steps
    .slice(1)
    .map((after, at) => ({ path: 'agents/scout/SYSTEM.md', before: steps[at] ?? after, after }));
  const made = { path: 'agents/scout/AGENT.md', before: MISSING, after: file('x') };
  const { root, dataDirectory, id } = await planChanges([...chain, made]);
  await writeFile(join(root, made.path), 'x');
  const { get, list } = await serveChanges(root, { dataDirectory });
  await expect.poll(async () => (await list())[0]?.applied).toBe(1);
  expect((await get(id)).paths.map(({ state }) => state)).toEqual([
    'planned',
    'planned',
    'planned',
    'applied',
  ]);
});

test('finishing a set leaves a path that was changed since, whatever its later items expect', async () => {
  const path = 'agents/scout/SYSTEM.md';
  const made = { path: 'agents/scout/AGENT.md', before: MISSING, after: file('x') };
  const { root, dataDirectory, id } = await planChanges([
    { path, before: file('You are a scout.\n'), after: file('two') },
    { path, before: file('two'), after: file('three') },
    made,
  ]);
  await writeFile(join(root, made.path), 'x');
  const { write, text, asOperator, undo, list } = await serveChanges(root, { dataDirectory });
  await expect.poll(async () => (await list())[0]?.applied).toBe(1);
  const later = changeOf(await write('SYSTEM.md', 'two'));
  const { body } = await asOperator('POST', `/api/changes/${id}/finish`);
  expect([body.applied, body.refused.map(({ index }: { index: number }) => index)]).toEqual([0, [0, 1]]);
  expect(await text('SYSTEM.md')).toBe('two');
  expect((await undo(later)).body).toMatchObject({ applied: 1, refused: [] });
  expect(await text('SYSTEM.md')).toBe('You are a scout.\n');
});
