import { setImmediate } from 'node:timers/promises';

/** Lets other work of a thread run, if this one has had its turn. */
export type Turn = () => Promise<void>;

/** Creates a function to await after each piece of long work, which lets other work run every `turnMs` milliseconds. */
export const createTurns = (turnMs = 20): Turn => {
  let end = performance.now() + turnMs;
  return async () => {
    if (performance.now() < end) return;
    await setImmediate();
    end = performance.now() + turnMs;
  };
};
