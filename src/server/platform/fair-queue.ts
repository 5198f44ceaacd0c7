import { AsyncResource } from 'node:async_hooks';
import { type Caller, readerOf } from './caller.ts';

/** A task that waits for its turn. */
export interface Job<T> {
  /** Rejects as the task does. */
  readonly result: Promise<T>;
}

/** Runs few tasks at a time. Callers take turns, and for each caller its agents do, so that nobody waits for a crowd. */
export interface FairQueue {
  /** Adds a task. Returns undefined, and never runs it, if too many tasks of this caller are waiting. */
  add<T>(caller: string, agent: string, task: () => Promise<T>): Job<T> | undefined;
  /** Lets another caller wait for a job too. The job runs at the turn of the first of them. */
  join(caller: string, agent: string, job: Job<unknown>): void;
}

interface Waiting extends Job<unknown> {
  hasBegun: boolean;
  run(): Promise<unknown>;
}

/** The tasks of a caller, by agent. */
type Lane = Map<string, Waiting[]>;

/** Takes the first entry out of a map, and returns it. */
const takeFirst = <K, V>(map: Map<K, V>): [K, V] | undefined => {
  const [first] = map;
  if (first) map.delete(first[0]);
  return first;
};

/** Returns the name under which a caller waits. Callers without a token wait together. */
export const queueNameOf = (caller: Caller): string => {
  const { kind, agent = '' } = readerOf(caller);
  return `${kind} ${agent}`;
};

/** Creates a {@link FairQueue}. `mostWaiting` is the limit for the waiting tasks of a caller. */
export const createFairQueue = (mostWaiting: number, atOnce = 1): FairQueue => {
  const lanes = new Map<string, Lane>();
  let running = 0;

  /** Takes the next task: of the caller that waited longest, and of that caller's agent that waited longest. */
  const takeNext = (): Waiting | undefined => {
    for (let entry = takeFirst(lanes); entry; entry = takeFirst(lanes)) {
      const [caller, lane] = entry;
      const [agent, tasks = []] = takeFirst(lane) ?? [];
      const task = tasks.shift();
      if (agent !== undefined && tasks.length > 0) lane.set(agent, tasks);
      if (lane.size > 0) lanes.set(caller, lane);
      if (task && !task.hasBegun) return task;
    }
    return undefined;
  };

  const runAll = async (first?: Waiting) => {
    if (running >= atOnce) return;
    running += 1;
    for (let task = first ?? takeNext(); task; task = takeNext()) {
      task.hasBegun = true;
      await task.run();
    }
    running -= 1;
  };

  const wait = (caller: string, agent: string, task: Waiting) => {
    const lane = lanes.get(caller) ?? new Map<string, Waiting[]>();
    lanes.set(caller, lane);
    const tasks = lane.get(agent) ?? [];
    lane.set(agent, tasks);
    if (!tasks.includes(task)) tasks.push(task);
    void runAll();
  };

  const waitingOf = (caller: string): number =>
    [...(lanes.get(caller)?.values() ?? [])].reduce((sum, tasks) => sum + tasks.length, 0);

  return {
    add<T>(caller: string, agent: string, task: () => Promise<T>) {
      if (waitingOf(caller) >= mostWaiting) return undefined;
      const { promise, resolve } = Promise.withResolvers<T>();
      const isNext = running < atOnce && lanes.size === 0;
      // Another caller's task starts one that waits, so it must remember its own request.
      const scope = isNext ? undefined : new AsyncResource('task');
      const job = {
        result: promise,
        hasBegun: false,
        run() {
          const result = scope ? scope.runInAsyncScope(task) : task();
          resolve(result);
          // Whoever waits for the job gets the error.
          return result.catch(() => undefined);
        },
      };
      if (isNext) void runAll(job);
      else wait(caller, agent, job);
      return job;
    },
    join(caller, agent, job) {
      const waiting = job as Waiting;
      if (!waiting.hasBegun && waitingOf(caller) < mostWaiting) wait(caller, agent, waiting);
    },
  };
};
