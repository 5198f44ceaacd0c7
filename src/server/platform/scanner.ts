import type { ErrorCode } from '../../shared/api/errors.ts';
import { AppError } from './app-error.ts';
import { PreparedBody } from './prepared-body.ts';
import { createSharedReads } from './shared-reads.ts';
import { createThread } from './thread.ts';

/** The result of a scan, checked and serialized. `same` means the same result as the time before. */
export type ScanAnswer =
  | { kind: 'same' }
  | {
      kind: 'value';
      json: Uint8Array<ArrayBuffer>;
      etag?: string;
      headerFields?: Readonly<Record<string, unknown>>;
    }
  | { kind: 'problem'; code: ErrorCode; message: string }
  | { kind: 'error'; error: unknown };

/** Scans whole folders in its own thread. `Scans` maps the name of each scan to its result. */
export interface Scanner<Scans, Question extends object = object> {
  /** Returns the state of the disk after this call: the same object while nothing changes. */
  scan<N extends keyof Scans & string>(name: N): Promise<PreparedBody<Scans[N]>>;
  /** Asks something that has another answer for each caller. */
  ask<Body>(question: Question): Promise<PreparedBody<Body>>;
  /** Sends something that needs no answer. Scans that are asked for afterwards know it. */
  inform(message: object): void;
  close(): Promise<void>;
}

/** A question to the scanner's thread: the name of a scan, or anything else that the thread knows. */
export type ScanQuestion = string | object;

/** Creates a scanner whose thread runs the module at `workerUrl` and gets each question. The thread ends after `answerTimeoutMs` without an answer. */
export const createScanner = <Scans, Question extends object = object>(
  workerUrl: URL,
  workerData: unknown,
  answerTimeoutMs?: number,
): Scanner<Scans, Question> => {
  const bodies = new Map<string, PreparedBody<unknown>>();
  const reads = createSharedReads<PreparedBody<unknown>>();
  const thread = createThread<ScanQuestion, ScanAnswer>(workerUrl, {
    name: 'scanner',
    workerData,
    answerTimeoutMs,
    onEnd: () => bodies.clear(),
  });

  const answerTo = async (question: ScanQuestion): Promise<ScanAnswer & { kind: 'same' | 'value' }> => {
    const answer = await thread.ask(question);
    if (answer.kind === 'problem') throw new AppError(answer.code, answer.message);
    if (answer.kind === 'error') throw answer.error;
    return answer;
  };

  const look = async (name: string): Promise<PreparedBody<unknown>> => {
    const answer = await answerTo(name);
    const known = bodies.get(name);
    if (answer.kind === 'same' && known) return known;
    if (answer.kind === 'same') throw new Error(`the scanner thread sent no result for ${name}`);
    const body = new PreparedBody(answer.json, {}, answer.etag);
    bodies.set(name, body);
    return body;
  };

  return {
    scan: <N extends keyof Scans & string>(name: N) =>
      reads.read(name, () => look(name)) as Promise<PreparedBody<Scans[N]>>,
    async ask(question) {
      const answer = await answerTo(question);
      if (answer.kind === 'same') throw new Error('the scanner thread sent no answer');
      return new PreparedBody(answer.json, answer.headerFields);
    },
    inform(message) {
      // A thread that ends knows nothing anyway. The next one reads everything.
      thread.ask(message).catch(() => undefined);
    },
    close: () => thread.close(),
  };
};
