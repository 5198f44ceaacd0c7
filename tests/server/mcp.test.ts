import { chmod, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonEdit } from '../../src/shared/json-edit.ts';
import { serveOperator as serve } from '../support/as-operator.ts';
import { firstQuick } from '../support/first-quick.ts';
import { ODD, ROUTE, type ServerChange, serveMcp } from '../support/mcp.ts';
import { plant } from '../support/plant.ts';

/** A variable as pi reads it. */
const inBraces = (name: string) => `$\{${name}}`;

const SECRETS = Array.from({ length: 14 }, (_, index) => `Zq4T8vW1nB6x${index}z`);
const [
  inEnv,
  inHeader,
  inCommand,
  inArg,
  inFlag,
  inUrl,
  inPath,
  inUnknown,
  inOauth,
  inCwd,
  short,
  mixed,
  id,
  inList,
] = SECRETS as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

const HELD = JSON.stringify({
  mcpServers: {
    files: {
      command: 'npx',
      args: ['-y', 'x', `--token=${inArg}`, '--api-key', inFlag, '.'],
      env: {
        REGION: inEnv,
        SHORT: short,
        KEY: inBraces('KEY'),
        BOTH: `${inBraces('A')}:$B`,
        MIXED: `${inBraces('A')}${mixed}`,
        EMPTY: '',
        RUN: `!echo ${inCommand}`,
        ODD: { no: inUnknown },
      },
      cwd: `ghp_a8Kd73Lq0Zx92Mv51Nb64Cw${inCwd}`,
      timeout: 5,
      future: { secret: inUnknown },
    },
    docs: {
      url: `https://docs.example:8443/s/${inPath}aB3dE5gH7/mcp?api_key=${inUrl}`,
      headers: { Authorization: `Bearer ${inHeader}`, 'X-Team': inEnv, 'X-Key': `Token ${inBraces('K')}` },
      description: 'Docs.',
      exposure: 'codemode-deferred',
      enabled: false,
    },
    sentry: { url: 'https://mcp.sentry.dev/mcp', oauth: { clientId: id, clientSecret: inOauth } },
    broken: { type: 'sse', url: 'https://old.example/sse' },
    list: [inList],
  },
});

test('lists the servers with their variables, and never shows what may be a secret', async () => {
  const { call, list, operatorToken } = await serveMcp(HELD);
  const { servers, exists, etag, hasSignIns } = await list();
  expect({ exists, hasSignIns }).toEqual({ exists: true, hasSignIns: false });
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
  const text = { hidden: 'text' };
  expect(servers).toEqual([
    {
      name: 'files',
      enabled: true,
      transport: 'stdio',
      problem: '"env" must be an object with a text for each name.',
      command: 'npx',
      args: ['-y', 'x', text, '--api-key', text, '.'],
      env: {
        REGION: { ...text, instead: inBraces('REGION') },
        SHORT: { ...text, instead: inBraces('SHORT') },
        KEY: inBraces('KEY'),
        BOTH: `${inBraces('A')}:$B`,
        MIXED: { ...text, instead: inBraces('MIXED') },
        EMPTY: '',
        RUN: { hidden: 'command' },
      },
      cwd: text,
      timeout: 5,
      otherKeys: ['future'],
      signsIn: false,
    },
    {
      name: 'docs',
      enabled: false,
      transport: 'http',
      url: { ...text, shown: 'https://docs.example:8443' },
      headers: {
        Authorization: { ...text, instead: `Bearer ${inBraces('DOCS_TOKEN')}` },
        'X-Team': { ...text, instead: inBraces('DOCS_X_TEAM') },
        'X-Key': `Token ${inBraces('K')}`,
      },
      description: 'Docs.',
      exposure: 'codemode',
      otherKeys: [],
      signsIn: false,
    },
    {
      name: 'sentry',
      enabled: true,
      transport: 'http',
      url: 'https://mcp.sentry.dev/mcp',
      otherKeys: ['oauth'],
      signsIn: true,
    },
    {
      name: 'broken',
      enabled: true,
      transport: 'http',
      problem: 'pi doesn’t support SSE. Use the server’s streamable HTTP address.',
      url: 'https://old.example/sse',
      otherKeys: [],
      signsIn: true,
    },
    {
      name: 'list',
      enabled: true,
      transport: null,
      problem: 'A server must be an object with a "command" or a "url".',
      otherKeys: [],
      signsIn: false,
    },
  ]);

  // Nor does anything else.
  for (const route of [
    ROUTE,
    '/api/agents/scout/json/mcp.json',
    '/api/agents/scout/checks',
    '/api/agents/scout/prompt',
    '/api/agents/scout/entries',
    '/api/search?q=Zq4T8vW1',
    '/api/drafts',
  ]) {
    const { status, body } = await call('GET', route, undefined, {
      Authorization: `Bearer ${operatorToken}`,
    });
    expect([route, status]).toEqual([route, 200]);
    for (const secret of SECRETS) expect(JSON.stringify(body)).not.toContain(secret.slice(0, 13));
  }
});

test('an agent without servers has none, with or without a file', { tags: 'slow' }, async () => {
  const { list, path, call } = await serveMcp();
  const none = { exists: false, etag: null, servers: [], hasSignIns: false };
  expect(await list()).toEqual(none);
  expect((await call('GET', ROUTE)).headers.get('etag')).toBeNull();
  await writeFile(path, '{}');
  expect(await list()).toMatchObject({ exists: true, servers: [] });
  await writeFile(path, '\uFEFF{"mcpServers": {}}');
  const { headers, body } = await call('GET', ROUTE);
  expect(body).toMatchObject({ exists: true, servers: [] });
  expect(headers.get('etag')).toBe(body.etag);
});

test('adds the first server, others after it, and undoes both down to no file', async () => {
  const { change, list, text, undo, path } = await serveMcp();
  const first = await change({
    name: 'files',
    server: { command: 'npx', args: ['-y', 'x'], env: { KEY: inBraces('KEY') }, enabled: true },
  });
  expect(first.error).toBe(undefined);
  const listed = await list();
  expect(await text()).toBe(`{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "x"],
      "env": {
        "KEY": "${inBraces('KEY')}"
      }
    }
  }
}
`);
  const before = await text();
  const second = await change({
    name: 'docs',
    server: { url: 'https://docs.example/mcp', description: 'Docs.', exposure: 'direct', enabled: false },
  });
  expect(await text()).toBe(
    before.replace(
      '    }\n  }\n',
      '    },\n    "docs": {\n      "url": "https://docs.example/mcp",\n      "description": "Docs.",\n      "exposure": "direct",\n      "enabled": false\n    }\n  }\n',
    ),
  );

  expect((await undo(second)).body.applied).toBe(1);
  expect(await list()).toEqual(listed);
  expect(await text()).toBe(before);
  expect((await undo(first)).body.applied).toBe(1);
  expect(await list()).toEqual({
    exists: false,
    etag: null,
    servers: [],
    hasSignIns: false,
  });
  await expect(stat(path)).rejects.toThrow('ENOENT');
  expect((await undo(first)).body).toEqual({ change: null, applied: 0, unchanged: 1, refused: [] });
});

for (const [tags, rows] of firstQuick<[string, ServerChange, [string, string]]>(3, [
  [
    'switches a server off',
    { name: 'a', server: { enabled: false } },
    ['"$V"} }', '"$V"}, "enabled": false }'],
  ],
  ['leaves one that is on', { name: 'z', server: { enabled: true } }, ['', '']],
  [
    'switches off one that says it is on',
    { name: 'z', server: { enabled: false } },
    ['d": true', 'd": false'],
  ],
  ['changes a command', { name: 'z', server: { command: 'y' } }, ['"command": "z"', '"command": "y"']],
  ['moves a value to a variable', { name: 'a', server: { env: { K: '$K' } } }, ['"secret"', '"$K"']],
  ['adds a variable', { name: 'a', server: { env: { N: '$N' } } }, ['"$V"}', '"$V", "N":"$N"}']],
  ['removes a variable', { name: 'a', server: { env: { K: null } } }, ['"K": "secret", ', '']],
  [
    'removes all variables',
    { name: 'a', server: { env: { K: null, V: null } } },
    [', "env": {"K": "secret", "V":"$V"}', ''],
  ],
  [
    'removes a server',
    { name: 'z', server: null },
    [',\n\t\t"z": { "enabled": true, "type": "stdio", "command": "z" }', ''],
  ],
  [
    'renames a server that pi refuses',
    { name: 'my docs', newName: 'docs', server: {} },
    ['"my docs"', '"docs"'],
  ],
  [
    'replaces a hidden argument, and puts it in another place',
    { name: 'my docs', server: { args: ['b', '--token=5kVx2QnLw8Zb'] } },
    ['[ "--token=Zq4T8vW1nB6x", "b" ]', '["b", "--token=5kVx2QnLw8Zb"]'],
  ],
  [
    'keeps a hidden argument in its own place',
    { name: 'my docs', server: { description: 'D' } },
    ['[ "--token=Zq4T8vW1nB6x", "b" ] }', '[ "--token=Zq4T8vW1nB6x", "b" ], "description": "D" }'],
  ],
  [
    'replaces the transport, with the type that named it',
    { name: 'z', server: { type: null, command: null, url: 'https://z.example' } },
    ['"type": "stdio", "command": "z"', '"url": "https://z.example"'],
  ],
]))
  test.each(rows)('%s, and leaves every other byte', { tags }, async (_, body, [from, to]) => {
    const { change, text, list, undo } = await serveMcp(ODD);
    expect(ODD).toContain(from);
    const made = await change(body, { ifMatch: (await list()).etag });
    expect(made.error).toBeUndefined();
    expect(await text()).toBe(ODD.replace(from, () => to));
    if (from !== '') await undo(made);
    expect(await text()).toBe(ODD);
  });

test('an argument that is removed doesn’t let a hidden one count as typed', async () => {
  const { edit, text } = await serveMcp(ODD);
  const args = ['mcpServers', 'my docs', 'args'];
  // The hidden argument moves to the place of the typed one.
  const { code, error } = await edit([
    { path: ['mcpServers', 'my docs', 'command'], value: 'evil' },
    { path: args, value: ['--token=Zq4T8vW1nB6y', 'b'] },
    { path: [...args, 0] },
  ]);
  expect([code, error]).toEqual([undefined, undefined]);
  const swapped = ODD.replace('"--token=Zq4T8vW1nB6x", "b"', '"b", "--token=Zq4T8vW1nB6x"');
  const { edit: editSwapped, text: swappedText } = await serveMcp(swapped);
  const refused = await editSwapped([
    { path: ['mcpServers', 'my docs', 'command'], value: 'evil' },
    { path: [...args, 0], value: 'x' },
    { path: [...args, 0] },
  ]);
  expect([refused.code, refused.error]).toEqual([
    'mcp_server_refused',
    expect.stringContaining('hidden value at "args.0"'),
  ]);
  expect(await swappedText()).toBe(swapped);
  expect(await text()).not.toContain('Zq4T8vW1nB6x');
});

test('refuses what pi would leave out, and changes nothing', async () => {
  const { edit, text } = await serveMcp(ODD);
  const at = (name: string, ...more: string[]) => ['mcpServers', name, ...more];
  const refusals: [JsonEdit, string][] = [
    [{ path: at('new'), value: {} }, 'mcp_server_refused'],
    [{ path: at('new docs'), value: { command: 'x' } }, 'mcp_server_refused'],
    [{ path: at('new'), value: { url: 'ftp://x' } }, 'mcp_server_refused'],
    [{ path: at('a', 'command') }, 'mcp_server_refused'],
    [{ path: at('a', 'enabled'), value: 'no' }, 'mcp_server_refused'],
    [{ path: at('a', 'command', 'deep'), value: 'x' }, 'mcp_unreadable'],
    [{ path: at('a'), rename: 'a b' }, 'mcp_server_refused'],
    [{ path: at('none'), rename: 'other' }, 'mcp_server_not_found'],
    [{ path: at('a'), rename: 'z' }, 'mcp_server_exists'],
    [{ path: at('a', 'env', 'K'), rename: 'L' }, 'mcp_server_refused'],
    [{ path: ['mcpServers'], rename: 'others' }, 'mcp_server_refused'],
    [{ path: ['mcpServers'], value: [] }, 'mcp_unreadable'],
  ];
  for (const [one, code] of refusals) expect([one, (await edit([one])).code]).toEqual([one, code]);
  expect(await text()).toBe(ODD);

  const { change: clash } = await serveMcp(
    '{"mcpServers": {"x": {"command": "x"}, "a-b": {"command": "x"}}}',
  );
  expect((await clash({ name: 'a_b', server: { command: 'y' } })).error).toContain(
    'it confuses this name with "a-b"',
  );
  // The one before it would win.
  expect((await clash({ name: 'x', newName: 'a_b', server: {} })).error).toContain('"a-b": pi treats');
});

test('repairs a server that pi refuses step by step', { tags: 'slow' }, async () => {
  const { change, list } = await serveMcp('{"mcpServers": {"a": "text", "b": {"env": [], "timeout": "x"}}}');
  const made = [
    await change({ name: 'b', server: { env: { K: '$K' } } }),
    await change({ name: 'b', server: { command: 'x' } }),
    await change({ name: 'b', server: { timeout: null } }),
    await change({ name: 'a', server: { command: 'x' } }),
  ];
  expect(made.map(({ body }) => body.applied)).toEqual([1, 1, 1, 1]);
  const { servers } = await list();
  expect(servers.map(({ name, problem, env }) => [name, problem, env])).toEqual([
    ['a', undefined, undefined],
    ['b', undefined, { K: '$K' }],
  ]);
});

test('refuses a change of a file that another program changed, and undoes nothing over it', async () => {
  const { change, edit, list, path, text, undo } = await serveMcp(ODD);
  const { etag } = await list();
  const made = await change({ name: 'a', server: { enabled: false } }, { ifMatch: etag });
  expect(made.body.applied).toBe(1);
  expect((await change({ name: 'z', server: null }, { ifMatch: etag })).code).toBe('file_changed');
  const same = [{ path: ['mcpServers', 'a', 'enabled'], value: false }];
  expect((await edit(same, { ifNoneMatch: '*' })).code).toBe('file_changed');
  expect((await edit(same, { ifMatch: '*' })).body).toMatchObject({ applied: 0, unchanged: 1 });

  const others = (await text()).replace('"other" : [1,2,   3]', '"other": 5');
  await writeFile(path, others);
  expect((await undo(made)).body.refused[0].code).toBe('file_changed');
  // Without a condition, a change is made in whatever the file has.
  expect((await change({ name: 'z', server: { command: 'y' } })).body.applied).toBe(1);
  expect(await text()).toBe(others.replace('"command": "z"', '"command": "y"'));
  await rm(path);
  expect((await edit(same, { ifMatch: '*' })).code).toBe('file_changed');
});

test('a new file that can hold secrets is readable by its owner alone', async (context) => {
  context.skip(process.platform === 'win32', 'Windows has no modes');
  const { change, path } = await serveMcp(ODD);
  await rm(path);
  const server = { command: 'docs', env: { DOCS_TOKEN: 'secret' } };
  expect((await change({ name: 'docs', server })).body.applied).toBe(1);
  const { mode } = await stat(path);
  expect(mode & 0o777).toBe(0o600);
});

test('keeps mode and owner, and never writes through a link or into what is not JSON', {
  tags: 'slow',
}, async () => {
  const { change, path, rootPath, text } = await serveMcp(ODD);
  await chmod(path, 0o640);
  const add = { name: 'new', server: { command: 'x' } };
  expect((await change(add)).body.applied).toBe(1);
  expect((await stat(path)).mode & 0o777).toBe(0o640);

  for (const [broken, says] of [
    ['{ // note\n}', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['[]', '"mcpServers" object'],
    ['{"mcpServers": []}', '"mcpServers" object'],
    ['5', 'not valid JSON'],
  ] as const) {
    await writeFile(path, broken);
    const { call } = await serve(rootPath);
    expect((await call('GET', ROUTE)).body).toMatchObject({
      servers: [],
      exists: true,
      problem: expect.stringContaining(says),
    });
    expect((await change(add)).code).toBe('mcp_unreadable');
    expect(await text()).toBe(broken);
  }

  await rm(path);
  await plant(rootPath, { 'shared/mcp.json': ODD });
  await symlink('../../shared/mcp.json', path);
  expect((await change(add)).code).toBe('linked_file');
  expect(await readFile(join(rootPath, 'shared/mcp.json'), 'utf8')).toBe(ODD);
});

test('says that pi keeps sign-ins without reading them, and reads no logins through a link', async () => {
  const { list, call, path, rootPath } = await serveMcp('{}');
  await plant(rootPath, {
    'agents/scout/mcp-auth.json': '{"mcpServers": {"login": {"command": "x"}}}',
  });
  await chmod(join(rootPath, 'agents/scout/mcp-auth.json'), 0);
  expect(await list()).toMatchObject({ hasSignIns: true, servers: [] });
  await chmod(join(rootPath, 'agents/scout/mcp-auth.json'), 0o600);
  await rm(path);
  await symlink('mcp-auth.json', path);
  const { status, body } = await call('GET', ROUTE);
  expect([status, body.code]).toEqual([409, 'not_a_file']);
  expect(JSON.stringify(body)).not.toContain('login"');
});
