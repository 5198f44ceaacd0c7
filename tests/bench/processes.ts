import { type ChildProcess, type Serializable, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a module is run as a process of its own. */
export interface Run {
  /** A JavaScript file. */
  module: string;
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
  /** Resolves when it has printed something that matches. */
  printed(pattern: RegExp): Promise<string>;
  /** Ends it at once and waits until it is gone. */
  end(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ends every process that was started here, without waiting: for an interrupt. */
export const endAllNow = (): void => {
  for (const child of running) child.kill('SIGKILL');
};

/** Starts a process. Nothing of our own environment reaches it but where programs are. */
export const start = ({ module, args = [], probe, cwd, environment = {} }: Run, ipc = true): Child => {
  const child = spawn(process.execPath, [...(probe ? ['--import', probe] : []), module, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  running.add(child);
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
      child.kill('SIGKILL');
      await gone.catch(() => undefined);
    },
  };
};
