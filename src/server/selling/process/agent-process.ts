import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { win32 } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface AgentStart {
  /** The program's absolute path and its arguments. */
  argv: readonly [string, ...string[]];
  cwd: string;
  /** The entire environment. Nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** A unique word that identifies the agent's leftover processes. */
  marker: string;
  /** The limit for standard output and standard error together, in bytes. */
  mostOutputBytes: number;
  /** Called with each complete line of standard output, without its line feed. */
  onLine(line: Buffer): void;
  /** Called once if the output has too many bytes, or a line is too long. */
  onTooMuchOutput(): void;
  /** Called once, after the last line. `startError` is the system's code if the program never started. */
  onExit(end: { exitCode: number | null; startError?: string | undefined }): void;
}

/** A started agent. */
export interface AgentProcess {
  /** Writes a record as one line. Does nothing once the agent has closed its input. */
  send(record: object): void;
  /** Stops listening, ends the agent and everything it started, and waits until all have ended. Never throws. */
  end(): Promise<void>;
  /** The last {@link STDERR_TAIL_BYTES} of standard error. */
  stderrTail(): string;
}

/** A line contains an entire message, which may include images as text. */
const MOST_LINE_BYTES = 16 * 2 ** 20;
const STDERR_TAIL_BYTES = 4_096;
/** How long pi has to shut down cleanly, which includes saving its session and ending its tools. */
const KILL_AFTER_MS = 2_000;
/** How long to wait for the last output after the exit. Processes that left the group may hold the pipes open. */
const OUTPUT_GRACE_MS = 200;
/** The maximum number of searches for leftover processes, which may start new ones in the meantime. */
const MOST_SWEEPS = 20;

/** The variable that marks everything an agent starts. */
export const MARKER_VARIABLE = 'DOT_MI_SELL_RUN';

const isGone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group has no processes left.
  }
};

/** The process groups of agents that may still be running. */
const groups = new Set<number>();

/** Ends agents when this process exits, without waiting for them. */
const endGroups = () => {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
};

/** Returns the processes that were started with a marker, on Linux. */
const markedProcesses = async (marker: string): Promise<number[]> => {
  const wanted = `${MARKER_VARIABLE}=${marker}`;
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // Skip processes that belong to another user or have just ended.
      const environment = await readFile(`/proc/${id}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(wanted) ? [Number(id)] : [];
    }),
  );
  return found.flat();
};

/**
 * Ends processes that left the process group, such as the shells of pi's bash tool, which have their own groups.
 * Linux only.
 *
 * SECURITY: a program that clears its environment and leaves the group escapes. Only a container prevents that.
 */
const endLeftovers = async (marker: string): Promise<void> => {
  if (process.platform !== 'linux') return;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    const left = await markedProcesses(marker).catch(() => []);
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // ESRCH: the process has ended in the meantime.
      }
    }
    await sleep(10);
  }
};

/**
 * Ends a process tree with Windows' own taskkill, because Windows has no signals. Uses the full path, because PATH may
 * contain another taskkill.
 */
const endTreeOnWindows = (pid: number, systemRoot: string): void => {
  const taskkill = win32.join(systemRoot, 'System32', 'taskkill.exe');
  spawn(taskkill, ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
    'error',
    () => undefined,
  );
};

/** Splits bytes at line feeds only. JSON may contain U+2028, and a chunk may end inside a character. */
const lineSplitter = (onLine: (line: Buffer) => void, onTooLong: () => void) => {
  let parts: Buffer[] = [];
  let bytes = 0;
  return (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const last = chunk.subarray(from, at);
      onLine(parts.length === 0 ? last : Buffer.concat([...parts, last]));
      parts = [];
      bytes = 0;
      from = at + 1;
    }
    if (from === chunk.length) return;
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > MOST_LINE_BYTES) onTooLong();
  };
};

/** Starts a program in its own process group. Never throws: `onExit` gets the reason why it didn't start. */
export const startAgent = (start: AgentStart): AgentProcess => {
  const [file, ...args] = start.argv;
  const isWindows = process.platform === 'win32';
  const child = spawn(file, args, {
    cwd: start.cwd,
    env: { ...start.env, [MARKER_VARIABLE]: start.marker },
    detached: !isWindows,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  if (child.pid !== undefined && !isWindows) {
    if (groups.size === 0) process.on('exit', endGroups);
    groups.add(child.pid);
  }
  let isListening = true;
  const stopListening = () => {
    isListening = false;
  };
  const ended = Promise.withResolvers<void>();
  const exit = (exitCode: number | null, startError?: string) => {
    if (isListening) {
      stopListening();
      start.onExit({ exitCode, startError });
    }
    ended.resolve();
  };
  // Must be first, because the lines below throw if there are no file descriptors left for pipes.
  child.on('error', (error: NodeJS.ErrnoException) => {
    // The event is also emitted if a signal can't be sent.
    if (child.pid === undefined) exit(null, error.code ?? 'UNKNOWN');
  });
  let outputBytes = 0;
  let tail = Buffer.alloc(0);

  const tooMuch = () => {
    if (!isListening) return;
    stopListening();
    start.onTooMuchOutput();
  };
  const count = (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes > start.mostOutputBytes) tooMuch();
  };
  const split = lineSplitter((line) => {
    if (isListening) start.onLine(line);
  }, tooMuch);
  child.stdout.on('data', (chunk: Buffer) => {
    // Keep reading but discard the rest, so that the agent doesn't block while it ends.
    if (!isListening) return;
    count(chunk);
    if (isListening) split(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL_BYTES);
    if (isListening) count(chunk);
  });
  // EPIPE: the agent closed its input, and its exit is reported.
  child.stdin.on('error', () => undefined);

  child.on('exit', (exitCode) => {
    const grace = setTimeout(() => exit(exitCode), OUTPUT_GRACE_MS);
    child.on('close', () => {
      clearTimeout(grace);
      exit(exitCode);
    });
  });

  const end = async () => {
    stopListening();
    const { pid } = child;
    if (pid === undefined) return;
    if (isWindows) {
      endTreeOnWindows(pid, start.env.SystemRoot ?? start.env.SYSTEMROOT ?? 'C:\\Windows');
      await Promise.race([ended.promise, sleep(KILL_AFTER_MS, undefined, { ref: false })]);
    } else {
      // The group may outlive its first process, but no other group can get its id in the meantime.
      signalGroup(pid, 'SIGTERM');
      const patience = new AbortController();
      const { signal } = patience;
      if (!isGone(child)) {
        await Promise.race([
          ended.promise,
          sleep(KILL_AFTER_MS, undefined, { signal }).catch(() => undefined),
        ]);
        patience.abort();
      }
      signalGroup(pid, 'SIGKILL');
      groups.delete(pid);
      if (groups.size === 0) process.off('exit', endGroups);
      await endLeftovers(start.marker);
      await Promise.race([ended.promise, sleep(KILL_AFTER_MS, undefined, { ref: false })]);
    }
    // Processes that escaped may hold the pipes open forever.
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
  };

  let ending: Promise<void> | undefined;
  return {
    send: (record) => {
      if (child.stdin.writable) child.stdin.write(`${JSON.stringify(record)}\n`);
    },
    end: () => {
      ending ??= end();
      return ending;
    },
    stderrTail: () => tail.toString('utf8'),
  };
};
