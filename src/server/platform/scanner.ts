import { Worker } from 'node:worker_threads';
import type { ErrorCode } from '../../shared/api/errors.ts';
import { AppError } from './app-error.ts';
import { createSharedReads } from './shared-reads.ts';

/** A question to the scanner's thread. */
export interface ScanQuestion {
  number: number;
  name: string;
}

/** Its answer; `same` means the value of the time before. */
export type ScanAnswer = { number: number } & (
  | { kind: 'same' }
  | { kind: 'value'; value: unknown }
  | { kind: 'problem'; code: ErrorCode; message: string }
  | { kind: 'error'; error: unknown }
);

/** Looks through whole folders in a thread of its own; `Scans` maps the name of each scan to what it finds. */
export interface Scanner<Scans> {
  /** The state of the disk after this call; the same frozen object while nothing changed. */
  scan<N extends keyof Scans & string>(name: N): Promise<Scans[N]>;
  close(): Promise<void>;
}

/** After this long a scan is given up: a network share that hangs must not hang its requests for ever. */
const SCAN_TIMEOUT_MS = 20_000;

interface Waiting {
  resolve(answer: ScanAnswer): void;
  reject(error: unknown): void;
}

/**
 * Makes a scanner whose thread runs the module at `workerUrl`, which answers each {@link ScanQuestion} with a
 * {@link ScanAnswer}. The thread starts with the first scan, and again after it died.
 */
export const createScanner = <Scans>(workerUrl: URL, workerData: unknown): Scanner<Scans> => {
  const waiting = new Map<number, Waiting>();
  const values = new Map<string, unknown>();
  const reads = createSharedReads<unknown>();
  let worker: Worker | undefined;
  let questions = 0;

  const start = () => {
    const started = new Worker(workerUrl, { workerData, name: 'scanner' });
    // It must not keep the process alive; requests do.
    started.unref();
    started.on('message', (answer: ScanAnswer) => {
      waiting.get(answer.number)?.resolve(answer);
      waiting.delete(answer.number);
    });
    let failure: unknown = new Error('the scanner thread ended');
    started.on('error', (error) => {
      failure = error;
    });
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.values()) reject(failure);
      waiting.clear();
      // A new thread knows nothing of what the old one told.
      values.clear();
    });
    return started;
  };

  const ask = (name: string): Promise<ScanAnswer> => {
    worker ??= start();
    const asked = worker;
    const number = ++questions;
    return new Promise<ScanAnswer>((resolve, reject) => {
      const timer = setTimeout(() => void asked.terminate(), SCAN_TIMEOUT_MS);
      waiting.set(number, {
        resolve: (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      asked.postMessage({ number, name } satisfies ScanQuestion);
    });
  };

  const look = async (name: string): Promise<unknown> => {
    const answer = await ask(name);
    switch (answer.kind) {
      case 'same':
        return values.get(name);
      case 'value':
        values.set(name, Object.freeze(answer.value));
        return answer.value;
      case 'problem':
        throw new AppError(answer.code, answer.message);
      case 'error':
        throw answer.error;
    }
  };

  return {
    scan: <N extends keyof Scans & string>(name: N) =>
      reads.read(name, () => look(name)) as Promise<Scans[N]>,
    async close() {
      await worker?.terminate();
    },
  };
};
