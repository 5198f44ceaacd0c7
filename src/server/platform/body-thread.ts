import { basename } from 'node:path';
import type { ErrorCode } from '../../shared/api/errors.ts';
import { AppError, fromSystemError, type RouteHint } from './app-error.ts';
import { PreparedBody } from './prepared-body.ts';
import { createSharedReads } from './shared-reads.ts';
import { createThread } from './thread.ts';

/** A response of the thread, checked and serialized. `same` means the same list as the time before. */
export type BodyResponse =
  | { kind: 'same' }
  | {
      kind: 'value';
      json: Uint8Array<ArrayBuffer>;
      etag?: string;
      headerFields?: Readonly<Record<string, unknown>>;
    }
  | { kind: 'problem'; code: ErrorCode; message: string; hint: RouteHint | undefined }
  | { kind: 'error'; error: unknown };

/** The response that stands for an error, which loses its code when it crosses threads. */
export const problemOf = (error: unknown): BodyResponse => {
  const known = error instanceof AppError ? error : fromSystemError(error);
  return known
    ? { kind: 'problem', code: known.code, message: known.message, hint: known.hint }
    : { kind: 'error', error };
};

/** Hears a thread. */
interface ThreadListener {
  message(message: unknown): void;
  ended(error: unknown): void;
}

/** A thread whose answers are bodies of API responses. `Lists` maps the name of each list to its content. */
export interface BodyThread<Lists, Question extends object = object> {
  /** Returns the state of the disk after this call: the same object while nothing changes. */
  list<N extends keyof Lists & string>(name: N, responseTimeoutMs?: number): Promise<PreparedBody<Lists[N]>>;
  /** The same for a question with parameters. Nothing is kept. */
  ask<Body>(question: Question): Promise<PreparedBody<Body>>;
  /** Sends something that has no result. Later requests know it. */
  inform(message: object): Promise<void>;
  /** Sets who hears what the thread says unasked, and that it ended. */
  listen(listener: ThreadListener): void;
  close(): Promise<void>;
}

/** A question to the thread: the name of a list, or anything else that it knows. */
type BodyQuestion = string | object;

/** Creates a {@link BodyThread} that runs the module at `workerUrl`. The first question starts it. */
export const createBodyThread = <Lists, Question extends object = object>(
  workerUrl: URL,
  workerData: unknown,
): BodyThread<Lists, Question> => {
  const bodies = new Map<string, PreparedBody<unknown>>();
  const reads = createSharedReads<PreparedBody<unknown>>();
  let listener: ThreadListener | undefined;
  const thread = createThread<BodyQuestion, BodyResponse>(workerUrl, {
    name: basename(workerUrl.pathname),
    workerData,
    onMessage: (message) => listener?.message(message),
    onEnd(error) {
      bodies.clear();
      listener?.ended(error);
    },
  });

  const respondTo = async (
    question: BodyQuestion,
    responseTimeoutMs?: number,
  ): Promise<BodyResponse & { kind: 'same' | 'value' }> => {
    const answer = await thread.ask(question, responseTimeoutMs);
    if (answer.kind === 'problem') throw new AppError(answer.code, answer.message).withHint(answer.hint);
    if (answer.kind === 'error') throw answer.error;
    return answer;
  };

  const readList = async (name: string, responseTimeoutMs?: number): Promise<PreparedBody<unknown>> => {
    const answer = await respondTo(name, responseTimeoutMs);
    const known = bodies.get(name);
    if (answer.kind === 'same' && known) return known;
    if (answer.kind === 'same') throw new Error(`the thread sent no result for ${name}`);
    const body = new PreparedBody(answer.json, {}, answer.etag);
    bodies.set(name, body);
    return body;
  };

  return {
    list: <N extends keyof Lists & string>(name: N, responseTimeoutMs?: number) =>
      reads.read(name, () => readList(name, responseTimeoutMs)) as Promise<PreparedBody<Lists[N]>>,
    ask: <Body>(question: Question) =>
      reads.read(JSON.stringify(question), async () => {
        const answer = await respondTo(question);
        if (answer.kind === 'same') throw new Error('the thread sent no response');
        return new PreparedBody(answer.json, answer.headerFields);
      }) as Promise<PreparedBody<Body>>,
    inform: async (message) => {
      await respondTo(message);
    },
    listen(added) {
      listener = added;
    },
    close: () => thread.close(),
  };
};
