import { useSyncExternalStore } from 'react';
import { common } from '../strings/common.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/**
 * Returns how long ago something was, in words, to the minute. After a week, its date. A future time, from a wrong
 * clock, counts as now.
 */
export const relativeTime = (thenMs: number, nowMs: number): string => {
  const agoMs = nowMs - thenMs;
  if (agoMs < MINUTE_MS) return common.justNow;
  if (agoMs < HOUR_MS) return words.format(-Math.floor(agoMs / MINUTE_MS), 'minute');
  if (agoMs < DAY_MS) return words.format(-Math.floor(agoMs / HOUR_MS), 'hour');
  if (agoMs < WEEK_MS) return words.format(-Math.floor(agoMs / DAY_MS), 'day');
  return date.format(thenMs);
};

/** Returns the time of day if it was today, or else date and time. */
export const clockTime = (thenMs: number, nowMs: number): string => {
  const isToday = new Date(thenMs).toDateString() === new Date(nowMs).toDateString();
  return (isToday ? timeOfDay : dateAndTime).format(thenMs);
};

/** Formats a time to the second, in the system's format. */
export const exactTime = (thenMs: number): string => exact.format(thenMs);

// Short enough for text that changes once a minute.
const TICK_MS = 20_000;

let nowMs = Date.now();
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  if (ticking === undefined) {
    nowMs = Date.now();
    ticking = setInterval(() => {
      nowMs = Date.now();
      for (const told of listeners) told();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
};

/** Returns whether something was at least this long ago, accurate to about 20 s. */
export const useIsOlderThan = (at: string, ageMs: number): boolean => {
  const thenMs = Date.parse(at);
  return useSyncExternalStore(subscribe, () => nowMs - thenMs >= ageMs);
};

/** Returns the start of the local day, in milliseconds since 1970. Updates within 20 s after midnight. */
export const useToday = (): number =>
  useSyncExternalStore(subscribe, () => new Date(nowMs).setHours(0, 0, 0, 0));

/** Returns how long ago something was, in words that stay current. Redraws only when the words change. */
export const useTimeAgo = (at: string): string => {
  const thenMs = Date.parse(at);
  return useSyncExternalStore(subscribe, () => relativeTime(thenMs, nowMs));
};

interface TimeAgoProps {
  readonly at: string;
  /** Returns a sentence that contains the time. */
  readonly text?: (ago: string) => string;
  /** True in a row whose own control shows the exact time. */
  readonly isInRow?: boolean;
  /** True if focusing the time shows its row's details, because the row has no other control. */
  readonly showsRow?: boolean;
  /** The time's label, for its details in a row with several times. */
  readonly label?: string;
}

/** How long ago something was. Hover and focus show the exact time. */
export const TimeAgo = ({
  at,
  text: inSentence = (ago) => ago,
  isInRow = false,
  showsRow = false,
  label,
}: TimeAgoProps) => {
  const text = useTimeAgo(at);
  const exact = exactTime(Date.parse(at));
  return isInRow ? (
    <time dateTime={at} data-details={label === undefined ? exact : `${label}: ${exact}`}>
      {inSentence(text)}
    </time>
  ) : (
    <time dateTime={at}>
      <button
        type="button"
        data-details={exact}
        data-shows-row={showsRow || undefined}
        aria-description={exact}
        className="cursor-help rounded"
      >
        {inSentence(text)}
      </button>
    </time>
  );
};
