import type { Clock } from '../platform/clock.ts';

const FREE_ATTEMPTS = 10;
const WINDOW_MS = 60_000;
const DELAY_MS = 1000;

/** The most answers that wait at once. */
const MAX_WAITING = 256;

/**
 * Counts a wrong token, and answers it in time. `refuse` ends its connection without a response, because too many wait
 * already.
 */
export type WrongTokenBrake = (response: () => void, refuse: () => void) => void;

/**
 * Creates a brake on guessing: after ten wrong tokens in a minute, each further one is answered a second
 * later. Right ones never wait. Only so many wait at once, or a client could send thousands in one connection.
 */
export const createWrongTokenBrake = (clock: Clock): WrongTokenBrake => {
  let recent: number[] = [];
  let waiting = 0;
  return (answer, refuse) => {
    const now = clock.now();
    recent = [...recent.filter((at) => now - at < WINDOW_MS).slice(-FREE_ATTEMPTS), now];
    if (recent.length <= FREE_ATTEMPTS) return answer();
    if (waiting >= MAX_WAITING) return refuse();
    waiting += 1;
    setTimeout(() => {
      waiting -= 1;
      answer();
    }, DELAY_MS);
  };
};
