import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LinkEntry } from '../../src/shared/api/links.ts';
import { LINK_KIND_SHAPES, LINK_KINDS } from '../../src/shared/api/names.ts';
import { heedModes } from '../support/nobody.ts';
import { sendRaw } from '../support/raw-http.ts';
import { plant, type Tree } from '../support/root.ts';
import type { Answer, TestServer } from '../support/server.ts';
import { shareServer } from '../support/shared-server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { makeRoot, serve } = shareServer();

const SHARED = {
  extensions: 'say.ts',
  skills: 'git-summary',
  prompts: 'review.md',
  themes: 'quiet.json',
} as const;

/** What the small root, as roots made before these kinds, doesn't have. */
const FILES = {
  'shared/prompts/review.md': 'Review $1.\n',
  'shared/themes/quiet.json': '{}',
  'agents/scout/prompts': null,
  'agents/scout/themes': null,
};

const told = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body.code];

describe.each(LINK_KINDS)('the %s of an agent', (kind) => {
  const shared = SHARED[kind];
  const route = `/api/agents/scout/links/${kind}`;
  const own = `agents/scout/${kind}`;
  const textTo = (name: string) => `../../../shared/${kind}/${name}`;
  const { fileEnding = '', directories } = LINK_KIND_SHAPES[kind];
  /** The name of an entry of this kind. */
  const named = (name: string) => `${name}${fileEnding}`;
  /** The file to plant for a shared entry of this kind, or for anything of it. */
  const planted = (name: string) => `${named(name)}${directories ? '/index.ts' : ''}`;

  /** A root and a server with the routes of this kind. */
  const start = async (more: Tree = {}) => {
    const root = await makeRoot({ ...FILES, ...more });
    const server = await serve(root);
    const { call, url } = server;
    const list = async (): Promise<LinkEntry[]> => {
      const { status, body } = await call('GET', route);
      expect([status, body.code]).toEqual([200, undefined]);
      return body.entries;
    };
    return {
      root,
      server,
      call,
      url,
      list,
      listByName: async () => Object.fromEntries((await list()).map(({ name, ...entry }) => [name, entry])),
      link: (name: unknown) => call('POST', route, { name }),
      unlink: (name: string) => call('DELETE', `${route}/${encodeURIComponent(name)}`),
      undo: ({ headers }: Answer, caller: TestServer['call'] = call) =>
        caller('POST', `/api/changes/${headers.get('change-id')}/undo`),
    };
  };

  test('are linked with exactly one text, listed, and unlinked', async () => {
    const { root, link, unlink, list } = await start();
    expect(await list()).toEqual([]);
    const made = await link(shared);
    const entry = {
      name: shared,
      kind: 'symlink',
      linkTarget: textTo(shared),
      linksToShared: true,
      sharedRelative: textTo(shared),
      broken: false,
    };
    expect([made.status, made.body]).toEqual([201, { ok: true, entry }]);
    expect(await readlink(join(root, own, shared))).toBe(textTo(shared));
    expect(await list()).toEqual([entry]);

    const removed = await unlink(shared);
    expect([removed.status, removed.body]).toEqual([200, { ok: true }]);
    expect(await list()).toEqual([]);
    expect(await readdir(join(root, own))).toEqual([]);
    expect((await lstat(join(root, 'shared', kind, shared))).isSymbolicLink()).toBe(false);
    expect(told(await unlink(shared))).toEqual([404, 'link_not_found']);
  });

  test('a removed link comes back with its own text, broken or not, and only where nothing else is', async () => {
    const { root, list, unlink, undo, link } = await start({
      [`${own}/dangling`]: { link: '/nowhere/at all' },
      [`${own}/other`]: { link: `../../../shared/${kind}/${shared}` },
    });
    const before = await list();
    for (const name of ['dangling', 'other']) {
      const removed = await unlink(name);
      expect((await undo(removed)).body.applied).toBe(1);
      expect((await undo(removed)).body).toMatchObject({ change: null, unchanged: 1 });
    }
    expect(await list()).toEqual(before);
    expect(await readlink(join(root, own, 'dangling'))).toBe('/nowhere/at all');

    await link(shared);
    const removed = await unlink(shared);
    await writeFile(join(root, own, shared), 'of another program');
    expect((await undo(removed)).body.refused[0].code).toBe('file_changed');
    await rm(join(root, own), { recursive: true });
    expect((await undo(removed)).body.applied).toBe(1);
    expect(await readlink(join(root, own, shared))).toBe(textTo(shared));
  });

  test('that the operator removed are restored by nobody else', async () => {
    const { server, undo, listByName } = await start({ [`${own}/dangling`]: { link: '/nowhere/at all' } });
    const removed = await server.asOperator('DELETE', `${route}/dangling`);
    expect((await undo(removed)).body.code).toBe('operator_required');
    expect((await undo(removed, server.asOperator)).body.applied).toBe(1);
    expect(Object.keys(await listByName())).toEqual(['dangling']);
  });

  test('are listed by code units, with a broken link that hides nothing and can be removed', async () => {
    const { root, listByName, list, unlink } = await start({
      [`${own}/dangling`]: { link: textTo('gone') },
      [`${own}/Zed`]: null,
      [`${own}/file.txt`]: 'mine',
      [`${own}/${shared}`]: { link: textTo(shared) },
      [`${own}/.hidden`]: 'not an entry',
    });
    expect((await list()).map(({ name }) => name)).toEqual(['Zed', 'dangling', 'file.txt', shared].sort());
    expect(await listByName()).toEqual({
      Zed: { kind: 'directory', linksToShared: false, broken: false },
      dangling: { kind: 'symlink', linkTarget: textTo('gone'), linksToShared: false, broken: true },
      'file.txt': { kind: 'file', linksToShared: false, broken: false },
      [shared]: {
        kind: 'symlink',
        linkTarget: textTo(shared),
        linksToShared: true,
        sharedRelative: textTo(shared),
        broken: false,
      },
    });
    expect((await unlink('dangling')).status).toBe(200);
    expect(Object.keys(await listByName()).sort()).toEqual(['Zed', 'file.txt', shared].sort());
    expect(await readdir(join(root, own))).not.toContain('dangling');
  });

  test('recognize a link to a shared entry by its target, never by its text', async () => {
    const elsewhere = await makeTempDirectory();
    await plant(elsewhere, { [`shared/${kind}/x/index.ts`]: '', [`shared/${kind}/y/index.ts`]: '' });
    const { root, listByName, list } = await start({
      [`shared/${kind}/x/index.ts`]: '',
      [`shared/${kind}/x/y/index.ts`]: '',
      [`shared/${kind}/sub/index.ts`]: '',
      [`shared/${kind}/absolute/index.ts`]: '',
      [`shared/${kind}/slash/index.ts`]: '',
      [`shared/${kind}/roundabout/index.ts`]: '',
      [`shared/${kind}/deep/index.ts`]: '',
      [`shared/${kind}/other/index.ts`]: '',
      [`${own}/x`]: { link: join(elsewhere, 'shared', kind, 'x') },
      [`${own}/y`]: { link: textTo('x/y') },
      // The entry of another name, its inside, and the folder it is in.
      [`${own}/other`]: { link: textTo('x') },
      [`${own}/sub`]: { link: textTo('sub/index.ts') },
      [`${own}/all`]: { link: `../../../shared/${kind}` },
      [`${own}/slash`]: { link: `${textTo('slash')}/` },
      [`${own}/roundabout`]: { link: `../${kind}/../../../agents/../shared/${kind}/x/../roundabout` },
      // `deep/..` is where the alias leads, not where it stands.
      'far/away/index.ts': '',
      'far/deep/index.ts': '',
      alias: { link: 'far/away' },
      [`${own}/deep`]: { link: `../../../alias/../../shared/${kind}/deep` },
      scouts: { link: 'agents/scout' },
    });
    await symlink(join(root, 'shared', kind, 'absolute'), join(root, own, 'absolute'));
    const entries = await listByName();
    expect(Object.fromEntries((await list()).map((entry) => [entry.name, entry.linksToShared]))).toEqual({
      absolute: true,
      all: false,
      deep: true,
      other: false,
      roundabout: true,
      slash: true,
      sub: false,
      x: false,
      y: false,
    });
    expect(entries.x).toMatchObject({ broken: false, sharedRelative: textTo('x') });
    expect(entries.y).not.toHaveProperty('sharedRelative');
    expect(entries.all).toMatchObject({ broken: false });
  });

  test('a link whose text only looks like a path to a shared entry is not linked to it', async () => {
    const { listByName } = await start({
      [`shared/${kind}/x/index.ts`]: '',
      'far/away/index.ts': '',
      [`far/shared/${kind}/x/index.ts`]: '',
      alias: { link: 'far/away' },
      // By its text this is <root>/shared; the system goes by far/away and comes to far/shared.
      [`${own}/x`]: { link: `../../../alias/../shared/${kind}/x` },
    });
    expect(await listByName()).toEqual({
      x: {
        kind: 'symlink',
        linkTarget: `../../../alias/../shared/${kind}/x`,
        linksToShared: false,
        sharedRelative: textTo('x'),
        broken: false,
      },
    });
  });

  test('recognize a link to a shared entry that is itself a link, or that is reached through other links', async () => {
    const outside = await makeTempDirectory();
    await plant(outside, { [planted('real')]: '' });
    const { root, listByName, link } = await start({
      [`shared/${kind}/${named('linked')}`]: { link: join(outside, named('real')) },
      [`shared/${kind}/${named('alias')}`]: { link: shared },
      [`shared/${kind}/dangling`]: { link: 'nowhere' },
      // Through another shared entry, through one of its own, and past the entry to what it leads to.
      [`shared/${kind}/to-${shared}`]: { link: shared },
      [`${own}/${shared}`]: { link: textTo(`to-${shared}`) },
      [`${own}/step`]: { link: textTo('chained') },
      [`shared/${kind}/chained/index.ts`]: '',
      [`${own}/chained`]: { link: 'step' },
      [`shared/${kind}/past`]: { link: join(outside, named('real')) },
      [`${own}/past`]: { link: join(outside, named('real')) },
      [`${own}/dangling`]: { link: textTo('dangling') },
    });
    for (const name of ['linked', 'alias']) expect((await link(named(name))).status).toBe(201);
    const entries = await listByName();
    const [yes, no] = [
      { linksToShared: true, broken: false },
      { linksToShared: false, broken: false },
    ];
    expect(entries[named('linked')]).toMatchObject({ ...yes, sharedRelative: textTo(named('linked')) });
    expect(entries[named('alias')]).toMatchObject(yes);
    expect(entries[shared]).toMatchObject(yes);
    expect(entries.chained).toMatchObject(yes);
    expect(entries.step).toMatchObject(no);
    expect(entries.past).toMatchObject({ ...no, sharedRelative: textTo('past') });
    expect(entries.dangling).toMatchObject({
      linksToShared: true,
      broken: true,
      sharedRelative: textTo('dangling'),
    });

    // Also when all of shared is linked in.
    await rename(join(root, 'shared'), join(root, 'common'));
    await symlink('common', join(root, 'shared'));
    expect(await listByName()).toEqual(entries);
  });

  test('are listed when links are circular or have texts that no path can have', async () => {
    const { root, listByName, unlink, link } = await start({
      [`${own}/a`]: { link: 'b' },
      [`${own}/b`]: { link: 'a' },
      [`${own}/self`]: { link: 'self' },
      [`${own}/through-file`]: { link: `${textTo(shared)}/../../../agents/scout/SYSTEM.md/x` },
      [`${own}/long`]: { link: 'x'.repeat(300) },
      [`${own}/longer`]: { link: 'x/'.repeat(2000) },
      [`shared/${kind}/a`]: { link: 'a' },
      [`shared/${kind}/long`]: { link: 'x'.repeat(300) },
    });
    const entries = await listByName();
    expect(Object.keys(entries)).toEqual(['a', 'b', 'long', 'longer', 'self', 'through-file']);
    for (const entry of Object.values(entries)) {
      expect(entry).toMatchObject({ kind: 'symlink', broken: true, linksToShared: false });
    }
    expect(told(await link('long'))).toEqual([404, 'shared_entry_not_found']);
    expect((await unlink('long')).status).toBe(200);
    expect(told(await link('long'))).toEqual([404, 'shared_entry_not_found']);
    for (const name of ['a', 'b', 'longer', 'self', 'through-file'])
      expect((await unlink(name)).status).toBe(200);
    expect(await readdir(join(root, own))).toEqual([]);
  });

  test('a chain of more links than the system follows is broken, and reading it ends', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`${own}/l${i}`, { link: i === 59 ? textTo('l0') : `l${i + 1}` }]),
    );
    const { listByName } = await start({ ...chain, [`shared/${kind}/l0/index.ts`]: '' });
    const entries = await listByName();
    expect(entries.l0).toMatchObject({ broken: true, linksToShared: false });
    expect(entries.l30).toMatchObject({ broken: false });
  });

  test('a shared folder that is a circular link has no entries, and hides none of the agent’s', async () => {
    const { root, listByName, link } = await start({
      [`${own}/mine`]: null,
      [`${own}/${shared}`]: { link: textTo(shared) },
    });
    await rm(join(root, 'shared'), { recursive: true });
    await symlink('shared', join(root, 'shared'));
    expect(await listByName()).toEqual({
      mine: { kind: 'directory', linksToShared: false, broken: false },
      [shared]: { kind: 'symlink', linkTarget: textTo(shared), linksToShared: false, broken: true },
    });
    expect(told(await link(shared))).toEqual([404, 'shared_entry_not_found']);
  });

  test('a link to a place that the user may not read is broken, and hides nothing', async () => {
    const { root, listByName } = await start({
      'vault/x/index.ts': '',
      [`${own}/x`]: { link: '../../../vault/x' },
      [`${own}/${shared}`]: { link: textTo(shared) },
    });
    execFileSync('chmod', ['-R', 'a+rX', join(root, '..')]);
    execFileSync('chmod', ['000', join(root, 'vault')]);
    heedModes();
    const entries = await listByName();
    expect(entries.x).toMatchObject({ broken: true, linksToShared: false });
    expect(entries[shared]).toMatchObject({ broken: false, linksToShared: true });
  });

  test('refuses to unlink a real directory or file, and leaves them unchanged', async () => {
    const { root, unlink } = await start({
      [`${own}/mine/notes.md`]: 'my notes',
      [`${own}/my.txt`]: 'mine',
      [`${own}/empty`]: null,
    });
    execFileSync('mkfifo', [join(root, own, 'pipe')]);
    for (const name of ['mine', 'my.txt', 'empty', 'pipe']) {
      expect(told(await unlink(name))).toEqual([409, 'not_a_link']);
    }
    expect(await readFile(join(root, own, 'mine/notes.md'), 'utf8')).toBe('my notes');
    expect(await readFile(join(root, own, 'my.txt'), 'utf8')).toBe('mine');
    expect((await readdir(join(root, own))).sort()).toEqual(['empty', 'mine', 'my.txt', 'pipe']);
  });

  test('removes a link to a directory, and nothing in the directory', async () => {
    const outside = await makeTempDirectory();
    await plant(outside, { 'kept/notes.md': 'kept' });
    const { unlink, list } = await start({ [`${own}/out`]: { link: join(outside, 'kept') } });
    expect((await unlink('out')).status).toBe(200);
    expect(await list()).toEqual([]);
    expect(await readFile(join(outside, 'kept/notes.md'), 'utf8')).toBe('kept');
  });

  test('refuses to link over anything that exists, including a broken link', async () => {
    const { root, link } = await start({
      [`shared/${kind}/${planted('dangling')}`]: '',
      [`shared/${kind}/${planted('file')}`]: '',
      [`shared/${kind}/${planted('directory')}`]: '',
      [`${own}/${named('dangling')}`]: { link: 'nowhere' },
      [`${own}/${named('file')}`]: 'mine',
      [`${own}/${named('directory')}`]: null,
      [`${own}/${shared}`]: { link: textTo(shared) },
    });
    for (const name of [named('dangling'), named('file'), named('directory'), shared]) {
      expect(told(await link(name))).toEqual([409, 'link_exists']);
    }
    expect(await readlink(join(root, own, named('dangling')))).toBe('nowhere');
    expect(await readFile(join(root, own, named('file')), 'utf8')).toBe('mine');
  });

  test('refuses to link an entry that isn’t in shared/', async () => {
    const { root, link } = await start({
      [`shared/${kind}/dangling`]: { link: 'nowhere' },
      [`shared/${kind}/round`]: { link: 'round' },
    });
    execFileSync('mkfifo', [join(root, 'shared', kind, 'pipe')]);
    for (const name of ['missing', 'dangling', 'round', 'pipe', `${shared}x`, '__proto__', 'constructor']) {
      expect(told(await link(name))).toEqual([404, 'shared_entry_not_found']);
    }
    await rename(join(root, 'shared'), join(root, 'away'));
    expect(told(await link(shared))).toEqual([404, 'shared_entry_not_found']);
    expect(await readdir(join(root, own))).toEqual([]);
  });

  test('a missing folder is listed as empty, and the first link creates it', async () => {
    const { root, list, link, unlink } = await start();
    await rm(join(root, own), { recursive: true });
    expect(await list()).toEqual([]);
    expect(told(await unlink(shared))).toEqual([404, 'link_not_found']);
    expect(told(await link('missing'))).toEqual([404, 'shared_entry_not_found']);
    await expect(lstat(join(root, own))).rejects.toThrow('ENOENT');
    expect((await link(shared)).status).toBe(201);
    expect((await lstat(join(root, own))).isDirectory()).toBe(true);
    expect(await list()).toHaveLength(1);
  });

  test('a linked folder within the root is read and never written through', async () => {
    const { root, list, link, unlink } = await start({
      [`shared/sets/common/${shared}`]: { link: `../../${kind}/${shared}` },
      [`shared/${kind}/${planted('another')}`]: '',
    });
    await rm(join(root, own), { recursive: true });
    await symlink('../../shared/sets/common', join(root, own));
    expect(await list()).toEqual([
      {
        name: shared,
        kind: 'symlink',
        linkTarget: `../../${kind}/${shared}`,
        linksToShared: true,
        sharedRelative: textTo(shared),
        broken: false,
      },
    ]);
    expect(told(await link(named('another')))).toEqual([409, 'not_a_directory']);
    expect(told(await unlink(shared))).toEqual([409, 'not_a_directory']);
    expect(await readdir(join(root, 'shared/sets/common'))).toEqual([shared]);
  });

  test('a folder linked out of the root is neither read nor written', async () => {
    const outside = await makeTempDirectory();
    await plant(outside, { secret: { link: 'nowhere' } });
    const { root, call, link, unlink } = await start();
    await rm(join(root, own), { recursive: true });
    await symlink(outside, join(root, own));
    const read = await call('GET', route);
    expect(told(read)).toEqual([403, 'outside_root']);
    expect(JSON.stringify(read.body)).not.toContain(outside);
    expect(told(await link(shared))).toEqual([409, 'not_a_directory']);
    expect(told(await unlink('secret'))).toEqual([409, 'not_a_directory']);
    expect(await readdir(outside)).toEqual(['secret']);
  });

  test('a folder that is a broken link or a file is reported, and stays', async () => {
    const { root, call, list, link, unlink } = await start();
    for (const text of ['nowhere', kind, 'x'.repeat(300)]) {
      await rm(join(root, own), { recursive: true });
      await symlink(text, join(root, own));
      expect(await list()).toEqual([]);
      expect(told(await link(shared))).toEqual([409, 'not_a_directory']);
      expect(told(await unlink(shared))).toEqual([409, 'not_a_directory']);
      expect(await readlink(join(root, own))).toBe(text);
    }
    await rm(join(root, own));
    await writeFile(join(root, own), 'a plain file');
    expect(told(await call('GET', route))).toEqual([409, 'not_a_directory']);
    expect(told(await link(shared))).toEqual([409, 'not_a_directory']);
    expect(told(await unlink(shared))).toEqual([409, 'not_a_directory']);
    expect(await readFile(join(root, own), 'utf8')).toBe('a plain file');
  });

  test('bad names are refused in the same way on each route, and before anything is read', async () => {
    const { url, call, link, list } = await start();
    const bad = [
      '.x',
      '..',
      '.',
      'a/b',
      '../x',
      'a\\b',
      'a\0b',
      '\0',
      'x'.repeat(300),
      'é'.repeat(128),
      '/',
      'a/',
    ];
    for (const name of ['', ...bad]) {
      const { status, body } = await link(name);
      expect([name, status, body.code]).toEqual([name, 400, 'invalid_name']);
    }
    for (const name of bad) {
      // By hand: a client resolves dots before it asks.
      const path = `${route}/${encodeURIComponent(name).replaceAll('.', '%2e')}`;
      const answer = await sendRaw(
        url,
        `DELETE ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect([name, ...told(answer)]).toEqual([name, 400, 'invalid_name']);
    }
    expect(told(await link('\ud800'))).toEqual([400, 'invalid_name']);
    for (const name of [7, null, ['x'], { x: 1 }])
      expect(told(await link(name))).toEqual([400, 'invalid_request']);
    expect(told(await call('POST', route, { name: shared, more: 1 }))).toEqual([400, 'invalid_request']);
    expect(told(await call('DELETE', `${route}/%ff`))).toEqual([400, 'invalid_request']);
    expect((await call('DELETE', `${route}/`)).status).toBe(405);
    // The id counts before the name, the name before the agent.
    expect(told(await call('POST', `/api/agents/-x/links/${kind}`, { name: '..' }))).toEqual([
      400,
      'invalid_agent_id',
    ]);
    expect(told(await call('POST', `/api/agents/nobody/links/${kind}`, { name: '.x' }))).toEqual([
      400,
      'invalid_name',
    ]);
    expect(await list()).toEqual([]);
  });

  test('names that mean something else on Windows can’t be linked, but are listed and can be unlinked', async ({
    skip,
  }) => {
    skip(process.platform === 'win32', 'Windows cannot make them');
    const names = [
      'a:b',
      'x:',
      'dot.',
      'dots...',
      'blank ',
      'nul',
      'NUL.txt',
      'con',
      'COM1',
      'lpt9.x',
      'com¹',
      'CONOUT$',
      'aux .x',
    ];
    const { root, list, link, unlink } = await start(
      Object.fromEntries(names.map((name) => [`shared/${kind}/${name}/index.ts`, ''])),
    );
    for (const name of names) {
      const { status, body } = await link(name);
      expect([name, status, body.code]).toEqual([name, 400, 'invalid_name']);
      await symlink(textTo(name), join(root, own, name));
    }
    expect((await list()).map(({ name }) => name)).toEqual([...names].sort());
    for (const { name, linksToShared } of await list()) expect([name, linksToShared]).toEqual([name, true]);
    for (const name of names) expect([name, (await unlink(name)).status]).toEqual([name, 200]);
    for (const name of ['nulls', 'console', 'com', 'com10', 'a.b', ' lead'].map(named)) {
      await plant(join(root, 'shared', kind), { [directories ? `${name}/index.ts` : name]: '' });
      expect([name, (await link(name)).status]).toEqual([name, 201]);
    }
  });

  test('nothing is linked to a shared folder that is a link out of the root, and nothing in it is reported', async () => {
    const outside = await makeTempDirectory();
    await plant(outside, { [`${kind}/${shared}/index.ts`]: '', [`${kind}/private/index.ts`]: '' });
    const { root, call, list, link } = await start({ [`${own}/private`]: { link: textTo('private') } });
    await rename(join(root, 'shared', kind), join(root, 'away'));
    await symlink(join(outside, kind), join(root, 'shared', kind));
    const refused = await link(shared);
    expect(told(refused)).toEqual([403, 'outside_root']);
    expect(refused.body.error).toContain(`shared/${kind}`);
    expect(refused.body.error).not.toContain(outside);
    expect(await list()).toMatchObject([{ name: 'private', linksToShared: false }]);
    expect(await list()).not.toMatchObject([{ sharedRelative: expect.anything() }]);
    expect(told(await call('GET', `/api/catalog/${kind}/usage`))).toEqual([403, 'outside_root']);

    await rm(join(root, 'shared', kind));
    await rename(join(root, 'away'), join(root, 'shared', kind));
    expect((await link(shared)).status).toBe(201);
  });

  test('names with spaces, in other scripts or with unusual characters are linked and unlinked', async () => {
    const texts = [
      'with space',
      'ünï',
      '日本',
      '-rf',
      '__proto__',
      'constructor',
      '%2e%2e',
      'x'.repeat(255 - fileEnding.length),
      'a?b#c',
      'line\nbreak',
    ];
    const names = texts.map(named);
    const { root, list, link, unlink } = await start(
      Object.fromEntries(texts.map((name) => [`shared/${kind}/${planted(name)}`, ''])),
    );
    for (const name of names) expect([name, (await link(name)).status]).toEqual([name, 201]);
    expect((await list()).map(({ name }) => name)).toEqual([...names].sort());
    for (const { name, linkTarget, linksToShared, broken } of await list()) {
      expect([linkTarget, linksToShared, broken]).toEqual([textTo(name), true, false]);
    }
    for (const name of names) expect([name, (await unlink(name)).status]).toEqual([name, 200]);
    expect(await readdir(join(root, own))).toEqual([]);
  });

  test('no route responds for a missing agent, and none creates it', async () => {
    const { root, call } = await start({ 'agents/linked': { link: 'scout' }, 'agents/file': '' });
    for (const id of ['nobody', 'linked', 'file']) {
      const path = `/api/agents/${id}/links/${kind}`;
      expect(told(await call('GET', path))).toEqual([404, 'agent_not_found']);
      expect(told(await call('POST', path, { name: shared }))).toEqual([404, 'agent_not_found']);
      expect(told(await call('DELETE', `${path}/${shared}`))).toEqual([404, 'agent_not_found']);
    }
    expect((await readdir(join(root, 'agents'))).sort()).toEqual(['file', 'linked', 'scout']);
    expect(await readdir(join(root, own))).toEqual([]);
  });

  test('of many simultaneous requests to create one link, one succeeds, and so does one of many to remove it', {
    tags: 'slow',
  }, async () => {
    const { link, unlink, list } = await start();
    for (let round = 0; round < 5; round++) {
      const made = await Promise.all(Array.from({ length: 12 }, () => link(shared)));
      expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)]);
      expect(await list()).toHaveLength(1);
      const removed = await Promise.all(Array.from({ length: 12 }, () => unlink(shared)));
      expect(removed.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(404)]);
      expect(await list()).toEqual([]);
    }
  });

  test('a first link that is requested many times at once creates the folder once', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => `s${i}`);
    const { root, link, list } = await start(
      Object.fromEntries(texts.map((name) => [`shared/${kind}/${planted(name)}`, ''])),
    );
    await rm(join(root, own), { recursive: true });
    const made = await Promise.all(texts.map((name) => link(named(name))));
    expect(made.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(await list()).toHaveLength(12);
  });

  test('the next request shows what another program linked and unlinked', async () => {
    const { root, list } = await start();
    for (let round = 0; round < 20; round++) {
      await symlink(textTo(shared), join(root, own, shared));
      expect(await list()).toMatchObject([{ broken: false, linksToShared: true }]);
      await rename(join(root, 'shared', kind, shared), join(root, 'away'));
      expect(await list()).toMatchObject([{ broken: true, linksToShared: false }]);
      await rename(join(root, 'away'), join(root, 'shared', kind, shared));
      await rm(join(root, own, shared));
      expect(await list()).toEqual([]);
    }
  });
});

test('a plain file among the shared skills can’t be linked', async () => {
  const root = await makeRoot({ 'shared/skills/README.md': '' });
  const { call } = await serve(root);
  expect(told(await call('POST', '/api/agents/scout/links/skills', { name: 'README.md' }))).toEqual([
    404,
    'shared_entry_not_found',
  ]);
});

test('a directory, or a file with another ending, can’t be linked as a prompt template or a theme', async () => {
  const root = await makeRoot({
    'shared/prompts/notes.txt': '',
    'shared/prompts/more.md/x.md': '',
    'shared/themes/quiet.jsonc': '',
  });
  const { call } = await serve(root);
  for (const [kind, name] of [
    ['prompts', 'notes.txt'],
    ['prompts', 'more.md'],
    ['themes', 'quiet.jsonc'],
  ])
    expect(told(await call('POST', `/api/agents/scout/links/${kind}`, { name }))).toEqual([
      404,
      'shared_entry_not_found',
    ]);
  expect(await readdir(join(root, 'agents/scout'))).not.toContain('prompts');
});

test('links of another kind are an unknown route', async () => {
  const { call } = await serve(await makeRoot({ 'agents/scout/sessions': null }));
  for (const kind of ['sessions', 'Skills', 'skill', '.skills', '__proto__']) {
    const path = `/api/agents/scout/links/${kind}`;
    expect(told(await call('GET', path))).toEqual([404, 'not_found']);
    expect(told(await call('POST', path, { name: 'git-summary' }))).toEqual([404, 'not_found']);
    expect(told(await call('DELETE', `${path}/git-summary`))).toEqual([404, 'not_found']);
  }
});

test('links of one kind or one agent don’t affect the other kind or other agents', async () => {
  const root = await makeRoot({ 'shared/skills/say.ts': null });
  await mkdir(join(root, 'agents/second'));
  const { call } = await serve(root);
  expect((await call('POST', '/api/agents/scout/links/extensions', { name: 'say.ts' })).status).toBe(201);
  expect((await call('GET', '/api/agents/scout/links/skills')).body.entries).toEqual([]);
  expect((await call('GET', '/api/agents/second/links/extensions')).body.entries).toEqual([]);
  expect(told(await call('DELETE', '/api/agents/scout/links/skills/say.ts'))).toEqual([
    404,
    'link_not_found',
  ]);
  expect((await call('GET', '/api/agents/scout/links/extensions')).body.entries).toHaveLength(1);
});
