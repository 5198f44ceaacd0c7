import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { bundledProgram } from './bundle.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { type KeptLog, keepLog } from './kept-log.ts';
import { NO_OUTSIDE } from './no-outside.ts';
import { makeTempDirectory } from './temp.ts';

/** The headless server in its own process, as it starts without a window. */
export interface ServerProcess {
  url: string;
  child: ChildProcess;
  /** All its output so far. */
  stdout(): string;
  stderr(): string;
  /** Ends it and waits; returns the exit code, null after a signal. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  exited: Promise<number | null>;
}

/** Keeps what a server prints. */
type KeepOutput = (name: string) => KeptLog;

const launch = (
  directory: string,
  environment: Record<string, string>,
  uid: number | undefined,
  args: readonly string[],
  keepOutput: KeepOutput,
): Omit<ServerProcess, 'url'> => {
  const child = spawn(process.execPath, [bundledProgram('headless'), ...args], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      PORT: '0',
      ...COMPILE_CACHE,
      ...NO_OUTSIDE,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid }),
  });
  const out = keepOutput('server-stdout');
  const err = keepOutput('server-stderr');
  child.stdout.on('data', out.write);
  child.stderr.on('data', err.write);
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  return { child, stdout: out.text, stderr: err.text, stop, exited };
};

/** Starts a server without waiting for anything. It is killed when the test ends. */
export const spawnServer = async (
  environment: Record<string, string>,
  cwd?: string,
  uid?: number,
  args: readonly string[] = [],
): Promise<Omit<ServerProcess, 'url'>> => {
  const server = launch(cwd ?? (await makeTempDirectory()), environment, uid, args, keepLog);
  onTestFinished(async () => {
    await server.stop('SIGKILL');
  });
  return server;
};

/** Waits until a server has printed all of its first lines. */
const untilStarted = async (server: Omit<ServerProcess, 'url'>): Promise<ServerProcess> => {
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /api {3}(http:\/\/\S+)\/api[\s\S]*root/.exec(server.stdout());
      if (found?.[1]) resolve(found[1]);
    };
    server.child.stdout?.on('data', look);
    void server.exited.then((code) => reject(new Error(`the server ended with ${code}: ${server.stderr()}`)));
  });
  return { ...server, url };
};

/** Starts a server and waits until it has printed all of its first lines. */
export const startServerProcess = async (
  environment: Record<string, string>,
  cwd?: string,
  uid?: number,
  args?: readonly string[],
): Promise<ServerProcess> => untilStarted(await spawnServer(environment, cwd, uid, args));

/** {@link startServerProcess} for all tests of a file, from `beforeAll`. The caller stops it. */
export const startSharedServerProcess = (
  environment: Record<string, string>,
  cwd: string,
  uid: number | undefined,
): Promise<ServerProcess> =>
  untilStarted(
    launch(cwd, environment, uid, [], () => {
      const parts: string[] = [];
      return { write: (part) => void parts.push(String(part)), text: () => parts.join('') };
    }),
  );
