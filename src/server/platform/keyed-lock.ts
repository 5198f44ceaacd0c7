import { ClientGoneError, currentAsker, currentRequest } from './current-request.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

/** Runs tasks with the same key one at a time, in order. Tasks with different keys run concurrently. */
export interface KeyedLock {
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Returns whether no task with this key runs or waits. */
  isFree(key: string): boolean;
}

/** Creates a lock that forgets a key once nothing holds or awaits it. */
export const createKeyedLock = (): KeyedLock => {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, task) {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(task, task);
      // The chain must continue after a task that fails. The task's caller gets the error.
      const tail = mine.catch(() => undefined);
      tails.set(key, tail);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
    isFree: (key) => !tails.has(key),
  };
};

/** The name under which dot-mi's own work waits. */
const OWN = 'dot-mi';

/**
 * Creates a lock for work of requests. Callers take turns, so that one who sends hundreds delays the others by few. A
 * task whose client left is not begun, unless its request has begun to change something before.
 */
export const createFairLock = (): KeyedLock => {
  const byKey = new Map<string, { readonly queue: FairQueue; users: number }>();
  return {
    async run(key, task) {
      const request = currentRequest();
      const entry = byKey.get(key) ?? { queue: createFairQueue(Number.POSITIVE_INFINITY), users: 0 };
      byKey.set(key, entry);
      entry.users += 1;
      const job = entry.queue.add(currentAsker()?.name ?? OWN, '', async () => {
        if (request) {
          if (!request.hasBegun && request.isGone()) throw new ClientGoneError();
          request.hasBegun = true;
        }
        return task();
      });
      try {
        // The queue has no limit, so there is always a job.
        return await (job?.result ?? task());
      } finally {
        entry.users -= 1;
        if (entry.users === 0) byKey.delete(key);
      }
    },
    isFree: (key) => !byKey.has(key),
  };
};
