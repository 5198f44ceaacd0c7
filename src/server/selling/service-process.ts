import { fork } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { SellReport } from '../../shared/sale-terms.ts';

/** A program that a host started for the server. */
export interface StartedProgram {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Asks the program to end with any message, or kills it. */
  kill(isAtOnce: boolean): void;
  /** Calls `heard` once, when the program has ended or couldn't start. */
  onExit(heard: () => void): void;
}

/** Starts one of our modules as a process that ends with this one. Its environment has only these variables. */
export type StartProgram = (
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) => StartedProgram;

/** Starts a program with Node's `fork`. */
export const forkProgram: StartProgram = (file, args, environment) => {
  const child = fork(file, args, {
    // The channel closes when this process ends, which signals the program to end too.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment,
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('a program has no output');
  return {
    stdout,
    stderr,
    kill(isAtOnce) {
      // Windows has no SIGTERM and would kill the program at once.
      if (!isAtOnce && child.connected) child.send('end', () => undefined);
      else child.kill('SIGKILL');
    },
    onExit(heard) {
      child.once('exit', heard);
      child.once('error', heard);
    },
  };
};

const MOST_LINE = 64 * 1024;
const MOST_TAIL = 4_096;

/** A service's process. */
export interface ServiceProcess {
  /** Resolves once customers can buy, or to the reason why they can't. */
  readonly ready: Promise<string | undefined>;
  /** Resolves with the process's last message once it ends. */
  readonly ended: Promise<string>;
  stop(graceMs: number): Promise<void>;
}

const isReport = (value: unknown): value is SellReport =>
  typeof value === 'object' && value !== null && 'kind' in value;

/** Follows a started program. `onReport` gets each of its reports except the first. */
export const followService = (
  program: StartedProgram,
  startTimeoutMs: number,
  onReport: (report: SellReport) => void,
): ServiceProcess => {
  const ready = Promise.withResolvers<string | undefined>();
  const ended = Promise.withResolvers<string>();
  let problem = '';
  let tail = '';
  let left = '';

  const hear = (line: string) => {
    let report: unknown;
    try {
      report = JSON.parse(line);
    } catch {
      // The line isn't a report. A library may have printed it.
      return;
    }
    if (!isReport(report)) return;
    if (report.kind === 'ready') ready.resolve(undefined);
    if (report.kind === 'problem') problem = report.message;
    if (report.kind !== 'ready') onReport(report);
  };
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (left + text).split('\n');
    left = (lines.pop() ?? '').slice(0, MOST_LINE);
    for (const line of lines) hear(line);
  });
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-MOST_TAIL);
  });
  const timer = setTimeout(() => {
    ready.resolve('Its start took too long. The log says why.');
    program.kill(true);
  }, startTimeoutMs);
  program.onExit(() => {
    clearTimeout(timer);
    const why = problem || tail.trim().split('\n').at(-1) || 'Its process ended.';
    ready.resolve(why);
    ended.resolve(why);
  });
  void ready.promise.then(() => clearTimeout(timer));

  return {
    ready: ready.promise,
    ended: ended.promise,
    async stop(graceMs) {
      program.kill(false);
      const late = setTimeout(() => program.kill(true), graceMs);
      await ended.promise;
      clearTimeout(late);
    },
  };
};
