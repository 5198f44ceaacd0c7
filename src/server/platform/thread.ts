import { setImmediate } from 'node:timers/promises';
import { parentPort, Worker } from 'node:worker_threads';
import { AppError } from './app-error.ts';
import { type Asker, currentAsker } from './current-request.ts';

/** Lets a thread's other work run if the caller's turn is over. */
export type Turn = () => Promise<void>;

/**
 * Creates a function to await after each piece of long work, which lets other work run every `turnMs` milliseconds.
 */
export const createTurns = (turnMs = 20): Turn => {
  let end = performance.now() + turnMs;
  return async () => {
    if (performance.now() < end) return;
    await setImmediate();
    end = performance.now() + turnMs;
  };
};

/** A thread that handles requests, each with one response. */
interface Thread<Question, Response> {
  /**
   * Rejects if the thread ends before it responds, with {@link AppError} `restarting` if it was closed. Rejects after
   * `responseTimeoutMs` without a response, and ends a thread that is stuck. Default: {@link RESPONSE_TIMEOUT_MS}. The time
   * counts from when the thread is ready, because a slow computer can take as long to load its module.
   */
  ask(question: Question, responseTimeoutMs?: number): Promise<Response>;
  close(): Promise<void>;
}

interface ThreadOptions {
  /** Shown in debuggers. */
  name: string;
  /** Passed to the module as `workerData`. */
  workerData: unknown;
  /** Receives messages that the thread sends with {@link tellMainThread}. */
  onMessage?: (message: unknown) => void;
  /** Called when the thread ends for any reason. The next request starts a new thread without the old one's state. */
  onEnd?: (error: unknown) => void;
}

interface Numbered<T> {
  number: number;
  value: T;
}

interface Asked<T> extends Numbered<T> {
  asker: Asker | undefined;
}

/** Asks whether a thread is stuck. The response is the same message. */
interface Ping {
  ping: number;
}

/** Reports that a thread has loaded its module. */
interface Ready {
  ready: true;
}

/** A message from a thread that isn't a response. */
interface Unasked {
  unasked: unknown;
}

interface Waiting<Response> {
  /** Starts the time that the response can take. */
  begin(): void;
  resolve(response: Response): void;
  reject(error: unknown): void;
}

// The error for requests to a closed thread. A server closes its threads when it stops or restarts.
const closedError = (): AppError<'restarting'> =>
  new AppError('restarting', 'dot-mi is stopping or restarting. Try again in a moment.', {
    retryAfterSeconds: 1,
  });

/** How long a request can take. */
const RESPONSE_TIMEOUT_MS = 20_000;

/**
 * How long a thread can leave a ping unanswered, once a request took too long. Then it's ended, so that a hanging network
 * share can't block requests forever. A thread that answers works on that request in turns, and others aren't affected.
 */
const PING_TIMEOUT_MS = 2_000;

/** Limits each thread's young generation. By default, it can take 48 MB, which is never released. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4 };

/** Creates a thread of the module at `url`, which calls {@link handleRequests}. The first `ask` starts it. */
export const createThread = <Question, Response>(
  url: URL,
  { name, workerData, onMessage, onEnd }: ThreadOptions,
): Thread<Question, Response> => {
  let worker: Worker | undefined;
  let waiting = new Map<number, Waiting<Response>>();
  let isReady = false;
  let questions = 0;
  let closed = false;

  const start = (): Worker => {
    const started = new Worker(url, { workerData, name, resourceLimits: RESOURCE_LIMITS });
    const pending = waiting;
    isReady = false;
    // Only pending requests keep the process alive.
    started.unref();
    started.on('message', (message: Numbered<Response> | Unasked | Ping | Ready) => {
      if ('ready' in message) {
        isReady = true;
        for (const { begin } of pending.values()) begin();
        return;
      }
      if ('unasked' in message) return onMessage?.(message.unasked);
      if ('ping' in message) {
        pending.get(message.ping)?.reject(new Error(`a request to the ${name} thread took too long`));
        pending.delete(message.ping);
        return;
      }
      const { number, value } = message;
      pending.get(number)?.resolve(value);
      pending.delete(number);
    });
    let failure: unknown = new Error(`the ${name} thread ended`);
    started.on('error', (error) => {
      failure = error;
    });
    started.on('exit', () => {
      if (worker === started) {
        worker = undefined;
        waiting = new Map();
      }
      for (const { reject } of pending.values()) reject(closed ? closedError() : failure);
      onEnd?.(closed ? closedError() : failure);
    });
    return started;
  };

  return {
    ask(question, responseTimeoutMs = RESPONSE_TIMEOUT_MS) {
      if (closed) return Promise.reject(closedError());
      try {
        worker ??= start();
      } catch (error) {
        // A thread can't start without file handles.
        return Promise.reject(error);
      }
      const current = worker;
      const number = ++questions;
      return new Promise<Response>((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined;
        const begin = () => {
          timer = setTimeout(() => {
            timer = setTimeout(() => void current.terminate(), PING_TIMEOUT_MS);
            current.postMessage({ ping: number } satisfies Ping);
          }, responseTimeoutMs);
        };
        if (isReady) begin();
        waiting.set(number, {
          begin,
          resolve: (response) => {
            clearTimeout(timer);
            resolve(response);
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        });
        current.postMessage({ number, value: question, asker: currentAsker() } satisfies Asked<Question>);
      });
    },
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
};

/**
 * Handles a thread's requests. The thread's module calls this once. Synchronous responses are sent in the order of the
 * requests, and promised ones when they're ready. A promise that rejects ends the thread. `handle` also gets who asks.
 * `bytesOf` returns a response's bytes that can be moved instead of copied, because the thread no longer needs them.
 */
export const handleRequests = <Question, Response>(
  handle: (question: Question, asker: Asker | undefined) => Response | Promise<Response>,
  bytesOf: (response: Response) => Uint8Array<ArrayBuffer> | undefined = () => undefined,
): void => {
  parentPort?.on('message', async (message: Asked<Question> | Ping) => {
    if ('ping' in message) return parentPort?.postMessage(message);
    const { number, value: question, asker } = message;
    const value = await handle(question, asker);
    const bytes = bytesOf(value);
    parentPort?.postMessage({ number, value } satisfies Numbered<Response>, bytes ? [bytes.buffer] : []);
  });
  parentPort?.postMessage({ ready: true } satisfies Ready);
};

/** Sends the main thread a message that isn't a response. */
export const tellMainThread = (message: unknown): void => {
  parentPort?.postMessage({ unasked: message } satisfies Unasked);
};
