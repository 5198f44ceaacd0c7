import { parentPort, Worker } from 'node:worker_threads';

/** A thread that answers questions, each with one answer. */
export interface Thread<Question, Answer> {
  /** Rejects when the thread ends before it answered. */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

/** What may be set of a thread. */
export interface ThreadOptions {
  /** Shown in debuggers. */
  name: string;
  /** Handed to the module as `workerData`. */
  workerData: unknown;
  /** Called when the thread ended, however; the next question starts another, which knows nothing of the old one. */
  onEnd?: () => void;
}

interface Numbered<T> {
  number: number;
  value: T;
}

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** After this long a thread is ended: a network share that hangs must not hang requests for ever. */
const ANSWER_TIMEOUT_MS = 20_000;

/** Makes a thread of the module at `url`, which calls {@link answerQuestions}. It starts with the first question. */
export const createThread = <Question, Answer>(
  url: URL,
  { name, workerData, onEnd }: ThreadOptions,
): Thread<Question, Answer> => {
  let worker: Worker | undefined;
  let waiting = new Map<number, Waiting<Answer>>();
  let questions = 0;

  const start = (): Worker => {
    const started = new Worker(url, { workerData, name });
    const asked = waiting;
    // It must not keep the process alive; requests do.
    started.unref();
    started.on('message', ({ number, value }: Numbered<Answer>) => {
      asked.get(number)?.resolve(value);
      asked.delete(number);
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
      for (const { reject } of asked.values()) reject(failure);
      onEnd?.();
    });
    return started;
  };

  return {
    ask(question) {
      worker ??= start();
      const asked = worker;
      const number = ++questions;
      return new Promise<Answer>((resolve, reject) => {
        const timer = setTimeout(() => void asked.terminate(), ANSWER_TIMEOUT_MS);
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
        asked.postMessage({ number, value: question } satisfies Numbered<Question>);
      });
    },
    async close() {
      await worker?.terminate();
    },
  };
};

/** Called once in a thread's module: answers its questions, one after the other, in the order they came. */
export const answerQuestions = <Question, Answer>(answer: (question: Question) => Answer): void => {
  parentPort?.on('message', ({ number, value }: Numbered<Question>) =>
    parentPort?.postMessage({ number, value: answer(value) } satisfies Numbered<Answer>),
  );
};
