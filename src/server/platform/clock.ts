/** Time as a parameter, so that tests can set it. */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`. */
  now(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };
