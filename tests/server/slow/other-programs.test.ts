import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { makeRoot } from '../../support/root.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { briefly, ON_REQUEST, SOON, servePrograms, startPrograms } from '../history.ts';

test('what dot-mi writes itself is one entry, also after a restart', async () => {
  const root = await makeRoot({ 'agents/scout/mcp.json': '{"mcpServers":{}}' });
  const dataDirectory = await makeTempDirectory();
  const first = await servePrograms(root, { dataDirectory, lookTimes: ON_REQUEST });
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
  expect(await kinds(await servePrograms(root, { dataDirectory, lookTimes: ON_REQUEST }))).toEqual(all);
});

test('links that another program adds, changes or removes are entries', async () => {
  const { root, seen, path, list, undo } = await startPrograms({
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
  const { seen, edit, list, get, undo, text } = await startPrograms({ 'agents/scout/AGENT.md': 'Agent.\n' });
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
  const { root, list, get, undo, asOperator } = await startPrograms(
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
  const { root, seen, path, list } = await startPrograms();
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
  const { seen, edit, list, get, undo, text } = await startPrograms({
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

test('a shared entry that another program adds or removes is an entry, and undo takes that back', async () => {
  const { root, list, undo } = await startPrograms(
    { 'shared/skills/pdf/SKILL.md': 'Pdf.\n' },
    { lookTimes: SOON },
  );
  const at = (path: string) => join(root, 'shared/skills', path);
  // An entry that is there before all were seen isn't new.
  let made = 0;
  await eventually(async () => {
    await mkdir(at(`new-${++made}/notes`), { recursive: true });
    await writeFile(at(`new-${made}/notes/a.md`), 'A.\n');
    const entries = await list();
    expect(entries.some(({ summary }) => summary.startsWith('create skills/new-'))).toBe(true);
  }, 100);
  const [created] = (await list()).filter(({ summary }) => summary.startsWith('create skills/new-'));
  const name = created?.summary.split('/')[1] ?? '';
  expect((await undo(created?.id ?? '')).applied).toBe(1);
  await expect(readFile(at(`${name}/notes/a.md`))).rejects.toThrow();
  await expect(stat(at(name))).rejects.toThrow();
  await rm(at('pdf'), { recursive: true });
  await eventually(async () =>
    expect((await list('?shared=skills/pdf'))[0]?.summary).toBe('remove SKILL.md −1'),
  );
  const [removed] = await list('?shared=skills/pdf');
  expect((await undo(removed?.id ?? '')).applied).toBe(1);
  expect(await readFile(at('pdf/SKILL.md'), 'utf8')).toBe('Pdf.\n');
});

test('a folder with too many entries hides no other change, and nothing in it counts as gone', async () => {
  const { root, path, seen, edit, list, undo } = await startPrograms({
    'agents/scout/skills/one': { link: '../../../shared/skills/one' },
    'shared/skills/big/SKILL.md': 'Big.\n',
  });
  await seen();
  await list('?shared=skills/big');
  for (let at = 0; at < 2_000; at++) writeFileSync(path(`skills/file-${at}`), '');
  for (let at = 0; at < 500; at++) writeFileSync(join(root, `shared/skills/big/${at}.md`), '');
  await edit('SYSTEM.md', 'New.\n');
  expect(briefly(await list('?agent=scout'))).toEqual([['program', 'SYSTEM.md +1 −1']]);
  expect(await list('?shared=skills/big')).toEqual([]);
  for (let at = 0; at < 2_000; at++) rmSync(path(`skills/file-${at}`));
  rmSync(path('skills/one'));
  const [gone] = await list('?agent=scout');
  expect(gone?.summary).toBe('unlink one');
  expect((await undo(gone?.id ?? '')).applied).toBe(1);
});
