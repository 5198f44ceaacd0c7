import { spawn, spawnSync } from 'node:child_process';
import { access, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openTerminal, type TerminalSystem, terminalEnvironment } from '../../src/main/terminal.ts';
import { posixTerminalScript, powerShellTerminalScript } from '../../src/shared/terminal-script.ts';
import { plant } from '../support/plant.ts';
import { until } from '../support/raw-http.ts';
import { makeTempDirectory } from '../support/temp.ts';

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** A terminal that notes its arguments and runs the program after `-e`, without a person. */
const TERMINAL = `#!/bin/sh
printf '%s\\n' "$0" "$@" >"$REPORT/terminal"
[ "$1" != -e ] || shift
exec "$@"
`;

const PI = `#!/bin/sh
printf '%s\\n' "$PWD" "$PI_CODING_AGENT_DIR" "$@" >"$REPORT/pi.part"
mv "$REPORT/pi.part" "$REPORT/pi"
`;

const makePlace = async () => {
  const directory = join(await makeTempDirectory(), `it's $HOME`);
  await plant(directory, { 'bin/pi': { script: PI }, project: null, home: null, temp: null });
  const environment = {
    PATH: `${join(directory, 'bin')}:/usr/bin:/bin`,
    HOME: join(directory, 'home'),
    REPORT: directory,
    SHELL: '/bin/true',
  };
  const system: TerminalSystem = {
    platform: 'linux',
    environment,
    temporaryDirectory: join(directory, 'temp'),
    homeDirectory: join(directory, 'home'),
    systemRoot: 'C:\\Windows',
  };
  /** Adds a program that is found before any of this computer. No test may open a real terminal. */
  const add = (name: string, script: string) => plant(directory, { [`bin/${name}`]: { script } });
  return { directory, environment, system, add };
};

type Place = Awaited<ReturnType<typeof makePlace>>;

const runOf = ({ directory }: Place) => ({
  program: 'pi',
  command: `PI_CODING_AGENT_DIR='/r/agents/scout' pi --name 'it'\\''s $x'`,
  directory: join(directory, 'project'),
});

const readReport = async ({ directory }: Place, name: string) => {
  await until(() => isThere(join(directory, name)));
  return (await readFile(join(directory, name), 'utf8')).trimEnd().split('\n');
};

const onPosix = (skip: (condition: boolean, why: string) => void) =>
  skip(process.platform === 'win32', 'Windows has no such terminals');

test('a terminal runs the command in its directory, and deletes its script', async ({ skip }) => {
  onPosix(skip);
  const place = await makePlace();
  await place.add('my-terminal', TERMINAL);
  const environment = { ...place.environment, TERMINAL: join(place.directory, 'bin/my-terminal') };
  expect(await openTerminal(runOf(place), { ...place.system, environment })).toBe(true);
  expect(await readReport(place, 'pi')).toEqual([
    join(place.directory, 'project'),
    '/r/agents/scout',
    '--name',
    "it's $x",
  ]);
  const [terminal, ...args] = await readReport(place, 'terminal');
  expect(terminal).toBe(join(place.directory, 'bin/my-terminal'));
  expect(args.slice(0, 2)).toEqual(['-e', '/bin/sh']);
  expect(args).toHaveLength(3);
  await until(async () => (await readdir(place.system.temporaryDirectory)).length === 0);
});

test('tries the operator’s terminal first, and the desktop’s after a failure', async ({ skip }) => {
  onPosix(skip);
  const place = await makePlace();
  await place.add('my-terminal', '#!/bin/sh\necho tried >"$REPORT/mine"\nexit 1\n');
  await place.add('xdg-terminal-exec', TERMINAL);
  const environment = { ...place.environment, TERMINAL: 'my-terminal' };
  expect(await openTerminal(runOf(place), { ...place.system, environment })).toBe(true);
  expect(await readReport(place, 'mine')).toEqual(['tried']);
  expect((await readReport(place, 'terminal'))[0]).toMatch(/xdg-terminal-exec$/);
});

test('reports a missing terminal, and leaves no script', async ({ skip }) => {
  onPosix(skip);
  const place = await makePlace();
  const environment = { ...place.environment, PATH: `.:relative:${join(place.directory, 'bin')}` };
  expect(await openTerminal(runOf(place), { ...place.system, environment })).toBe(false);
  expect(await readdir(place.system.temporaryDirectory)).toEqual([]);
});

test('only this user can read the script', async ({ skip }) => {
  onPosix(skip);
  const place = await makePlace();
  const modes: number[] = [];
  const start = async (_file: string, args: readonly string[]) => {
    const script = args.at(-1) ?? '';
    for (const path of [script, dirname(script)]) modes.push((await stat(path)).mode & 0o777);
    return true;
  };
  await openTerminal(runOf(place), { ...place.system, platform: 'darwin', start });
  expect(modes).toEqual([0o700, 0o700]);
});

/** The programs that would be started on a system. None of them starts. */
const attemptsOn = async (place: Place, more: Partial<TerminalSystem>) => {
  const attempts: unknown[][] = [];
  await openTerminal(runOf(place), {
    ...place.system,
    ...more,
    start: async (file, args, { env }) => {
      const script = args.at(-1)?.includes('%') ? env?.DOT_MI_SCRIPT : args.at(-1);
      const shown = args.map((text) => (text === script ? '<script>' : text));
      attempts.push([file, ...shown]);
      return false;
    },
  });
  return attempts;
};

test('on macOS it opens the script with the chosen terminal, then with Terminal and iTerm', async () => {
  expect(await attemptsOn(await makePlace(), { platform: 'darwin' })).toEqual([
    ['/usr/bin/open', '<script>'],
    ['/usr/bin/open', '-b', 'com.apple.Terminal', '<script>'],
    ['/usr/bin/open', '-b', 'com.googlecode.iterm2', '<script>'],
  ]);
});

test('on Windows, paths reach cmd.exe only as quoted variables', async () => {
  const place = await makePlace();
  expect(await attemptsOn(place, { platform: 'win32' })).toEqual([
    [
      'C:\\Windows\\System32\\cmd.exe',
      '/d',
      '/s',
      '/c',
      '"start "" "%DOT_MI_SHELL%" -NoLogo -NoExit -ExecutionPolicy Bypass -File "%DOT_MI_SCRIPT%""',
    ],
  ]);
});

const scriptPlace = (directory: string) => ({ directory, path: join(directory, 'run.command') });

test('the script looks for pi with the profile of the shell, and says how to install it', async ({
  skip,
}) => {
  onPosix(skip);
  const place = await makePlace();
  const { directory } = place;
  const bash = spawnSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).stdout.trim();
  const run = async (profile: string) => {
    const scripts = join(directory, 'script');
    await mkdir(scripts, { recursive: true });
    const { path } = scriptPlace(scripts);
    await writeFile(path, posixTerminalScript(runOf(place), scriptPlace(scripts)));
    await writeFile(join(directory, 'home/.bash_profile'), profile);
    const child = spawn('/bin/sh', [path], {
      env: { ...place.environment, SHELL: bash, PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await new Promise((resolve) => child.on('close', resolve));
    expect(await isThere(scripts)).toBe(false);
    return output;
  };
  expect(await run('')).toMatch(/^pi is not installed.*\n {2}npm install -g .*pi-coding-agent\n/);
  expect(await run(`PATH="${join(directory, 'bin').replaceAll('$', '\\$')}:$PATH"\n`)).toBe('');
  expect((await readReport(place, 'pi'))[0]).toBe(join(directory, 'project'));
});

test('the PowerShell script quotes its paths and keeps its encoding', () => {
  const text = powerShellTerminalScript(
    { program: 'pi', command: "& { pi 'x' }", directory: "C:\\O'Hara’s" },
    { directory: 'C:\\Temp\\a b', path: 'C:\\Temp\\a b\\run.ps1' },
  );
  expect(text.split('\n')).toEqual([
    "\uFEFFRemove-Item -LiteralPath 'C:\\Temp\\a b' -Recurse -Force -ErrorAction Ignore",
    "Set-Location -LiteralPath 'C:\\O''Hara’’s' -ErrorAction Stop",
    'if (Get-Command pi -ErrorAction Ignore) {',
    "  & { pi 'x' }",
    '} else {',
    "  Write-Host 'pi is not installed, or is not on your PATH. With Node 22.19 or newer, install it with this command, then run the agent again:'",
    "  Write-Host '  npm install -g --ignore-scripts @earendil-works/pi-coding-agent'",
    '}',
    '',
  ]);
});

test('the terminal gets our environment, without our secrets and the AppImage', () => {
  const environment = {
    API_TOKEN: 'secret',
    APPIMAGE: '/x.AppImage',
    APPDIR: '/tmp/.mount_x',
    PATH: '/tmp/.mount_x/usr/bin:/usr/bin',
    LD_LIBRARY_PATH: '/tmp/.mount_x/usr/lib',
    EDITOR: 'vi',
    UNSET: undefined,
  };
  expect(terminalEnvironment(environment, '/tmp/.mount_x')).toEqual({ PATH: '/usr/bin', EDITOR: 'vi' });
  expect(terminalEnvironment({ PATH: '/usr/bin' }, undefined)).toEqual({ PATH: '/usr/bin' });
});
