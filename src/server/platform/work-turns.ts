import type { Asker } from './current-request.ts';
import { createFairQueue } from './fair-queue.ts';

/** Limits how much work runs at once in one place, such as a thread. */
interface WorkTurns {
  /** Runs a task at its turn, or at once if nobody asked for it. */
  run<T>(asker: Asker | undefined, task: () => Promise<T>): Promise<T>;
}

/** How many tasks of each kind of caller run at once. A long one lets another through, and more would take memory. */
const AT_ONCE = { operator: 4, agent: 2, anyone: 2 } as const satisfies Record<Asker['kind'], number>;

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
    run: (asker, task) => (asker && queues[asker.kind].add(asker.name, '', task)?.result) ?? task(),
  };
};
