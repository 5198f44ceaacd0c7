import { spawn } from 'node:child_process';
import { windowsProgram } from './windows-program.ts';

/** The parts of the system that {@link killTree} needs. */
export interface ProcessSystem {
  platform: NodeJS.Platform;
  /** The Windows directory. */
  systemRoot: string;
  /** Starts a program without waiting for it. */
  start(file: string, args: readonly string[]): void;
}

/** Starts a program without waiting for it to end. Ignores failures to start. */
const startAndForget: ProcessSystem['start'] = (file, args) => {
  spawn(file, args, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
};

/** Kills a process and everything it started. Ignores a group that has already ended. */
export const killTree = (pid: number, { platform, systemRoot, start }: ProcessSystem): void => {
  if (platform === 'win32') {
    start(windowsProgram(systemRoot, 'taskkill.exe'), ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the group has no processes left.
  }
};

/** A command to run to completion, without a shell. */
export interface ProcessToRun {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The entire environment. Nothing is inherited. */
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The Windows directory, which contains the program that kills processes there. */
  systemRoot: string;
  /** Stops the command early, like a timeout. */
  signal?: AbortSignal | undefined;
}

/** How a command ended. */
export interface ProcessEnd {
  /** Null if a signal ended it or it never started. */
  exitCode: number | null;
  /** Set if it was stopped early. */
  stoppedBy?: 'timeout' | 'abort';
  /** The last {@link OUTPUT_TAIL_CHARACTERS} characters of standard output and of standard error. */
  stdoutTail: string;
  stderrTail: string;
  /** The system's code if it couldn't start (`EACCES`, `ENOENT`). */
  startError?: string;
}

/** How much of each of a command's output streams is kept, in characters. */
const OUTPUT_TAIL_CHARACTERS = 4096;

/** How long to wait for the last output after a command ends. */
const OUTPUT_GRACE_MS = 200;

const keepTail = (stream: NodeJS.ReadableStream) => {
  let tail = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-OUTPUT_TAIL_CHARACTERS);
  });
  return () => tail;
};

/**
 * Runs a command in its own process group and waits for it, at most `timeoutMs`.
 *
 * Afterwards, it kills the entire group, including everything the command left running. Output beyond the tail is read
 * and discarded, so that a chatty command neither blocks nor fills memory. Never throws.
 */
export const runProcess = ({
  file,
  args,
  cwd,
  env,
  timeoutMs,
  systemRoot,
  signal,
}: ProcessToRun): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      env,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const stdoutTail = keepTail(child.stdout);
    const stderrTail = keepTail(child.stderr);
    let stoppedBy: ProcessEnd['stoppedBy'];

    const end = (pid: number) =>
      killTree(pid, { platform: process.platform, systemRoot, start: startAndForget });
    const stop = (by: ProcessEnd['stoppedBy']) => {
      stoppedBy ??= by;
      if (child.pid !== undefined) end(child.pid);
    };
    const timer = setTimeout(() => stop('timeout'), timeoutMs);
    const onAbort = () => stop('abort');
    signal?.addEventListener('abort', onAbort, { once: true });

    let hasEnded = false;
    const finish = (exitCode: number | null, startError?: string) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // A child that left the group may hold the pipes open forever.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({
        exitCode,
        ...(stoppedBy === undefined ? {} : { stoppedBy }),
        stdoutTail: stdoutTail(),
        stderrTail: stderrTail(),
        ...(startError === undefined ? {} : { startError }),
      });
    };

    child.on('error', (error: NodeJS.ErrnoException) => finish(null, error.code ?? 'UNKNOWN'));
    child.on('exit', (exitCode) => {
      // The system doesn't reuse a group's id while the group has members, so this reaches only leftovers.
      if (child.pid !== undefined) end(child.pid);
      const grace = setTimeout(() => finish(exitCode), OUTPUT_GRACE_MS);
      child.on('close', () => {
        clearTimeout(grace);
        finish(exitCode);
      });
    });
  });
