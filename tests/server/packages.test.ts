import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canFilter, switchPart } from '../../src/pi/package-filters.ts';
import { PACKAGE_RESOURCES, shownSource } from '../../src/pi/packages.ts';
import type { AgentPackage, AgentPackages } from '../../src/shared/api/packages.ts';
import { firstQuick } from '../support/first-quick.ts';
import { packageEditor } from '../support/packages.ts';
import type { Tree } from '../support/plant.ts';
import { shareServer } from '../support/shared-server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { makeRoot, serve } = shareServer({ asOperator: true });

const ROUTE = '/api/agents/scout/packages';
const FILE = 'agents/scout/settings.json';

/** As a person writes it: another indentation, and keys that pi doesn't know. */
const TEXT =
  '\uFEFF{\r\n' +
  '\t"mine" : {"deep": [1, 2,  3]},\r\n' +
  '\t"packages": [ "npm:left@1.0.0",  {"source" : "git:github.com/a/b@v1", "note": 1, "skills": []} ],\r\n' +
  '\t"theme": "dark"\r\n' +
  '}\r\n';

const servePackages = async (settings?: string | object, tree: Tree = {}) => {
  const text = typeof settings === 'object' ? JSON.stringify(settings) : settings;
  const rootPath = await makeRoot({ ...tree, ...(text === undefined ? {} : { [FILE]: text }) });
  const server = await serve(rootPath);
  return {
    ...server,
    rootPath,
    text: () => readFile(join(rootPath, FILE), 'utf8'),
    list: async (): Promise<AgentPackages> => (await server.call('GET', ROUTE)).body,
    ...packageEditor(server),
  };
};

const only = ({ packages: [first, ...more] }: AgentPackages): AgentPackage => {
  if (!first || more.length > 0) throw new Error('there is not exactly one package');
  return first;
};

const PACKAGE_JSON = JSON.stringify({ name: '@me/tools', version: '1.2.3' });

test('lists packages from npm, git and paths with their versions, filters and what they add', async () => {
  const npm = 'agents/scout/npm/node_modules/@me/tools';
  const { list, rootPath } = await servePackages(
    {
      packages: [
        { source: 'npm:@me/tools@^1.0.0', extensions: ['extensions/*.ts', '!extensions/old.ts'], skills: [] },
        'git:git@github.com:me/clone.git@v2',
        '../../shared/pack',
        './one.ts',
        'npm:not-there',
      ],
    },
    {
      [`${npm}/package.json`]: PACKAGE_JSON,
      [`${npm}/extensions/new.ts`]: 'export default () => {}',
      [`${npm}/extensions/old.ts`]: 'export default () => {}',
      [`${npm}/extensions/big/index.ts`]: 'export default () => {}',
      [`${npm}/skills/review/SKILL.md`]: '---\nname: review\ndescription: x\n---\n',
      [`${npm}/prompts/deep/fix.md`]: 'Fix it.',
      'agents/scout/git/github.com/me/clone/package.json': JSON.stringify({
        version: '2.0.0',
        pi: { extensions: ['./src/main.ts'], skills: ['packs/*', '!packs/b'], themes: ['gone'] },
      }),
      'agents/scout/git/github.com/me/clone/src/main.ts': '',
      'agents/scout/git/github.com/me/clone/packs/a/SKILL.md': '',
      'agents/scout/git/github.com/me/clone/packs/b/SKILL.md': '',
      'agents/scout/git/github.com/me/clone/prompts/unlisted.md': '',
      'shared/pack/themes/night.json': '{}',
      'shared/pack/themes/.gitignore': 'day.json',
      'shared/pack/themes/day.json': '{}',
      'agents/scout/one.ts': '',
    },
  );
  const { packages } = await list();
  expect(packages).toMatchObject([
    {
      index: 0,
      source: 'npm:@me/tools@^1.0.0',
      kind: 'npm',
      requested: '^1.0.0',
      place: 'inside',
      directory: npm,
      installed: { version: '1.2.3' },
      filters: { extensions: ['extensions/*.ts', '!extensions/old.ts'], skills: [] },
      adds: {
        extensions: expect.arrayContaining([
          { name: 'new.ts', path: 'extensions/new.ts' },
          { name: 'old.ts', path: 'extensions/old.ts', isOff: true },
          { name: 'big', path: 'extensions/big/index.ts', isOff: true },
        ]),
        skills: [{ name: 'review', path: 'skills/review', isOff: true }],
        prompts: [{ name: 'fix', path: 'prompts/deep/fix.md' }],
        themes: [],
      },
    },
    {
      kind: 'git',
      requested: 'v2',
      directory: 'agents/scout/git/github.com/me/clone',
      installed: { version: '2.0.0' },
      adds: {
        extensions: [{ name: 'main.ts', path: 'src/main.ts' }],
        skills: [{ name: 'a', path: 'packs/a' }],
        prompts: [],
        themes: [],
      },
    },
    {
      kind: 'path',
      requested: null,
      directory: 'shared/pack',
      installed: { version: null },
      adds: { themes: [{ name: 'night', path: 'themes/night.json' }] },
      install: null,
    },
    { kind: 'path', adds: { extensions: [{ name: 'one.ts', path: 'one.ts' }] } },
    { kind: 'npm', place: 'inside', installed: null, adds: null },
  ]);
  expect(packages.filter(({ problem }) => problem !== undefined)).toEqual([]);
  const agent = join(rootPath, 'agents/scout');
  expect(packages[0]?.install?.posix).toBe(`PI_CODING_AGENT_DIR=${agent} pi install 'npm:@me/tools@^1.0.0'`);
  expect(packages[0]?.install?.powershell).toContain("pi install 'npm:@me/tools@^1.0.0'");
});

test.each([
  ['without filters, only the lists of the manifest count', 'npm:p', ['a']],
  ['an object without filters adds the usual directories to them', { source: 'npm:p' }, ['a', 'loose']],
  [
    'autoload: false loads only what a filter names',
    { source: 'npm:p', autoload: false, skills: ['+packs/a'] },
    ['a'],
  ],
  ['autoload: false without a filter loads nothing', { source: 'npm:p', autoload: false }, []],
  ['a path with - wins over one with +', { source: 'npm:p', skills: ['+packs/a', '-packs/a'] }, ['loose']],
])('%s', async (_, entry, loaded) => {
  const at = 'agents/scout/npm/node_modules/p';
  const { list } = await servePackages(
    { packages: [entry] },
    {
      [`${at}/package.json`]: JSON.stringify({ version: '1.0.0', pi: { skills: ['packs'] } }),
      [`${at}/packs/a/SKILL.md`]: '',
      [`${at}/prompts/loose.md`]: '',
    },
  );
  const { adds } = only(await list());
  const names = [...(adds?.skills ?? []), ...(adds?.prompts ?? [])].flatMap(({ name, isOff }) =>
    isOff ? [] : [name],
  );
  expect(names).toEqual(loaded);
});

test('reads nothing outside the root, and does not say whether it is there', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'package.json'), JSON.stringify({ version: '6.6.6', pi: { skills: ['.'] } }));
  await writeFile(join(outside, 'SKILL.md'), '');
  const { list, rootPath } = await servePackages(
    { packages: [outside, `${outside}-not-there`, '~/pack', './linked', 'npm:linked', './own'] },
    {
      'agents/scout/linked': { link: outside },
      'agents/scout/npm/node_modules/linked': { link: outside },
      'agents/scout/own/package.json': { link: join(outside, 'package.json') },
      'agents/scout/own/skills/there': { link: outside },
      'agents/scout/own/skills/gone': { link: `${outside}-not-there` },
    },
  );
  const { packages } = await list();
  expect(
    packages
      .slice(0, 5)
      .map(({ place, directory, installed, adds, problem }) => [place, directory, installed, adds, problem]),
  ).toEqual(Array.from({ length: 5 }, () => ['outside', null, null, null, undefined]));
  expect(packages[5]).toMatchObject({ place: 'inside', installed: { version: null }, adds: { skills: [] } });
  expect(JSON.stringify(packages)).not.toContain('6.6.6');
  expect(rootPath).not.toBe(outside);
});

test('a name of npm or git can’t lead to another directory', async () => {
  const { list } = await servePackages(
    { packages: ['npm:../../../other', 'git:github.com/../../other', 'https://x.example/a/..%2f..%2fb'] },
    { 'agents/other/package.json': PACKAGE_JSON },
  );
  for (const { kind, installed, problem } of (await list()).packages) {
    expect([kind === 'git', installed]).toEqual([false, null]);
    expect(problem).toEqual(expect.any(String));
  }
});

const SECRET = `ghp_${'Zq4T8vW1nB6x'.repeat(3)}`;

test.each([
  [`https://${SECRET}@github.com/a/b`, 'https://…@github.com/a/b'],
  [`https://me:hunter22@git.example/a/b.git@v1`, 'https://…@git.example/a/b.git@v1'],
  [`git:https://me:hunter22@git.example/a/b`, 'git:https://…@git.example/a/b'],
  [`git:me:hunter22@git.example/a/b`, 'git:…@git.example/a/b'],
  [`ssh://git@github.com/a/b`, 'ssh://git@github.com/a/b'],
  [`ssh://git:hunter22@github.com/a/b`, 'ssh://…@github.com/a/b'],
  [`https://git.example/a/b?token=hunter22`, 'https://git.example/a/b?…'],
  [`npm:x@git+https://me:hunter22@git.example/a/b`, 'npm:x@git+https://…@git.example/a/b'],
  [`git:github.com/a/${SECRET}`, 'git:…'],
  [`git:git@github.com:a/b@${'0123456789abcdef'.repeat(2)}01234567`, undefined],
])('%s is shown without its credentials, and can still be filtered and removed', async (source, shown) => {
  const { list, filter, remove, text } = await servePackages({ packages: [source] });
  const read = await list();
  expect(only(read).source).toBe(shown ?? source);
  const changed = await filter(0, { skills: [] });
  expect(changed.error).toBe(undefined);
  expect(JSON.parse(await text()).packages).toEqual([{ source, skills: [] }]);
  for (const body of [read, changed.body, await list()]) {
    expect(JSON.stringify(body)).not.toContain('hunter22');
    expect(JSON.stringify(body)).not.toContain(SECRET);
  }
  if (shown !== undefined && shown !== source) expect(only(read).install).toBe(null);
  expect((await remove(0)).body.applied).toBe(1);
  expect(JSON.parse(await text()).packages).toEqual([]);
});

test('a very long source costs no time', () => {
  const started = performance.now();
  expect(shownSource(`https://${'a:'.repeat(1_000_000)}@x`)).toBe('…');
  shownSource(`${'a'.repeat(2_000)}`);
  expect(performance.now() - started).toBeLessThan(200);
});

test('changes only its entry, and the undo of the settings restores all bytes', async () => {
  const { add, edit, filter, remove, text, list, undo } = await servePackages(TEXT);
  const added = await add('npm:@me/new');
  expect(await text()).toBe(TEXT.replace('"skills": []} ]', '"skills": []},  "npm:@me/new" ]'));
  const filtered = await filter(1, { skills: null, prompts: ['prompts/a.md'] });
  expect(JSON.parse((await text()).slice(1)).packages).toEqual([
    'npm:left@1.0.0',
    { source: 'git:github.com/a/b@v1', note: 1, prompts: ['prompts/a.md'] },
    'npm:@me/new',
  ]);
  expect(await text()).toContain('\t"mine" : {"deep": [1, 2,  3]},\r\n\t"packages": [ "npm:left@1.0.0",');
  // A change of a setting between them.
  const theme = await edit([{ path: ['theme'], value: 'light' }]);
  const removed = await remove(0, { ifMatch: (await list()).etag });
  for (const made of [removed, theme, filtered, added]) expect((await undo(made)).body.applied).toBe(1);
  expect(await text()).toBe(TEXT);
});

test('another version of a listed package replaces it, with its filters', async () => {
  const { add, text } = await servePackages(TEXT);
  await add('npm:left@2.0.0');
  await add('https://github.com/a/b.git@v2');
  expect(JSON.parse((await text()).slice(1)).packages).toEqual([
    'npm:left@2.0.0',
    { source: 'https://github.com/a/b.git@v2', note: 1, skills: [] },
  ]);
});

test('the first package creates the file, and an entry without filters is a text again', async () => {
  const { add, filter, text, list, undo } = await servePackages();
  expect(await list()).toEqual({ exists: false, etag: null, packages: [] });
  const first = await add('npm:x', { ifNoneMatch: '*' });
  expect(JSON.parse(await text())).toEqual({ packages: ['npm:x'] });
  const filtered = await filter(0, { skills: [] });
  expect(JSON.parse(await text())).toEqual({ packages: [{ source: 'npm:x', skills: [] }] });
  const back = await filter(0, { skills: null });
  expect(JSON.parse(await text())).toEqual({ packages: ['npm:x'] });
  for (const made of [back, filtered, first]) await undo(made);
  expect((await list()).exists).toBe(false);
});

test.each([
  ['git@github.com:a/b', 'is neither a path nor a repository'],
  ['github:a/b', 'is neither a path nor a repository'],
  ['git:a/b', 'is neither a path nor a repository'],
  ['https://github.com', 'is neither a path nor a repository'],
  ['npm:', 'doesn’t name an npm package'],
  ['npm:../x', 'doesn’t name an npm package'],
  ['  ', 'is empty'],
  ['-l', 'can’t start with "-"'],
  ['npm:x\u0007', 'control character'],
  ['https://me:hunter22@git.example/a/b', 'contains a user name'],
  ['https://…@git.example/a/b', 'or a hidden part'],
])('refuses to add %j, and lists such an entry with its problem', async (source, sentence) => {
  const { add, text } = await servePackages(TEXT);
  const { code, error } = await add(source);
  expect(code).toBe('package_refused');
  expect(error).toContain(sentence);
  expect(error).not.toContain('hunter22');
  expect(await text()).toBe(TEXT);
});

test.each<[object, string]>([
  [{ source: 'npm:new', skills: 'all' }, 'The filter of skills is not a list of strings.'],
  [{ source: 'npm:new', skills: [''] }, 'The filter of skills must be a list of strings'],
  [{ source: 'npm:new', skills: ['…'] }, 'A pattern in skills is hidden'],
  [{ source: 'npm:new', skills: [`+${SECRET}`] }, 'A pattern in skills is hidden'],
  [{ skills: [] }, 'The entry has no source'],
  [{ source: 'npm:left@2.0.0' }, 'pi uses the first entry for this package'],
])('refuses the new entry %j, which pi couldn’t use', async (entry, sentence) => {
  const { edit, text } = await servePackages(TEXT);
  const { code, error } = await edit([{ path: ['packages', 2], value: entry }]);
  expect([code, error]).toEqual(['package_refused', expect.stringContaining(sentence)]);
  expect((await edit([{ path: ['packages'], value: 'npm:x' }])).code).toBe('package_refused');
  expect(await text()).toBe(TEXT);
});

test('lists what pi ignores or fails at with the problem, and each can be removed', async () => {
  const { list, remove, text } = await servePackages({
    packages: [5, {}, 'npm:x', 'npm:x@2', './gone', { source: 'npm:y', skills: 'all' }, 'github:a/b'],
  });
  const { packages } = await list();
  expect(packages.map(({ source, problem }) => [source, problem?.split(' ').slice(0, 5).join(' ')])).toEqual([
    [null, 'The entry has no source,'],
    [null, 'The entry has no source,'],
    ['npm:x', undefined],
    ['npm:x@2', 'pi uses the first entry'],
    ['./gone', 'There is nothing at "./gone",'],
    ['npm:y', 'The filter of skills is'],
    ['github:a/b', '"github:a/b" is neither a path'],
  ]);
  for (const index of [6, 3]) expect((await remove(index)).body.applied).toBe(1);
  expect(JSON.parse(await text()).packages).toHaveLength(5);
  expect((await remove(5)).body).toMatchObject({ applied: 0, unchanged: 1 });
});

test('refuses to overwrite the edit of another program', async () => {
  const { add, list, rootPath, text } = await servePackages(TEXT);
  const { etag } = await list();
  await writeFile(join(rootPath, FILE), '{"theme":"dark"}');
  expect((await add('npm:x', { ifMatch: etag })).code).toBe('file_changed');
  expect(await text()).toBe('{"theme":"dark"}');
});

test.each(['[]', '{"packages": {}}', '{"packages": "npm:x"}', '{'])(
  'says why %s can’t be changed',
  async (settings) => {
    const { add, list, text } = await servePackages(settings);
    expect((await list()).problem).toEqual(expect.any(String));
    expect((await add('npm:x')).code).toBe('pi_settings_unreadable');
    expect(await text()).toBe(settings);
  },
);

test('doesn’t write through a symlink', async () => {
  const { add, rootPath } = await servePackages();
  await writeFile(join(rootPath, 'other.json'), '{}');
  await symlink('../../other.json', join(rootPath, FILE));
  expect((await add('npm:x')).code).toBe('linked_file');
  expect(await readFile(join(rootPath, 'other.json'), 'utf8')).toBe('{}');
});

test('the predicted prompt says that it leaves out a package that isn’t installed', async () => {
  const { call, add } = await servePackages('{}');
  const codes = async (): Promise<string[]> =>
    (await call('GET', '/api/agents/scout/prompt')).body.notes.map(({ code }: { code: string }) => code);
  expect(await codes()).not.toContain('packages_unread');
  await add('npm:x');
  expect(await codes()).toContain('packages_unread');
});

/** What a package loads, and what it leaves out, of each kind. */
const states = ({ packages }: AgentPackages): Record<string, boolean> =>
  Object.fromEntries(
    packages.flatMap(({ adds }) =>
      PACKAGE_RESOURCES.flatMap((kind) =>
        (adds?.[kind] ?? []).map(({ path, isOff }) => [`${kind} ${path}`, isOff !== true] as const),
      ),
    ),
  );

for (const [tags, rows] of firstQuick<[string, object]>(1, [
  ['a text', {}],
  ['no filter', { note: 1 }],
  ['an empty filter', { skills: [], extensions: [] }],
  ['plain patterns', { skills: ['packs/*'], extensions: ['x/one.ts'] }],
  ['a plain name that is excluded again', { skills: ['packs/a', '!packs/*'], extensions: ['one.ts'] }],
  ['exclusions', { skills: ['!packs/a', '!b'], extensions: ['!one.ts'] }],
  ['marks', { skills: ['-./packs/a', '+packs/[b]', '!**'], extensions: ['-one.ts', '+x/one.ts'] }],
  ['no autoload', { autoload: false, skills: ['packs/*', '!packs/a'], extensions: ['+one.ts'] }],
]))
  test.each(rows)(
    'switches each part of a package with %s on and off again, and no other',
    { tags },
    async (_, fields) => {
      const isText = Object.keys(fields).length === 0;
      const { list, filter } = await servePackages(
        { packages: [isText ? './pack' : { source: './pack', ...fields }] },
        {
          'agents/scout/pack/package.json': JSON.stringify({
            pi: { skills: ['.', 'packs/*', 'more/*'], extensions: ['one.ts', 'x/one.ts'] },
          }),
          ...Object.fromEntries(
            ['packs/a', 'packs/[b]', 'more/b', 'more/x y'].map((path) => [
              `agents/scout/pack/${path}/SKILL.md`,
              '',
            ]),
          ),
          'agents/scout/pack/SKILL.md': '',
          'agents/scout/pack/one.ts': '',
          'agents/scout/pack/x/one.ts': '',
          // Only an entry with a filter loads it, because the manifest doesn't list it.
          'agents/scout/pack/prompts/unlisted.md': '',
        },
      );
      const before = states(await list());
      expect(Object.keys(before).length).toBeGreaterThanOrEqual(6);
      for (const key of Object.keys(before)) {
        const [kind = '', path] = key.split(/ (.*)/s);
        for (const isOn of [!before[key], before[key] === true]) {
          const entry = only(await list());
          const part = entry.adds?.[kind as 'skills'].find((one) => one.path === path);
          if (!part) throw new Error(`${key} is gone`);
          expect(canFilter(entry, kind as 'skills', part)).toBe(true);
          const { error } = await filter(0, switchPart(entry, kind as 'skills', part, isOn));
          expect([key, error]).toEqual([key, undefined]);
          // What the manifest doesn't list appears once there is a filter, and stays off.
          const now = Object.entries(states(await list())).filter(
            ([other, isLoaded]) => other in before || isLoaded,
          );
          expect(Object.fromEntries(now)).toEqual({ ...before, [key]: isOn });
        }
      }
    },
  );

test('says what a filter would add, and what no filter leaves out', async () => {
  const { list } = await servePackages(
    { packages: ['./listed', { source: './with-a-filter', skills: [] }, './one.ts', './bare'] },
    {
      'agents/scout/listed/package.json': '{"pi":{"skills":["s"]}}',
      'agents/scout/listed/prompts/x.md': '',
      'agents/scout/with-a-filter/package.json': '{"pi":{"skills":["s"]}}',
      'agents/scout/with-a-filter/prompts/x.md': '',
      'agents/scout/one.ts': '',
      'agents/scout/bare/index.ts': '',
    },
  );
  const { packages } = await list();
  expect(packages.map(({ unlisted }) => unlisted)).toEqual([['prompts'], undefined, undefined, undefined]);
  expect(packages.slice(2).map(({ adds }) => adds?.extensions)).toEqual([
    [{ name: 'one.ts', path: 'one.ts', isWhole: true }],
    [{ name: 'bare', path: '.', isWhole: true }],
  ]);
});
