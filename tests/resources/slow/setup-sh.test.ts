/**
 * resources/starter-root/setup.sh, run by a real bash in real directories.
 * SETUP_SH_BASH=/path/to/bash runs it with another one, such as the 3.2 of macOS.
 */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAgentId } from '../../../src/shared/api/names.ts';
import { until } from '../../support/raw-http.ts';
import { skipAll } from '../../support/skip-all.ts';
import { listTree, readArgs, STARTER_ROOT } from '../support.ts';

const BASH = process.env.SETUP_SH_BASH ?? 'bash';
const PATH = process.env.PATH ?? '/usr/bin:/bin';

/** What the server gives the script, and no more. */
const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH,
  HOME: tmpdir(),
  LANG: 'en_US.UTF-8',
  TERM: 'dumb',
  ...more,
});

interface Result {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

function outcome(child: ChildProcess): Promise<Result> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

const start = (root: string, args: string[], options: SpawnOptions = {}): ChildProcess =>
  spawn(BASH, [join(root, 'setup.sh'), ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });

const run = (root: string, args: string[], options: SpawnOptions = {}): Promise<Result> =>
  outcome(start(root, args, options));

/** Refused: not 0, nothing on stdout, one line on stderr that names the script. */
function expectRefusal(result: Result, code: number, message: string | RegExp): void {
  expect(result).toMatchObject({ code, signal: null, stdout: '' });
  expect(result.stderr).toMatch(/^setup\.sh: [^\n]+\n$/);
  expect(result.stderr).toMatch(message);
}

const waitFor = (path: string): Promise<void> =>
  until(() =>
    stat(path).then(
      () => true,
      () => false,
    ),
  );

const DEFAULT_LINKS = [
  'agent-prompt.ts',
  'bash-guardrails',
  'dot-mi-status.ts',
  'run-finish-notify.ts',
  'startup-branding.ts',
];

const treeOf = (name: string, { workspace = false } = {}): string[] =>
  [
    'SYSTEM.md',
    'extensions/',
    ...DEFAULT_LINKS.map((link) => `extensions/${link} -> ../../../shared/extensions/${link}`),
    `extensions/${name}/`,
    `extensions/${name}/index.ts`,
    'pi-args',
    'sessions/',
    'settings.json',
    'skills/',
    ...(workspace ? ['workspace.conf'] : []),
  ].sort();

describe('setup.sh', () => {
  skipAll(process.platform === 'win32' ? 'Windows runs no script by its first line' : undefined);
  let directory: string;
  let root: string;
  let agents: string;

  /** A root of its own for each test, in a directory whose name needs quoting wherever it is used. */
  async function makeRoot(name: string): Promise<string> {
    const path = join(directory, name);
    await mkdir(join(path, 'agents'), { recursive: true });
    await copyFile(join(STARTER_ROOT, 'setup.sh'), join(path, 'setup.sh'));
    await cp(join(STARTER_ROOT, 'shared'), join(path, 'shared'), { recursive: true });
    return path;
  }

  /** Puts a program of this name first in PATH; `real "$@"` in its body calls the one behind it. */
  async function shim(program: string, body: string, more: Record<string, string> = {}) {
    const bin = join(directory, 'shims');
    await mkdir(bin, { recursive: true });
    const script = `#!/bin/sh\nreal() { (PATH=$REAL_PATH; export PATH; exec ${program} "$@"); }\n${body}\n`;
    await writeFile(join(bin, program), script, { mode: 0o755 });
    return { env: environment({ PATH: `${bin}:${PATH}`, REAL_PATH: PATH, SHIM_DIR: bin, ...more }) };
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'setup-sh-'));
    root = await makeRoot(`it's a "root" $(touch pwned)`);
    agents = join(root, 'agents');
  });

  afterEach(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  describe('create-agent', () => {
    test('creates a complete agent', async () => {
      const { code, stderr } = await run(root, ['create-agent', 'scout']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await listTree(agents)).toEqual(
        ['scout/', ...treeOf('scout').map((path) => `scout/${path}`)].sort(),
      );
    });

    test('adds workspace.conf with --workspace', async () => {
      expect((await run(root, ['create-agent', '--workspace', 'writer'])).code).toBe(0);
      expect(await listTree(join(agents, 'writer'))).toEqual(treeOf('writer', { workspace: true }));
      expect(readArgs(await readFile(join(agents, 'writer', 'workspace.conf'), 'utf8'))).toEqual([]);
    });

    test('writes files that pi and its launchers read as intended', async () => {
      await run(root, ['create-agent', 'a.b_c-9']);
      const agent = join(agents, 'a.b_c-9');
      const piArgs = await readFile(join(agent, 'pi-args'), 'utf8');
      expect(readArgs(piArgs)).toEqual([]);
      expect(piArgs).toMatch(/\n$/);
      expect(await readFile(join(agent, 'SYSTEM.md'), 'utf8')).toMatch(/^You are a\.b_c-9, /);
      expect(JSON.parse(await readFile(join(agent, 'settings.json'), 'utf8'))).toEqual({
        quietStartup: true,
      });
      const stub = await import(pathToFileURL(join(agent, 'extensions', 'a.b_c-9', 'index.ts')).href);
      expect(() => stub.default({})).not.toThrow();
    });

    test('creates links that point to the shared extensions', async () => {
      await run(root, ['create-agent', 'scout']);
      for (const link of DEFAULT_LINKS) await stat(join(agents, 'scout', 'extensions', link));
    });

    test('links only the extensions that exist', async () => {
      await rm(join(root, 'shared', 'extensions'), { recursive: true });
      await mkdir(join(root, 'shared', 'extensions', 'bash-guardrails'), { recursive: true });
      expect((await run(root, ['create-agent', 'scout'])).code).toBe(0);
      expect(await listTree(join(agents, 'scout', 'extensions'))).toEqual([
        'bash-guardrails -> ../../../shared/extensions/bash-guardrails',
        'scout/',
        'scout/index.ts',
      ]);
    });

    test('creates agents/ when it is missing', async () => {
      await rm(agents, { recursive: true });
      expect((await run(root, ['create-agent', 'scout'])).code).toBe(0);
      expect(await listTree(join(agents, 'scout'))).toEqual(treeOf('scout'));
    });

    test('respects the umask', async () => {
      const script = 'umask 027; exec "$0" "$1" create-agent scout';
      const child = spawn(BASH, ['-c', script, BASH, join(root, 'setup.sh')], { env: environment() });
      expect((await outcome(child)).code).toBe(0);
      expect((await stat(join(agents, 'scout'))).mode & 0o777).toBe(0o750);
      expect((await stat(join(agents, 'scout', 'SYSTEM.md'))).mode & 0o777).toBe(0o640);
    });

    test('writes nothing into a shared extension of the same name as the agent', async () => {
      const before = await listTree(join(root, 'shared'));
      expect((await run(root, ['create-agent', 'bash-guardrails'])).code).toBe(0);
      expect(await listTree(join(root, 'shared'))).toEqual(before);
      expect(await listTree(join(agents, 'bash-guardrails', 'extensions'))).toContain(
        'bash-guardrails -> ../../../shared/extensions/bash-guardrails',
      );
    });

    test('says how to run the agent, in text that a shell can read back', async () => {
      const { stdout } = await run(root, ['create-agent', 'scout']);
      const [, command] = /^Created agents\/scout\. Run it: (.* run scout)\n$/s.exec(stdout) ?? [];
      const { env } = await shim('pi', 'printf %s "$PI_CODING_AGENT_DIR"');
      const { stdout: path } = spawnSync(BASH, ['-c', String(command)], { env, encoding: 'utf8' });
      expect(await listTree(path)).toEqual(treeOf('scout'));
    });

    test('does not fail when nobody reads its output', async () => {
      const child = start(root, ['create-agent', 'scout']);
      child.stdout?.destroy();
      expect((await outcome(child)).code).toBe(0);
      expect(await listTree(join(agents, 'scout'))).toEqual(treeOf('scout'));
    });

    test('is executable itself', async () => {
      const result = await outcome(
        spawn(join(root, 'setup.sh'), ['create-agent', 'scout'], { env: environment() }),
      );
      expect(result.code).toBe(0);
    });
  });

  describe('in roots with awkward paths', () => {
    test.each([
      'plain',
      "it's",
      'a "b" c',
      'line\nbreak\n',
      '-n',
      '*',
      '~',
      '`touch pwned`',
      '$HOME',
      'ünï 漢字',
      '\\',
    ])('works in %j', async (name) => {
      const awkward = await makeRoot(name);
      const { code, stderr } = await run(awkward, ['create-agent', 'scout'], { cwd: directory });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await listTree(join(awkward, 'agents', 'scout'))).toEqual(treeOf('scout'));
      expect(await listTree(directory)).not.toContainEqual(expect.stringContaining('pwned/'));
    });

    test.each([['-n/setup.sh'], ['./-n/setup.sh'], ['-n/../-n/setup.sh']])(
      'works when called as %s',
      async (script) => {
        const awkward = await makeRoot('-n');
        const args = ['--', script, 'create-agent', 'scout'];
        // CDPATH would send a careless "cd" elsewhere, and make it print where.
        const env = environment({ CDPATH: tmpdir() });
        expect((await outcome(spawn(BASH, args, { cwd: directory, env }))).code).toBe(0);
        expect(await listTree(join(awkward, 'agents', 'scout'))).toEqual(treeOf('scout'));
      },
    );

    test('works when called by its bare name', async () => {
      const child = spawn(BASH, ['setup.sh', 'create-agent', 'scout'], { cwd: root, env: environment() });
      expect((await outcome(child)).code).toBe(0);
      expect(await listTree(join(agents, 'scout'))).toEqual(treeOf('scout'));
    });

    test('creates no agents next to a link to setup.sh outside a root', async () => {
      const bin = join(directory, 'bin');
      await mkdir(bin);
      await symlink(join(root, 'setup.sh'), join(bin, 'setup.sh'));
      expectRefusal(await run(bin, ['create-agent', 'scout']), 1, /run the setup.sh inside your root/);
      expect(await listTree(bin)).toEqual([`setup.sh -> ${join(root, 'setup.sh')}`]);
      expect(await listTree(agents)).toEqual([]);
    });
  });

  describe('refuses', () => {
    const badNames = [
      '',
      ' ',
      '.',
      '..',
      '../x',
      '../../x',
      'a/b',
      '/abs',
      'a\\b',
      'a..b',
      'a.',
      '.hidden',
      '_a',
      'a b',
      ' a',
      'a ',
      'a\n',
      '\na',
      'a\nb',
      'é',
      'aé',
      'ａ',
      '*',
      '~',
      '$(touch pwned)',
      '`touch pwned`',
      'a;touch pwned',
      'a&touch pwned',
      'a|touch pwned',
      'a>pwned',
      "a'b",
      'a"b',
      '$HOME',
      'a$IFS',
      '!!',
      'a\u001b[31m',
      'a'.repeat(65),
      'CON',
      'con',
      'Aux.ts',
      'nul.txt',
      'PRN.a.b',
      'com0',
      'LPT9.log',
    ];

    test.each(badNames)('%j as a name', async (name) => {
      expect(isAgentId(name)).toBe(false);
      expectRefusal(await run(root, ['create-agent', name], { cwd: directory }), 2, /is not an agent name: /);
      expect(await listTree(agents)).toEqual([]);
      expect(await listTree(directory)).not.toContain('pwned');
    });

    test.each(['-', '--', '-x', '-rf', '--help', '--workspaces', '--workspace=yes', '-\n'])(
      '%j as an option',
      async (option) => {
        expectRefusal(await run(root, ['create-agent', option]), 2, /unknown option/);
        expectRefusal(await run(root, ['create-agent', option, 'scout']), 2, /unknown option/);
        expectRefusal(await run(root, ['create-agent', '--workspace', option]), 2, /unknown option/);
        expect(await listTree(agents)).toEqual([]);
      },
    );

    test.each([
      { args: [], message: /no command/ },
      { args: [''], message: /no command/ },
      { args: ['create'], message: /unknown command create/ },
      { args: ['x\n\u001b[2J'], message: /unknown command \$'x\\n\\E\[2J'/ },
      { args: ['create-agent'], message: /one name/ },
      { args: ['create-agent', '--workspace'], message: /one name/ },
      { args: ['create-agent', 'a', 'b'], message: /one name/ },
      { args: ['create-agent', 'a', '--workspace'], message: /one name/ },
      { args: ['list', 'a'], message: /no arguments/ },
    ])('the call $args', async ({ args, message }) => {
      expectRefusal(await run(root, args), 2, message);
      expect(await listTree(agents)).toEqual([]);
    });

    test('a name that is taken, whatever has it, and leaves that unchanged', async () => {
      await mkdir(join(agents, 'full'));
      await writeFile(join(agents, 'full', 'SYSTEM.md'), 'mine');
      await mkdir(join(agents, 'empty'));
      await writeFile(join(agents, 'file'), 'mine');
      await symlink('full', join(agents, 'link'));
      await symlink('nowhere', join(agents, 'dangling'));
      const before = await listTree(agents);
      for (const name of ['full', 'empty', 'file', 'link', 'dangling']) {
        expectRefusal(await run(root, ['create-agent', name]), 1, `agents/${name} already exists`);
      }
      expect(await listTree(agents)).toEqual(before);
      expect(await readFile(join(agents, 'full', 'SYSTEM.md'), 'utf8')).toBe('mine');
    });

    test('to create an agent when agents/ is a file or a broken link', async () => {
      await rm(agents, { recursive: true });
      await writeFile(agents, '');
      expectRefusal(await run(root, ['create-agent', 'scout']), 1, /cannot create agents\/: File exists/);
      await rm(agents);
      await symlink('nowhere', agents);
      expectRefusal(await run(root, ['create-agent', 'scout']), 1, /cannot create agents\//);
    });

    test('to create an agent where it may not write, and names the reason', async (context) => {
      // Modes do not bind the superuser, so as root the script runs as somebody else.
      const isRoot = process.getuid?.() === 0;
      const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
      if (spawnSync('true', user).error) context.skip('runs as root and cannot become another user');
      await chmod(directory, 0o755);
      await chmod(agents, 0o555);
      const result = await run(root, ['create-agent', 'scout'], { ...user, cwd: root });
      await chmod(agents, 0o755);
      expectRefusal(result, 1, /cannot write in agents\/: Permission denied/);
      expect(await listTree(agents)).toEqual([]);
    });
  });

  test('accepts exactly the names that the server accepts', async () => {
    const nasty = fc.string({ unit: fc.constantFrom(...'aZ09._-/ \n$\'"é'), minLength: 1, maxLength: 6 });
    const long = fc.integer({ min: 62, max: 66 }).map((length) => 'n'.repeat(length));
    const device = fc
      .tuple(
        fc.constantFrom('con', 'NUL', 'Com1', 'lpt0', 'com', 'com10', 'console'),
        fc.constantFrom('', '.', '.a', '-a'),
      )
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.oneof(nasty, long, device), async (name) => {
        await rm(agents, { recursive: true, force: true });
        const { code } = await run(root, ['create-agent', name]);
        expect(code === 0).toBe(isAgentId(name));
      }),
      { numRuns: 100 },
    );
  });

  describe('when several runs create one agent', () => {
    test('lets one of twelve win and leaves no trace of the others', async () => {
      const runs = Array.from({ length: 12 }, () => run(root, ['create-agent', 'scout']));
      await expectOneWinner(await Promise.all(runs));
    });

    test('lets one of twelve win when all of them found the name free', async () => {
      // Each run waits at its first link until all twelve have got there.
      const options = await shim(
        'ln',
        ': >"$SHIM_DIR/arrived.$$"\n' +
          'until [ "$(ls "$SHIM_DIR" | grep -c arrived)" -ge 12 ]; do sleep 0.02; done\n' +
          'real "$@"',
      );
      const runs = Array.from({ length: 12 }, () => run(root, ['create-agent', 'scout'], options));
      await expectOneWinner(await Promise.all(runs));
    });

    async function expectOneWinner(results: Result[]): Promise<void> {
      const losers = results.filter((result) => result.code !== 0);
      expect(losers).toHaveLength(11);
      for (const loser of losers) expectRefusal(loser, 1, /agents\/scout already exists/);
      expect(await listTree(agents)).toEqual(
        ['scout/', ...treeOf('scout').map((path) => `scout/${path}`)].sort(),
      );
    }

    test.each([
      { what: 'a file', appear: 'echo mine >agents/scout' },
      {
        what: 'a directory with something in it',
        appear: 'mkdir agents/scout && echo mine >agents/scout/file',
      },
      { what: 'a link to a directory', appear: 'mkdir other && ln -s ../other agents/scout' },
      { what: 'a dangling link', appear: 'ln -s nowhere agents/scout' },
    ])('leaves $what that appeared meanwhile alone', async ({ appear }) => {
      const options = await shim('mv', `${appear}\nreal "$@"`);
      expectRefusal(await run(root, ['create-agent', 'scout'], options), 1, /agents\/scout already exists/);
      const tree = await listTree(agents);
      expect(tree[0]).toMatch(/^scout/);
      expect(tree.length).toBeLessThanOrEqual(2);
      expect(await listTree(root)).not.toContain('other/scout/');
    });
  });

  describe('when it fails halfway', () => {
    test.each(['ln', 'mv'])('leaves nothing and names the reason (%s)', async (program) => {
      const options = await shim(program, `echo "${program}: 'x': No space left on device" >&2\nexit 1`);
      expectRefusal(await run(root, ['create-agent', 'scout'], options), 1, /: No space left on device\n$/);
      expect(await listTree(agents)).toEqual([]);
    });

    test('leaves nothing when the last file cannot be written', async () => {
      // The fourth "cat" writes workspace.conf.
      const options = await shim(
        'cat',
        'n=$(ls "$SHIM_DIR" | wc -l)\n: >"$SHIM_DIR/$n"\n[ $n -lt 4 ] || exit 1\nreal "$@"',
      );
      expect((await run(root, ['create-agent', '--workspace', 'scout'], options)).code).toBe(1);
      expect(await listTree(agents)).toEqual([]);
    });

    test('does not clean up a directory that it did not create itself', async () => {
      const options = await shim(
        'mkdir',
        'case $1 in agents/.new-*) real -p "$1/theirs"; echo "mkdir: x: File exists" >&2; exit 1 ;; esac\nreal "$@"',
      );
      expectRefusal(
        await run(root, ['create-agent', 'scout'], options),
        1,
        /cannot write in agents\/: File exists/,
      );
      expect(await listTree(agents)).toContainEqual(expect.stringMatching(/^\.new-scout\.[^/]+\/theirs\/$/));
    });

    test('removes leftovers of a killed run after a day, and nothing younger', async () => {
      const dayBeforeYesterday = new Date(Date.now() - 49 * 3600 * 1000);
      for (const name of ['.new-old.1-2', '.new-fresh.1-2', '.other'])
        await mkdir(join(agents, name, 'x'), { recursive: true });
      for (const name of ['.new-old.1-2', '.other'])
        await utimes(join(agents, name), dayBeforeYesterday, dayBeforeYesterday);
      expect((await run(root, ['create-agent', 'scout'])).code).toBe(0);
      const left = (await listTree(agents)).filter((path) => path.startsWith('.'));
      expect(left).toEqual(['.new-fresh.1-2/', '.new-fresh.1-2/x/', '.other/', '.other/x/']);
    });
  });

  describe('when it is interrupted', () => {
    const signals = [
      { signal: 'SIGINT', code: 130 },
      { signal: 'SIGTERM', code: 143 },
      { signal: 'SIGHUP', code: 129 },
    ] as const;
    const cases = signals.flatMap((entry) => [
      { ...entry, whom: 'the script' },
      { ...entry, whom: 'its process group' },
    ]);

    function send(child: ChildProcess, whom: string, signal: NodeJS.Signals): void {
      const pid = child.pid as number;
      process.kill(whom === 'the script' ? pid : -pid, signal);
    }

    test.each(cases)('leaves nothing ($signal to $whom)', async ({ signal, code, whom }) => {
      const marker = join(directory, 'marker');
      const options = await shim('ln', '[ -e "$MARKER" ] || { : >"$MARKER"; sleep 0.5; }\nreal "$@"', {
        MARKER: marker,
      });
      const child = start(root, ['create-agent', 'scout'], { ...options, detached: true });
      const result = outcome(child);
      await waitFor(marker);
      expect(await listTree(agents)).not.toEqual([]);
      send(child, whom, signal);
      expect(await result).toEqual({ code, signal: null, stdout: '', stderr: '' });
      expect(await listTree(agents)).toEqual([]);
    });

    test.each(cases)(
      'does not turn a success into a failure ($signal to $whom)',
      async ({ signal, whom }) => {
        const marker = join(directory, 'marker');
        const options = await shim('mv', 'real "$@"\ncode=$?\n: >"$MARKER"\nsleep 0.3\nexit $code', {
          MARKER: marker,
        });
        const child = start(root, ['create-agent', 'scout'], { ...options, detached: true });
        const result = outcome(child);
        await waitFor(marker);
        send(child, whom, signal);
        expect(await result).toMatchObject({ code: 0, stderr: '' });
        expect(await listTree(agents)).toEqual(
          ['scout/', ...treeOf('scout').map((path) => `scout/${path}`)].sort(),
        );
      },
    );

    test('leaves a whole agent or nothing, whenever the signal comes', async () => {
      const names = Array.from({ length: 60 }, (_, i) => `agent-${i}`);
      const codes = await Promise.all(
        names.map(async (name, i) => {
          const child = start(root, ['create-agent', name], { detached: true });
          const result = outcome(child);
          await delay(i * 3);
          if (child.exitCode === null)
            send(child, i % 2 === 0 ? 'the script' : 'its process group', 'SIGTERM');
          return (await result).code;
        }),
      );
      const made = names.filter((_, i) => codes[i] === 0);
      const trees = made.flatMap((name) => [`${name}/`, ...treeOf(name).map((path) => `${name}/${path}`)]);
      expect(await listTree(agents)).toEqual(trees.sort());
    });
  });

  test('lists the agents, and only them', async () => {
    await run(root, ['create-agent', 'scout']);
    await run(root, ['create-agent', '--workspace', 'writer']);
    await mkdir(join(agents, '.new-x.1-2'));
    await mkdir(join(agents, 'no agent'));
    await writeFile(join(agents, 'file'), '');
    await symlink('scout', join(agents, 'link'));
    expect(await run(root, ['list'])).toMatchObject({
      code: 0,
      stdout: 'scout\nwriter (workspace)\n',
      stderr: '',
    });
  });

  test('lists nothing in a root without agents', async () => {
    await rm(agents, { recursive: true });
    expect(await run(root, ['list'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test.each(['--help', '-h', 'help'])('explains itself with %s', async (option) => {
    const { code, stdout, stderr } = await run(root, [option]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('create-agent [--workspace] <name>');
  });
});

describe('the text of setup.sh', () => {
  const path = join(STARTER_ROOT, 'setup.sh');

  test('is bash, and executable', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no modes');
    expect(spawnSync(BASH, ['-n', path])).toMatchObject({ status: 0 });
    expect((await stat(path)).mode & 0o111).toBe(0o111);
    expect(dirname(path)).toBe(STARTER_ROOT.replace(/\/$/, ''));
  });

  test('uses only features of the bash 3.2 of macOS', async () => {
    const text = await readFile(path, 'utf8');
    const code = text.replace(/^\s*#.*$/gm, '');
    const newer: Record<string, RegExp> = {
      'associative arrays and namerefs': /\b(declare|typeset|local)\s+-[a-zA-Z]*[Anglu]/,
      'case conversion': /\$\{\w+(\[[^\]]*\])?(\^|,)/,
      'parameter transformation': /\$\{\w+@/,
      'negative lengths and indexes': /\$\{\w+:[^}]*:\s*-|\[-\d+\]/,
      'mapfile and readarray': /\b(mapfile|readarray)\b/,
      'coproc and wait -n': /\bcoproc\b|\bwait\s+-n/,
      'newer redirections': /&>>|\|&|\{\w+\}[<>]/,
      'case fall-through': /;;&|;&/,
      'tests for set variables': /\[\[?\s+-v\b/,
      'printf into time or arrays': /printf\s+-v\s+\S*\[|%\([^)]*\)T/,
      'newer variables': /\$\{?(BASHPID|EPOCHSECONDS|EPOCHREALTIME|SRANDOM)\b/,
      'newer shopts': /\b(globstar|lastpipe|inherit_errexit)\b/,
    };
    for (const [what, pattern] of Object.entries(newer)) expect(code, what).not.toMatch(pattern);
    expect(text).not.toContain('\r');
  });

  test('passes shellcheck', (context) => {
    if (spawnSync('shellcheck', ['--version']).error) context.skip('shellcheck is not installed');
    expect(spawnSync('shellcheck', [path]).stdout.toString()).toBe('');
  });
});
