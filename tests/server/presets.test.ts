import { chmod, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BulkMcp } from '../../src/shared/api/mcp-result.ts';
import type { Tree } from '../support/root.ts';
import { shareServer } from '../support/shared-server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { themeText } from '../support/theme.ts';

const { makeRoot, serve } = shareServer();

const json = (value: unknown): string => JSON.stringify(value);

const start = async (tree: Tree = {}) => {
  const root = await makeRoot({
    'shared/skills/a/SKILL.md': 'a',
    'shared/skills/b/SKILL.md': 'b',
    'shared/extensions/say.ts': '',
    ...tree,
  });
  const { asOperator: call } = await serve(root);
  const at = (name: string) => `/api/presets/${encodeURIComponent(name)}`;
  return {
    root,
    call,
    at,
    file: (name: string) => join(root, 'shared/presets', `${name}.json`),
    list: async () => (await call('GET', '/api/presets')).body.presets,
    read: async (name: string) => (await call('GET', at(name))).body,
    put: (name: string, body: unknown, headers?: Record<string, string>) =>
      call('PUT', at(name), body, headers),
    names: (id: string, kind = 'skills') =>
      readdir(join(root, 'agents', id, kind)).then(
        (names) => names.sort(),
        () => [],
      ),
  };
};

test('a preset is created, read, replaced, renamed, deleted and restored, each under its etag', async () => {
  const { root, call, at, file, list, read, put } = await start();
  expect(await list()).toEqual([]);
  const created = await put('Web research', { skills: ['a', 'gone', 'a'] }, { 'If-None-Match': '*' });
  expect(created.body).toMatchObject({ ok: true, created: true });
  expect(await readFile(file('Web research'), 'utf8')).toBe(
    '{\n  "skills": [\n    "a",\n    "gone"\n  ],\n  "extensions": []\n}\n',
  );
  const { etag } = created.body;
  expect(await list()).toEqual([
    {
      name: 'Web research',
      skills: ['a', 'gone'],
      extensions: [],
      prompts: [],
      themes: [],
      mcpServers: {},
      missing: [{ kind: 'skills', name: 'gone' }],
      etag,
    },
  ]);
  // Twice the same name, or an etag that is not the file's any more.
  expect((await put('Web research', {}, { 'If-None-Match': '*' })).body).toMatchObject({
    code: 'file_changed',
    etag,
  });
  const replaced = await put(
    'Web research',
    { description: 'For the web.', skills: ['b'], extensions: ['say.ts'] },
    { 'If-Match': etag },
  );
  expect(replaced.body.created).toBe(false);
  for (const [method, path, body] of [
    ['PUT', '', {}],
    ['POST', '/rename', { name: 'other' }],
    ['DELETE', '', undefined],
  ] as const) {
    const refused = await call(method, at('Web research') + path, body, { 'If-Match': etag });
    expect([method, refused.status, refused.body.code]).toEqual([method, 412, 'file_changed']);
  }
  expect(await read('Web research')).toMatchObject({
    description: 'For the web.',
    skills: ['b'],
    missing: [],
  });

  await put('taken', {});
  expect((await call('POST', `${at('Web research')}/rename`, { name: 'taken' })).body.code).toBe(
    'preset_exists',
  );
  expect((await call('POST', `${at('Web research')}/rename`, { name: 'web' })).body).toEqual({
    ok: true,
    name: 'web',
  });
  expect(await readdir(join(root, 'shared/presets'))).toEqual(['taken.json', 'web.json']);

  const before = await readFile(file('web'));
  expect((await call('DELETE', at('web'))).body).toEqual({ ok: true, entry: expect.any(String) });
  expect((await read('web')).code).toBe('preset_not_found');
  await writeFile(file('web'), '{}');
  expect((await call('POST', `${at('web')}/restore`)).body.code).toBe('preset_exists');
  await rm(file('web'));
  expect((await call('POST', `${at('web')}/restore`)).body).toEqual({ ok: true });
  expect(await readFile(file('web'))).toEqual(before);
  expect((await call('POST', `${at('web')}/restore`)).body.code).toBe('preset_not_found');
});

test('a deleted preset is in the trash, and comes back after a restart with its bytes and mode', async () => {
  const { root, call, at, file, put } = await start();
  await put('Web research', { skills: ['a'] });
  await chmod(file('Web research'), 0o640);
  const { entry } = (await call('DELETE', at('Web research'))).body;
  await put('Web research', { skills: ['b'] });
  const later = (await call('DELETE', at('Web research'))).body.entry;
  await put('web', {});
  await call('DELETE', at('web'));

  const { asOperator: ask } = await serve(root);
  const entries = (await ask('GET', '/api/trash')).body.entries.filter(
    ({ id }: { id: string }) => id === 'Web research',
  );
  expect(entries.map((one: { entry: string }) => one.entry).sort()).toEqual([entry, later].sort());
  expect(entries[0]).toEqual({
    entry: expect.stringMatching(/^preset@/),
    id: 'Web research',
    preset: 'Web research',
    deletedAt: expect.any(String),
  });
  // The trash knows which of two it is.
  const restore = (one: string) => ask('POST', `/api/trash/${encodeURIComponent(one)}/restore`);
  expect((await restore(entry)).body).toEqual({ ok: true, id: 'Web research' });
  expect(JSON.parse(await readFile(file('Web research'), 'utf8')).skills).toEqual(['a']);
  expect((await stat(file('Web research'))).mode & 0o777).toBe(0o640);
  expect((await restore(later)).body.code).toBe('preset_exists');
  expect(JSON.parse(await readFile(file('Web research'), 'utf8')).skills).toEqual(['a']);
  // By its name, the last one. What is missing of the folders is created.
  await rm(join(root, 'shared/presets'), { recursive: true });
  const [first, second] = await Promise.all([1, 2].map(() => ask('POST', `${at('web')}/restore`)));
  expect([first?.status, second?.status].sort()).toEqual([200, 404]);
  expect(await readdir(join(root, 'shared/presets'))).toEqual(['web.json']);
  // SECURITY: a link in the place of the kept file is not followed.
  const kept = join(root, '.trash', later, 'preset.json');
  await rm(kept);
  await symlink(join(root, 'agents/scout/SYSTEM.md'), kept);
  expect((await restore(later)).status).toBeGreaterThanOrEqual(400);
  expect(await readdir(join(root, 'shared/presets'))).toEqual(['web.json']);
  expect((await ask('DELETE', `/api/trash/${encodeURIComponent(later)}`)).body).toEqual({ ok: true });
});

test('a save keeps the fields that dot-mi does not know, the order and the mode of the file', async () => {
  const { file, put } = await start({
    'shared/presets/kept.json': json({
      $schema: 'x',
      skills: ['a'],
      owner: { team: 'web' },
      description: 'old',
    }),
  });
  await chmod(file('kept'), 0o640);
  await put('kept', { skills: ['b'] });
  const kept = JSON.parse(await readFile(file('kept'), 'utf8'));
  expect(kept).toEqual({ $schema: 'x', skills: ['b'], owner: { team: 'web' }, extensions: [] });
  expect(Object.keys(kept)).toEqual(['$schema', 'skills', 'owner', 'extensions']);
  expect((await stat(file('kept'))).mode & 0o777).toBe(0o640);
});

test('a damaged preset has its problem, hides no other, and no save replaces it', async () => {
  const { root, call, at, list, put } = await start({
    'shared/presets/good.json': json({ skills: ['a'] }),
    'shared/presets/text.json': 'not JSON',
    'shared/presets/bytes.json': Uint8Array.of(0xff, 0xfe),
    'shared/presets/shape.json': json({ skills: 'a' }),
    'shared/presets/array.json': '[]',
    'shared/presets/large.json': json({ skills: ['x'.repeat(64 * 1024)] }),
    'shared/presets/deep.json': `{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    'shared/presets/folder.json': null,
    'shared/presets/linked.json': { link: '../../agents/scout/SYSTEM.md' },
    'shared/presets/nul.json': '{}',
    'shared/presets/README.md': 'ignored',
    'shared/presets/.hidden.json': '{}',
  });
  const problems = Object.fromEntries(
    (await list()).map(({ name, problem }: { name: string; problem?: { code: string } }) => [
      name,
      problem?.code ?? null,
    ]),
  );
  expect(problems).toEqual({
    good: null,
    text: 'unreadable',
    bytes: 'unreadable',
    shape: 'unreadable',
    array: 'unreadable',
    large: 'unreadable',
    deep: 'unreadable',
    folder: 'not_a_file',
    linked: 'not_a_file',
    nul: 'unsupported_name',
  });
  for (const [name, code] of [
    ['text', 'preset_unreadable'],
    ['deep', 'preset_unreadable'],
    ['large', 'file_too_large'],
    ['folder', 'not_a_file'],
    ['linked', 'linked_file'],
    ['nul', 'invalid_name'],
    ['../x', 'invalid_name'],
    [' x', 'invalid_name'],
  ] as const) {
    expect([name, (await put(name, { skills: ['a'] })).body.code]).toEqual([name, code]);
  }
  const system = await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8');
  expect((await call('POST', `${at('text')}/apply`, { agents: ['scout'] })).body.code).toBe(
    'preset_unreadable',
  );
  expect((await call('DELETE', at('linked'))).body.code).toBe('linked_file');
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe(system);
  // A damaged file can be deleted, and comes back as it was.
  expect((await call('DELETE', at('text'))).status).toBe(200);
  await call('POST', `${at('text')}/restore`);
  expect(await readFile(join(root, 'shared/presets/text.json'), 'utf8')).toBe('not JSON');
});

test('a linked folder of presets is neither read nor written', async () => {
  const { root, call, put } = await start();
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'secret.json'), '{}');
  await symlink(outside, join(root, 'shared/presets'));
  expect((await call('GET', '/api/presets')).body.code).toBe('not_a_directory');
  expect((await call('GET', '/api/presets/secret')).body.code).toBe('not_a_directory');
  expect((await put('new', {})).body.code).toBe('not_a_directory');
  expect((await call('DELETE', '/api/presets/secret')).body.code).toBe('not_a_directory');
  await rm(join(root, 'shared/presets'));
  await rename(join(root, 'shared'), join(outside, 'shared'));
  await symlink(join(outside, 'shared'), join(root, 'shared'));
  expect((await put('new', {})).body.code).toBe('not_a_directory');
  expect(await readdir(join(outside, 'shared'))).not.toContain('presets');
});

test('prompt templates and themes are in a preset only if it names some, so that older files stay as they are', async () => {
  const { root, file, put, at, call, read, names } = await start({
    'shared/presets/old.json': json({ skills: ['a'], extensions: [] }),
    'shared/prompts/review.md': 'Review.',
    'shared/themes/quiet.json': themeText('quiet'),
    'agents/scout/prompts/other.md': { link: '../../../shared/prompts/other.md' },
  });
  const lists = async () => JSON.parse(await readFile(file('old'), 'utf8'));
  expect(await read('old')).toMatchObject({ prompts: [], themes: [], missing: [] });
  await put('old', { skills: ['b'] });
  expect(await lists()).toEqual({ skills: ['b'], extensions: [] });

  await put('old', { prompts: ['review.md', 'gone.md'], themes: ['quiet.json'] });
  expect(await lists()).toEqual({
    skills: [],
    extensions: [],
    prompts: ['review.md', 'gone.md'],
    themes: ['quiet.json'],
  });
  expect((await read('old')).missing).toEqual([{ kind: 'prompts', name: 'gone.md' }]);
  const applied = await call('POST', `${at('old')}/apply`, { agents: ['scout'], unlinkOthers: true });
  expect(applied.body.missing).toEqual([{ kind: 'prompts', name: 'gone.md' }]);
  expect([await names('scout', 'prompts'), await names('scout', 'themes')]).toEqual([
    ['review.md'],
    ['quiet.json'],
  ]);
  await call('POST', `/api/changes/${applied.body.undo}/undo`);
  expect(await names('scout', 'prompts')).toEqual(['other.md']);
  // The folder that applying created is gone again.
  expect(await readdir(join(root, 'agents/scout'))).not.toContain('themes');

  await put('old', { skills: ['a'] });
  expect(await lists()).toEqual({ skills: ['a'], extensions: [] });
});

test('applying a preset links what exists, names what does not, and one undo restores every agent', async () => {
  const { root, call, at, names } = await start({
    'shared/presets/web.json': json({ skills: ['a', 'b', 'gone', 'x:y'], extensions: ['say.ts'] }),
    'agents/one/skills/b/SKILL.md': 'own',
    'agents/one/skills/a': { link: '../../../shared/skills/nowhere' },
    'agents/two/skills/git-summary': { link: '../../../shared/skills/git-summary' },
    'agents/two/skills/far': { link: '/elsewhere/far' },
    'agents/two/extensions/old.ts': { link: '../../../shared/extensions/old.ts' },
    'agents/two/extensions/own.ts': '',
  });
  const { body } = await call('POST', `${at('web')}/apply`, { agents: ['one', 'two', 'nobody', 'one'] });
  expect(body.missing).toEqual([
    { kind: 'skills', name: 'x:y' },
    { kind: 'skills', name: 'gone' },
  ]);
  const answers = (list: { agent: string; kind: string; done: string[]; failed: { code: string }[] }[]) =>
    list.map(({ agent, kind, done, failed }) => [agent, kind, done, failed.map(({ code }) => code)]);
  expect(answers(body.link)).toEqual([
    ['one', 'extensions', ['say.ts'], []],
    ['one', 'skills', ['a'], ['link_exists']],
    ['two', 'extensions', ['say.ts'], []],
    ['two', 'skills', ['a', 'b'], []],
    ['nobody', 'extensions', [], ['agent_not_found']],
    ['nobody', 'skills', [], ['agent_not_found', 'agent_not_found', 'agent_not_found']],
  ]);
  expect(body.unlink).toEqual([]);
  expect(await names('two')).toEqual(['a', 'b', 'far', 'git-summary']);
  await call('POST', `/api/changes/${body.undo}/undo`);
  expect(await names('two')).toEqual(['far', 'git-summary']);
  expect(await readlink(join(root, 'agents/one/skills/a'))).toBe('../../../shared/skills/nowhere');

  // Only links are removed: not what exists only in the agent.
  const exact = await call('POST', `${at('web')}/apply`, { agents: ['two'], unlinkOthers: true });
  expect(answers(exact.body.unlink)).toEqual([
    ['two', 'extensions', ['old.ts'], []],
    ['two', 'skills', ['git-summary', 'far'], []],
  ]);
  expect([await names('two'), await names('two', 'extensions')]).toEqual([
    ['a', 'b'],
    ['own.ts', 'say.ts'],
  ]);
  await call('POST', `/api/changes/${exact.body.undo}/undo`);
  expect(await names('two', 'extensions')).toEqual(['old.ts', 'own.ts']);
  expect(await names('one')).toEqual(['a', 'b']);
});

test('a change on disk is in the next response, and writes at the same time leave one of them whole', async () => {
  const { root, file, list, put } = await start({ 'shared/presets/one.json': json({ skills: ['a'] }) });
  expect(await list()).toHaveLength(1);
  await writeFile(file('one'), json({ skills: ['b'] }));
  await writeFile(file('two'), json({}));
  expect(
    (await list()).map(({ name, skills }: { name: string; skills: string[] }) => [name, skills]),
  ).toEqual([
    ['one', ['b']],
    ['two', []],
  ]);
  const etag = (await list())[0].etag;
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => put('one', { skills: [name] }, { 'If-Match': etag })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  // A crash in the middle of a write leaves a temp file, which is not a preset.
  await writeFile(join(root, 'shared/presets/.one.json.999999999-0123456789abcdef.tmp'), 'half');
  expect(await list()).toHaveLength(2);
  await put('two', { skills: ['a'] });
  expect(await readdir(join(root, 'shared/presets'))).toEqual(['one.json', 'two.json']);
});

const DOCS = {
  url: 'https://docs.example/mcp',
  headers: { Authorization: 'Bearer $DOCS_TOKEN' },
  future: [1],
};
const mcpJson = (mcpServers: object) => json({ mcpServers });

test('a preset gives agents its MCP servers, replaces none, and undo takes them away', async () => {
  const own = mcpJson({ docs: { command: 'mine' } });
  const { root, call, at, put, read, file } = await start({
    'agents/one/mcp.json': mcpJson({ docs: { ...DOCS, enabled: false }, files: { command: 'x' } }),
    'agents/two/mcp.json': own,
    'agents/three/SYSTEM.md': '',
  });
  const servers = async (id: string) =>
    JSON.parse(await readFile(join(root, 'agents', id, 'mcp.json'), 'utf8')).mcpServers;
  // From an agent, and as the caller writes it.
  const written = await put('web', {
    skills: ['a'],
    mcpServers: { own: { command: 'npx', args: ['own'] } },
    mcpServersFrom: { docs: 'one' },
  });
  expect(written.body.error).toBeUndefined();
  const mcpServers = { own: { command: 'npx', args: ['own'] }, docs: DOCS };
  expect(JSON.parse(await readFile(file('web'), 'utf8'))).toEqual({
    skills: ['a'],
    extensions: [],
    mcpServers,
  });
  expect(await read('web')).toMatchObject({ mcpServers });

  const agents = ['one', 'two', 'three', 'nobody'];
  const { body } = await call('POST', `${at('web')}/apply`, { agents, unlinkOthers: true });
  const { agents: answers } = body.mcp;
  expect(
    (answers as BulkMcp['agents']).map(({ id, done, unchanged, failed }) => [
      id,
      done,
      unchanged,
      failed[0]?.code,
    ]),
  ).toEqual([
    ['one', ['own'], ['docs'], undefined],
    ['two', ['own'], [], 'mcp_server_exists'],
    ['three', ['own', 'docs'], [], undefined],
    ['nobody', [], [], 'agent_not_found'],
  ]);
  expect(await servers('three')).toEqual(mcpServers);
  // Other servers stay, whatever becomes of links.
  expect((await servers('one')).files).toEqual({ command: 'x' });
  expect((await servers('two')).docs).toEqual({ command: 'mine' });
  // One change has the links and the servers.
  expect((await call('POST', `/api/changes/${body.undo}/undo`)).body).toMatchObject({ refused: [] });
  expect(await readFile(join(root, 'agents/two/mcp.json'), 'utf8')).toBe(own);
  await expect(servers('three')).rejects.toThrow('ENOENT');

  // A preset without servers has no such field.
  await put('web', { skills: ['a'] });
  expect(JSON.parse(await readFile(file('web'), 'utf8'))).toEqual({ skills: ['a'], extensions: [] });
  expect((await call('POST', `${at('web')}/apply`, { agents })).body.mcp).toEqual({ undo: null, agents: [] });
});

test('a preset holds no secret: not from a caller, an agent or a file, and what a file holds is never shown', async () => {
  const secret = 'Zq4T8vW1nB6x';
  const entries = {
    variable: { command: 'x', env: { REGION: secret } },
    header: { url: 'https://x.example', headers: { 'X-Team': secret } },
    mixed: { command: 'x', env: { A: `$A-${secret}` } },
    argument: { command: 'x', args: [`--token=${secret}`] },
    address: { url: `https://x.example/?api_key=${secret}` },
    unknown: { command: 'x', future: { apiKey: secret } },
    number: { command: 'x', env: { PIN: 1234 } },
  };
  const { call, at, put, list, read, root } = await start({
    'agents/held/mcp.json': mcpJson({ ...entries, bad: { type: 'sse', url: 'https://x.example' } }),
    ...Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        `shared/presets/${name}.json`,
        json({ skills: [], mcpServers: { held: entry } }),
      ]),
    ),
    'shared/presets/refused.json': json({ mcpServers: { 'a b': { command: 'x' } } }),
    'shared/presets/odd.json': json({ mcpServers: [{ command: 'x' }] }),
  });
  const told: unknown[] = [await list()];
  for (const [name, entry] of Object.entries(entries)) {
    for (const body of [{ mcpServers: { held: entry } }, { mcpServersFrom: { [name]: 'held' } }]) {
      const refused = await put('new', body);
      expect([name, refused.status, refused.body.code]).toEqual([name, 422, 'mcp_server_refused']);
      told.push(refused.body);
    }
    const { problem, mcpServers } = await read(name);
    expect([problem.code, mcpServers]).toEqual(['unreadable', {}]);
    const applied = await call('POST', `${at(name)}/apply`, { agents: ['held', 'scout'] });
    expect([applied.status, applied.body.code]).toEqual([422, 'mcp_server_refused']);
    told.push(problem, applied.body);
    // A save corrects it.
    expect((await put(name, { mcpServers: { held: { command: 'x' } } })).body.error).toBeUndefined();
  }
  expect(JSON.stringify(told)).not.toContain(secret);
  expect(JSON.stringify(told)).toContain('$NAME');
  expect((await read('refused')).problem.message).toContain('can contain only letters');
  expect((await read('odd')).problem.message).toContain('is not a preset');
  for (const [from, code] of [
    [{ docs: 'nobody' }, 'mcp_server_not_found'],
    [{ docs: 'scout' }, 'mcp_server_not_found'],
    [{ bad: 'held' }, 'mcp_server_refused'],
  ] as const)
    expect((await put('new', { mcpServersFrom: from })).body.code).toBe(code);
  await expect(readFile(join(root, 'shared/presets/new.json'))).rejects.toThrow('ENOENT');
});
