import type { Clock } from './clock.ts';

/** Waits that can all be ended at once, such as when the program closes. */
export interface Waits {
  /** Resolves after `ms`, or when all are ended. */
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
