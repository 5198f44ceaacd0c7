import { covers, type FaultPath } from './faults.ts';

/** How many requests the mint answers in a period. It answers the others with 429. */
export interface RateLimit {
  requests: number;
  seconds: number;
  /** Whether a 429 has `Retry-After`. Default false, as in Nutshell. */
  retryAfter?: boolean;
  /** The paths it applies to, together in one window. Default: every path. */
  paths?: FaultPath[];
  /**
   * - `sliding` (default): the answered requests of the last `seconds` count.
   * - `elastic`, as in Nutshell: refused requests count too. The count resets after `seconds` without one.
   */
  window?: 'sliding' | 'elastic';
}

/** The limit that is set, and the requests that count for it. `now` gives the mint's time in Unix seconds. */
export const createRateLimiter = (now: () => number) => {
  let limit: RateLimit | undefined;
  let counted: number[] = [];

  return {
    /** Sets a limit with an empty window, or ends it. */
    set: (next: RateLimit | undefined) => {
      limit = next;
      counted = [];
    },
    /** Counts a request. Returns the headers of a 429 if the mint refuses the request. */
    refuse: (path: string): Record<string, string> | undefined => {
      if (!limit) return undefined;
      const { requests, seconds, retryAfter = false, paths = ['*'], window = 'sliding' } = limit;
      if (!paths.some((pattern) => covers(pattern, path))) return undefined;
      const at = now();
      // A test can set the clock back: ignore times in the future.
      const isRecent = (time: number | undefined) => time !== undefined && time <= at && time > at - seconds;
      const isElastic = window === 'elastic';
      counted = isElastic && isRecent(counted.at(-1)) ? counted : counted.filter(isRecent);
      const isOver = counted.length >= requests;
      const freeAt = (isElastic ? at : (counted[0] ?? at)) + seconds;
      if (!isOver || isElastic) counted.push(at);
      if (!isOver) return undefined;
      return retryAfter ? { 'Retry-After': String(Math.max(1, Math.ceil(freeAt - at))) } : {};
    },
  };
};

export type RateLimiter = ReturnType<typeof createRateLimiter>;
