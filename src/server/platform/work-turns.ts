import type { Asker } from './current-request.ts';
import { createFairQueue } from './fair-queue.ts';

/** Limits how much work runs at once in one place, such as a thread. */
interface WorkTurns {
  /** Runs a task at its turn, or at once if nobody asked for it. */
  run<T>(asker: Asker | undefined, task: () => Promise<T>): Promise<T>;
}

/** The operator's share, as a multiple of the others'. */
const OPERATOR_SHARE = 2;

/**
 * Creates {@link WorkTurns}. Of each kind of caller, `atOnce` tasks run at once, and twice as many of the operator. So
 * nobody's crowd delays others by more than a few tasks, and within a kind callers take turns. The number of waiting tasks
 * is limited by that of requests in progress (`http/admission.ts`).
 */
export const createWorkTurns = (atOnce: number): WorkTurns => {
  const queues = {
    operator: createFairQueue(Number.POSITIVE_INFINITY, OPERATOR_SHARE * atOnce),
    agent: createFairQueue(Number.POSITIVE_INFINITY, atOnce),
    anyone: createFairQueue(Number.POSITIVE_INFINITY, atOnce),
  } as const satisfies Record<Asker['kind'], unknown>;
  return {
    run: (asker, task) => (asker && queues[asker.kind].add(asker.name, '', task)?.result) ?? task(),
  };
};
