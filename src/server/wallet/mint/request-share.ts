import type { Clock } from '../../platform/clock.ts';
import { createPause } from './mint-watch.ts';

/** Counts the requests to one mint per minute, and limits background work to a share of them. */
interface RequestShare {
  /** Counts requests to the mint, for payments and for background work. */
  count(requests: number): void;
  /** Returns how long background work must rest from now, in ms, or 0. Receives and sends never rest. */
  restMs(): number;
}

const MINUTE_MS = 60_000;

/**
 * How many requests within a minute make background work rest. A limit of 60 requests a minute, Nutshell's default,
 * leaves nearly half for receives, because one call can overrun the share.
 */
const SHARE = 30;

/**
 * How many requests background work gets after each rest even if receives alone exceed its share, so that it
 * eventually ends.
 */
const AFTER_REST = 10;

/**
 * Creates a {@link RequestShare}. Background work rests for an entire minute once its share is used up, instead of
 * sending a request about every second, because Nutshell's count resets only after a minute without requests.
 */
export const createRequestShare = (clock: Clock): RequestShare => {
  let recent: { at: number; requests: number }[] = [];
  const rest = createPause(clock);
  let granted = 0;
  return {
    count(requests) {
      const now = clock.now();
      recent.push({ at: now, requests });
      // Older requests can't affect the share, and a busy shop has thousands of them.
      recent = recent.filter(({ at }) => at > now - MINUTE_MS && at <= now).slice(-SHARE);
      if (rest.leftMs() > 0) return;
      granted -= requests;
      const sum = recent.reduce((total, each) => total + each.requests, 0);
      if (granted > 0 || sum < SHARE) return;
      rest.extend(MINUTE_MS);
      granted = AFTER_REST;
    },
    restMs: rest.leftMs,
  };
};
