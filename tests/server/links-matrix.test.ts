import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CELL_STATES, decodeCells, encodeCells, type FilledCell } from '../../src/shared/api/links.ts';
import { plant } from '../support/root.ts';
import { shareServer } from '../support/shared-server.ts';
import { themeText } from '../support/theme.ts';

const { makeRoot, serve } = shareServer();

const toSkill = (name: string) => ({ link: `../../../shared/skills/${name}` });
const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;

describe('cells', () => {
  test('are runs of equal letters, and decode to what they were', () => {
    const cells: FilledCell[] = [
      { column: 0, state: 'linked' },
      { column: 1, state: 'linked' },
      { column: 3, state: 'broken' },
      { column: 300, state: 'local' },
    ];
    const text = encodeCells(cells);
    expect(text).toBe('l2-b-296o');
    const decoded = decodeCells(text, 302);
    expect(decoded).toHaveLength(302);
    const filled = Array.from(decoded, (state, column) => ({ column, state: CELL_STATES[state] }));
    expect(filled.filter(({ state }) => state !== 'none')).toEqual(cells);
    expect(encodeCells([])).toBe('');
    expect(decodeCells('', 2)).toEqual(new Uint8Array(2));
  });

  test('of a damaged text never write past the columns', () => {
    expect(decodeCells('l999x?b2', 3)).toEqual(new Uint8Array([1, 1, 1]));
  });
});

test('the matrix has a state for each agent and each shared skill', async () => {
  const root = await makeRoot({
    'shared/skills/code/SKILL.md': skill('code'),
    'shared/skills/code-2/SKILL.md': skill('code'),
    'shared/skills/dangling': { link: 'nowhere' },
    'agents/scout/skills/code': toSkill('code'),
    'agents/scout/skills/code-2': toSkill('code-2'),
    'agents/scout/skills/gone': toSkill('gone'),
    'agents/writer/skills/code/SKILL.md': skill('code'),
    'agents/writer/skills/own/SKILL.md': skill('own'),
    'agents/writer/skills/git-summary': toSkill('code'),
    'agents/writer/skills/code-2': { link: '../../../agents/../shared/skills/code-2' },
    'agents/empty/SYSTEM.md': '',
    'agents/odd/skills': 'a file',
  });
  const { call } = await serve(root);
  const read = async (kind = 'skills') => (await call('GET', `/api/links/matrix?kind=${kind}`)).body;
  const body = await read();
  expect(body.kind).toBe('skills');
  // A link to nothing is listed by the catalog or not; a broken link's name comes last.
  expect(body.names.slice(-1 * body.missing)).toEqual(['gone']);
  const states = (id: string) => {
    const row = body.agents.find((agent: { id: string }) => agent.id === id);
    const cells = decodeCells(row.cells, body.names.length);
    return Object.fromEntries(
      body.names.map((name: string, i: number) => [name, CELL_STATES[cells[i] ?? 0]]),
    );
  };
  // pi loads "code" first, so "code-2", which has the same name, is never used.
  expect(states('scout')).toMatchObject({
    code: 'linked',
    'code-2': 'shadowed',
    gone: 'broken',
    'git-summary': 'none',
  });
  // A local skill takes its name, and a link to another skill isn't this skill.
  expect(states('writer')).toMatchObject({
    code: 'local',
    'code-2': 'shadowed',
    'git-summary': 'local',
    gone: 'none',
  });
  expect(body.names).not.toContain('own');
  expect(body.agents.map(({ id, cells }: Record<string, string>) => [id, cells === ''])).toEqual([
    ['empty', true],
    ['odd', true],
    ['scout', false],
    ['writer', false],
  ]);
  expect((await read('extensions')).names).toEqual(['say.ts']);

  // The next request sees what changed.
  await rm(join(root, 'shared/skills/code'), { recursive: true });
  await symlink('../../../shared/skills/git-summary', join(root, 'agents/scout/skills/git-summary'));
  const after = await read();
  const scout = after.agents.find(({ id }: { id: string }) => id === 'scout');
  const cells = decodeCells(scout.cells, after.names.length);
  const cell = (name: string) => CELL_STATES[cells[after.names.indexOf(name)] ?? 0];
  expect(['code', 'code-2', 'git-summary'].map(cell)).toEqual(['broken', 'linked', 'linked']);
});

test('a theme is shadowed by the name in the file of another one, and prompt templates never are', async () => {
  const root = await makeRoot({
    'shared/themes/b.json': themeText('quiet'),
    'shared/themes/c.json': themeText('other'),
    'shared/themes/broken.json': '{}',
    'shared/prompts/review.md': 'x',
    'agents/scout/themes/a.json': themeText('quiet'),
    'agents/scout/themes/b.json': { link: '../../../shared/themes/b.json' },
    'agents/scout/themes/broken.json': { link: '../../../shared/themes/broken.json' },
    'agents/scout/themes/c.json': { link: '../../../shared/themes/c.json' },
    'agents/scout/prompts/review.md': { link: '../../../shared/prompts/review.md' },
    'agents/writer/prompts/review.md': 'my own',
  });
  const { call } = await serve(root);
  const states = async (kind: string) => {
    const { names, agents } = (await call('GET', `/api/links/matrix?kind=${kind}`)).body;
    return agents.map(({ id, cells }: { id: string; cells: string }) => {
      const decoded = decodeCells(cells, names.length);
      return [id, ...names.map((name: string, i: number) => `${name} ${CELL_STATES[decoded[i] ?? 0]}`)];
    });
  };
  expect(await states('themes')).toEqual([
    ['scout', 'b.json shadowed', 'broken.json linked', 'c.json linked'],
    ['writer', 'b.json none', 'broken.json none', 'c.json none'],
  ]);
  expect(await states('prompts')).toEqual([
    ['scout', 'review.md linked'],
    ['writer', 'review.md local'],
  ]);
  const counted = (await call('GET', '/api/links')).body.agents;
  expect(counted).toEqual([{ id: 'scout', links: 4, brokenLinks: 0 }]);
  expect((await call('GET', '/api/catalog/prompts/usage')).body.usage).toEqual([
    { name: 'review.md', agents: ['scout'] },
  ]);
});

test('teams count as users of a skill, and are in no list of agents', async () => {
  const root = await makeRoot({
    'agents/scout/skills/git-summary': toSkill('git-summary'),
    'teams/research/skills/git-summary': toSkill('git-summary'),
    'teams/.hidden/skills/git-summary': toSkill('git-summary'),
    'teams/linked': { link: 'research' },
  });
  const { call } = await serve(root);
  const usage = async () => (await call('GET', '/api/catalog/skills/usage')).body.usage;
  expect(await usage()).toEqual([{ name: 'git-summary', agents: ['scout', 'team:research'] }]);
  expect((await call('GET', '/api/links/matrix?kind=skills')).body.agents).toHaveLength(1);
  expect((await call('GET', '/api/links')).body.agents).toEqual([{ id: 'scout', links: 1, brokenLinks: 0 }]);
  await plant(root, { 'teams/ops/skills/git-summary': toSkill('git-summary') });
  expect((await usage())[0].agents).toEqual(['scout', 'team:ops', 'team:research']);
});
