import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contextWithoutWatch } from '../../src/server/root-model/coverage.ts';
import { CELL_STATES, decodeCells } from '../../src/shared/api/links.ts';
import { rootViews } from '../support/fresh-scans.ts';
import { makeRoot, type Tree } from '../support/root.ts';

const toSkill = (name: string) => ({ link: `../../../shared/skills/${name}` });
const skill = (name: string, description = 'Does it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`;

/** Scans at a time when everything on disk counts as settled, so that what can be kept is kept. */
const scanLater = async (tree: Tree) => {
  const path = await makeRoot(tree);
  const { views } = rootViews(path);
  let nowMs = Date.now();
  const scan = () => {
    nowMs += 60_000;
    const at = contextWithoutWatch(nowMs);
    return views.skillsMatrix(at);
  };
  return {
    root: path,
    scan,
    states: (id: string) => {
      const { names, agents } = scan();
      const cells = decodeCells(agents.find((row) => row.id === id)?.cells ?? '', names.length);
      return Object.fromEntries(
        names.flatMap((name, i) => (cells[i] ? [[name, CELL_STATES[cells[i] ?? 0]]] : [])),
      );
    },
  };
};

test('rows that are kept change with everything that decides them', async () => {
  const { root, scan, states } = await scanLater({
    'shared/skills/a/SKILL.md': skill('a'),
    'shared/skills/b/SKILL.md': skill('b'),
    'agents/one/skills/a': toSkill('a'),
    'agents/one/skills/b': toSkill('b'),
    'agents/two/skills/gone': toSkill('gone'),
    'agents/three/skills/a': { link: '../../../shared/../shared/skills/a' },
  });
  expect(states('one')).toEqual({ a: 'linked', b: 'linked' });
  const before = scan();
  expect(scan()).toBe(before);

  // Another broken link, and a shared entry, move the columns.
  await symlink('../../../shared/skills/also-gone', join(root, 'agents/two/skills/also-gone'));
  expect([states('one'), states('two')]).toEqual([
    { a: 'linked', b: 'linked' },
    { 'also-gone': 'broken', gone: 'broken' },
  ]);
  await mkdir(join(root, 'shared/skills/aa'));
  await writeFile(join(root, 'shared/skills/aa/SKILL.md'), skill('a'));
  expect(states('one')).toEqual({ a: 'linked', b: 'linked' });

  // A name in a shared skill, its file, and the skill itself.
  await writeFile(join(root, 'shared/skills/b/SKILL.md'), skill('a', 'It has another name now.'));
  expect(states('one')).toEqual({ a: 'linked', b: 'shadowed' });
  await rm(join(root, 'shared/skills/a'), { recursive: true });
  expect([states('one'), states('three')]).toEqual([{ a: 'broken', b: 'linked' }, { a: 'broken' }]);
  await mkdir(join(root, 'shared/skills/gone'));
  await writeFile(join(root, 'shared/skills/gone/SKILL.md'), skill('gone'));
  expect(states('two')).toEqual({ 'also-gone': 'broken', gone: 'linked' });

  await rm(join(root, 'agents/one/skills/b'));
  expect(states('one')).toEqual({ a: 'broken' });
  await rm(join(root, 'agents/one'), { recursive: true });
  expect(scan().agents.map(({ id }) => id)).toEqual(['scout', 'three', 'two']);
});

test('a kept row changes with settings.json, and only with what it switches off', async () => {
  const { root, scan, states } = await scanLater({
    'shared/skills/a/SKILL.md': skill('a'),
    'agents/one/skills/a': toSkill('a'),
    'agents/two/skills/a': toSkill('a'),
  });
  const set = (text: string) => writeFile(join(root, 'agents/one/settings.json'), text);
  expect(states('one')).toEqual({ a: 'linked' });
  await set('{ "skills": ["-skills/a"] }');
  expect([states('one'), states('two')]).toEqual([{ a: 'switchedOff' }, { a: 'linked' }]);
  const before = scan();
  await set('{ "skills": ["-skills/a"], "theme": "dark" }');
  expect(scan()).toBe(before);
  await set('{ "skills": ["-skills/b"] }');
  expect(states('one')).toEqual({ a: 'linked' });
});

test('a skill is shadowed by the name that pi knows another one by, whatever their directories are called', async () => {
  const { root, states } = await scanLater({
    'shared/skills/review/SKILL.md': skill('review'),
    'shared/skills/other/SKILL.md': skill('other'),
    'shared/skills/zoom/SKILL.md': skill('zoom'),
    'agents/one/skills/review': toSkill('review'),
    'agents/one/skills/zoom': toSkill('zoom'),
    // pi knows it as "review", and loads it first.
    'agents/one/skills/mine/SKILL.md': skill('review'),
    // pi doesn't load it, and one that it knows by another name leaves "zoom" alone.
    'agents/two/skills/review/SKILL.md': skill('review', "''"),
    'agents/two/skills/review-2': toSkill('review'),
    'agents/two/skills/zoom': toSkill('zoom'),
    'agents/two/skills/far': { link: '../../../../elsewhere' },
    'agents/three/skills/alias': toSkill('zoom'),
    'agents/three/skills/zoom': toSkill('zoom'),
  });
  expect(states('one')).toEqual({ review: 'shadowed', zoom: 'linked' });
  expect(states('two')).toMatchObject({ review: 'local', zoom: 'linked' });
  expect(states('three')).toEqual({ zoom: 'shadowed' });
  await writeFile(join(root, 'agents/one/skills/mine/SKILL.md'), skill('zoom', 'Renamed.'));
  expect(states('one')).toEqual({ review: 'linked', zoom: 'shadowed' });
});
