import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundledProgram } from '../bundle.ts';
import { freePort } from '../free-port.ts';
import { type RemoteControl, remoteControl } from './remote-control.ts';
import type { TestMintOptions } from './test-mint.ts';

const NOTICE_MS = 10;

/** A mint in its own process, which can be killed and started again with all it had. */
export interface TestMintProcess extends RemoteControl {
  /** Stays the same over restarts. */
  url: string;
  port: number;
  /** The id of the current process; undefined when none runs. */
  pid(): number | undefined;
  /** Ends the process and waits until it is gone. Default SIGKILL. Faults and seen requests are lost. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same directory and port. */
  start(): Promise<void>;
  /** The error output of all its processes. */
  stderr(): string;
  /** Kills it, if it runs. */
  close(): Promise<void>;
}

const spawnMint = async (options: TestMintOptions, noteError: (text: string) => void) => {
  const child = spawn(process.execPath, [bundledProgram('mint-process'), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
    noteError(String(chunk));
  });
  const address = await new Promise<{ url: string; port: number }>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.endsWith('\n')) resolve(JSON.parse(out));
    });
    child.once('exit', (code) => reject(new Error(`the test mint ended with ${code}: ${err}`)));
  });
  return { child, address };
};

const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  // Clients in this process must notice it, so that none uses a dead connection for its next request.
  await sleep(NOTICE_MS);
};

/** Starts a mint as a child process. The directory keeps its state. It ends when this process does. */
export const startTestMintProcess = async (
  options: TestMintOptions & { directory: string },
): Promise<TestMintProcess> => {
  let errors = '';
  const noteError = (text: string) => {
    errors += text;
  };
  const first = await spawnMint({ ...options, port: options.port ?? (await freePort()) }, noteError);
  const { url, port } = first.address;
  let child: ChildProcess | undefined = first.child;

  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    const ending = child;
    child = undefined;
    if (ending) await end(ending, signal);
  };
  return {
    ...remoteControl(() => url),
    url,
    port,
    pid: () => child?.pid,
    kill,
    start: async () => {
      if (child) throw new Error('the test mint runs');
      ({ child } = await spawnMint({ ...options, port }, noteError));
    },
    stderr: () => errors,
    close: () => kill(),
  };
};
