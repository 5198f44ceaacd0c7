import { spawn } from 'node:child_process';
import { windowsProgram } from './windows-program.ts';

/** The system around the program, as far as processes are ended there. */
export interface ProcessSystem {
  platform: NodeJS.Platform;
  /** The folder of Windows. */
  systemRoot: string;
  /** Starts a program and waits for nothing. */
  start(file: string, args: readonly string[]): void;
}

/** Starts a program whose end nobody waits for; that it cannot be started is fine. */
const startAndForget: ProcessSystem['start'] = (file, args) => {
  spawn(file, args, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
};

/** Ends a process and all it started; a group that is gone already is fine. */
export const killTree = (pid: number, { platform, systemRoot, start }: ProcessSystem): void => {
  if (platform === 'win32') {
    start(windowsProgram(systemRoot, 'taskkill.exe'), ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: nothing of the group is left.
  }
};

/** A command to run to its end. Nothing of it passes through a shell. */
export interface Command {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The folder of Windows, whose own program ends a process there. */
  systemRoot: string;
  /** Ends the command early, as a timeout does. */
  signal?: AbortSignal | undefined;
}

/** How a command ended. */
export interface CommandResult {
  /** Null when a signal ended it or it never started. */
  exitCode: number | null;
  /** Why it was ended early, if it was. */
  stoppedBy?: 'timeout' | 'abort';
  /** The last {@link OUTPUT_TAIL_CHARACTERS} of each stream. */
  stdoutTail: string;
  stderrTail: string;
  /** The system's code when it could not be started (`EACCES`, `ENOENT`). */
  startError?: string;
}

/** How much of a command's output is kept. */
export const OUTPUT_TAIL_CHARACTERS = 4096;

/** How long after the end of a command its last output is waited for. */
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
 * Runs a command in a process group of its own and waits for it, at most `timeoutMs`.
 *
 * At its end, however it came, the whole group is killed: what the command left running goes too. Output beyond the
 * tail is read and dropped, so that a chatty command neither blocks nor fills memory. Never throws.
 */
export const runCommand = ({
  file,
  args,
  cwd,
  env,
  timeoutMs,
  systemRoot,
  signal,
}: Command): Promise<CommandResult> =>
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
    let stoppedBy: CommandResult['stoppedBy'];

    const end = (pid: number) =>
      killTree(pid, { platform: process.platform, systemRoot, start: startAndForget });
    const stop = (by: CommandResult['stoppedBy']) => {
      stoppedBy ??= by;
      if (child.pid !== undefined) end(child.pid);
    };
    const timer = setTimeout(() => stop('timeout'), timeoutMs);
    const onAbort = () => stop('abort');
    signal?.addEventListener('abort', onAbort, { once: true });

    let settled = false;
    const settle = (exitCode: number | null, startError?: string) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // A child that left the group may hold the pipes open for ever.
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

    child.on('error', (error: NodeJS.ErrnoException) => settle(null, error.code ?? 'UNKNOWN'));
    child.on('exit', (exitCode) => {
      // The system gives an id to no new group while the old one has members, so this reaches only leftovers.
      if (child.pid !== undefined) end(child.pid);
      const grace = setTimeout(() => settle(exitCode), OUTPUT_GRACE_MS);
      child.on('close', () => {
        clearTimeout(grace);
        settle(exitCode);
      });
    });
  });
