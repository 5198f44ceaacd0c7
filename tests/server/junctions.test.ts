// Windows without Developer Mode: the system refuses symlinks and creates junctions. Elsewhere, the test gives
// the server such a system: its junctions are symlinks with an absolute text, as Node reads real ones.
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { expect, test } from 'vitest';
import type { LinkSystem } from '../../src/server/platform/create-link.ts';
import { ensureStarterRoot } from '../../src/server/starter-root.ts';
import { plant } from '../support/plant.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const refused = () => Object.assign(new Error('EPERM: operation not permitted, symlink'), { code: 'EPERM' });

/** A Windows without Developer Mode. `asked` has the type and the target of each call. */
const makeWindows = (createJunction: (target: string, path: string) => Promise<void> = symlink) => {
  const asked: [type: string, target: string][] = [];
  const system: LinkSystem = {
    platform: 'win32',
    async symlink(target, path, type) {
      asked.push([type, target]);
      if (type !== 'junction') throw refused();
      if (!isAbsolute(target)) throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
      await createJunction(target, path);
    },
  };
  return { asked, system };
};

const TEXT = '../../../shared/skills/git-summary';
const SKILLS = '/api/agents/scout/links/skills';

const start = async (root: string, windows = makeWindows()) => {
  const { asOperator: call } = await serve(root, { linkSystem: windows.system });
  return {
    ...windows,
    call,
    link: (name: string) => call('POST', SKILLS, { name }),
    list: async () => (await call('GET', SKILLS)).body.entries,
  };
};

test('a directory gets a junction with an absolute target when Windows refuses a symlink', async () => {
  const root = await makeRoot();
  const { asked, call, link, list } = await start(root);
  const target = join(root, 'shared', 'skills', 'git-summary');
  const { status, body } = await link('git-summary');
  expect(asked).toEqual([
    ['dir', TEXT],
    ['junction', target],
  ]);
  const entry = {
    name: 'git-summary',
    kind: 'symlink',
    linkTarget: target,
    junction: true,
    linksToShared: true,
    sharedRelative: TEXT,
    broken: false,
  };
  expect([status, body]).toEqual([201, { ok: true, entry }]);
  expect(await list()).toEqual([entry]);
  const usage = await call('GET', '/api/catalog/skills/usage');
  expect(usage.body.usage).toEqual([{ name: 'git-summary', agents: ['scout'] }]);

  expect((await call('DELETE', `${SKILLS}/git-summary`)).status).toBe(200);
  expect(await list()).toEqual([]);
  expect(existsSync(join(target, 'SKILL.md'))).toBe(true);
});

test('linking a file fails, and the error says how to allow it', async () => {
  const root = await makeRoot();
  const { asked, call } = await start(root);
  const { status, body } = await call('POST', '/api/agents/scout/links/extensions', { name: 'say.ts' });
  expect([status, body.code]).toEqual([403, 'permission_denied']);
  expect(body.error).toContain('Developer Mode');
  expect(asked.map(([type]) => type)).toEqual(['file']);
  expect(existsSync(join(root, 'agents/scout/extensions/say.ts'))).toBe(false);
});

test('linking fails where no junction is possible, and the error says how to allow a link', async () => {
  const root = await makeRoot();
  const windows = makeWindows(async () => {
    throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
  });
  const { link } = await start(root, windows);
  const { status, body } = await link('git-summary');
  expect([status, body.code]).toEqual([403, 'permission_denied']);
  expect(body.error).toContain('Developer Mode');
});

test('a junction that Windows does not follow is removed again', async () => {
  const root = await makeRoot();
  const { link, list } = await start(
    root,
    makeWindows((target, path) => symlink(`${target}-on-a-network-drive`, path)),
  );
  expect((await link('git-summary')).body.code).toBe('permission_denied');
  expect(await list()).toEqual([]);
});

test('a name that is taken is reported as taken, not as refused', async () => {
  const root = await makeRoot({ 'agents/scout/skills/git-summary/SKILL.md': 'mine' });
  const { link } = await start(root);
  expect((await link('git-summary')).body.code).toBe('link_exists');
});

test('a junction breaks when the root moves, and repairing it creates it again', {
  tags: 'slow',
}, async () => {
  const before = await makeRoot();
  await (await start(before)).link('git-summary');
  const root = `${before}-moved`;
  await rename(before, root);

  const { call, list } = await start(root);
  expect(await list()).toMatchObject([
    { junction: true, broken: true, linksToShared: false, sharedRelative: TEXT },
  ]);
  expect((await call('GET', '/api/links')).body.agents).toMatchObject([
    { id: 'scout', links: 1, brokenLinks: 1 },
  ]);
  const repaired = await call('POST', SKILLS, { name: 'git-summary', replaceBroken: true });
  const linkTarget = join(root, 'shared/skills/git-summary');
  expect([repaired.status, repaired.body.entry]).toMatchObject([201, { junction: true, linkTarget }]);
  expect(await list()).toMatchObject([{ junction: true, broken: false, linksToShared: true, linkTarget }]);
});

test('a duplicate has junctions to the same places, and to its own files instead of the original’s', async () => {
  const root = await makeRoot({
    'agents/scout/notes/a.md': 'a',
    'agents/scout/skills/git-summary': { link: TEXT },
    'agents/scout/skills/own': { link: '../notes' },
  });
  await symlink(join(root, 'gone'), join(root, 'agents/scout/skills/gone'));
  const { call } = await start(root);
  expect((await call('POST', '/api/agents/scout/duplicate', { name: 'ranger' })).status).toBe(201);
  const copied = (name: string) => readlink(join(root, 'agents/ranger/skills', name));
  expect(await copied('git-summary')).toBe(join(root, 'shared/skills/git-summary'));
  expect(await copied('own')).toBe(join(root, 'agents/ranger/notes'));
  expect(await copied('gone')).toBe(join(root, 'gone'));
});

test('a link to a file keeps an agent from being duplicated, and leaves no partial copy', async () => {
  const root = await makeRoot({
    'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
  });
  const { call } = await start(root);
  const { status, body } = await call('POST', '/api/agents/scout/duplicate', { name: 'ranger' });
  expect([status, body.code]).toEqual([403, 'permission_denied']);
  expect(body.error).toContain('Developer Mode');
  expect(await readdir(join(root, 'agents'))).toEqual(['scout']);
});

test('an agent keeps its junctions in the trash and after a restore, and deleting it permanently leaves their targets', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { call, link, list } = await start(root);
  await link('git-summary');
  const remove = async () =>
    (await call('DELETE', '/api/agents/scout', { confirm: 'scout' })).body.entry as string;
  expect((await call('POST', `/api/trash/${await remove()}/restore`)).status).toBe(200);
  expect(await list()).toMatchObject([{ junction: true, broken: false, linksToShared: true }]);
  expect((await call('DELETE', `/api/trash/${await remove()}`)).status).toBe(200);
  expect(existsSync(join(root, 'shared/skills/git-summary/SKILL.md'))).toBe(true);
});

test('the starter root has junctions to its final place, and lacks only the links to files', async () => {
  const directory = await makeTempDirectory();
  const template = join(directory, 'template');
  await plant(template, {
    'setup.sh': '#!/bin/sh\n',
    'shared/skills/x/SKILL.md': 'x',
    'shared/extensions/y.ts': '',
    'links.json': JSON.stringify({
      'agents/a/skills/x': '../../../shared/skills/x',
      'agents/a/extensions/y.ts': '../../../shared/extensions/y.ts',
    }),
  });
  const root = join(directory, 'root');
  await ensureStarterRoot(root, template, makeWindows().system);
  expect(await readlink(join(root, 'agents/a/skills/x'))).toBe(join(root, 'shared/skills/x'));
  expect(await readdir(join(root, 'agents/a/extensions'))).toEqual([]);
});

test('Windows creates, follows, lists and removes a real junction', async ({ skip }) => {
  skip(process.platform !== 'win32', 'only Windows has junctions');
  const root = await makeRoot();
  // Also with Developer Mode: symlinks are refused, and junctions are real.
  const { call, link, list } = await start(
    root,
    makeWindows((target, path) => symlink(target, path, 'junction')),
  );
  expect((await link('git-summary')).body.entry).toMatchObject({ junction: true, linksToShared: true });
  expect(await list()).toMatchObject([{ junction: true, broken: false, linksToShared: true }]);
  expect((await call('POST', '/api/agents/scout/duplicate', { name: 'ranger' })).status).toBe(201);
  const copy = join(root, 'agents/ranger/skills/git-summary');
  expect((await lstat(copy)).isSymbolicLink()).toBe(true);
  expect(existsSync(join(copy, 'SKILL.md'))).toBe(true);
  const away = join(root, 'shared', 'away');
  await mkdir(away);
  await rename(join(root, 'shared/skills/git-summary'), join(away, 'git-summary'));
  expect(await list()).toMatchObject([{ junction: true, broken: true }]);
  await rename(join(away, 'git-summary'), join(root, 'shared/skills/git-summary'));
  expect((await call('DELETE', `${SKILLS}/git-summary`)).status).toBe(200);
  await rm(away, { recursive: true });
  expect(existsSync(join(root, 'shared/skills/git-summary/SKILL.md'))).toBe(true);
});
