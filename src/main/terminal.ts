import { type SpawnOptions, spawn } from 'node:child_process';
import { lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join, win32 } from 'node:path';
import { windowsProgram } from '../server/platform/windows-program.ts';
import {
  posixTerminalScript,
  powerShellTerminalScript,
  type ScriptPlace,
  type TerminalRun,
} from '../shared/terminal-script.ts';

/** The parts of the system that {@link openTerminal} needs. */
export interface TerminalSystem {
  platform: NodeJS.Platform;
  /** The terminal's environment. See {@link terminalEnvironment}. */
  environment: Readonly<Record<string, string>>;
  /** The directory of the script, which only this person can read. */
  temporaryDirectory: string;
  homeDirectory: string;
  /** The Windows folder, such as `C:\Windows`. */
  systemRoot: string;
  /** Starts a program. Resolves to true if it's still running after a moment, or has ended successfully. */
  start?(file: string, args: readonly string[], options: SpawnOptions): Promise<boolean>;
}

/** A way to start a terminal. */
interface Attempt {
  file: string;
  args: readonly string[];
  options?: SpawnOptions;
}

/**
 * Linux terminals and the arguments before the program that they run, most specific first: the person's or the
 * desktop's choice, then well-known ones. Only terminals that accept a program and its arguments unchanged, without a
 * shell.
 */
const LINUX_TERMINALS: readonly (readonly [name: string, ...before: string[]])[] = [
  ['xdg-terminal-exec'],
  ['x-terminal-emulator', '-e'],
  ['gnome-terminal', '--'],
  ['ptyxis', '--'],
  ['kgx', '--'],
  ['konsole', '-e'],
  ['xfce4-terminal', '-x'],
  ['mate-terminal', '-x'],
  ['kitty'],
  ['alacritty', '-e'],
  ['ghostty', '-e'],
  ['wezterm', 'start', '--'],
  ['foot'],
  ['terminator', '-x'],
  ['urxvt', '-e'],
  ['st', '-e'],
  ['xterm', '-e'],
];

/** A terminal that can't start fails within this time. A working one keeps running, or hands over and exits. */
const START_GRACE_MS = 1_500;
/** How long the script is kept. If no terminal has read it by then, none will. */
const SCRIPT_LIFE_MS = 60_000;

const isThere = (path: string): Promise<boolean> =>
  // stat would fail for Windows' links to installed apps, which only the system can follow.
  lstat(path).then(
    (stats) => !stats.isDirectory(),
    () => false,
  );

/** Finds a program in the absolute directories of PATH. SECURITY: a relative directory depends on the current one. */
export const findOnPath = async (name: string, path = ''): Promise<string | undefined> => {
  const files = isAbsolute(name)
    ? [name]
    : path
        .split(delimiter)
        .filter((directory) => isAbsolute(directory))
        .map((directory) => join(directory, name));
  for (const file of files) if (await isThere(file)) return file;
  return undefined;
};

/** Starts a program in its own session, so that it keeps running after we exit. */
const startAndWatch: NonNullable<TerminalSystem['start']> = (file, args, options) =>
  new Promise((resolve) => {
    const child = spawn(file, args, { detached: true, stdio: 'ignore', ...options });
    const timer = setTimeout(() => resolve(true), START_GRACE_MS);
    const settle = (isRunning: boolean) => {
      clearTimeout(timer);
      resolve(isRunning);
    };
    child.on('error', () => settle(false));
    child.on('exit', (code) => settle(code === 0));
    child.unref();
  });

const linuxAttempts = async (
  script: string,
  { environment: { TERMINAL, PATH } }: TerminalSystem,
): Promise<Attempt[]> => {
  const attempts: Attempt[] = [];
  const add = async (program: string, before: readonly string[]) => {
    const file = await findOnPath(program, PATH);
    if (file !== undefined) attempts.push({ file, args: [...before, '/bin/sh', script] });
  };
  if (TERMINAL) {
    const [, ...before] = LINUX_TERMINALS.find(([name]) => name === TERMINAL.split('/').at(-1)) ?? ['', '-e'];
    await add(TERMINAL, before);
  }
  for (const [name, ...before] of LINUX_TERMINALS) await add(name, before);
  return attempts;
};

const macAttempts = (script: string): Attempt[] => [
  // Opens the app that the person chose for .command files: Terminal, iTerm, or another one.
  { file: '/usr/bin/open', args: [script] },
  { file: '/usr/bin/open', args: ['-b', 'com.apple.Terminal', script] },
  { file: '/usr/bin/open', args: ['-b', 'com.googlecode.iterm2', script] },
];

const windowsAttempts = async (
  script: string,
  { environment, systemRoot }: TerminalSystem,
): Promise<Attempt[]> => {
  const shell =
    (await findOnPath('pwsh.exe', environment.PATH ?? environment.Path)) ??
    windowsProgram(systemRoot, win32.join('WindowsPowerShell', 'v1.0', 'powershell.exe'));
  // Bypass applies to this window only. Otherwise Windows would run neither this script nor npm's pi.ps1.
  const args = ['-NoLogo', '-NoExit', '-ExecutionPolicy', 'Bypass', '-File'];
  const { LOCALAPPDATA = '' } = environment;
  const terminal = win32.join(LOCALAPPDATA, 'Microsoft', 'WindowsApps', 'wt.exe');
  return [
    // Windows Terminal parses a semicolon as the start of another command.
    ...(win32.isAbsolute(terminal) && (await isThere(terminal))
      ? [{ file: terminal, args: [shell, ...args, script].map((text) => text.replace(/;/g, '\\$&')) }]
      : []),
    {
      // Only "start" opens a console window with its own input and output.
      file: windowsProgram(systemRoot, 'cmd.exe'),
      args: ['/d', '/s', '/c', `"start "" "%DOT_MI_SHELL%" ${args.join(' ')} "%DOT_MI_SCRIPT%""`],
      options: {
        // SECURITY: cmd.exe doesn't interpret text inside quotes, and Windows paths contain none.
        windowsVerbatimArguments: true,
        detached: false,
        windowsHide: true,
        env: { ...environment, DOT_MI_SHELL: shell, DOT_MI_SCRIPT: script },
      },
    },
  ];
};

const writeScript = async (run: TerminalRun, system: TerminalSystem): Promise<ScriptPlace> => {
  const directory = await mkdtemp(join(system.temporaryDirectory, 'dot-mi-run-'));
  const isWindows = system.platform === 'win32';
  const place = { directory, path: join(directory, isWindows ? 'run.ps1' : 'run.command') };
  const text = isWindows ? powerShellTerminalScript(run, place) : posixTerminalScript(run, place);
  await writeFile(place.path, text, { mode: 0o700, flag: 'wx' });
  return place;
};

/**
 * Opens the system's terminal and starts a run in it. Returns false if no terminal starts.
 *
 * SECURITY: the command is in a file that only this person can read. A terminal gets that file's path, and never text
 * to interpret.
 */
export const openTerminal = async (run: TerminalRun, system: TerminalSystem): Promise<boolean> => {
  const { platform, environment, homeDirectory, start = startAndWatch } = system;
  const place = await writeScript(run, system);
  const remove = () => rm(place.directory, { recursive: true, force: true }).catch(() => undefined);
  const attempts =
    platform === 'win32'
      ? await windowsAttempts(place.path, system)
      : platform === 'darwin'
        ? macAttempts(place.path)
        : await linuxAttempts(place.path, system);
  for (const { file, args, options } of attempts) {
    if (await start(file, args, { cwd: homeDirectory, env: environment, ...options })) {
      setTimeout(() => void remove(), SCRIPT_LIFE_MS).unref();
      return true;
    }
  }
  await remove();
  return false;
};

/** The variables that describe this app, not its user. */
const OWN_VARIABLES = [
  'API_TOKEN',
  'APPDIR',
  'APPIMAGE',
  'ARGV0',
  'OWD',
  'ELECTRON_RENDERER_URL',
  'ELECTRON_RUN_AS_NODE',
];

/**
 * Returns a terminal's environment: ours, without our secrets and without the libraries of our AppImage, which would
 * replace the terminal's own.
 */
export const terminalEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
  appImageMount: string | undefined,
): Record<string, string> => {
  const isOurs = (path: string) =>
    appImageMount !== undefined && (path === appImageMount || path.startsWith(`${appImageMount}/`));
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]): [string, string][] => {
      if (value === undefined || OWN_VARIABLES.includes(name)) return [];
      if (appImageMount === undefined || !value.includes(appImageMount)) return [[name, value]];
      const kept = value.split(':').filter((path) => !isOurs(path));
      return kept.length === 0 ? [] : [[name, kept.join(':')]];
    }),
  );
};
