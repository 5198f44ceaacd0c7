import type { Clock } from '../platform/clock.ts';

const FREE_ATTEMPTS = 10;
const WINDOW_MS = 60_000;
const DELAY_MS = 1000;

/** Counts a wrong token. Returns how long to wait before the answer, in milliseconds. */
export type WrongTokenBrake = () => number;

/**
 * Creates a brake on guessing: after ten wrong tokens in a minute, each further one is answered a second
 * later. Right ones never wait.
 */
export const createWrongTokenBrake = (clock: Clock): WrongTokenBrake => {
  let recent: number[] = [];
  return () => {
    const now = clock.now();
    recent = [...recent.filter((at) => now - at < WINDOW_MS).slice(-FREE_ATTEMPTS), now];
    return recent.length > FREE_ATTEMPTS ? DELAY_MS : 0;
  };
};
