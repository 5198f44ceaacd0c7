import { chmod, lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownSearchPath } from '../../src/server/platform/open-to-others.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot, type Tree } from '../support/root.ts';
import { serve as serveUntrusted, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

/** Starts a server with a root whose script an operator has trusted. */
const serve: typeof serveUntrusted = async (root, options) => {
  const server = await serveUntrusted(root, options);
  await trustRoot(server);
  return server;
};

const create = ({ call }: TestServer, name = 'new', workspace?: boolean) =>
  call('POST', '/api/agents', { name, ...(workspace === undefined ? {} : { workspace }) });

const script = (body: string): Tree => ({ 'setup.sh': { script: `#!/bin/sh\n${body}\n` } });

const agentsOf = (root: string) => readdir(join(root, 'agents'));

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const pidIn = async (path: string) => Number(await readFile(path, 'utf8'));

test('creates an agent with the setup script, with and without a workspace', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  const plain = await create(server, 'new');
  expect([plain.status, plain.body]).toEqual([201, { ok: true, id: 'new' }]);
  expect(plain.headers.get('location')).toBe('/api/agents/new');
  expect(await readFile(join(root, 'agents/new/SYSTEM.md'), 'utf8')).toBe('You are new.\n');
  expect((await create(server, 'spaced', true)).status).toBe(201);
  expect((await create(server, 'unspaced', false)).status).toBe(201);
  const { agents } = (await server.call('GET', '/api/agents')).body;
  expect(agents).toContainEqual(expect.objectContaining({ id: 'spaced', workspace: true }));
  expect(agents).toContainEqual(expect.objectContaining({ id: 'unspaced', workspace: false }));
});

test('the script gets its arguments unchanged, and little of our environment', async () => {
  const root = await makeRoot(
    script('printf "%s\\n" "$@" > args; env > env; mkdir -p "agents/$3"; pwd > cwd'),
  );
  process.env.A_SECRET_OF_OURS = 'secret';
  const server = await serve(root, {
    environment: { API_TOKEN: 'a-token-of-sixteen', LANG: 'C.UTF-8', TERM: 'dumb' },
  });
  const { status } = await server.call(
    'POST',
    '/api/agents',
    { name: 'new', workspace: true },
    { Authorization: 'Bearer a-token-of-sixteen' },
  );
  delete process.env.A_SECRET_OF_OURS;
  expect(status).toBe(201);
  expect(await readFile(join(root, 'args'), 'utf8')).toBe('create-agent\n--workspace\nnew\n');
  expect((await readFile(join(root, 'cwd'), 'utf8')).trim()).toBe(root);
  const environment = (await readFile(join(root, 'env'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  // The shell adds its own three.
  const ofTheShell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  expect(environment.filter((name) => !ofTheShell.includes(name ?? '')).sort()).toEqual(
    ['DOT_MI_ROOT', 'DOT_PI_ROOT', 'HOME', 'LANG', 'PATH', 'TERM'].sort(),
  );
});

test("the script gets the PATH of the operator's terminal if a host knows it", { tags: 'slow' }, async () => {
  const root = await makeRoot(script('echo "$PATH" > path; /bin/mkdir "agents/$2"'));
  const programs = await makeTempDirectory();
  expect(
    (await create(await serve(root, { readSearchPath: async () => `.:${programs}:/missing` }))).status,
  ).toBe(201);
  expect(await readFile(join(root, 'path'), 'utf8')).toBe(`${programs}\n`);
  const unknown = await makeRoot(script('echo "$PATH" > path; mkdir "agents/$2"'));
  expect((await create(await serve(unknown, { readSearchPath: async () => undefined }))).status).toBe(201);
  expect(await readFile(join(unknown, 'path'), 'utf8')).toBe(
    `${await ownSearchPath(process.env.PATH ?? '')}\n`,
  );
});

test('dotpi takes precedence if both scripts exist', async () => {
  const root = await makeRoot({
    dotpi: { script: '#!/bin/sh\nmkdir -p agents/$2; echo dotpi > agents/$2/SYSTEM.md\n' },
  });
  expect((await create(await serve(root))).status).toBe(201);
  expect(await readFile(join(root, 'agents/new/SYSTEM.md'), 'utf8')).toBe('dotpi\n');
});

test('a name that an agent, a file or a link already has is 409', async () => {
  const root = await makeRoot({ 'agents/file': 'x', 'agents/link': { link: 'nowhere' } });
  const server = await serve(root);
  for (const name of ['scout', 'file', 'link']) {
    const { status, body } = await create(server, name);
    expect([name, status, body.code]).toEqual([name, 409, 'agent_exists']);
  }
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
});

test('of twelve simultaneous requests for one name, one gets it', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const server = await serve(root);
  const statuses = (await Promise.all(Array.from({ length: 12 }, () => create(server)))).map(
    ({ status }) => status,
  );
  expect(statuses.toSorted()).toEqual([201, ...Array(11).fill(409)]);
  expect(await agentsOf(root)).toEqual(['new', 'scout']);
});

test('scripts that hang keep others waiting, and not the operator', { tags: 'slow' }, async () => {
  const root = await makeRoot(
    script(`for name; do :; done
echo "$name" >> started
[ "$name" = own ] || while [ ! -e go ]; do sleep 0.02; done
mkdir -p "agents/$name"`),
  );
  const server = await serve(root);
  const names = Array.from({ length: 8 }, (_, at) => `crowd-${at}`);
  const crowd = names.map((name) => create(server, name));
  const started = async () =>
    (await readFile(join(root, 'started'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  await until(async () => (await started()).length >= 4);
  const own = await server.call(
    'POST',
    '/api/agents',
    { name: 'own' },
    { Authorization: `Bearer ${server.operatorToken}` },
  );
  expect(own.status).toBe(201);
  expect(await started()).toHaveLength(5);
  await writeFile(join(root, 'go'), '');
  expect((await Promise.all(crowd)).map(({ status }) => status)).toEqual(names.map(() => 201));
});

test('a missing script is 503, and a missing root is reported as such', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  await rm(join(root, 'setup.sh'));
  const missing = await create(server);
  expect([missing.status, missing.body.code]).toEqual([503, 'setup_script_missing']);
  await rm(root, { recursive: true });
  expect((await create(server)).body.code).toBe('root_unavailable');
});

test('a script that is not executable or has no interpreter says what to do', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  await chmod(join(root, 'setup.sh'), 0o644);
  const notExecutable = await create(server);
  expect([notExecutable.status, notExecutable.body.code]).toEqual([500, 'setup_script_failed']);
  expect(notExecutable.body.error).toContain('chmod +x setup.sh');
  await writeFile(join(root, 'setup.sh'), '#!/no/such/interpreter\n');
  await chmod(join(root, 'setup.sh'), 0o755);
  await trustRoot(server);
  expect((await create(server)).body.error).toContain('interpreter');
});

test('a script that fails halfway leaves no partial agent, and what it created is in the trash', async () => {
  const root = await makeRoot(
    script('mkdir -p agents/$2; echo half > agents/$2/SYSTEM.md; echo "disk on fire" >&2; exit 3'),
  );
  const server = await serve(root);
  const { status, body } = await create(server);
  expect([status, body.code, body.exitCode, body.stderr]).toEqual([
    500,
    'setup_script_failed',
    3,
    'disk on fire',
  ]);
  expect(await agentsOf(root)).toEqual(['scout']);
  const { entries } = (await server.asOperator('GET', '/api/trash')).body;
  expect(entries).toMatchObject([{ id: 'new' }]);
});

test('standard output is reported when standard error is empty', async () => {
  const root = await makeRoot(script('echo "Error: no luck"; exit 1'));
  expect((await create(await serve(root))).body.stderr).toBe('Error: no luck');
});

test('paths of this machine are removed from the script’s output', async () => {
  const root = await makeRoot(
    script(
      'echo "cannot open $PWD/agents/x, /etc/secret/place or \'/usr/lib/y.so\'; see shared/a and 1/2" >&2; exit 1',
    ),
  );
  const { stderr } = (await create(await serve(root))).body;
  expect(stderr).toBe("cannot open agents/x, …/place or '…/y.so'; see shared/a and 1/2");
});

test('success without an agent is a failure, and so is a file in its place', async () => {
  const root = await makeRoot(script('exit 0'));
  const server = await serve(root);
  expect((await create(server)).body).toMatchObject({ code: 'setup_script_failed', exitCode: 0 });
  await writeFile(join(root, 'setup.sh'), '#!/bin/sh\ntouch "agents/$2"\n');
  await trustRoot(server);
  expect((await create(server)).body.code).toBe('setup_script_failed');
  expect(await agentsOf(root)).toEqual(['scout']);
});

test('10 MB of output neither blocks the script nor fills the response', { tags: 'slow' }, async () => {
  const root = await makeRoot(
    script(
      'head -c 10000000 /dev/zero | tr "\\0" x; head -c 10000000 /dev/zero | tr "\\0" y >&2; echo; echo last >&2; exit 1',
    ),
  );
  const { status, body } = await create(await serve(root));
  expect(status).toBe(500);
  expect(body.stderr.length).toBeLessThanOrEqual(4096);
  expect(body.stderr.endsWith('last')).toBe(true);
});

test('a script that hangs is stopped with all the processes it started, and leaves nothing', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot(
    script(
      'mkdir -p agents/$2; echo $$ > leader; sleep 600 & echo $! > child; trap "" TERM INT HUP; wait; sleep 600',
    ),
  );
  const server = await serve(root, { setupTimeoutMs: 500 });
  const { status, body } = await create(server);
  expect([status, body.code]).toEqual([504, 'setup_script_timeout']);
  expect(await agentsOf(root)).toEqual(['scout']);
  for (const name of ['leader', 'child']) {
    const pid = await pidIn(join(root, name));
    await until(() => !isAlive(pid));
  }
});

test('processes that a successful script left running are stopped too', { tags: 'slow' }, async () => {
  const root = await makeRoot(script('mkdir -p agents/$2; sleep 600 & echo $! > child; exit 0'));
  expect((await create(await serve(root))).status).toBe(201);
  const pid = await pidIn(join(root, 'child'));
  await until(() => !isAlive(pid));
});

test('a server that closes stops a running script and still responds to its request', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot(script('mkdir -p agents/$2; echo $$ > leader; sleep 600'));
  const server = await serve(root);
  const request = create(server);
  await until(() =>
    lstat(join(root, 'leader')).then(
      () => true,
      () => false,
    ),
  );
  const closed = server.close();
  const { status, body } = await request;
  expect([status, body.code]).toEqual([504, 'setup_script_timeout']);
  await closed;
  expect(await agentsOf(root)).toEqual(['scout']);
  const pid = await pidIn(join(root, 'leader'));
  await until(() => !isAlive(pid));
});

test('a name is an argument and never shell code', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  for (const name of ['$(touch hacked)', 'a;touch hacked', '`touch hacked`', '--workspace']) {
    expect((await create(server, name)).status).toBe(400);
  }
  expect(await readdir(root)).not.toContain('hacked');
});

test('an agent that another program took away keeps its budget until a new one has its name', async () => {
  const root = await makeRoot(
    script('[ -e allow ] || exit 3; mkdir agents/$2; echo Hi > agents/$2/SYSTEM.md'),
  );
  const server = await serve(root);
  const budget = async () => (await server.asOperator('GET', '/api/agents/scout/budget')).body.limits;
  await server.asOperator('PUT', '/api/agents/scout/budget', { usdPerDay: 5 });
  await rename(join(root, 'agents/scout'), join(root, 'away'));
  expect((await create(server, 'scout')).body).toMatchObject({ code: 'setup_script_failed' });
  await rename(join(root, 'away'), join(root, 'agents/scout'));
  expect(await budget()).toHaveLength(1);

  await rm(join(root, 'agents/scout'), { recursive: true });
  await writeFile(join(root, 'allow'), '');
  expect((await create(server, 'scout')).status).toBe(201);
  expect(await budget()).toEqual([]);
});
