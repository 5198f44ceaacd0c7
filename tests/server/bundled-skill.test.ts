import { appendFile, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listTree, STARTER_ROOT } from '../resources/support.ts';
import { makeRoot, plant } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const INSTALL = '/api/catalog/skills/dot-mi/install';
const SKILL = 'shared/skills/dot-mi';

/** Every file of a skill with its text. */
const textsOf = async (directory: string) =>
  Promise.all(
    (await listTree(directory)).map(async (name) =>
      name.endsWith('/') ? name : [name, await readFile(join(directory, name), 'utf8')],
    ),
  );

test('adds the skill to a root that isn’t ours, so that agents can link it, and removes it again', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  await rm(join(root, 'shared'), { recursive: true });
  const { asOperator: call } = await serve(root);
  const added = await call('POST', INSTALL);
  expect([added.status, added.body]).toEqual([200, { ok: true, created: true, path: SKILL }]);
  expect(await textsOf(join(root, SKILL))).toEqual(await textsOf(join(STARTER_ROOT, SKILL)));
  expect(await readdir(join(root, 'shared/skills'))).toEqual(['dot-mi']);

  const { skills } = (await call('GET', '/api/catalog/skills')).body;
  expect(skills).toMatchObject([{ name: 'dot-mi', diagnostics: [] }]);
  const checked = await call('GET', '/api/catalog/skills/dot-mi/checks');
  expect([checked.status, checked.body.findings]).toEqual([200, []]);
  const linked = await call('POST', '/api/agents/scout/links/skills', { name: 'dot-mi' });
  expect([linked.status, linked.body.entry.broken]).toEqual([201, false]);

  expect((await call('POST', INSTALL)).body.created).toBe(false);
  expect((await call('DELETE', INSTALL)).body).toEqual({ ok: true });
  expect((await call('GET', '/api/catalog/skills')).body.skills).toEqual([]);
  expect((await call('DELETE', INSTALL)).body.code).toBe('shared_entry_not_found');
  // Added again, the agent's link works as before.
  await Promise.all([call('POST', INSTALL), call('POST', INSTALL)]);
  expect((await call('GET', '/api/agents/scout/links/skills')).body.entries).toMatchObject([
    { broken: false },
  ]);
});

test('never overwrites or removes a skill of that name that differs in any way', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { asOperator: call } = await serve(root);
  const place = join(root, SKILL);
  const outside = await makeTempDirectory();
  const cases: readonly (() => Promise<unknown>)[] = [
    () => plant(root, { [`${SKILL}/SKILL.md`]: 'mine' }),
    () => mkdir(place),
    () => plant(root, { [SKILL]: 'a file' }),
    () => symlink(outside, place),
    () => symlink('nowhere', place),
    async () => {
      await call('POST', INSTALL);
      await appendFile(join(place, 'SKILL.md'), 'one more line\n');
    },
    async () => {
      await call('POST', INSTALL);
      await plant(root, { [`${SKILL}/scripts/mine.sh`]: 'echo mine\n' });
    },
    async () => {
      await call('POST', INSTALL);
      await rm(join(place, 'references'), { recursive: true });
    },
    async () => {
      await call('POST', INSTALL);
      await symlink(outside, join(place, 'assets'));
    },
  ];
  for (const [at, prepare] of cases.entries()) {
    await prepare();
    const before = await listTree(join(root, 'shared/skills'));
    for (const method of ['POST', 'DELETE']) {
      const { status, body } = await call(method, INSTALL);
      expect([at, method, status, body.code]).toEqual([at, method, 409, 'skill_differs']);
      expect(body.error).toContain('Rename or remove the one in shared/skills yourself.');
    }
    expect([at, await listTree(join(root, 'shared/skills'))]).toEqual([at, before]);
    await rm(place, { recursive: true });
  }
  expect(await readdir(outside)).toEqual([]);
});

test('writes nothing through a shared folder that leads elsewhere', async () => {
  const outside = await makeTempDirectory();
  for (const tree of [
    { shared: { link: outside } },
    { 'shared/skills': { link: outside } },
    { 'shared/skills': { link: 'nowhere' } },
    { 'shared/skills': 'a file' },
    { shared: 'a file' },
  ]) {
    const root = await makeRoot();
    await rm(join(root, 'shared'), { recursive: true });
    await plant(root, tree);
    const { asOperator: call } = await serve(root);
    const { status, body } = await call('POST', INSTALL);
    expect([tree, status, body.code]).toEqual([
      tree,
      expect.any(Number),
      expect.stringMatching(/^(outside_root|not_a_directory)$/),
    ]);
    expect(await readdir(outside)).toEqual([]);
  }
});
