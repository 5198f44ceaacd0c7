import {
  type ChildProcess,
  execFileSync,
  type Serializable,
  type SpawnOptions,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';

/** How a module is run as a process of its own. */
export interface Run {
  /** A JavaScript file. With `command` only its name in errors. */
  module: string;
  /** A command line for the shell, which is run instead of the module. */
  command?: string;
  args?: readonly string[];
  /** A module that runs in the process before, and speaks over IPC. */
  probe?: string;
  cwd: string;
  environment?: Readonly<Record<string, string>>;
}

/** A process of ours; `ask` needs one that speaks over IPC. */
export interface Child {
  readonly pid: number;
  /** Sends a message and waits for the next one. */
  ask(question: Serializable): Promise<unknown>;
  /** All it printed so far. */
  output(): string;
  /** All its errors so far. */
  errors(): string;
  hasEnded(): boolean;
  /** Resolves when it has printed something that matches. */
  printed(pattern: RegExp): Promise<string>;
  /** Ends it at once and waits until it is gone. */
  end(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Each has a group of its own: a shell may stay between us and the program that it runs. */
const hasGroups = process.platform !== 'win32';

const kill = (child: ChildProcess) => {
  try {
    if (hasGroups && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It is gone already.
  }
};

const BYTES_PER_MB = 1e6;
const BYTES_PER_KIB = 1024;

/** The resident memory of a process that was started here and of what it started, in MB. NaN on Windows. */
export const residentMB = (pid: number): number => {
  if (!hasGroups) return Number.NaN;
  const lines = execFileSync('ps', ['-A', '-o', 'pgid=,rss='], { encoding: 'utf8' }).split('\n');
  const kib = lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .reduce((sum, [group, rss = 0]) => (group === pid ? sum + rss : sum), 0);
  return (kib * BYTES_PER_KIB) / BYTES_PER_MB;
};

/** Ends every process that was started here, without waiting: for an interrupt. */
export const endAllNow = (): void => {
  for (const child of running) kill(child);
};

/** Starts a process. Nothing of our own environment reaches it but where programs are. */
export const start = (
  { module, command, args = [], probe, cwd, environment = {} }: Run,
  ipc = true,
): Child => {
  const options: SpawnOptions = {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc && command === undefined ? (['ipc'] as const) : [])],
    detached: hasGroups,
  };
  const child =
    command === undefined
      ? spawn(process.execPath, [...(probe ? ['--import', probe] : []), module, ...args], options)
      : spawn(command, { ...options, shell: true });
  running.add(child);
  // A program that can't be run has no process, and says so here.
  child.once('error', () => running.delete(child));
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  let ending = false;
  const gone = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    if (!ending) throw new Error(`${module} ended with ${code ?? signal}: ${errors}`);
  });
  // Whoever waits below is told; while nobody waits there is nothing to do.
  gone.catch(() => undefined);

  return {
    pid: child.pid ?? 0,
    output: () => output,
    errors: () => errors,
    hasEnded: () => !running.has(child),
    async ask(question) {
      const answer = once(child, 'message');
      child.send(question);
      const [message] = (await Promise.race([answer, gone])) ?? [];
      return message;
    },
    async printed(pattern) {
      for (;;) {
        const found = pattern.exec(output);
        if (found) return found[1] ?? found[0];
        await Promise.race([once(child.stdout as NodeJS.ReadableStream & NodeJS.EventEmitter, 'data'), gone]);
      }
    },
    async end() {
      ending = true;
      kill(child);
      await gone.catch(() => undefined);
    },
  };
};
