import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firstQuick } from '../support/first-quick.ts';
import { freePort } from '../support/free-port.ts';
import { host } from '../support/host.ts';
import { testMint } from '../support/mint/for-test.ts';
import { heedModes } from '../support/nobody.ts';
import { readJson, until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { spawnServer, startServerProcess } from '../support/server-process.ts';
import { makeTempDirectory } from '../support/temp.ts';

const takePort = async (host: string) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, host, resolve));
  onTestFinished(() => void other.close());
  return (other.address() as { port: number }).port;
};

test('reports each setting, its origin and its variable', async () => {
  const root = await makeRoot();
  const { call, dataDirectory } = await host({ DOT_PI_ROOT: root, DEV_MODE: 'true' });
  const { status, body } = await call('GET', '/api/settings');
  expect(status).toBe(200);
  expect(body.settings).toMatchObject({
    root: { value: root, origin: 'environment', variable: 'DOT_PI_ROOT', editable: false },
    port: { value: 0, origin: 'environment', variable: 'PORT', editable: false },
    devMode: { value: true, origin: 'environment', variable: 'DEV_MODE', editable: false },
    mintUrl: { origin: 'default', variable: 'MINT_URL', editable: true },
    btcRefreshIntervalSeconds: { value: 300, origin: 'default', editable: true },
    walletDirectory: { value: join(dataDirectory, 'data/wallet'), origin: 'default', editable: false },
    dataDirectory: { value: dataDirectory, variable: null, editable: false },
  });
  expect(body).toMatchObject({ firstRun: false, lastError: null, damagedFile: null });
});

test('a root that contains dot-mi’s own data, or lies in it, is refused and not remembered', {
  tags: 'slow',
}, async () => {
  const { call, dataDirectory } = await host({ DEV_MODE: 'true' });
  const link = join(await makeTempDirectory(), 'link');
  await symlink(join(dataDirectory, 'data'), link);
  for (const root of [dataDirectory, join(dataDirectory, 'data/wallet'), link]) {
    const { status, body } = await call('PUT', '/api/settings', { root });
    expect([root, status, body.code]).toEqual([root, 400, 'invalid_request']);
    expect(body.error).toContain('where dot-mi keeps its secrets');
  }
  expect((await call('GET', '/api/settings')).body.settings.root.origin).toBe('default');
  expect((await call('GET', '/api/roots')).body.roots).toHaveLength(1);
});

test('settings are for the operator alone', async () => {
  const { url, call } = await serve(await makeRoot());
  expect((await call('GET', '/api/settings')).body.code).toBe('operator_required');
  const put = await fetch(`${url}/api/settings`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: '{"devMode":false}',
  });
  expect(put.status).toBe(403);
});

test('a new root is available at the same address and with the same token, and is kept', async () => {
  const [first, second] = [await makeRoot(), await makeRoot({ 'agents/other/SYSTEM.md': 'o' })];
  const server = await host({});
  const { url, operatorToken } = server.hosted.server();
  expect((await server.call('PUT', '/api/settings', { root: first })).body).toMatchObject({
    restarting: true,
    url,
    firstRun: false,
    settings: { root: { value: first, origin: 'settings', editable: true } },
  });
  await server.untilStarted(2);
  expect((await server.call('PUT', '/api/settings', { root: second })).status).toBe(200);
  await server.untilStarted(3);
  expect(server.hosted.server()).toMatchObject({ url, operatorToken, rootPath: second });
  const { agents } = (await server.call('GET', '/api/agents')).body;
  expect(agents.map(({ id }: { id: string }) => id)).toEqual(['other', 'scout']);
  expect(JSON.parse(await readFile(server.settingsPath, 'utf8'))).toEqual({ root: second });
  if (process.platform !== 'win32') expect((await stat(server.settingsPath)).mode & 0o777).toBe(0o600);

  await server.hosted.close();
  const next = await host({}, server.dataDirectory);
  expect(next.hosted.server().rootPath).toBe(second);
});

test('null restores the default, and a change that needs no other server restarts nothing', async () => {
  const server = await host({ DOT_MI_ROOT: await makeRoot() });
  const answer = await server.call('PUT', '/api/settings', { devMode: true, btcRefreshIntervalSeconds: 300 });
  expect(answer.body).toMatchObject({
    restarting: false,
    settings: { devMode: { origin: 'settings' }, btcRefreshIntervalSeconds: { value: 300 } },
  });
  const back = await server.call('PUT', '/api/settings', { devMode: null });
  expect(back.body.settings).toMatchObject({
    devMode: { origin: 'default' },
    btcRefreshIntervalSeconds: { origin: 'settings' },
  });
  expect(server.starts()).toBe(1);
  expect((await server.call('PUT', '/api/settings', {})).body.restarting).toBe(false);
});

test('the first run ends when the operator names a root or chooses the starter root', {
  tags: 'slow',
}, async () => {
  const server = await host({});
  expect((await server.call('GET', '/api/health')).body.firstRun).toBe(true);
  const { body } = await server.call('GET', '/api/settings');
  expect([body.firstRun, body.settings.root.value]).toEqual([true, body.starterRoot]);
  const chosen = await server.call('PUT', '/api/settings', { root: 'starter' });
  expect(chosen.body).toMatchObject({
    firstRun: false,
    restarting: false,
    settings: { root: { value: body.starterRoot, origin: 'settings' } },
  });
  expect((await server.call('GET', '/api/health')).body.firstRun).toBe(false);
  expect(server.starts()).toBe(1);
  await server.hosted.close();
  const next = await host({}, server.dataDirectory);
  expect((await next.call('GET', '/api/settings')).body.firstRun).toBe(false);
});

test('changing what the environment sets is refused with the name of the variable, and changes nothing', async () => {
  const server = await host({ DOT_MI_ROOT: await makeRoot(), MINT_URL: 'https://mint.example' });
  const { status, body } = await server.call('PUT', '/api/settings', {
    mintUrl: 'https://other.example',
    devMode: false,
  });
  expect([status, body.code, body.variable]).toEqual([409, 'setting_overridden', 'MINT_URL']);
  expect(body.error).toContain('MINT_URL');
  await expect(stat(server.settingsPath)).rejects.toThrow('ENOENT');
  expect((await server.call('GET', '/api/settings')).body.settings.devMode.origin).toBe('default');
});

test('wrong values get the same errors as at the start, on the fields they belong to', {
  tags: 'slow',
}, async () => {
  const server = await host({ PORT: '', DOT_MI_ROOT: '' }, await dataWithPort(await freePort()));
  const file = join(await makeRoot(), 'setup.sh');
  for (const [change, path, words] of [
    [
      { mintUrl: 'ftp://mint.example' },
      'body.mintUrl',
      /MINT_URL must be an http or https URL, not "ftp:\/\/mint\.example"/,
    ],
    [{ port: 70_000 }, 'body.port', /PORT must be a whole number from 0 to 65535, not "70000"/],
    [{ port: 80.5 }, 'body.port', /whole number/],
    [{ btcRefreshIntervalSeconds: 29 }, 'body.btcRefreshIntervalSeconds', /at least 30 seconds/],
    [{ btcRefreshIntervalSeconds: 86_401 }, 'body.btcRefreshIntervalSeconds', /from 1 to 86400/],
    [{ root: 'relative/root' }, 'body.root', /absolute/],
    [{ root: '/does/not/exist' }, 'body.root', /doesn’t exist/],
    [{ root: file }, 'body.root', /not a folder/],
    [{ colour: 'red' }, 'body.colour', /doesn’t accept this field/],
    [{ devMode: 'no' }, 'body.devMode', /^Send "devMode" as true or false, not as text\.$/],
  ] as const) {
    const { status, body } = await server.call('PUT', '/api/settings', change);
    expect([change, status, body.code, body.issues[0].path]).toEqual([change, 400, 'invalid_request', path]);
    expect(body.issues[0].message).toMatch(words);
  }
  expect(server.starts()).toBe(1);
});

const dataWithPort = async (port: number) => {
  const data = await makeTempDirectory();
  await mkdir(join(data, 'data'));
  await writeFile(join(data, 'data/settings.json'), JSON.stringify({ port }));
  return data;
};

test('another port: the server moves there, and a port that is taken is refused before anything stops', async () => {
  const [port, other] = [await freePort(), await freePort()];
  const server = await host({ PORT: '', DOT_MI_ROOT: await makeRoot() }, await dataWithPort(port));
  expect(server.hosted.server().url).toBe(`http://127.0.0.1:${port}`);
  for (const address of ['127.0.0.1', '::1']) {
    const taken = await server.call('PUT', '/api/settings', { port: await takePort(address) });
    expect([address, taken.status, taken.body.code, taken.body.issues?.[0].path]).toEqual([
      address,
      409,
      'port_in_use',
      'body.port',
    ]);
  }
  const moved = await server.call('PUT', '/api/settings', { port: other });
  expect(moved.body).toMatchObject({ restarting: true, url: `http://127.0.0.1:${other}` });
  await server.untilStarted(2);
  expect(server.hosted.server().url).toBe(`http://127.0.0.1:${other}`);
  await expect(fetch(`http://127.0.0.1:${port}/api/health`)).rejects.toThrow();
  // 0 is a free port: the one it has is.
  await server.call('PUT', '/api/settings', { port: 0 });
  await server.untilStarted(3);
  expect(server.hosted.server().url).toBe(`http://127.0.0.1:${other}`);
});

test('settings that prevent a start are reverted, and the response says why', async () => {
  const mint = await testMint();
  const server = await host({ DOT_MI_ROOT: await makeRoot(), MINT_URL: mint.url });
  const wallet = join(server.dataDirectory, 'data/wallet');
  // A database of the real wallet that is none: DEV_MODE never opens it.
  await server.call('PUT', '/api/settings', { devMode: false });
  await server.untilStarted(2);
  await server.call('PUT', '/api/settings', { devMode: true });
  await server.untilStarted(3);
  await writeFile(
    join(wallet, 'wallet.sqlite'),
    'no database at all, but long enough to be looked at'.repeat(100),
  );

  expect((await server.call('PUT', '/api/settings', { devMode: false })).body.restarting).toBe(true);
  await server.untilStarted(4);
  const { body } = await server.call('GET', '/api/settings');
  expect(body.settings.devMode).toMatchObject({ value: true, origin: 'settings' });
  expect(body.lastError).toMatch(/could not start/);
  await until(async () => JSON.parse(await readFile(server.settingsPath, 'utf8')).devMode === true);
  expect(server.lost).toEqual([]);
  // The restart ends a moment after the file is written; until then it answers 503.
  let good = await server.call('PUT', '/api/settings', { btcRefreshIntervalSeconds: 60 });
  await until(async () => {
    if (good.body.code === 'restarting')
      good = await server.call('PUT', '/api/settings', { btcRefreshIntervalSeconds: 60 });
    return good.status === 200;
  });
  expect(good.body.lastError).toBeNull();
});

test('an open event stream ends for the restart and can be reopened at once', { tags: 'slow' }, async () => {
  const server = await host({});
  const before = await fetch(`${server.hosted.server().url}/api/events`);
  await server.call('PUT', '/api/settings', { root: await makeRoot() });
  // Reads to its end, which only the restart brings.
  await before.text();
  await server.untilStarted(2);
  const after = await fetch(`${server.hosted.server().url}/api/events`);
  expect(after.status).toBe(200);
  await after.body?.cancel();
});

test('of simultaneous changes one is applied, and the others are applied too or asked to retry', {
  tags: 'slow',
}, async () => {
  const roots = [await makeRoot(), await makeRoot(), await makeRoot()];
  const server = await host({});
  const answers = await Promise.all(roots.map((root) => server.call('PUT', '/api/settings', { root })));
  const kinds = answers.map(({ status, body }) => (status === 200 ? 'done' : body.code));
  expect(kinds.filter((kind) => kind === 'done')).toHaveLength(1);
  expect(kinds.filter((kind) => kind === 'restarting')).toHaveLength(2);
  await server.untilStarted(2);
  const done = roots[kinds.indexOf('done')];
  expect(server.hosted.server().rootPath).toBe(done);
  expect(JSON.parse(await readFile(server.settingsPath, 'utf8'))).toEqual({ root: done });
});

test('a receive that is running when the settings change is finished or brought to its end later', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const server = await host({ DOT_MI_ROOT: await makeRoot(), DEV_MODE: 'false', MINT_URL: mint.url });
  mint.fail('/v1/swap', { kind: 'slow', delayMs: 300 });
  const receive = server.call('POST', '/api/wallet/receive', { token: mint.issue(64) });
  await until(() => mint.requests('/v1/swap').length > 0);
  expect((await server.call('PUT', '/api/settings', { btcRefreshIntervalSeconds: 60 })).status).toBe(200);
  expect((await receive).body).toMatchObject({ amount: 64 });
  await server.untilStarted(2);
  expect((await server.call('GET', '/api/wallet/balance')).body.balance).toBe(64);
});

for (const [tags, rows] of firstQuick(1, [
  ['is no JSON', '{"root":'],
  ['has values of wrong types', '{"port":"8000"}'],
  ['has a value that cannot be', '{"mintUrl":"ftp://mint.example"}'],
]))
  test.each(rows)(
    'a settings file that %s is set aside, and the defaults are used',
    { tags },
    async (_what, text) => {
      const data = await makeTempDirectory();
      await mkdir(join(data, 'data'));
      await writeFile(join(data, 'data/settings.json'), text);
      const server = await host({ DOT_MI_ROOT: await makeRoot() }, data);
      const { damagedFile, settings } = (await server.call('GET', '/api/settings')).body;
      expect(damagedFile).toMatch(/settings\.damaged-[\dTZ-]+\.json$/);
      expect(await readFile(damagedFile, 'utf8')).toBe(text);
      expect(settings.mintUrl.origin).toBe('default');
      await expect(stat(server.settingsPath)).rejects.toThrow('ENOENT');
    },
  );

// Windows has no such modes, and only root gives files away.
test
  .skipIf(process.platform === 'win32')
  .each([
    ['that its group can write', (path: string) => chmod(path, 0o620)],
    ['that everybody can write', (path: string) => chmod(path, 0o602)],
    ...(process.getuid?.() === 0
      ? [['of another user', (path: string) => chown(path, 12_345, 12_345)] as const]
      : []),
  ] as const)(
  'a settings file %s is not used and stays as a copy, and the log says why',
  async (_whose, share) => {
    const data = await makeTempDirectory();
    await mkdir(join(data, 'data'));
    const path = join(data, 'data/settings.json');
    const text = '{"mintUrl":"https://mint.example"}';
    await writeFile(path, text);
    await share(path);
    const server = await host({ DOT_MI_ROOT: await makeRoot() }, data);
    const { damagedFile, settings } = (await server.call('GET', '/api/settings')).body;
    expect(settings.mintUrl.origin).toBe('default');
    expect(await readFile(damagedFile, 'utf8')).toBe(text);
    expect(server.log()).toMatch(/Other users can write to|belongs to another user/);
  },
);

test('a settings file that others can read is used', async () => {
  const data = await makeTempDirectory();
  await mkdir(join(data, 'data'));
  const path = join(data, 'data/settings.json');
  await writeFile(path, '{"mintUrl":"https://mint.example"}');
  await chmod(path, 0o644);
  const server = await host({ DOT_MI_ROOT: await makeRoot() }, data);
  expect((await server.call('GET', '/api/settings')).body).toMatchObject({
    damagedFile: null,
    settings: { mintUrl: { value: 'https://mint.example', origin: 'settings' } },
  });
});

test('a wrong variable is blamed, not the settings file', { tags: 'slow' }, async () => {
  const data = await makeTempDirectory();
  await mkdir(join(data, 'data'));
  await writeFile(join(data, 'data/settings.json'), '{"port":8123}');
  const server = await spawnServer({ PORT: 'abc' }, data);
  expect(await server.exited).toBe(1);
  expect(server.stderr()).toContain('PORT must be a whole number from 0 to 65535, not "abc".');
  expect(await readdir(join(data, 'data'))).toEqual(['settings.json']);
});

test('the headless server follows its settings and prints its address, in one process', {
  tags: 'slow',
}, async () => {
  const data = await makeTempDirectory();
  const root = await makeRoot();
  const server = await startServerProcess({}, data);
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();
  const put = (body: unknown) =>
    readJson(
      fetch(`${server.url}/api/settings`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      }),
    );
  expect((await put({ root })).restarting).toBe(true);
  await until(() => server.stdout().includes(`root  ${root}\n`));
  expect((await readJson(fetch(`${server.url}/api/health`))).dotMiRoot).toBe(root);
  expect(await server.stop('SIGTERM')).toBe(0);
});

test('when the disk can’t be written, the change is refused and nothing restarts', { tags: 'slow' }, async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'Windows has no modes');
  const server = await host({ DOT_MI_ROOT: await makeRoot() });
  await chmod(join(server.dataDirectory, 'data'), 0o500);
  onTestFinished(() => chmod(join(server.dataDirectory, 'data'), 0o700));
  heedModes();
  const { status, body } = await server.call('PUT', '/api/settings', { devMode: false });
  expect([status, body.code]).toEqual([403, 'permission_denied']);
  expect(server.starts()).toBe(1);
});
