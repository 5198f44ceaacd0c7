import { chmod, mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeRoot, type Tree } from '../../support/root.ts';
import { serve } from '../../support/server.ts';

const toSkill = (name: string) => ({ link: `../../../shared/skills/${name}` });

const start = async (tree: Tree) => {
  const root = await makeRoot(tree);
  const { call } = await serve(root);
  return {
    root,
    change: async (body: object) => (await call('POST', '/api/links/bulk', body)).body,
    undo: (id: string) => call('POST', `/api/changes/${id}/undo`),
    skills: async (id: string): Promise<Record<string, string>> => {
      const directory = join(root, 'agents', id, 'skills');
      const names = await readdir(directory).catch(() => []);
      const texts = names.map(async (name) => [
        name,
        await readlink(join(directory, name)).catch(() => 'local'),
      ]);
      return Object.fromEntries(await Promise.all(texts));
    },
  };
};

test('each name has its own result, and undo restores every link exactly', async () => {
  const { root, change, undo, skills } = await start({
    'shared/skills/a/SKILL.md': 'a',
    'shared/skills/b/SKILL.md': 'b',
    'shared/skills/c/SKILL.md': 'c',
    'agents/one/SYSTEM.md': '',
    'agents/two/skills/a': toSkill('a'),
    'agents/two/skills/b': { link: '../../../shared/skills/gone' },
    'agents/two/skills/c/SKILL.md': 'own',
    'agents/two/skills/odd': { link: '/elsewhere/odd' },
    'agents/file/skills': 'not a directory',
  });
  const before = await skills('two');
  const answer = await change({
    link: [
      { agent: 'one', kind: 'skills', names: ['a', 'b', 'none', 'a'] },
      { agent: 'two', kind: 'skills', names: ['a', 'b', 'c'] },
      { agent: 'file', kind: 'skills', names: ['a'] },
      { agent: 'nobody', kind: 'skills', names: ['a', 'b'] },
    ],
    unlink: [{ agent: 'two', kind: 'skills', names: ['odd', 'c', 'absent'] }],
    replaceBroken: true,
  });
  const codes = (
    list: { agent: string; done: string[]; unchanged: string[]; failed: { name: string; code: string }[] }[],
  ) =>
    list.map(({ agent, done, unchanged, failed }) => [
      agent,
      done,
      unchanged,
      failed.map(({ name, code }) => `${name} ${code}`),
    ]);
  expect(codes(answer.link)).toEqual([
    ['one', ['a', 'b'], [], ['none shared_entry_not_found']],
    ['two', ['b'], ['a'], ['c link_exists']],
    ['file', [], [], ['a not_a_directory']],
    ['nobody', [], [], ['a agent_not_found', 'b agent_not_found']],
  ]);
  expect(codes(answer.unlink)).toEqual([['two', ['odd'], ['absent'], ['c not_a_link']]]);
  expect(await skills('one')).toEqual({ a: toSkill('a').link, b: toSkill('b').link });
  expect(await skills('two')).toEqual({ a: toSkill('a').link, b: toSkill('b').link, c: 'local' });

  expect((await undo(answer.undo)).body).toMatchObject({ applied: 4, refused: [] });
  expect(await skills('two')).toEqual(before);
  // The folder that linking created is gone too.
  expect(await readdir(join(root, 'agents/one'))).toEqual(['SYSTEM.md']);
  expect((await undo(answer.undo)).body).toMatchObject({ change: null, unchanged: 4 });
});

test('undo leaves what another program changed meanwhile, names it, and can be repeated', async () => {
  const { root, change, undo, skills } = await start({ 'shared/skills/a/SKILL.md': 'a' });
  const { undo: id } = await change({
    link: [{ agent: 'scout', kind: 'skills', names: ['a', 'git-summary'] }],
  });
  const place = join(root, 'agents/scout/skills/a');
  await rm(place);
  await mkdir(place);
  const first = await undo(id);
  expect(first.body).toMatchObject({
    applied: 1,
    refused: [{ path: 'agents/scout/skills/a', code: 'file_changed' }],
  });
  expect(await skills('scout')).toEqual({ a: 'local' });
  await rm(place, { recursive: true });
  await symlink(toSkill('a').link, place);
  expect((await undo(id)).body).toMatchObject({ applied: 1, refused: [] });
  expect(await skills('scout')).toEqual({});
});

test('of 100 skills for 500 agents, all are linked except in the agent that nobody may write, and undo removes them all', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'Windows has no modes');
  const AGENTS = 500;
  const ids = Array.from({ length: AGENTS }, (_, i) => `agent-${String(i).padStart(3, '0')}`);
  const names = Array.from({ length: 100 }, (_, i) => `skill-${String(i).padStart(2, '0')}`);
  const { root, change, undo, skills } = await start({
    ...Object.fromEntries(names.map((name) => [`shared/skills/${name}/SKILL.md`, name])),
    ...Object.fromEntries(ids.map((id) => [`agents/${id}/skills`, null])),
    'agents/agent-250/skills/own/SKILL.md': 'own',
  });
  const closed = 'agent-250';
  // Root may write anywhere, so a file takes the folder's place.
  const isRoot = process.getuid?.() === 0;
  const folder = join(root, 'agents', closed, 'skills');
  if (isRoot) {
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
  } else {
    await chmod(folder, 0o555);
    onTestFinished(() => chmod(folder, 0o755));
  }
  const answer = await change({ link: ids.map((agent) => ({ agent, kind: 'skills', names })) });
  const byAgent = new Map(answer.link.map((one: { agent: string }) => [one.agent, one])) as Map<
    string,
    { done: string[]; failed: { code: string }[] }
  >;
  expect(byAgent.get(closed)?.failed).toHaveLength(100);
  expect(byAgent.get(closed)?.failed[0]?.code).toBe(isRoot ? 'not_a_directory' : 'permission_denied');
  const done = ids.filter((id) => byAgent.get(id)?.done.length === 100);
  expect(done).toHaveLength(AGENTS - 1);
  expect(Object.keys(await skills('agent-499'))).toEqual(names);
  expect((await undo(answer.undo)).body).toMatchObject({ applied: (AGENTS - 1) * 100, refused: [] });
  expect(await skills('agent-000')).toEqual({});
  expect(await skills('agent-499')).toEqual({});
});

test('refuses a body that names no agent or a path, and does nothing', async () => {
  const { change, skills } = await start({});
  const link = (group: object) =>
    change({ link: [{ agent: 'scout', kind: 'skills', names: ['git-summary'] }, group] });
  expect((await link({ agent: '../x', kind: 'skills', names: ['a'] })).code).toBe('invalid_agent_id');
  expect((await link({ agent: 'scout', kind: 'skills', names: ['../a'] })).code).toBe('invalid_name');
  expect((await link({ agent: 'scout', kind: 'teams', names: ['a'] })).code).toBe('invalid_request');
  expect(await skills('scout')).toEqual({});
  expect((await change({})).undo).toBe(null);
});

test('a bulk change is undone after a restart too, and only once', async () => {
  const root = await makeRoot({
    'shared/skills/a/SKILL.md': 'a',
    'agents/scout/skills/odd': { link: '/else' },
  });
  const { call, close, dataDirectory } = await serve(root);
  const link = (names: string[]) => [{ agent: 'scout', kind: 'skills', names }];
  const body = { link: link(['a']), unlink: link(['odd']) };
  const { undo: id } = (await call('POST', '/api/links/bulk', body)).body;
  await close();

  const again = await serve(root, { dataDirectory });
  const undo = () => again.call('POST', `/api/changes/${id}/undo`);
  const answers = await Promise.all([undo(), undo()]);
  expect(answers.map((answer) => answer.body.applied).sort()).toEqual([0, 2]);
  expect(await readdir(join(root, 'agents/scout/skills'))).toEqual(['odd']);
  expect(await readlink(join(root, 'agents/scout/skills/odd'))).toBe('/else');
});
