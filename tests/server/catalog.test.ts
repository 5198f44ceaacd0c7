import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, rename, rm, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createRoot } from '../../src/server/platform/root.ts';
import { placeOfSharedEntry } from '../../src/server/platform/shared-folder.ts';
import { contextWithoutWatch } from '../../src/server/root-model/coverage.ts';
import { recordPaths } from '../../src/server/root-model/path-record.ts';
import { readUtf8 } from '../../src/server/root-model/reader.ts';
import type { SharedExtension, SharedSkill } from '../../src/shared/api/catalog.ts';
import { rootViews } from '../support/fresh-scans.ts';
import { heedModes } from '../support/nobody.ts';
import { until } from '../support/raw-http.ts';
import { plant, type Tree } from '../support/root.ts';
import type { TestServer } from '../support/server.ts';
import { shareServer } from '../support/shared-server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { makeRoot, serve } = shareServer();

const FIXTURES = fileURLToPath(new URL('../fixtures/skills', import.meta.url));
const GIT_SUMMARY = {
  name: 'git-summary',
  nameFm: 'git-summary',
  description: 'Summarise a branch.',
  frontmatter: { name: 'git-summary', description: 'Summarise a branch.' },
  path: 'shared/skills/git-summary',
  diagnostics: [],
};

const skillText = (name: string, description = 'Does one thing.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nBody.\n`;

const rulesOf = (skill: SharedSkill | undefined) =>
  skill?.diagnostics.map(({ severity, rule }) => `${severity} ${rule}`);

/** The skills by name; each listing also holds the good one, untouched. */
const listSkills = async ({ call }: TestServer): Promise<Map<string, SharedSkill>> => {
  const { status, body } = await call('GET', '/api/catalog/skills');
  expect([status, body.code]).toEqual([200, undefined]);
  expect(body.skills).toContainEqual(GIT_SUMMARY);
  return new Map(body.skills.map((skill: SharedSkill) => [skill.name, skill]));
};

const listExtensions = async ({ call }: TestServer): Promise<SharedExtension[]> => {
  const { status, body } = await call('GET', '/api/catalog/extensions');
  expect(status).toBe(200);
  return body.extensions;
};

/** What an extension says of itself, and its diagnostics as "severity rule". */
const detailsOf = (extensions: readonly SharedExtension[]) =>
  Object.fromEntries(
    extensions.map(({ name, description, diagnostics }) => [
      name,
      [description, ...diagnostics.map(({ severity, rule }) => `${severity} ${rule}`)],
    ]),
  );

test('lists every skill, sorted, whatever is wrong with each', { tags: 'slow' }, async () => {
  const mark = join(tmpdir(), 'dot-mi-frontmatter-ran');
  await rm(mark, { force: true });
  const root = await makeRoot({
    'shared/skills/crlf/SKILL.md': skillText('crlf').replaceAll('\n', '\r\n'),
    'shared/skills/bom/SKILL.md': `\uFEFF${skillText('bom')}`,
    'shared/skills/one-megabyte/SKILL.md': skillText('one-megabyte', 'x'.repeat(1024 * 1024)),
    'shared/skills/not-utf8/SKILL.md': Buffer.from('---\nname: caf\xe9\n---\n', 'latin1'),
    'shared/skills/nul/SKILL.md': '---\nname: "a\0b"\n---\n',
    'shared/skills/proto/SKILL.md': '---\nname: proto\ndescription: d\n__proto__: { polluted: yes }\n---\n',
    'shared/skills/alias-bomb/SKILL.md': `---\na: &a [x]\n${'bcdefghij'.replace(/./g, (c, i: number) => `${c}: &${c} [${`*${'abcdefghi'[i]}, `.repeat(10)}]\n`)}---\n`,
  });
  await cp(FIXTURES, join(root, 'shared/skills'), { recursive: true });
  const server = await serve(root);
  const skills = await listSkills(server);

  expect(Object.fromEntries(Array.from(skills, ([name, skill]) => [name, rulesOf(skill)]))).toEqual({
    'alias-bomb': ['error frontmatter-yaml'],
    bom: [],
    'broken-yaml': ['error frontmatter-yaml'],
    'circular-alias': ['warning frontmatter-too-complex'],
    'colon-in-text': ['error frontmatter-yaml'],
    comments: [],
    'compatibility-too-long': ['warning compatibility'],
    'complex-key': ['warning frontmatter-too-complex'],
    crlf: [],
    'description-blank': ['error description-missing'],
    'description-list': ['error description-missing'],
    'description-missing': ['error description-missing'],
    'description-too-long': ['warning description-length'],
    'duplicate-key': ['error frontmatter-yaml'],
    'empty-file': ['error frontmatter-missing'],
    'empty-frontmatter': ['warning name-missing', 'error description-missing'],
    'folded-scalar': [],
    'folded-stripped': [],
    'git-summary': [],
    'javascript-language': ['error frontmatter-not-a-mapping'],
    'js-language': ['error frontmatter-yaml'],
    'json-language': ['error frontmatter-yaml'],
    lists: [],
    'literal-scalar': [],
    'markdown-rule': ['error description-missing'],
    'name-format': ['warning name-format', 'warning name-directory'],
    'name-mismatch': ['warning name-directory'],
    'name-missing': ['warning name-missing'],
    'name-number': ['warning name-type'],
    'name-too-long': ['warning name-length', 'warning name-directory'],
    'no-frontmatter': ['error frontmatter-missing'],
    'not-a-mapping': ['error frontmatter-not-a-mapping'],
    'not-utf8': [
      'warning skill-md-not-text',
      'warning name-format',
      'warning name-directory',
      'error description-missing',
    ],
    nul: [
      'warning skill-md-not-text',
      'warning name-format',
      'warning name-directory',
      'error description-missing',
    ],
    'one-megabyte': ['warning frontmatter-too-large'],
    'only-a-date': ['error frontmatter-not-a-mapping'],
    'only-text': ['error frontmatter-not-a-mapping'],
    proto: ['warning key-unknown'],
    quotes: [],
    'tab-indent': ['error frontmatter-yaml'],
    'toml-language': ['error frontmatter-not-a-mapping'],
    types: [],
    unclosed: ['error frontmatter-unclosed'],
    'unknown-alias': ['error frontmatter-yaml'],
    'unknown-key': ['warning key-unknown'],
    'yaml-language': ['error frontmatter-yaml'],
  });
  expect([...skills.keys()]).toEqual([...skills.keys()].sort());
  expect(skills.get('lists')).toMatchObject({
    nameFm: 'lists',
    description: 'Does one thing.',
    frontmatter: { 'allowed-tools': ['Read', 'Bash(git:*)'] },
    path: 'shared/skills/lists',
  });
  expect(skills.get('name-mismatch')).toMatchObject({ name: 'name-mismatch', nameFm: 'another-name' });
  expect(skills.get('name-number')).not.toHaveProperty('nameFm');
  expect(skills.get('broken-yaml')).toMatchObject({ frontmatter: {} });
  for (const { diagnostics } of skills.values()) {
    for (const { message } of diagnostics) expect(message).toMatch(/^[^\n]{10,200}$/);
  }
  await expect(stat(mark)).rejects.toThrow('ENOENT');
});

test('a linked skill directory counts, wherever in or out of the root it is', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, { 'far/SKILL.md': skillText('far') });
  const server = await serve(
    await makeRoot({
      'elsewhere/near/SKILL.md': skillText('near'),
      'shared/skills/near': { link: '../../elsewhere/near' },
      'shared/skills/far': { link: join(outside, 'far') },
    }),
  );
  const skills = await listSkills(server);
  for (const name of ['near', 'far']) {
    expect(skills.get(name)).toMatchObject({ nameFm: name, path: `shared/skills/${name}`, diagnostics: [] });
  }
});

test('a skill outside the root shows its name and description, and nothing else of its frontmatter', async () => {
  const outside = await makeTempDirectory();
  const secret = 'hunter2';
  await plant(outside, {
    'far/SKILL.md': `---\nname: far\ndescription: What it does.\ntoken: ${secret}\n${secret}: 1\nmetadata:\n  key: ${secret}\n---\n`,
    'odd/SKILL.md': `---\nname: [${secret}]\ndescription: { key: ${secret} }\ncompatibility: ${secret}\n---\n`,
    'broken/SKILL.md': `---\nname: broken\n${secret}: "unclosed\n---\n`,
  });
  const server = await serve(
    await makeRoot({
      'shared/skills/far': { link: join(outside, 'far') },
      'shared/skills/odd': { link: join(outside, 'odd') },
      'shared/skills/broken': { link: join(outside, 'broken') },
    }),
  );
  const skills = await listSkills(server);
  expect(skills.get('far')).toEqual({
    name: 'far',
    nameFm: 'far',
    description: 'What it does.',
    frontmatter: { name: 'far', description: 'What it does.' },
    path: 'shared/skills/far',
    diagnostics: [],
  });
  expect(JSON.stringify([...skills.values()])).not.toContain(secret);
});

test('a linked folder of skills is read too', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  await rename(join(root, 'shared'), join(root, 'common'));
  await symlink('common', join(root, 'shared'));
  await listSkills(server);
});

test('a directory without SKILL.md is listed with an error, and so is anything else in its place', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'secret.md'), skillText('secret', 'Nobody may see this.'));
  const root = await makeRoot({
    'shared/skills/empty': null,
    'shared/skills/lower-case/skill.md': skillText('lower-case'),
    'shared/skills/a-directory/SKILL.md': null,
    'shared/skills/over-2-mib/SKILL.md': skillText('over-2-mib') + 'x'.repeat(2 * 1024 * 1024),
    'shared/skills/linked-out/SKILL.md': { link: join(outside, 'secret.md') },
    'shared/skills/linked-out-nowhere/SKILL.md': { link: join(outside, 'nowhere.md') },
    'shared/skills/linked-in/SKILL.md': { link: '../git-summary/SKILL.md' },
    'shared/skills/linked-nowhere/SKILL.md': { link: 'nowhere.md' },
    'shared/skills/linked-round/SKILL.md': { link: 'SKILL.md' },
    'shared/skills/a-pipe': null,
    'shared/skills/nowhere': { link: 'not-there' },
    'shared/skills/round': { link: 'round' },
    'shared/skills/no-path': { link: 'x'.repeat(300) },
    'shared/skills/README.md': 'a plain file',
    'shared/skills/linked-file': { link: 'README.md' },
    'shared/skills/.hidden/SKILL.md': skillText('hidden'),
  });
  execFileSync('mkfifo', [
    join(root, 'shared/skills/a-pipe/SKILL.md'),
    join(root, 'shared/skills/just-a-pipe'),
  ]);
  const server = await serve(root);
  const skills = await listSkills(server);
  skills.delete('git-summary');

  expect(Object.fromEntries(Array.from(skills, ([name, skill]) => [name, rulesOf(skill)]))).toEqual({
    'a-directory': ['error skill-md-not-a-file'],
    'a-pipe': ['error skill-md-not-a-file'],
    empty: ['error skill-md-missing'],
    'linked-in': ['warning name-directory'],
    'linked-nowhere': ['error skill-md-missing'],
    'linked-out': ['warning skill-md-outside-root'],
    'linked-out-nowhere': ['warning skill-md-outside-root'],
    'linked-round': ['error skill-md-missing'],
    'lower-case': ['error skill-md-missing'],
    'no-path': ['error skill-link-broken'],
    nowhere: ['error skill-link-broken'],
    'over-2-mib': ['warning skill-md-too-large'],
    round: ['error skill-link-broken'],
  });
  expect(skills.get('linked-out')).toMatchObject({ frontmatter: {} });
  expect(JSON.stringify([...skills.values()])).not.toMatch(/secret|Nobody/);
});

test('unreadable entries are reported and hide nothing else', async () => {
  const root = await makeRoot({
    'shared/skills/closed-file/SKILL.md': skillText('closed-file'),
    'shared/skills/closed/SKILL.md': skillText('closed'),
    'shared/skills/behind': { link: '../../vault/behind' },
    'vault/behind/SKILL.md': skillText('behind'),
    'vault/extension.ts': '',
    'shared/extensions/behind.ts': { link: '../../vault/extension.ts' },
  });
  execFileSync('chmod', ['-R', 'a+rX', join(root, '..')]);
  execFileSync('chmod', [
    '000',
    ...['shared/skills/closed-file/SKILL.md', 'shared/skills/closed', 'vault'].map((path) =>
      join(root, path),
    ),
  ]);
  // The threads load their code from a place that nobody may not read everywhere.
  const server = await serve(root);
  await listSkills(server);
  await writeFile(join(root, 'shared/skills/git-summary/again'), '');
  heedModes();
  const skills = await listSkills(server);
  expect(rulesOf(skills.get('closed-file'))).toEqual(['error skill-md-unreadable']);
  expect(rulesOf(skills.get('closed'))).toEqual(['error skill-unreachable']);
  expect(rulesOf(skills.get('behind'))).toEqual(['error skill-unreachable']);
  const extensions = await listExtensions(server);
  expect(extensions.map(({ name }) => name)).toEqual(['behind.ts', 'say.ts']);
  expect(extensions[0]?.diagnostics[0]).toMatchObject({ rule: 'extension-unreachable' });
});

test('lists extensions as files and directories, linked or not, and nothing else', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'far.ts'), '');
  const root = await makeRoot({
    'shared/extensions/Zed.js': '',
    'shared/extensions/package/index.ts': '',
    'shared/extensions/far.ts': { link: join(outside, 'far.ts') },
    'shared/extensions/linked': { link: 'package' },
    'shared/extensions/dangling.ts': { link: 'nowhere.ts' },
    'shared/extensions/round.ts': { link: 'round.ts' },
    'shared/extensions/no-path.ts': { link: 'x'.repeat(300) },
    'shared/extensions/.hidden.ts': '',
    'shared/extensions/über uns.ts': '',
  });
  execFileSync('mkfifo', [join(root, 'shared/extensions/pipe.ts')]);
  const listed = await listExtensions(await serve(root));
  expect(listed.map(({ name, kind, path }) => ({ name, kind, path }))).toEqual([
    { name: 'Zed.js', kind: 'file', path: 'shared/extensions/Zed.js' },
    { name: 'far.ts', kind: 'file', path: 'shared/extensions/far.ts' },
    { name: 'linked', kind: 'dir', path: 'shared/extensions/linked' },
    { name: 'package', kind: 'dir', path: 'shared/extensions/package' },
    { name: 'say.ts', kind: 'file', path: 'shared/extensions/say.ts' },
    { name: 'über uns.ts', kind: 'file', path: 'shared/extensions/über uns.ts' },
  ]);
});

const FACTORY = 'export default () => {};\n';

test('reports each extension’s own description', async () => {
  const root = await makeRoot({
    'shared/extensions/block.ts': `#!/usr/bin/env node\n/**\n * Says that a run\n * has finished.\n *\n * More.\n */\n${FACTORY}`,
    'shared/extensions/crlf.js': `// Two lines\r\n// of it.\r\n\r\n// Another.\r\n${FACTORY}`,
    'shared/extensions/titled.ts': `\uFEFF/*\n * Plan mode\n *\n * Reads before it writes.\n * @param pi all of it\n */\n${FACTORY}`,
    'shared/extensions/licensed.ts': `/* Copyright 2026 */\n// @ts-nocheck\n\n/** @file What it does. */\n${FACTORY}`,
    'shared/extensions/long.ts': `// ${'word '.repeat(400)}\n${FACTORY}`,
    'shared/extensions/later.ts': `${FACTORY}// Not about the file.\n`,
    'shared/extensions/package/package.json':
      '{ "description": " Counts\\n tokens. ", "pi": { "extensions": ["./src/a.ts"] } }',
    'shared/extensions/package/src/a.ts': `// Not asked.\n${FACTORY}`,
    'shared/extensions/named/package.json': '{ "pi": { "extensions": ["src/a.ts", "src/b.ts"] } }',
    'shared/extensions/named/src/a.ts': FACTORY,
    'shared/extensions/named/src/b.ts': `// The second.\n${FACTORY}`,
    'shared/extensions/index/index.ts': `// The index.\n${FACTORY}`,
    'shared/extensions/index/index.js': `// Not this one.\nmodule.exports = () => {};\n`,
    'shared/extensions/linked': { link: 'index' },
  });
  const details = detailsOf(await listExtensions(await serve(root)));
  expect(details['long.ts']?.[0]).toMatch(/^(word ){204}wor…$/);
  expect(details).toEqual({
    'block.ts': ['Says that a run has finished.'],
    'crlf.js': ['Two lines of it.'],
    'titled.ts': ['Plan mode: Reads before it writes.'],
    'licensed.ts': ['What it does.'],
    'long.ts': [expect.any(String)],
    'later.ts': [undefined],
    package: ['Counts tokens.'],
    named: ['The second.'],
    index: ['The index.'],
    linked: ['The index.'],
    'say.ts': [undefined],
  });
});

test('reports what keeps pi from loading an extension', async () => {
  const inside = (name: string) => `shared/extensions/${name}`;
  const root = await makeRoot({
    [inside('README.md')]: '# Notes',
    [inside('empty.ts')]: '',
    [inside('latin.ts')]: Buffer.from('// caf\xe9\nexport default () => {};', 'latin1'),
    [inside('nothing/lib.ts')]: FACTORY,
    [inside('gone/package.json')]: '{ "pi": { "extensions": ["./gone.ts"] } }',
    [inside('half/package.json')]: '{ "pi": { "extensions": ["./gone.ts", "./a.ts"] } }',
    [inside('half/a.ts')]: FACTORY,
    [inside('fallback/package.json')]: '{ "pi": { "extensions": ["./gone.ts"] } }',
    [inside('fallback/index.js')]: 'exports.default = () => {};',
    [inside('broken/package.json')]: '{ pi: ',
    [inside('broken/index.ts')]: FACTORY,
    [inside('deep/package.json')]: `{ "description": "x", "y": ${'['.repeat(2_000)}${']'.repeat(2_000)} }`,
    [inside('deep/index.ts')]: FACTORY,
    [inside('list/package.json')]: '[]',
    [inside('shape/package.json')]: '{ "pi": { "extensions": "./a.ts" } }',
    [inside('shape/index.ts')]: 'const nothing = 1;',
    [inside('plain/package.json')]: '{ "name": "plain", "pi": {} }',
    [inside('plain/index.ts')]: FACTORY,
  });
  expect(detailsOf(await listExtensions(await serve(root)))).toEqual({
    'README.md': [undefined, 'error extension-not-a-module'],
    'empty.ts': [undefined, 'error extension-no-default-export'],
    'latin.ts': [undefined, 'error extension-unreadable'],
    nothing: [undefined, 'error extension-no-entry'],
    gone: [undefined, 'warning extension-entry-missing', 'error extension-no-entry'],
    half: [undefined, 'warning extension-entry-missing'],
    fallback: [undefined, 'warning extension-entry-missing'],
    broken: [undefined, 'warning package-json-invalid'],
    deep: [undefined, 'warning package-json-unreadable'],
    list: [undefined, 'warning package-json-invalid', 'error extension-no-entry'],
    shape: [undefined, 'warning package-json-extensions', 'error extension-no-default-export'],
    plain: [undefined],
    'say.ts': [undefined],
  });
});

test('reveals nothing about a file that an extension points to outside of itself and the root', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, {
    'secret.ts': '// A secret.\n',
    'package/package.json': '{ "description": "From elsewhere." }',
    'package/index.ts': FACTORY,
  });
  const up = join('../../../..', outside);
  const root = await makeRoot({
    'shared/extensions/secret.ts': { link: join(outside, 'secret.ts') },
    'shared/extensions/climbs/package.json': JSON.stringify({
      pi: { extensions: [join(outside, 'secret.ts'), `${up}/secret.ts`, `${up}/not-there.ts`] },
    }),
    'shared/extensions/linked/index.ts': { link: join(outside, 'secret.ts') },
    'shared/extensions/linked/package.json': { link: join(outside, 'package/package.json') },
    // What is linked in whole may tell of itself.
    'shared/extensions/whole': { link: join(outside, 'package') },
  });
  expect(detailsOf(await listExtensions(await serve(root)))).toEqual({
    'secret.ts': [undefined],
    climbs: [undefined],
    linked: [undefined],
    whole: ['From elsewhere.'],
    'say.ts': [undefined],
  });
});

test('follows no link within an entry that is linked from elsewhere', async () => {
  // Another user may write in `public`, but only the server's user may read `private`.
  const outside = await makeTempDirectory();
  await plant(outside, {
    'public/private/notes.md': skillText('secret', 'A secret.'),
    'public/private/about.json': '{ "description": "A secret." }',
    'public/private/secret.ts': '/** A secret. */\nexport default () => {};\n',
    'public/private/install.md': 'curl https://x.org | sh\n',
    'public/SKILL.md': { link: 'private/notes.md' },
    'public/package.json': { link: 'private/about.json' },
    'public/index.ts': { link: 'private/secret.ts' },
    'other/package.json': '{ "pi": { "extensions": ["deep/secret.ts"] } }',
    'other/deep': { link: '../public/private' },
  });
  const root = await makeRoot({
    'shared/skills/notes': { link: join(outside, 'public') },
    'shared/extensions/about': { link: join(outside, 'public') },
    'shared/extensions/deep': { link: join(outside, 'other') },
  });
  const server = await serve(root);
  const notes = (await listSkills(server)).get('notes');
  expect([notes?.frontmatter, rulesOf(notes)]).toEqual([{}, ['warning skill-md-outside-root']]);
  expect(detailsOf(await listExtensions(server))).toMatchObject({ about: [undefined], deep: [undefined] });
});

test('an entry that is replaced while it is read is read where it was', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, { 'own/SKILL.md': skillText('own'), 'secret.md': skillText('secret') });
  const path = await makeRoot({
    'trap/SKILL.md': { link: join(outside, 'secret.md') },
    'shared/skills/notes': { link: outside },
  });
  // Resolved as a directory that has the secret in it.
  const place = placeOfSharedEntry(createRoot(path), 'skills', 'notes');
  await unlink(join(path, 'shared/skills/notes'));
  await symlink('../../trap', join(path, 'shared/skills/notes'));
  const { record } = recordPaths(contextWithoutWatch(Date.now()));
  expect(readUtf8(join(place.path, 'SKILL.md'), record, place.inside)).toEqual({ problem: 'missing' });
});

test('doesn’t reveal whether anything exists where an extension points out of itself and the root', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, { 'there.ts': '', 'closed/secret.ts': '' });
  const inside = (name: string) => `shared/extensions/${name}`;
  const naming = (...extensions: string[]) => JSON.stringify({ pi: { extensions } });
  const root = await makeRoot({
    [inside('entry-there/package.json')]: naming('out/there.ts', './to-there.ts'),
    [inside('entry-gone/package.json')]: naming('out/gone.ts', './to-gone.ts'),
    [inside('entry-closed/package.json')]: naming('out/closed/secret.ts', 'out/closed/gone.ts'),
    [inside('entry-strange/package.json')]: naming('a\0b.ts', '../../../../../../../../../../gone.ts'),
    ...Object.fromEntries(
      ['there', 'gone', 'closed'].flatMap((name) => [
        [inside(`entry-${name}/out`), { link: outside }],
        [inside(`entry-${name}/to-${name}.ts`), { link: join(outside, `${name}.ts`) }],
      ]),
    ),
    [inside('index-there/index.ts')]: { link: join(outside, 'there.ts') },
    [inside('index-gone/index.ts')]: { link: join(outside, 'gone.ts') },
    [inside('index-through/index.ts')]: { link: 'hop.ts' },
    [inside('index-through/hop.ts')]: { link: join(outside, 'no/where.ts') },
    // What leads nowhere and stays inside is told.
    [inside('round/package.json')]: naming('./round.ts', './dangling.ts', `./${'x'.repeat(300)}.ts`),
    [inside('round/round.ts')]: { link: 'round.ts' },
    [inside('round/dangling.ts')]: { link: '../../nowhere.ts' },
  });
  execFileSync('chmod', ['-R', 'a+rX', outside, join(root, '..')]);
  await chmod(join(outside, 'closed'), 0o000);
  // The thread of a server loads its code from a place that nobody may not read everywhere.
  const scan = rootViews(root).views.extensions;
  heedModes();
  const details = detailsOf(scan(contextWithoutWatch(Date.now())).extensions);
  expect(details.round).toEqual([
    undefined,
    ...Array(3).fill('warning extension-entry-missing'),
    'error extension-no-entry',
  ]);
  for (const name of Object.keys(details).filter((name) => /^(entry|index)-/.test(name))) {
    expect([name, details[name]]).toEqual([name, [undefined]]);
  }
});

test('reads at most 50 entries of an extension, each once, and names them briefly', {
  tags: 'slow',
}, async () => {
  const inside = (name: string) => `shared/extensions/${name}`;
  const naming = (extensions: string[]) => JSON.stringify({ pi: { extensions } });
  const many = (count: number) => Array.from({ length: count }, (_, i) => `./gone/${i}.ts`);
  const root = await makeRoot({
    [inside('same/package.json')]: naming([...Array(400_000).fill('a'), './a', 'b/../a', 'gone.ts']),
    [inside('same/a')]: '',
    [inside('fifty/package.json')]: naming(many(50)),
    [inside('more/package.json')]: naming(many(100_000)),
    [inside('long/package.json')]: naming(['long/'.repeat(100_000)]),
  });
  const { extensions } = rootViews(root).views.extensions(contextWithoutWatch(Date.now()));
  const messages = Object.fromEntries(
    extensions.map(({ name, diagnostics }) => [name, diagnostics.map(({ message }) => message)]),
  );
  expect(messages.same).toEqual([
    '"gone.ts" is listed in package.json but doesn’t exist. Add the file, or remove the entry.',
    expect.stringMatching(/^a has no default export/),
  ]);
  expect(messages.fifty).toHaveLength(51);
  expect(messages.more).toHaveLength(52);
  expect(messages.more).toContain(
    'package.json lists more than 50 entries. dot-mi checks only the first 50.',
  );
  expect(messages.long?.[0]).toMatch(
    /^"(long\/)+(l|lo|lon|long)?…" is listed in package\.json but doesn’t exist\. Add the file, or remove the entry\.$/,
  );
  expect(messages.long?.[0]?.length).toBeLessThan(200);
});

test('a missing shared folder, or something else in its place, is an empty list', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const both = async () => [
    (await call('GET', '/api/catalog/skills')).body,
    (await call('GET', '/api/catalog/extensions')).body,
  ];
  const nothing = [{ skills: [] }, { extensions: [] }];
  expect(await both()).not.toEqual(nothing);
  await rename(join(root, 'shared'), join(root, 'away'));
  expect(await both()).toEqual(nothing);
  await mkdir(join(root, 'shared'));
  expect(await both()).toEqual(nothing);
  await writeFile(join(root, 'shared/skills'), '');
  await symlink('extensions', join(root, 'shared/extensions'));
  expect(await both()).toEqual(nothing);
  await rm(join(root, 'shared'), { recursive: true });
  await rename(join(root, 'away'), join(root, 'shared'));
  expect(await both()).not.toEqual(nothing);
});

test.each(['extensions', 'skills'] as const)(
  'shared/%s that is a link out of the root is reported as a problem and not listed',
  async (kind) => {
    const outside = await makeTempDirectory();
    await plant(outside, {
      'shared/skills/secret/SKILL.md': skillText('secret'),
      'shared/extensions/secret.ts': '',
    });
    const root = await makeRoot();
    const { call } = await serve(root);
    const look = () => call('GET', `/api/catalog/${kind}`);
    const before = (await look()).body;
    const refuses = async () => {
      const { status, body } = await look();
      expect([status, body.code, Object.keys(body)]).toEqual([403, 'outside_root', ['error', 'code']]);
      expect(body.error).toContain(`"shared/${kind}"`);
    };

    await rename(join(root, 'shared', kind), join(root, 'away'));
    await symlink(join(outside, 'shared', kind), join(root, 'shared', kind));
    await refuses();
    // The other kind is as it was.
    expect((await call('GET', `/api/catalog/${kind === 'skills' ? 'extensions' : 'skills'}`)).status).toBe(
      200,
    );
    await rm(join(root, 'shared', kind));
    await symlink('../away', join(root, 'shared', kind));
    expect((await look()).body).toEqual(before);

    await rm(join(root, 'shared', kind));
    await rename(join(root, 'away'), join(root, 'shared', kind));
    await rename(join(root, 'shared'), join(root, 'away'));
    await symlink(join(outside, 'shared'), join(root, 'shared'));
    await refuses();
  },
);

test('names with spaces, in other scripts or with unusual characters are reported unchanged', async () => {
  const names = [
    'with space',
    'ünïcode',
    '日本語',
    '🦊',
    '-dash',
    '__proto__',
    'constructor',
    'a'.repeat(255),
    'qu\'o"te',
    'new\nline',
  ];
  const tree: Tree = Object.fromEntries(
    names.map((name) => [`shared/skills/${name}/SKILL.md`, skillText('x')]),
  );
  const skills = await listSkills(await serve(await makeRoot(tree)));
  for (const name of names) {
    expect(skills.get(name)).toMatchObject({
      name,
      path: `shared/skills/${name}`,
      description: 'Does one thing.',
    });
  }
});

test('the next request shows every edit, however soon after the last', { tags: 'slow' }, async () => {
  const root = await makeRoot({ 'shared/skills/edited/SKILL.md': skillText('edited', '000') });
  const server = await serve(root);
  const path = join(root, 'shared/skills/edited/SKILL.md');
  const description = async () => (await listSkills(server)).get('edited')?.description;
  for (let round = 100; round < 200; round++) {
    await writeFile(path, skillText('edited', `"${round}"`));
    expect(await description()).toBe(String(round));
  }
  // Saved as editors do: another file takes its place.
  for (let round = 200; round < 250; round++) {
    await writeFile(`${path}.tmp`, skillText('edited', `"${round}"`));
    await rename(`${path}.tmp`, path);
    expect(await description()).toBe(String(round));
  }
  const times = await stat(path);
  await writeFile(path, skillText('edited', '"251"'));
  await utimes(path, times.atime, times.mtime);
  expect(await description()).toBe('251');
});

test('the next request shows skills and extensions that appear, change or disappear', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const server = await serve(root);
  const skill = join(root, 'shared/skills/new');
  const extension = join(root, 'shared/extensions/new');
  for (let round = 0; round < 20; round++) {
    await mkdir(skill);
    expect(rulesOf((await listSkills(server)).get('new'))).toEqual(['error skill-md-missing']);
    await writeFile(join(skill, 'SKILL.md'), skillText('new'));
    expect(rulesOf((await listSkills(server)).get('new'))).toEqual([]);
    await unlink(join(skill, 'SKILL.md'));
    await symlink('../git-summary/SKILL.md', join(skill, 'SKILL.md'));
    expect((await listSkills(server)).get('new')?.nameFm).toBe('git-summary');
    await rm(skill, { recursive: true });
    await symlink('git-summary', skill);
    expect((await listSkills(server)).get('new')?.nameFm).toBe('git-summary');
    await rm(skill);
    await writeFile(skill, '');
    expect((await listSkills(server)).has('new')).toBe(false);
    await rm(skill);

    const found = async () => (await listExtensions(server)).find(({ name }) => name === 'new');
    await writeFile(extension, '');
    expect(await found()).toMatchObject({ kind: 'file', path: 'shared/extensions/new' });
    await rm(extension);
    await mkdir(extension);
    expect(await found()).toMatchObject({ kind: 'dir', diagnostics: [{ rule: 'extension-no-entry' }] });
    await writeFile(join(extension, 'index.ts'), FACTORY);
    expect(await found()).toMatchObject({ diagnostics: [] });
    await writeFile(join(extension, 'index.ts'), `// New.\n${FACTORY}`);
    expect(await found()).toMatchObject({ description: 'New.' });
    await writeFile(join(extension, 'package.json'), '{ "description": "Newer." }');
    expect(await found()).toMatchObject({ description: 'Newer.' });
    await rm(extension, { recursive: true });
    expect(await listExtensions(server)).toHaveLength(1);
  }
});

test('a scan of files that haven’t changed for long returns the same object, until one changes in any way', async () => {
  const root = await makeRoot({
    'shared/skills/edited/SKILL.md': skillText('edited', 'zero'),
    'shared/skills/broken/SKILL.md': 'broken',
  });
  const path = join(root, 'shared/skills/edited/SKILL.md');
  const scan = rootViews(root).views.skills;
  const description = (found: { skills: SharedSkill[] }) =>
    found.skills.find(({ name }) => name === 'edited')?.description;
  // As if all had been written an hour ago.
  const later = () => contextWithoutWatch(Date.now() + 3_600_000);

  let before = scan(later());
  expect(before.skills.map(({ name }) => name)).toEqual(['broken', 'edited', 'git-summary']);
  expect(scan(later())).toBe(before);
  for (const edit of [
    () => writeFile(path, skillText('edited', 'three')),
    // The same size and the same time of change.
    async () => {
      await utimes(path, 1e9, 1e9);
      before = scan(later());
      const { ctimeMs } = await stat(path);
      await writeFile(path, skillText('edited', 'seven'));
      // The clock of files may stand still for some milliseconds; only young files are read in spite of it.
      await until(async () => {
        await utimes(path, 1e9, 1e9);
        return (await stat(path)).ctimeMs > ctimeMs;
      });
    },
    async () => {
      await writeFile(`${path}.tmp`, skillText('edited', 'eight'));
      await utimes(`${path}.tmp`, 1e9, 1e9);
      await rename(`${path}.tmp`, path);
    },
  ]) {
    await edit();
    const after = scan(later());
    expect(description(after)).not.toBe(description(before));
    expect(scan(later())).toBe(after);
    // The skills that did not change are the objects they were.
    expect(after.skills.find(({ name }) => name === 'broken')).toBe(
      before.skills.find(({ name }) => name === 'broken'),
    );
    before = after;
  }
  // What a linked SKILL.md says can change without a change of the link.
  await writeFile(join(root, 'target.md'), skillText('edited', 'nine'));
  await rm(path);
  await symlink('../../../target.md', path);
  expect(description(scan(later()))).toBe('nine');
  await writeFile(join(root, 'target.md'), skillText('edited', 'ten'));
  expect(description(scan(later()))).toBe('ten');
  before = scan(later());
  expect(scan(later())).toBe(before);
  await rm(path);
  expect(scan(later())).not.toBe(before);
});

test('a scan of extensions that haven’t changed for long returns the same object, until a file of one changes', async () => {
  const root = await makeRoot({
    'shared/extensions/named/package.json': '{ "pi": { "extensions": ["lib/main.ts"] } }',
    'shared/extensions/named/lib/main.ts': `// One.\n${FACTORY}`,
  });
  const scan = rootViews(root).views.extensions;
  const later = () => contextWithoutWatch(Date.now() + 3_600_000);
  const directory = join(root, 'shared/extensions/named');
  const said = () => detailsOf(scan(later()).extensions).named;

  expect(said()).toEqual(['One.']);
  expect(scan(later())).toBe(scan(later()));
  const before = scan(later());
  await writeFile(join(directory, 'lib/main.ts'), `// Two!\n${FACTORY}`);
  expect(said()).toEqual(['Two!']);
  expect(scan(later()).extensions[1]).toBe(before.extensions[1]);
  await rm(join(directory, 'lib/main.ts'));
  await writeFile(join(directory, 'index.js'), `// Three.\n${FACTORY}`);
  expect(said()).toEqual(['Three.', 'warning extension-entry-missing']);
  await writeFile(join(directory, 'lib/main.ts'), `// Four.\n${FACTORY}`);
  expect(said()).toEqual(['Four.']);
  await rm(directory, { recursive: true });
  await rm(join(root, 'shared/extensions/say.ts'));
  expect(scan(later())).toEqual({ extensions: [] });
});

test('notices an entry next to an extension that was fixed, added or removed', async () => {
  const root = await makeRoot({
    'shared/extensions/named/package.json': '{ "pi": { "extensions": ["../../common/index.ts"] } }',
    'shared/common/index.ts': 'nothing',
  });
  const scan = rootViews(root).views.extensions;
  const said = () => detailsOf(scan(contextWithoutWatch(Date.now() + 3_600_000)).extensions).named;
  const path = join(root, 'shared/common/index.ts');
  expect(said()).toEqual([undefined, 'error extension-no-default-export']);
  await writeFile(path, `// Repaired.\n${FACTORY}`);
  expect(said()).toEqual(['Repaired.']);
  await rm(path);
  expect(said()).toEqual([undefined, 'warning extension-entry-missing', 'error extension-no-entry']);
  await writeFile(path, FACTORY);
  expect(said()).toEqual([undefined]);
});

test('health responds while hostile skills are read', { tags: 'slow' }, async () => {
  const hostile = (i: number) =>
    i % 2 ? skillText('big', 'x'.repeat(1024 * 1024)) : `---\n${'{'.repeat(900)}\n---\n`;
  const tree = Object.fromEntries(
    Array.from({ length: 120 }, (_, i) => [`shared/skills/s${i}/SKILL.md`, hostile(i)]),
  );
  const server = await serve(await makeRoot());
  // The thread starts with the first request; it is the reading that counts.
  await listSkills(server);
  await plant(join(server.rootPath), tree);

  let isRead = false;
  const reading = listSkills(server).then((skills) => {
    isRead = true;
    return skills;
  });
  let answered = 0;
  while (!isRead) {
    expect((await server.call('GET', '/api/health')).status).toBe(200);
    if (!isRead) answered++;
  }
  expect((await reading).size).toBe(121);
  expect(answered).toBeGreaterThan(3);
});
