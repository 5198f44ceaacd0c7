import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { windowsProgram } from '../server/platform/windows-program.ts';

const ASK_TIMEOUT_MS = 1_500;
/** "Listening" in /proc/net/tcp. */
const LISTEN = '0A';

/** Runs a system program. `file` is absolute. */
type Run = (file: string, args: readonly string[]) => Promise<string>;

/** Everything that a port lookup needs from the operating system. */
export interface System {
  platform: NodeJS.Platform;
  /** The Windows folder. */
  systemRoot: string;
  run: Run;
}

const run: Run = async (file, args) =>
  (await promisify(execFile)(file, args, { timeout: ASK_TIMEOUT_MS, windowsHide: true })).stdout;

const inWords = (name: string, pid: string): string => `${name} (process ${pid})`;

const findOnLinux = async (port: number): Promise<string | undefined> => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  const inodes = tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === LISTEN)
    .map((columns) => `socket:[${columns[9]}]`);
  if (inodes.length === 0) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // Other people's processes can't be read.
    const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const targets = await Promise.all(handles.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    if (targets.some((target) => inodes.includes(target)))
      return inWords((await readFile(`/proc/${pid}/comm`, 'utf8')).trim(), pid);
  }
  return undefined;
};

// SECURITY: run programs by their full path (see windowsProgram).

const findOnMac = async (port: number, { run }: System): Promise<string | undefined> => {
  const fields = await run('/usr/sbin/lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']);
  const [, pid, name] = /^p(\d+)\nc(.+)$/m.exec(fields) ?? [];
  return pid && name && inWords(name, pid);
};

/** The other end of a listening socket. Windows translates the state's name, so we ignore the state. */
const NOBODY = new Set(['0.0.0.0:0', '[::]:0']);

const findOnWindows = async (port: number, { run, systemRoot }: System): Promise<string | undefined> => {
  const pid = (await run(windowsProgram(systemRoot, 'netstat.exe'), ['-ano']))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(
      ([protocol, local, foreign = '']) =>
        protocol === 'TCP' && local?.endsWith(`:${port}`) && NOBODY.has(foreign),
    )
    ?.at(-1);
  if (pid === undefined) return undefined;
  const row = await run(windowsProgram(systemRoot, 'tasklist.exe'), [
    '/FI',
    `PID eq ${pid}`,
    '/FO',
    'CSV',
    '/NH',
  ]);
  const name = /^"([^"]+)"/.exec(row.trim())?.[1];
  return name && inWords(name, pid);
};

const FINDERS: Partial<
  Record<NodeJS.Platform, (port: number, system: System) => Promise<string | undefined>>
> = {
  linux: findOnLinux,
  darwin: findOnMac,
  win32: findOnWindows,
};

/** Finds out who listens on a port, in the system's words. Undefined if unknown. Throws on failure. */
export const findListener = async (port: number, system: System): Promise<string | undefined> =>
  FINDERS[system.platform]?.(port, system);

/** Finds out who listens on a port, in words for people. Undefined if that isn't possible quickly. */
export const findPortOwner = (port: number, systemRoot: string): Promise<string | undefined> =>
  findListener(port, { platform: process.platform, systemRoot, run }).catch(() => undefined);
