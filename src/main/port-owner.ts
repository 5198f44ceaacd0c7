import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getHealth } from '../shared/api/health.ts';

const ASK_TIMEOUT_MS = 1_500;
/** "Listening" in /proc/net/tcp. */
const LISTEN = '0A';

const run = async (file: string, args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(file, args, { timeout: ASK_TIMEOUT_MS, windowsHide: true })).stdout;

/** What another dot-mi says of itself. */
const askDotMi = async (host: string, port: number): Promise<string | undefined> => {
  const address = host.includes(':') ? `[${host}]` : host;
  const response = await fetch(`http://${address}:${port}/api/health`, {
    signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    redirect: 'error',
  });
  const { data } = getHealth.success.body.safeParse(await response.json());
  return data && `another dot-mi (version ${data.version}, root ${data.dotMiRoot})`;
};

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
    // Other people's processes cannot be looked into.
    const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const targets = await Promise.all(handles.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    if (targets.some((target) => inodes.includes(target)))
      return `${(await readFile(`/proc/${pid}/comm`, 'utf8')).trim()} (process ${pid})`;
  }
  return undefined;
};

const findOnMac = async (port: number): Promise<string | undefined> => {
  const fields = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']);
  const [, pid, name] = /^p(\d+)\nc(.+)$/m.exec(fields) ?? [];
  return name && `${name} (process ${pid})`;
};

const findOnWindows = async (port: number): Promise<string | undefined> => {
  const connections = await run('netstat', ['-ano', '-p', 'TCP']);
  const [, pid] = new RegExp(`:${port}\\s+\\S+\\s+LISTENING\\s+(\\d+)`).exec(connections) ?? [];
  if (pid === undefined) return undefined;
  const row = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']);
  const name = /^"([^"]+)"/.exec(row.trim())?.[1];
  return name && `${name} (process ${pid})`;
};

const FINDERS: Partial<Record<NodeJS.Platform, (port: number) => Promise<string | undefined>>> = {
  linux: findOnLinux,
  darwin: findOnMac,
  win32: findOnWindows,
};

/** Who listens on a port, in words for a person; undefined when that cannot be found out quickly. */
export const findPortOwner = async (host: string, port: number): Promise<string | undefined> =>
  (await askDotMi(host, port).catch(() => undefined)) ??
  (await FINDERS[process.platform]?.(port).catch(() => undefined));
