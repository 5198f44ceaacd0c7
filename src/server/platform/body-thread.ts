import { basename } from 'node:path';
import type { ErrorCode } from '../../shared/api/errors.ts';
import { AppError, fromSystemError, type RouteHint } from './app-error.ts';
import { ClientGoneError, currentAsker, currentRequest, runForAll } from './current-request.ts';
import { PreparedBody } from './prepared-body.ts';
import { createSharedReads } from './shared-reads.ts';
import { createThread } from './thread.ts';
import { createWorkTurns } from './work-turns.ts';

/** A validated and serialized response from the thread. `same` means the list is unchanged since the last request. */
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

/** Converts an error to a response, because errors lose their code between threads. */
export const problemOf = (error: unknown): BodyResponse => {
  const known = error instanceof AppError ? error : fromSystemError(error);
  return known
    ? { kind: 'problem', code: known.code, message: known.message, hint: known.hint }
    : { kind: 'error', error };
};

/** Receives what a thread reports. */
interface ThreadListener {
  message(message: unknown): void;
  ended(error: unknown): void;
}

/** A thread that returns API response bodies. `Lists` maps each list's name to its content. */
export interface BodyThread<Lists, Question extends object = object> {
  /** Returns the list as of this call or later. It's the same object until something changes. */
  list<N extends keyof Lists & string>(name: N, responseTimeoutMs?: number): Promise<PreparedBody<Lists[N]>>;
  /**
   * Like `list` for a request with parameters. Nothing is cached. Callers take turns, and a read that hasn't begun when
   * its client leaves isn't begun.
   */
  ask<Body>(question: Question): Promise<PreparedBody<Body>>;
  /** Sends a message without a response. Later requests are handled after it. */
  inform(message: object): Promise<void>;
  /** Sets the listener for messages from the thread and for its end. */
  listen(listener: ThreadListener): void;
  close(): Promise<void>;
}

/** A request to the thread: a list's name, or anything else it handles. */
type BodyQuestion = string | object;

/** Creates a {@link BodyThread} that runs the module at `workerUrl`. The first request starts it. */
export const createBodyThread = <Lists, Question extends object = object>(
  workerUrl: URL,
  workerData: unknown,
): BodyThread<Lists, Question> => {
  const turns = createWorkTurns();
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
    const response = await thread.ask(question, responseTimeoutMs);
    if (response.kind === 'problem')
      throw new AppError(response.code, response.message).withHint(response.hint);
    if (response.kind === 'error') throw response.error;
    return response;
  };

  const readList = async (name: string, responseTimeoutMs?: number): Promise<PreparedBody<unknown>> => {
    const response = await respondTo(name, responseTimeoutMs);
    const known = bodies.get(name);
    if (response.kind === 'same' && known) return known;
    if (response.kind === 'same') throw new Error(`the thread sent no result for ${name}`);
    const body = new PreparedBody(response.json, {}, response.etag);
    bodies.set(name, body);
    return body;
  };

  return {
    list: <N extends keyof Lists & string>(name: N, responseTimeoutMs?: number) =>
      reads.read(name, () => runForAll(() => readList(name, responseTimeoutMs))) as Promise<
        PreparedBody<Lists[N]>
      >,
    ask<Body>(question: Question) {
      const request = currentRequest();
      const asker = currentAsker();
      const key = `${asker?.name} ${JSON.stringify(question)}`;
      const look = (haveLeft: () => boolean) =>
        turns.run(asker, async () => {
          if (haveLeft()) throw new ClientGoneError();
          const response = await respondTo(question);
          if (response.kind === 'same') throw new Error('the thread sent no response');
          return new PreparedBody(response.json, response.headerFields);
        });
      const hasLeft = () => request?.isRead === true && request.isGone();
      return reads.read(key, look, hasLeft) as Promise<PreparedBody<Body>>;
    },
    inform: async (message) => {
      await respondTo(message);
    },
    listen(added) {
      listener = added;
    },
    close: () => thread.close(),
  };
};
