import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  access,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstQuick } from '../support/first-quick.ts';
import { host, type TestHost } from '../support/host.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot, type Tree } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** A script that leaves a trace of each run. */
const leavesTrace = (more = '') =>
  `#!/bin/sh\necho ran >> "$(dirname "$0")/trace"\nmkdir -p "$(dirname "$0")/agents/$2"\n${more}`;

const traced: Tree = { 'setup.sh': { script: leavesTrace() } };

const runs = async (root: string): Promise<number> => {
  const text = await readFile(join(root, 'trace'), 'utf8').catch(() => '');
  return text.split('\n').length - 1;
};

const sha256Of = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

type Caller = Pick<TestHost, 'call'>;

const create = (server: Caller, name: string) => server.call('POST', '/api/agents', { name });
const read = async (server: Caller) => (await server.call('GET', '/api/root/trust')).body;
const trust = async (server: Caller) => {
  const { script } = await read(server);
  return server.call('PUT', '/api/root/trust', { sha256: script.sha256 });
};

const recordPath = ({ dataDirectory }: TestHost) => join(dataDirectory, 'data/trusted-roots.json');

const expectRefused = async (server: Caller, root: string, name = 'refused') => {
  const before = await runs(root);
  const { status, body } = await create(server, name);
  expect([status, body.code]).toEqual([403, 'root_not_trusted']);
  expect(await runs(root)).toBe(before);
  expect(await readdir(join(root, 'agents'))).not.toContain(name);
  return body;
};

test('a root that the environment names runs nothing until the operator trusts it', async () => {
  const root = await makeRoot(traced);
  const server = await host({ DOT_MI_ROOT: root });
  const refused = await expectRefused(server, root);
  expect(refused.error).toContain('setup.sh');
  expect(refused.error).toContain('--trust-root');
  expect(refused.reason).toBe('new');

  const asked = await server.call('GET', '/api/root/trust');
  expect([asked.status, asked.body]).toEqual([
    200,
    {
      trusted: false,
      reason: 'new',
      root,
      script: {
        name: 'setup.sh',
        sha256: await sha256Of(join(root, 'setup.sh')),
        size: (await stat(join(root, 'setup.sh'))).size,
        text: leavesTrace(),
        truncated: false,
      },
    },
  ]);
  expect(await runs(root)).toBe(0);

  const yes = await trust(server);
  expect([yes.status, yes.body.trusted, yes.body.reason]).toEqual([200, true, undefined]);
  expect((await create(server, 'made')).status).toBe(201);
  expect(await runs(root)).toBe(1);
});

test('the answer survives a restart, in a file that only its owner can read', async () => {
  const root = await makeRoot(traced);
  const first = await host({ DOT_MI_ROOT: root });
  await trust(first);
  if (process.platform !== 'win32') expect((await stat(recordPath(first))).mode & 0o777).toBe(0o600);
  await first.hosted.close();
  const second = await host({ DOT_MI_ROOT: root }, first.dataDirectory);
  expect((await create(second, 'made')).status).toBe(201);
});

test('trust is needed again when the script changes, when another replaces it, and after a restart', async () => {
  const root = await makeRoot(traced);
  const server = await host({ DOT_MI_ROOT: root });
  await trust(server);
  await writeFile(join(root, 'setup.sh'), leavesTrace('echo changed\n'));
  expect((await expectRefused(server, root)).reason).toBe('script_changed');
  expect(await read(server)).toMatchObject({ trusted: false, reason: 'script_changed' });
  await trust(server);
  expect((await create(server, 'made')).status).toBe(201);

  // The same bytes under the name that wins are another command.
  await writeFile(join(root, 'dotpi'), leavesTrace('echo changed\n'), { mode: 0o755 });
  expect((await expectRefused(server, root)).reason).toBe('script_changed');
  await rm(join(root, 'dotpi'));
  expect((await create(server, 'again')).status).toBe(201);

  await server.hosted.close();
  await writeFile(join(root, 'setup.sh'), leavesTrace('echo changed while it was away\n'));
  const next = await host({ DOT_MI_ROOT: root }, server.dataDirectory);
  await expectRefused(next, root);
});

test('trust is for the script that was read, not for one that replaced it', async () => {
  const root = await makeRoot(traced);
  const server = await host({ DOT_MI_ROOT: root });
  const { script } = await read(server);
  await writeFile(join(root, 'setup.sh'), leavesTrace('echo swapped\n'));
  const { status, body } = await server.call('PUT', '/api/root/trust', { sha256: script.sha256 });
  expect([status, body.code]).toEqual([409, 'script_changed']);
  await expectRefused(server, root);
  const wrong = await server.call('PUT', '/api/root/trust', { sha256: 'yes' });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_request']);
});

test('trust can be withdrawn, and stays withdrawn', async () => {
  const root = await makeRoot(traced);
  const server = await host({ DOT_MI_ROOT: root });
  await trust(server);
  const { status, body } = await server.call('DELETE', '/api/root/trust');
  expect([status, body.trusted, body.reason]).toEqual([200, false, 'new']);
  await expectRefused(server, root);
  await server.hosted.close();
  await expectRefused(await host({ DOT_MI_ROOT: root }, server.dataDirectory), root);
});

test('only the operator reads or gives the answer', async () => {
  const root = await makeRoot(traced);
  const server = await serve(root, { environment: { API_TOKEN: 'an-api-token-of-tests' } });
  const sha256 = await sha256Of(join(root, 'setup.sh'));
  const headers = { Authorization: 'Bearer an-api-token-of-tests' };
  for (const [method, body] of [['GET'], ['PUT', { sha256 }], ['DELETE']] as const) {
    for (const shown of [{}, headers]) {
      const answer = await server.call(method, '/api/root/trust', body, shown);
      expect([method, answer.status, answer.body.code]).toEqual([method, 403, 'operator_required']);
    }
  }
  const refused = await server.call('POST', '/api/agents', { name: 'new' }, headers);
  expect(refused.body.code).toBe('root_not_trusted');
  expect(await runs(root)).toBe(0);
});

test('the starter root counts as trusted, but an edited script in it doesn’t, and neither does a withdrawn one', async () => {
  const server = await host({});
  const starter = join(server.dataDirectory, 'data/dot-mi-root');
  expect((await read(server)).trusted).toBe(true);
  expect((await create(server, 'made')).status).toBe(201);
  const original = await readFile(join(starter, 'setup.sh'));
  await writeFile(join(starter, 'setup.sh'), `${original}\necho edited\n`);
  const { status, body } = await create(server, 'edited');
  expect([status, body.code]).toEqual([403, 'root_not_trusted']);
  await writeFile(join(starter, 'setup.sh'), original);
  expect((await create(server, 'edited')).status).toBe(201);

  expect((await server.call('DELETE', '/api/root/trust')).body.trusted).toBe(false);
  await server.hosted.close();
  const next = await host({}, server.dataDirectory);
  expect((await create(next, 'withdrawn')).body.code).toBe('root_not_trusted');
});

test('the script of the starter root is trusted only there', async () => {
  const starter = new URL('../../resources/starter-root/setup.sh', import.meta.url);
  const root = await makeRoot({ 'setup.sh': { script: await readFile(starter, 'utf8') } });
  await expectRefused(await host({ DOT_MI_ROOT: root }), root);
});

test('the starter root stays trusted when a newer dot-mi comes with another script', {
  tags: 'slow',
}, async () => {
  const server = await host({});
  const starter = join(server.dataDirectory, 'data/dot-mi-root');
  const record = async () => JSON.parse(await readFile(recordPath(server), 'utf8')).roots;
  // Its script is remembered on its own, so the bundled one may change.
  await until(() =>
    access(recordPath(server)).then(
      () => true,
      () => false,
    ),
  );
  const sha256 = await sha256Of(join(starter, 'setup.sh'));
  expect(await record()).toMatchObject([{ path: starter, script: { name: 'setup.sh', sha256 } }]);
});

test('choosing a root in the settings trusts no script, and keeps the trust in one that was read', {
  tags: 'slow',
}, async () => {
  const [root, other] = [await makeRoot(traced), await makeRoot()];
  await rm(join(other, 'setup.sh'));
  const server = await host({});
  const choose = async (path: string, starts: number) => {
    expect((await server.call('PUT', '/api/settings', { root: path })).status).toBe(200);
    await server.untilStarted(starts);
  };
  await choose(root, 2);
  expect((await expectRefused(server, root)).reason).toBe('new');
  await trust(server);
  expect((await create(server, 'made')).status).toBe(201);

  // Nor does it trust the agents of a root without a script.
  await choose(other, 3);
  expect(await read(server)).toEqual({ trusted: false, reason: 'new', root: other, script: null });
  await choose(root, 4);
  expect((await create(server, 'again')).status).toBe(201);

  await choose(other, 5);
  await writeFile(join(root, 'setup.sh'), leavesTrace('echo changed\n'));
  await choose(root, 6);
  expect((await expectRefused(server, root)).reason).toBe('script_changed');
});

test('choosing the starter root again doesn’t trust it after its trust was withdrawn', {
  tags: 'slow',
}, async () => {
  const server = await host({});
  await server.call('DELETE', '/api/root/trust');
  const { status, body } = await server.call('PUT', '/api/settings', { root: 'starter' });
  expect([status, body.restarting]).toEqual([200, false]);
  expect((await create(server, 'new')).body.code).toBe('root_not_trusted');
});

test('settings that do not name a root trust none', { tags: 'slow' }, async () => {
  const root = await makeRoot(traced);
  const server = await host({ DOT_MI_ROOT: root });
  expect((await server.call('PUT', '/api/settings', { devMode: true })).status).toBe(200);
  await expectRefused(server, root);
});

test('a folder is the same by whatever link it is reached, and a link that points elsewhere is another folder', {
  tags: 'slow',
}, async () => {
  const [root, other] = [await makeRoot(traced), await makeRoot(traced)];
  const link = join(await makeTempDirectory(), 'link');
  await symlink(root, link);
  const server = await host({ DOT_MI_ROOT: link });
  expect((await read(server)).root).toBe(root);
  await trust(server);
  await server.hosted.close();

  const direct = await host({ DOT_MI_ROOT: root }, server.dataDirectory);
  expect((await create(direct, 'made')).status).toBe(201);
  await direct.hosted.close();

  await rm(link);
  await symlink(other, link);
  await expectRefused(await host({ DOT_MI_ROOT: link }, server.dataDirectory), other);
});

test('a script that is a link is known by its target', { tags: 'slow' }, async () => {
  const elsewhere = join(await makeTempDirectory(), 'shared-setup.sh');
  await writeFile(elsewhere, '#!/bin/sh\nmkdir -p "agents/$2"\n', { mode: 0o755 });
  const root = await makeRoot({ dotpi: { link: elsewhere } });
  const server = await host({ DOT_MI_ROOT: root });
  expect((await trust(server)).status).toBe(200);
  expect((await create(server, 'made')).status).toBe(201);
  await writeFile(elsewhere, '#!/bin/sh\ntouch hacked\n');
  await expectRefused(server, root);
  expect(await readdir(root)).not.toContain('hacked');
});

for (const [tags, rows] of firstQuick(1, [
  ['no JSON', '{'],
  ['another shape', '{"roots":{"x":true}}'],
  ['half of it', '{"version":1,"roots":[{"path":"'],
  ['not text', Buffer.from([0xff, 0xfe, 0x00])],
  ['far too large', ' '.repeat(2 * 1024 * 1024)],
]))
  test.each(rows)(
    'a record that is damaged (%s) trusts nothing and stops nothing',
    { tags },
    async (_, bytes) => {
      const root = await makeRoot(traced);
      const server = await host({ DOT_MI_ROOT: root });
      await trust(server);
      await server.hosted.close();
      await writeFile(recordPath(server), bytes);
      const next = await host({ DOT_MI_ROOT: root }, server.dataDirectory);
      await expectRefused(next, root);
      await trust(next);
      expect((await create(next, 'made')).status).toBe(201);
    },
  );

test.runIf(process.platform !== 'win32')(
  'a record that others may write, or that isn’t a file, trusts nothing',
  async () => {
    const root = await makeRoot(traced);
    const server = await host({ DOT_MI_ROOT: root });
    await trust(server);
    await chmod(recordPath(server), 0o666);
    await expectRefused(server, root);
    await chmod(recordPath(server), 0o600);
    expect((await create(server, 'mine')).status).toBe(201);

    const aside = join(server.dataDirectory, 'aside.json');
    await rename(recordPath(server), aside);
    await symlink(aside, recordPath(server));
    await expectRefused(server, root);
    await rm(recordPath(server));
    expect(spawnSync('mkfifo', [recordPath(server)]).status).toBe(0);
    await expectRefused(server, root);
    await rm(recordPath(server));
    await mkdir(recordPath(server));
    await expectRefused(server, root);
  },
);

test.runIf(process.platform !== 'win32')(
  'a setup script that isn’t a file is neither run nor waited for',
  { tags: 'slow' },
  async () => {
    const root = await makeRoot(traced);
    const server = await host({ DOT_MI_ROOT: root });
    expect(spawnSync('mkfifo', [join(root, 'dotpi')]).status).toBe(0);
    const { status, body } = await create(server, 'new');
    expect([status, body.code]).toEqual([500, 'setup_script_failed']);
    expect(body.error).toContain('dotpi is not a regular file');
    await rm(join(root, 'dotpi'));
    await writeFile(join(root, 'dotpi'), '');
    await truncate(join(root, 'dotpi'), 65 * 1024 * 1024);
    expect((await create(server, 'new')).body.error).toContain('64 MiB');
    expect(await runs(root)).toBe(0);
  },
);

test('a root without a script is trusted by its real path, until a script appears in it', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  await rm(join(root, 'setup.sh'));
  const server = await host({ DOT_MI_ROOT: root });
  const isReady = async (of: Caller) => (await of.call('GET', '/api/health')).body.rootTrusted;
  const warnings = async (of: Caller): Promise<string[]> => {
    const { body } = await of.call('GET', '/api/agents/scout/run-command');
    return body.warnings.map(({ code }: { code: string }) => code);
  };
  expect(await read(server)).toEqual({ trusted: false, reason: 'new', root, script: null });
  expect(await isReady(server)).toBe(false);
  expect(await warnings(server)).toContain('root_not_trusted');

  const wrong = await server.call('PUT', '/api/root/trust', { sha256: 'a'.repeat(64) });
  expect([wrong.status, wrong.body.code]).toEqual([503, 'setup_script_missing']);
  const yes = await server.call('PUT', '/api/root/trust', { sha256: null });
  expect([yes.status, yes.body]).toEqual([200, { trusted: true, root, script: null }]);
  expect(await isReady(server)).toBe(true);
  expect(await warnings(server)).not.toContain('root_not_trusted');
  expect((await create(server, 'new')).body.code).toBe('setup_script_missing');
  await server.hosted.close();

  // By whatever link it is reached, but not a copy of it elsewhere.
  const link = join(await makeTempDirectory(), 'link');
  await symlink(root, link);
  const again = await host({ DOT_MI_ROOT: link }, server.dataDirectory);
  expect(await read(again)).toEqual({ trusted: true, root, script: null });
  await writeFile(join(root, 'setup.sh'), leavesTrace(), { mode: 0o755 });
  expect((await expectRefused(again, root)).reason).toBe('script_changed');
  const blind = await again.call('PUT', '/api/root/trust', { sha256: null });
  expect([blind.status, blind.body.code]).toEqual([409, 'script_changed']);
  expect((await trust(again)).body.trusted).toBe(true);
  await rm(join(root, 'setup.sh'));
  expect(await read(again)).toEqual({ trusted: true, root, script: null });
  expect((await again.call('DELETE', '/api/root/trust')).body).toMatchObject({
    trusted: false,
    reason: 'new',
  });
  await again.hosted.close();

  const other = await makeRoot();
  await rm(join(other, 'setup.sh'));
  expect(await read(await host({ DOT_MI_ROOT: other }, server.dataDirectory))).toMatchObject({
    reason: 'new',
  });
});

test('trust in a root that is gone is refused', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const server = await host({ DOT_MI_ROOT: root });
  await rm(root, { recursive: true });
  expect((await server.call('GET', '/api/root/trust')).body.code).toBe('root_unavailable');
});

test('the start says what to do about a root without a script', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  await rm(join(root, 'setup.sh'));
  const directory = await makeTempDirectory();
  const first = await startServerProcess({ DOT_MI_ROOT: root }, directory);
  await until(() => first.stdout().includes('This root isn’t trusted yet'));
  expect(first.stdout()).toContain('--trust-root');
  await first.stop('SIGTERM');
  const second = await startServerProcess({ DOT_MI_ROOT: root }, directory, undefined, ['--trust-root']);
  await until(() => second.stdout().includes('trusted: '));
  await second.stop('SIGTERM');
  const third = await startServerProcess({ DOT_MI_ROOT: root }, directory);
  await until(() => third.stdout().includes('Test money'));
  expect(third.stdout()).not.toContain('trust');
});

test('shows the beginning of a long script, and no text of anything that isn’t one', async () => {
  const long = `#!/bin/sh\n${'# ünïcödé\n'.repeat(20_000)}`;
  const root = await makeRoot({ 'setup.sh': { script: long } });
  const server = await host({ DOT_MI_ROOT: root });
  const { script } = await read(server);
  expect(script).toMatchObject({ truncated: true, size: Buffer.byteLength(long) });
  expect(Buffer.byteLength(script.text)).toBeLessThanOrEqual(64 * 1024);
  expect(long.startsWith(script.text)).toBe(true);
  await writeFile(join(root, 'setup.sh'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x00, 0xff]));
  expect((await read(server)).script).toMatchObject({ text: null, truncated: false, size: 6 });
});

test('health reports from memory whether the root waits for trust', async () => {
  const root = await makeRoot(traced);
  const server = await host({ DOT_MI_ROOT: root });
  const trusted = async () => (await server.call('GET', '/api/health')).body.rootTrusted;
  expect(await trusted()).toBe(false);
  await trust(server);
  expect(await trusted()).toBe(true);
  await server.call('DELETE', '/api/root/trust');
  expect(await trusted()).toBe(false);
});

test('--trust-root gives trust on the command line, and without it the start says what to do', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot(traced);
  const directory = await makeTempDirectory();
  const post = (url: string, name: string) =>
    fetch(`${url}/api/agents`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  const first = await startServerProcess({ DOT_MI_ROOT: root }, directory);
  await until(() => first.stdout().includes('--trust-root'));
  expect((await post(first.url, 'new')).status).toBe(403);
  expect(await runs(root)).toBe(0);
  await first.stop('SIGTERM');

  const second = await startServerProcess({ DOT_MI_ROOT: root }, directory, undefined, ['--trust-root']);
  await until(() => second.stdout().includes('trusted'));
  expect((await post(second.url, 'new')).status).toBe(201);
  await second.stop('SIGTERM');

  // It was said once, and is not said for what comes later.
  const third = await startServerProcess({ DOT_MI_ROOT: root }, directory);
  expect((await post(third.url, 'newer')).status).toBe(201);
  await writeFile(join(root, 'setup.sh'), leavesTrace('echo changed\n'));
  expect((await post(third.url, 'newest')).status).toBe(403);
});

test('setting up a root trusts only the script of dot-mi, even if another user adds one meanwhile', async () => {
  const root = await makeTempDirectory();
  // dot-mi creates its links after it listed the folder, and before it adds the script.
  const addScript = async (target: string, path: string) => {
    await symlink(target, path);
    await writeFile(join(root, 'dotpi'), leavesTrace(), { mode: 0o755 });
  };
  const { call, operatorToken } = await serve(root, {
    linkSystem: { platform: process.platform, symlink: addScript },
  });
  const asOperator: Caller = {
    call: (method, path, body) => call(method, path, body, { Authorization: `Bearer ${operatorToken}` }),
  };
  const { body } = await asOperator.call('POST', '/api/root/setup', {});
  expect(body.created).toContain('setup.sh');
  expect(await read(asOperator)).toMatchObject({ trusted: false, script: { name: 'dotpi' } });
  await expectRefused(asOperator, root);
});

test('a trusted script doesn’t run while other users can replace it', async ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no modes');
  const root = await makeRoot(traced);
  const server = await host({ DOT_MI_ROOT: root });
  await trust(server);
  const script = join(root, 'setup.sh');
  for (const [path, mode] of [
    [script, 0o757],
    [root, 0o757],
  ] as const) {
    await chmod(path, mode);
    const { status, body } = await create(server, 'shared');
    expect([status, body.code]).toEqual([500, 'setup_script_failed']);
    expect(body.error).toContain('Other users of this computer can change setup.sh');
    await chmod(path, 0o755);
  }
  // In a folder such as /tmp, nobody can replace what belongs to others.
  await chmod(root, 0o1777);
  expect(await runs(root)).toBe(0);
  expect((await create(server, 'own')).status).toBe(201);
  expect(await runs(root)).toBe(1);
});
