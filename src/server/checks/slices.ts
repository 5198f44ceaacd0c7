import { setImmediate } from 'node:timers/promises';

/** Other questions get their turn after this long. */
const SLICE_MS = 20;

/** Gives other questions of a thread a turn. */
export interface Slices {
  /** Waits for their turn if a slice of time is over. */
  pause(): Promise<void>;
}

/** Creates the slices of one long answer. */
export const createSlices = (): Slices => {
  let end = performance.now() + SLICE_MS;
  return {
    async pause() {
      if (performance.now() < end) return;
      await setImmediate();
      end = performance.now() + SLICE_MS;
    },
  };
};
