import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DecisionTimes, Step } from '../../src/server/wallet/operations/decide.ts';
import { bundledProgram } from './bundle.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { NO_OUTSIDE } from './no-outside.ts';

/** The options of a server process. */
export interface WalletProcessOptions {
  environment: Record<string, string>;
  mintTimeoutMs?: number;
  requestDeadlineMs?: number;
  decisionTimes?: Partial<DecisionTimes>;
  /** Kills itself with SIGKILL when it reaches a step for the n-th time; 1 is the first. */
  killAt?: { step: Step; occurrence: number };
  /** Timers of at least `longerThanMs` run after `atMostMs`. */
  hurry?: { longerThanMs: number; atMostMs: number };
  /** How far its clock is ahead of the machine's. Default 0. */
  aheadMs?: number;
}

/** A server process that got its options. */
export interface WalletProcess {
  /** Rejects when the server ended before it listened. */
  listening: Promise<{ url: string; operatorToken: string }>;
  /** The signal that ended it; null if it exited on its own. */
  exited: Promise<NodeJS.Signals | null>;
  /** Sends SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  /** Sends SIGTERM, so that it closes as a person would close it. */
  stop(): Promise<void>;
  isRunning(): boolean;
  /** All it logged. */
  stderr(): string;
}

/** A process with the server's code loaded that waits for its options, so that the next start is short. */
export interface WaitingProcess {
  start(launchOptions: WalletProcessOptions): WalletProcess;
  /** SIGKILL. */
  discard(): void;
}

const AHEAD = fileURLToPath(new URL('./ahead.ts', import.meta.url));

const listen = (child: ChildProcess, exited: Promise<unknown>, stderr: () => string) =>
  new Promise<{ url: string; operatorToken: string }>((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk) => {
      out += chunk;
      if (out.endsWith('\n')) resolve(JSON.parse(out));
    });
    void exited.then(() => reject(new Error(`the server ended before it listened: ${stderr()}`)));
  });

/** Starts a process in a directory, which is its data directory. It ends when this process does. */
export const spawnWaiting = (directory: string): WaitingProcess => {
  const child = spawn(process.execPath, [bundledProgram('wallet-entry')], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      ...NO_OUTSIDE,
      ...COMPILE_CACHE,
      NODE_OPTIONS: `${NO_OUTSIDE.NODE_OPTIONS} --import ${AHEAD}`,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Writing to a killed process isn't an error of ours.
  child.stdin.on('error', () => undefined);
  const exited = once(child, 'close').then(([, signal]) => signal as NodeJS.Signals | null);
  const stderr = () => Buffer.concat(chunks).toString('utf8');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };

  return {
    discard: () => void child.kill('SIGKILL'),
    start(launchOptions) {
      const listening = listen(child, exited, stderr);
      listening.catch(() => undefined);
      child.stdin.write(`${JSON.stringify(launchOptions)}\n`);
      return {
        listening,
        exited,
        kill: () => end('SIGKILL'),
        stop: () => end('SIGTERM'),
        isRunning: () => child.exitCode === null && child.signalCode === null,
        stderr,
      };
    },
  };
};

/** The environment of a server with real sats at a test mint. Its data is in its working directory. */
export const walletEnvironment = (mintUrl: string, more: Record<string, string> = {}) => ({
  PORT: '0',
  DEV_MODE: 'false',
  MINT_URL: mintUrl,
  DOT_MI_ROOT: 'root',
  LOG_LEVEL: 'trace',
  ...NO_OUTSIDE,
  BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:9',
  ...more,
});
