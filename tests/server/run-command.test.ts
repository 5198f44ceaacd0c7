/**
 * The run command, executed by real shells with a stand-in for pi, next to the launcher in the root
 * (resources/starter-root/setup.sh). SETUP_SH_BASH=/path/to/bash runs both with another bash, such as 3.2.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureStarterRoot } from '../../src/server/starter-root.ts';
import { STARTER_ROOT } from '../resources/support.ts';
import { installPi } from '../support/pi-program.ts';
import { plant, type Tree } from '../support/plant.ts';
import { makeRoot } from '../support/root.ts';
import { type Answer, serve } from '../support/server.ts';
import { makeSession } from '../support/session-file.ts';
import { skipAll } from '../support/skip-all.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

const BASH = process.env.SETUP_SH_BASH ?? 'bash';
const SHELLS = [BASH, 'dash', 'zsh'];

/** Writes down its directory, arguments and environment, and what is in its directory. */
const STAND_IN = `#!/bin/sh
printf '%s\\0' "$PWD" "$@" >"$PI_REPORT/run"
env -0 >"$PI_REPORT/environment"
ls -A >"$PI_REPORT/directory"
`;

/** What pi was started with. Variables that every shell sets on its own are left out. */
interface Start {
  directory: string;
  args: string[];
  env: Record<string, string>;
  entries: string[];
}

const SHELL_VARIABLES = ['_', 'LOGNAME', 'OLDPWD', 'PWD', 'SHLVL'];

/** A starter root in a directory whose name needs quotes everywhere, and a place to run its agents from. */
const makePlace = async (more: Tree = {}) => {
  const directory = await realpath(await makeTempDirectory());
  const root = join(directory, `it's "my" $HOME \`root\` ünï`);
  await ensureStarterRoot(root, STARTER_ROOT);
  await plant(root, more);
  const place = { directory, root, bin: join(directory, 'bin'), project: join(directory, "a project's $x") };
  await plant(directory, { 'bin/pi': { script: STAND_IN }, 'report/': null });
  await mkdir(place.project);
  return place;
};

type Place = Awaited<ReturnType<typeof makePlace>>;

/** Runs a program in the project, and returns how it started pi. */
const startOf = async (
  place: Place,
  file: string,
  args: readonly string[],
  more: Record<string, string> = {},
  warning = '',
): Promise<Start> => {
  const report = join(place.directory, 'report');
  await rm(report, { recursive: true, force: true });
  await mkdir(report);
  const env = {
    PATH: `${place.bin}:${process.env.PATH}`,
    HOME: place.directory,
    LC_ALL: 'C.UTF-8',
    CDPATH: place.root,
    PI_REPORT: report,
    ...more,
  };
  // Not the synchronous call, because the launcher asks the server of this process.
  const ended = await new Promise((resolve) =>
    execFile(file, [...args], { cwd: place.project, env }, (error, _stdout, stderr) =>
      resolve({ error: error?.code ?? null, stderr: stderr.trimEnd() }),
    ),
  );
  expect(ended).toEqual({ error: null, stderr: warning });
  const read = async (name: string, separator: string) =>
    (await readFile(join(report, name), 'utf8')).split(separator).slice(0, -1);
  const [directory = '', ...rest] = await read('run', '\0');
  const variables = (await read('environment', '\0')).map((line): [string, string] => {
    const [name = ''] = line.split('=', 1);
    return [name, line.slice(name.length + 1)];
  });
  return {
    directory,
    args: rest,
    env: Object.fromEntries(variables.filter(([name]) => !SHELL_VARIABLES.includes(name))),
    entries: await read('directory', '\n'),
  };
};

const ODD: Tree = {
  'agents/odd/SYSTEM.md': 'You are odd.\n',
  'agents/odd/pi-args': [
    '\uFEFF# what a shell would change',
    '--name',
    `it's`,
    '"quoted"',
    '$HOME',
    '$(id)',
    '`id`',
    '*',
    '[a-z]*',
    '~',
    'a;b&c|d>e',
    '\\',
    '{a,b}',
    '=ls',
    '!!',
    'ünï’s',
    'x\u0001\u0003y\u007f\u009bz',
    '#no comment',
    '  --two \t words  ',
    '--windows\r',
    '',
    '--last',
  ].join('\n'),
  'agents/odd/workspace.conf': `# notes\nit's "my" $HOME\n  -dashed \r\nsessions\ndeep/er\n*`,
  'agents/bare/SYSTEM.md': 'You are bare.\n',
  'agents/bare/pi-args': '',
};

const WORKSPACE = /^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(-2)*$/;

describe('the run command', () => {
  skipAll(process.platform === 'win32' ? 'Windows has no POSIX shell' : undefined);

  test('passes the key of an agent from the environment, as the launcher does, and says when it is missing', {
    tags: 'slow',
  }, async () => {
    const place = await makePlace();
    const server = await serve(place.root, { environment: { REQUIRE_KEYS: 'true' } });
    const operator = { Authorization: `Bearer ${server.operatorToken}` };
    const path = '/api/agents/scout/run-command';
    const before = (await server.call('GET', path, undefined, operator)).body;
    expect(before.env.DOT_MI_URL, 'its status goes to this server, whatever its port').toBe(server.url);
    expect(before.posix).not.toContain('DOT_MI_KEY');
    const body = { label: 'Scout', agent: 'scout', scopes: ['read-agents'] };
    const { key, id } = (await server.call('POST', '/api/keys', body, operator)).body;

    const command = (await server.call('GET', path, undefined, operator)).body;
    expect(command.env.DOT_MI_URL).toBe(server.url);
    expect(JSON.stringify(command)).not.toContain(key.slice('dmk_'.length));
    const withKey = { DOT_MI_KEY: key };
    const launcher = [join(place.root, 'setup.sh'), 'run', 'scout'];
    const missing = 'DOT_MI_KEY is not set, so dot-mi does not know which agent this is';
    for (const start of [
      await startOf(place, BASH, ['-c', command.posix], withKey),
      await startOf(place, BASH, launcher, { ...withKey, DOT_MI_URL: server.url }),
    ])
      expect(start.env).toMatchObject({ ...withKey, DOT_MI_URL: server.url });
    const start = await startOf(place, BASH, ['-c', command.posix], {}, `${missing}.`);
    expect(start.env).not.toHaveProperty('DOT_MI_KEY');

    await server.call('DELETE', `/api/keys/${id}`, undefined, operator);
    expect((await server.call('GET', path, undefined, operator)).body.posix).toBe(before.posix);
  });

  test('in bash, dash and zsh starts each agent exactly as the launcher does', async ({ skip }) => {
    const place = await makePlace(ODD);
    const shells = SHELLS.filter((shell) => !spawnSync(shell, ['-c', ':']).error);
    const server = await serve(place.root);
    for (const agent of ['scout', 'writer', 'odd', 'bare']) {
      const { status, body }: Answer = await server.call('GET', `/api/agents/${agent}/run-command`);
      expect([agent, status]).toEqual([agent, 200]);
      const launched = await startOf(place, BASH, [join(place.root, 'setup.sh'), 'run', agent], {
        DOT_MI_URL: server.url,
      });
      expect(launched.args).toEqual(body.argv.slice(1));
      expect(launched.env).toMatchObject({ ...body.env, LC_ALL: 'C.UTF-8' });
      expect(body.env).toEqual({
        PI_CODING_AGENT_DIR: join(place.root, 'agents', agent),
        DOT_MI_URL: server.url,
      });
      const starts = [launched];
      for (const shell of shells) starts.push(await startOf(place, shell, ['-c', body.posix]));
      for (const start of starts) {
        expect({ ...start, directory: '' }).toEqual({ ...launched, directory: '' });
        if (body.cwd === null) {
          expect(start.directory).toBe(place.project);
          continue;
        }
        const parent = join(place.root, 'workspaces', agent);
        expect([join(start.directory, '..'), join(body.cwd, '..')]).toEqual([parent, parent]);
        expect(start.directory.slice(parent.length + 1)).toMatch(WORKSPACE);
        expect(start.entries).toEqual(
          expect.arrayContaining(body.directories.map((path: string) => path.replace(/\/.*/, ''))),
        );
      }
      if (body.cwd !== null)
        expect(new Set(starts.map(({ directory }) => directory)).size, 'each run has its own').toBe(
          starts.length,
        );
    }
    expect(await readdir(place.project), 'nothing was created next to the project').toEqual([]);
    const missing = SHELLS.filter((shell) => !shells.includes(shell));
    skip(missing.length > 0, `passed without ${missing.join(' and ')}, which isn’t installed`);
  });

  test('in bash, dash and zsh resumes a session where it ran, with the arguments of the agent', {
    tags: 'slow',
  }, async ({ skip }) => {
    const place = await makePlace(ODD);
    const shells = SHELLS.filter((shell) => !spawnSync(shell, ['-c', ':']).error);
    const cwd = join(place.directory, `where it's $HOME \`id\` ran`);
    await mkdir(cwd);
    const session = makeSession({ cwd });
    session.call({ input: 10 });
    const path = join(place.root, 'agents/odd/sessions/--work--', session.fileName);
    await plant(place.root, { [`agents/odd/sessions/--work--/${session.fileName}`]: session.text() });
    const server = await serve(place.root);
    const { body } = await server.call(
      'GET',
      `/api/sessions/${session.id}/resume-command?agent=odd`,
      undefined,
      { Authorization: `Bearer ${server.operatorToken}` },
    );
    expect(body.argv.slice(-3)).toEqual(['--last', '--session', path]);
    for (const shell of shells) {
      const start = await startOf(place, shell, ['-c', body.posix]);
      expect([shell, start.directory, start.args]).toEqual([shell, cwd, body.argv.slice(1)]);
      expect(start.env).toMatchObject({ PI_CODING_AGENT_DIR: join(place.root, 'agents/odd') });
    }
    const missing = SHELLS.filter((shell) => !shells.includes(shell));
    skip(missing.length > 0, `passed without ${missing.join(' and ')}, which isn’t installed`);
  });

  test('passes arguments typed after the name last, and keeps an unset locale unset', {
    tags: 'slow',
  }, async () => {
    const place = await makePlace();
    const script = `unset LC_ALL; exec "$0" "$@"`;
    const setup = join(place.root, 'setup.sh');
    const start = await startOf(place, BASH, [
      '-c',
      script,
      setup,
      'run',
      'scout',
      '--continue',
      "it's $x",
      '',
    ]);
    expect(start.args).toEqual(['--tools', 'read,grep,find,ls', '--continue', "it's $x", '']);
    expect(start.env).not.toHaveProperty('LC_ALL');
  });

  test('two runs in one second never share a workspace', { tags: 'slow' }, async () => {
    const place = await makePlace();
    const date = '#!/bin/sh\necho 2026-11-22_14-03-05\n';
    await plant(place.directory, { 'bin/date': { script: date } });
    const { body } = await (await serve(place.root)).call('GET', '/api/agents/writer/run-command');
    const names = ['2026-11-22_14-03-05', '2026-11-22_14-03-05-2', '2026-11-22_14-03-05-2-2'];
    const setup = join(place.root, 'setup.sh');
    const runs: [string, string[]][] = [
      ['sh', ['-c', body.posix]],
      [BASH, [setup, 'run', 'writer']],
      ['sh', ['-c', body.posix]],
    ];
    for (const [index, [file, args]] of runs.entries())
      expect((await startOf(place, file, args)).directory).toBe(
        join(place.root, 'workspaces/writer', names[index] ?? ''),
      );
  });

  test('without pi, the launcher says how to install it', async () => {
    const place = await makePlace();
    await rm(join(place.bin, 'pi'));
    const { status, stderr } = spawnSync(BASH, [join(place.root, 'setup.sh'), 'run', 'scout'], {
      env: { PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    });
    expect(status).toBe(127);
    expect(stderr).toContain('npm install -g --ignore-scripts @earendil-works/pi-coding-agent');
  });

  test.each([
    ['no name', [], 2, /needs the name of an agent/],
    ['no agent', ['nobody'], 1, /there is no agent nobody/],
    ['a path', ['../agents/scout'], 1, /there is no agent/],
    ['a link', ['linked'], 1, /there is no agent linked/],
    ['a broken pi-args', ['broken'], 1, /broken\/pi-args is a link whose target doesn't exist/],
    ['pi-args that is a directory', ['folder'], 1, /folder\/pi-args can't be read/],
  ])('the launcher refuses %s', { tags: 'slow' }, async (_, args, code, message) => {
    const place = await makePlace({
      'agents/linked': { link: 'scout' },
      'agents/broken/pi-args': { link: 'nowhere' },
      'agents/folder/pi-args': null,
    });
    const { status, stdout, stderr } = spawnSync(BASH, [join(place.root, 'setup.sh'), 'run', ...args], {
      env: { PATH: `${place.bin}:${process.env.PATH}` },
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: code, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('the launcher warns about what it ignores', { tags: 'slow' }, async () => {
    const place = await makePlace({
      'agents/odd/SYSTEM.md': 'x',
      'agents/odd/workspace.conf': 'ok\n../out\n/abs\na\\..\\b\nC:x\n',
    });
    const { status, stderr } = spawnSync(BASH, [join(place.root, 'setup.sh'), 'run', 'odd'], {
      env: { PATH: `${place.bin}:${process.env.PATH}`, PI_REPORT: place.directory },
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stderr.match(/^setup\.sh: .*/gm)).toEqual([
      'setup.sh: pi-args is missing, so pi starts with all its tools',
      ...[2, 3, 4, 5].map(
        (line) =>
          `setup.sh: line ${line} of workspace.conf is ignored: write a path inside the workspace, without ".."`,
      ),
    ]);
    const [name = ''] = await readdir(join(place.root, 'workspaces/odd'));
    expect(await readdir(join(place.root, 'workspaces/odd', name))).toEqual(['ok']);
  });
});

test('warns while the root is not trusted or pi is missing, and creates nothing', async () => {
  const root = await makeRoot({ 'agents/scout/workspace.conf': 'notes\n' });
  const directory = await makeTempDirectory();
  const server = await serve(root, { readSearchPath: async () => join(directory, 'bin') });
  const ask = async () => (await server.call('GET', '/api/agents/scout/run-command')).body;
  expect((await ask()).warnings).toEqual([
    {
      code: 'pi_missing',
      message:
        'dot-mi can’t find pi on its PATH. If your terminal can’t find it either, install it with Node 22.19 or newer: npm install -g --ignore-scripts @earendil-works/pi-coding-agent',
    },
    {
      code: 'root_not_trusted',
      message: 'This root isn’t trusted yet. Read pi-args and the extensions before you run the agent.',
    },
  ]);
  await trustRoot(server);
  await installPi(directory, '1.5.2');
  expect((await ask()).warnings).toEqual([]);
  expect(await readdir(root)).not.toContain('workspaces');
});

test('reads pi-args and workspace.conf again after a change', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const ask = async () => (await call('GET', '/api/agents/scout/run-command')).body;
  expect((await ask()).argv).toEqual(['pi', '--thinking', 'low']);
  await writeFile(join(root, 'agents/scout/pi-args'), '--tools\nread\n');
  expect((await ask()).argv).toEqual(['pi', '--tools', 'read']);
  await rm(join(root, 'agents/scout/pi-args'));
  const body = await ask();
  expect(body.argv).toEqual(['pi']);
  expect(body.warnings).toContainEqual(expect.objectContaining({ code: 'pi_args_missing' }));
});
