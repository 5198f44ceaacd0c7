import type { Clock } from '../../platform/clock.ts';

/** The requests to one mint in a minute, and background work's share of them. */
export interface RequestShare {
  /** Counts requests to the mint, those of payments as well as those of background work. */
  count(requests: number): void;
  /** How long background work rests from now on, in ms, or 0. Receives and sends never do. */
  restMs(): number;
}

const MINUTE_MS = 60_000;

/**
 * After how many requests within a minute background work rests. A mint of 60 requests a minute, Nutshell's
 * default, has nearly half of them left for receives: one call may ask for more than was left of the share.
 */
const SHARE = 30;

/**
 * How many requests background work has after each rest even if receives alone use more than its share, so that it ends at
 * some time.
 */
const AFTER_REST = 10;

/**
 * Creates a {@link RequestShare}. Background work rests for a whole minute once its share is used up, instead of
 * one request every second or so, because Nutshell's count starts again only after a minute without requests.
 */
export const createRequestShare = (clock: Clock): RequestShare => {
  let recent: { at: number; requests: number }[] = [];
  let restUntil = Number.NEGATIVE_INFINITY;
  let granted = 0;
  return {
    count(requests) {
      const now = clock.now();
      recent.push({ at: now, requests });
      // Older ones can't change whether the share is used up, and a busy shop has thousands of them.
      recent = recent.filter(({ at }) => at > now - MINUTE_MS).slice(-SHARE);
      if (now < restUntil) return;
      granted -= requests;
      const sum = recent.reduce((total, each) => total + each.requests, 0);
      if (granted > 0 || sum < SHARE) return;
      restUntil = now + MINUTE_MS;
      granted = AFTER_REST;
    },
    restMs: () => Math.max(0, restUntil - clock.now()),
  };
};
