import { AsyncLocalStorage } from 'node:async_hooks';
import type { Asker } from './current-request.ts';
import { createFairQueue } from './fair-queue.ts';

/** Limits how much work runs at once in one place, such as a thread. */
interface WorkTurns {
  /** Runs a task at its turn, or at once if nobody asked for it. */
  run<T>(asker: Asker | undefined, task: () => Promise<T>): Promise<T>;
}

/** How many tasks of each kind of caller run at once. A long one lets another through, and more would take memory. */
const AT_ONCE = { operator: 4, agent: 2, anyone: 2 } as const satisfies Record<Asker['kind'], number>;

/** Ends the turn of the task that runs now. */
const current = new AsyncLocalStorage<() => void>();

/** Lets the next task begin, because the one that runs now waits for something that takes no work here. */
export const leaveTurn = (): void => current.getStore()?.();

/**
 * Creates {@link WorkTurns}. A few tasks of each kind of caller run at once, so nobody's crowd delays others by more than
 * a few tasks. Within a kind, callers take turns. The number of waiting tasks is limited by that of requests in progress
 * (`http/admission.ts`).
 */
export const createWorkTurns = (): WorkTurns => {
  const queues = {
    operator: createFairQueue(Number.POSITIVE_INFINITY, AT_ONCE.operator),
    agent: createFairQueue(Number.POSITIVE_INFINITY, AT_ONCE.agent),
    anyone: createFairQueue(Number.POSITIVE_INFINITY, AT_ONCE.anyone),
  } as const satisfies Record<Asker['kind'], unknown>;
  return {
    run<T>(asker: Asker | undefined, task: () => Promise<T>) {
      if (!asker) return task();
      const outcome = Promise.withResolvers<T>();
      const job = queues[asker.kind].add(asker.name, '', async () => {
        const left = Promise.withResolvers<void>();
        const running = current.run(left.resolve, task);
        outcome.resolve(running);
        // The task's caller gets the error.
        await Promise.race([running, left.promise]).catch(() => undefined);
      });
      return job ? outcome.promise : task();
    },
  };
};
