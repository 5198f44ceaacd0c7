import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../support/bundle.ts';
import { readJson, until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { spawnServer, startServerProcess } from '../support/server-process.ts';
import { makeTempDirectory } from '../support/temp.ts';

test('prints the address, the root and that the money is test money, and nothing else on standard output', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const server = await startServerProcess({ DOT_MI_ROOT: root });
  await until(() => server.stdout().includes('Test money'));
  expect(server.stdout()).toContain(`root  ${root}\n`);
  expect(server.stdout()).toMatch(/api {3}http:\/\/127\.0\.0\.1:\d+\/api\n/);
  expect(server.stderr()).toBe('');
});

test('DEV_MODE=false is not called test money', { tags: 'slow' }, async () => {
  const server = await startServerProcess({ DOT_MI_ROOT: await makeRoot(), DEV_MODE: 'false' });
  expect((await readJson(fetch(`${server.url}/api/health`))).devMode).toBe(false);
  expect(server.stdout()).not.toContain('Test money');
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends it, and running requests finish first',
  { tags: 'slow' },
  async (signal) => {
    const root = await makeRoot({
      'setup.sh': {
        script:
          '#!/bin/sh\ntouch started; until [ -e go ]; do sleep 0.01; done; mkdir -p "agents/$2"; : > "agents/$2/SYSTEM.md"\n',
      },
    });
    const server = await startServerProcess({ DOT_MI_ROOT: root }, undefined, undefined, ['--trust-root']);
    const events = await fetch(`${server.url}/api/events`);
    const request = fetch(`${server.url}/api/agents`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"late"}',
    });
    await until(() =>
      lstat(join(root, 'started')).then(
        () => true,
        () => false,
      ),
    );
    const exit = server.stop(signal);
    await writeFile(join(root, 'go'), '');
    expect((await request).status).toBe(201);
    expect(await exit).toBe(0);
    await events.body?.cancel();
  },
);

test.each([
  ['127.0.0.1', ''],
  // A browser looks the name of the printed link up there first.
  ['::1', ' at ::1'],
])(
  'a port that is taken at %s gives one clear line, no link and exit code 1',
  { tags: 'slow' },
  async (host, where) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, host, resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const server = await spawnServer({ DOT_MI_ROOT: await makeRoot(), PORT: String(port) });
    expect(await server.exited).toBe(1);
    expect(server.stderr()).toBe(
      `Port ${port} is in use by another program${where}. Stop that program, or set PORT to another port.\n`,
    );
    expect(server.stdout()).toBe('');
  },
);

test.each([
  ['PORT', 'abc'],
  ['PORT', '70000'],
  ['MINT_URL', 'not a url'],
  ['MINT_URL', 'ftp://mint.example'],
  ['DEV_MODE', 'maybe'],
  ['LOG_LEVEL', 'loud'],
  ['BTC_PRICE_REFRESH_INTERVAL', '0'],
  ['BTC_PRICE_SOURCES', 'coinbase,nowhere'],
  ['HOST', '0.0.0.0'],
  ['ALLOWED_HOSTS', 'a b'],
  ['ALLOWED_HOSTS', 'box.example'],
])('a wrong %s (%s) stops the start with one line that names it', { tags: 'slow' }, async (name, value) => {
  const server = await spawnServer({ DOT_MI_ROOT: '/nowhere', [name]: value });
  expect(await server.exited).toBe(1);
  expect(server.stderr().trimEnd().split('\n')).toHaveLength(1);
  expect(server.stderr()).toContain(name);
});

test('an unwritable data folder gives one clear line and exit code 1', { tags: 'slow' }, async () => {
  const server = await spawnServer({
    DOT_MI_ROOT: await makeRoot(),
    WALLET_DB_PATH: join(process.execPath, 'wallet'),
  });
  expect(await server.exited).toBe(1);
  expect(server.stderr().trimEnd().split('\n')).toHaveLength(1);
  expect(server.stderr()).toContain('WALLET_DB_PATH');
});

test('a first start without a named root creates the starter root, and a second leaves it unchanged', {
  tags: 'slow',
}, async () => {
  const data = await makeTempDirectory();
  const first = await startServerProcess({}, data);
  const root = join(data, 'data/dot-mi-root');
  const { agents } = await readJson(fetch(`${first.url}/api/agents`));
  expect(agents.length).toBeGreaterThanOrEqual(2);
  for (const { id } of agents) {
    for (const kind of ['extensions', 'skills']) {
      const { entries } = await readJson(fetch(`${first.url}/api/agents/${id}/links/${kind}`));
      // translator is for sale to strangers, and has none.
      expect([id, kind, entries.length > 0]).toEqual([id, kind, id !== 'translator']);
      for (const entry of entries) expect(entry).toMatchObject({ broken: false, linksToShared: true });
    }
  }
  const { skills } = await readJson(fetch(`${first.url}/api/catalog/skills`));
  expect(skills.length).toBeGreaterThanOrEqual(4);
  for (const skill of skills) expect([skill.name, skill.diagnostics]).toEqual([skill.name, []]);

  const created = await fetch(`${first.url}/api/agents`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"mine","workspace":true}',
  });
  expect(created.status).toBe(201);
  await fetch(`${first.url}/api/agents/mine/file`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: '{"path":"SYSTEM.md","content":"kept"}',
  });
  await first.stop('SIGTERM');

  await startServerProcess({}, data);
  expect(await readFile(join(root, 'agents/mine/SYSTEM.md'), 'utf8')).toBe('kept');
  expect(await readdir(join(data, 'data'))).toEqual([
    'changes',
    'dot-mi-root',
    'installation-key',
    'model_pricing.json',
    'root-ids.json',
    'trusted-roots.json',
    'wallet',
    'watch',
  ]);
});

test('a start and reads write nothing to an existing root but its mark', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const before = await readdir(root, { recursive: true });
  const server = await startServerProcess({ DOT_PI_DIR: root });
  for (const path of [
    'agents',
    'agents/scout',
    'catalog/skills',
    'catalog/extensions',
    'agents/scout/links/skills',
  ]) {
    expect((await fetch(`${server.url}/api/${path}`)).status).toBe(200);
  }
  await server.stop('SIGTERM');
  const mark = ['.dot-mi', '.dot-mi/.gitignore', '.dot-mi/root-id'];
  expect((await readdir(root, { recursive: true })).sort()).toEqual([...before, ...mark].sort());
});

test('a named root that is missing is reported, and used when it appears', { tags: 'slow' }, async () => {
  const root = join(await makeTempDirectory(), 'later');
  const server = await startServerProcess({ DOT_MI_ROOT: root });
  await until(() => server.stdout().includes('(missing:'));
  expect((await fetch(`${server.url}/api/agents`)).status).toBe(503);
  await mkdir(join(root, 'agents/scout'), { recursive: true });
  expect(await readJson(fetch(`${server.url}/api/agents`))).toMatchObject({
    agents: [{ id: 'scout', workspace: false, missingFiles: ['SYSTEM.md'] }],
  });
});

test('the shutdown doesn’t wait for a connection that is kept alive after its response', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({
    'setup.sh': { script: '#!/bin/sh\ntouch started; sleep 0.5; mkdir -p "agents/$2"\n' },
  });
  const server = await startServerProcess({ DOT_MI_ROOT: root }, undefined, undefined, ['--trust-root']);
  const { hostname, host, port } = new URL(server.url);
  const body = '{"name":"late"}';
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/agents HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() =>
    lstat(join(root, 'started')).then(
      () => true,
      () => false,
    ),
  );
  expect(await server.stop('SIGTERM')).toBe(0);
  socket.destroy();
});

test('the shutdown doesn’t wait for a connection that never sent a request', { tags: 'slow' }, async () => {
  const server = await startServerProcess({ DOT_MI_ROOT: await makeRoot() });
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  expect(await server.stop('SIGTERM')).toBe(0);
  socket.destroy();
});

test('--renew-operator-token replaces the operator token before the old one can be used again', {
  tags: 'slow',
}, async () => {
  const [root, data] = [await makeRoot(), await makeTempDirectory()];
  const tokenFile = join(data, 'data/wallet/operator-token');
  const readToken = async () => (await readFile(tokenFile, 'utf8')).trim();
  const first = await startServerProcess({ DOT_MI_ROOT: root }, data);
  const before = await readToken();
  await first.stop('SIGTERM');

  const server = await startServerProcess({ DOT_MI_ROOT: root }, data, undefined, ['--renew-operator-token']);
  await until(() => server.stdout().includes('operator token was renewed'));
  const after = await readToken();
  expect(after).not.toBe(before);
  const statusOf = async (token: string) =>
    (await fetch(`${server.url}/api/settings`, { headers: { Authorization: `Bearer ${token}` } })).status;
  expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
  expect(server.stdout()).not.toContain(after);
});

/** Forges what Node's compile cache in `cache` keeps of `program`, so that it runs `code` instead. */
const forgeCompiledCode = async (cache: string, program: string, code: string): Promise<void> => {
  const source = await readFile(program, 'utf8');
  const forged = join(await makeTempDirectory(), 'forged.cjs');
  // Node and V8 compare only the lengths of the sources, in bytes and in characters.
  const wide = source.replaceAll(/[ -~\s]/g, '');
  await writeFile(forged, `${code}//${wide}`.padEnd(source.length, '/'));
  const load = `require('node:module').enableCompileCache(${JSON.stringify(cache)});
    require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
    require(${JSON.stringify(forged)});`;
  const { status } = spawnSync(process.execPath, ['-e', load], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: '' },
  });
  expect(status).toBe(0);
  const [version = ''] = await readdir(cache);
  const entries = await readdir(join(cache, version));
  const keyOf = (type: number, path: string) =>
    crc32(path, crc32(Buffer.from([type])))
      .toString(16)
      .padStart(8, '0');
  const type = [0, 1, 2, 3].find((each) => entries.includes(keyOf(each, forged)));
  if (type === undefined) throw new Error(`Node names its entries in another way: ${entries}`);
  const entry = await readFile(join(cache, version, keyOf(type, forged)));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(await readFile(forged)));
  entry.writeUInt32LE(crc32(source), entry.indexOf(checksum));
  await writeFile(join(cache, version, keyOf(type, program)), entry);
};

test('compiled code in the folder where it starts is never run', async () => {
  const directory = await makeTempDirectory();
  const programs = dirname(bundledProgram('headless'));
  const started = (await readdir(programs)).find((name) => name.startsWith('run-headless'));
  const mark = join(directory, 'ran');
  const cache = join(directory, 'data', 'compiled');
  await forgeCompiledCode(
    cache,
    join(programs, started ?? 'headless.cjs'),
    `if (process.argv[1]) require('node:fs').writeFileSync(${JSON.stringify(mark)}, '');`,
  );
  const server = await spawnServer({ DOT_MI_ROOT: await makeRoot(), NODE_COMPILE_CACHE: '' }, directory);
  await Promise.race([server.exited, until(() => server.stdout().includes('root'))]);
  expect(await readdir(directory)).not.toContain('ran');
  expect(server.stdout()).toContain('root');
});
