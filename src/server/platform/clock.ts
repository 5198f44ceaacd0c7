/** Pending waits that can all be ended at once, such as when dot-mi quits. */
interface Waits {
  /** Resolves after `ms`, or when all waits are ended. */
  wait(ms: number): Promise<void>;
  endAll(): void;
}

/** Creates {@link Waits} on a clock. */
export const createWaits = (clock: Clock): Waits => {
  const ends = new Set<() => void>();
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const end = () => {
          cancelTimer();
          ends.delete(end);
          resolve();
        };
        const cancelTimer = clock.after(ms, end);
        ends.add(end);
      }),
    endAll() {
      for (const end of ends) end();
    },
  };
};

/** Time as a parameter, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now()`. */
  now(): number;
  /** Runs a task after `ms`. Returns a function that cancels it. The timer doesn't keep the process alive. */
  after(ms: number, task: () => void): () => void;
}

/** The longest time that `setTimeout` can wait. It runs a longer wait at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const nowMs = Math.min(leftMs, LONGEST_TIMEOUT_MS);
      timer = setTimeout(() => (leftMs > nowMs ? wait(leftMs - nowMs) : task()), nowMs).unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
