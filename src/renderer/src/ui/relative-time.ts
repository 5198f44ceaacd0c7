import { strings } from '../strings.ts';

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
 * How long ago something was, in words, to the minute; after a week its date. A future time, from a wrong
 * clock, is now.
 */
export const relativeTime = (thenMs: number, nowMs: number): string => {
  const agoMs = nowMs - thenMs;
  if (agoMs < MINUTE_MS) return strings.common.justNow;
  if (agoMs < HOUR_MS) return words.format(-Math.floor(agoMs / MINUTE_MS), 'minute');
  if (agoMs < DAY_MS) return words.format(-Math.floor(agoMs / HOUR_MS), 'hour');
  if (agoMs < WEEK_MS) return words.format(-Math.floor(agoMs / DAY_MS), 'day');
  return date.format(thenMs);
};

/** The time of day of something that was today, and its date and time before that. */
export const clockTime = (thenMs: number, nowMs: number): string => {
  const isToday = new Date(thenMs).toDateString() === new Date(nowMs).toDateString();
  return (isToday ? timeOfDay : dateAndTime).format(thenMs);
};

/** A time to the second, as the system writes it. */
export const exactTime = (thenMs: number): string => exact.format(thenMs);
