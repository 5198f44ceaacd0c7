import type { Clock } from '../platform/clock.ts';

const FREE_ATTEMPTS = 10;
const WINDOW_MS = 60_000;
const DELAY_MS = 1000;

/** The limit for responses that are delayed at once. */
const MAX_WAITING = 256;

/**
 * Counts a wrong token and responds later. `refuse` ends the connection without a response if too many are waiting
 * already.
 */
export type WrongTokenBrake = (response: () => void, refuse: () => void) => void;

/**
 * Creates a brake on guessing: after ten wrong tokens in a minute, the response to each further one is delayed by a
 * second. Right tokens never wait. The number of waiting responses is limited, because one connection could send
 * thousands.
 */
export const createWrongTokenBrake = (clock: Clock): WrongTokenBrake => {
  let recent: number[] = [];
  let waiting = 0;
  return (respond, refuse) => {
    const now = clock.now();
    recent = [...recent.filter((at) => now - at < WINDOW_MS).slice(-FREE_ATTEMPTS), now];
    if (recent.length <= FREE_ATTEMPTS) return respond();
    if (waiting >= MAX_WAITING) return refuse();
    waiting += 1;
    clock.after(DELAY_MS, () => {
      waiting -= 1;
      respond();
    });
  };
};
