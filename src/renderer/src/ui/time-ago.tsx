import { useSyncExternalStore } from 'react';
import { exactTime, relativeTime } from './relative-time.ts';

// Words change by the minute.
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

/** Whether something was at least this long ago, accurate to about 20 s. */
export const useIsOlderThan = (at: string, ageMs: number): boolean => {
  const thenMs = Date.parse(at);
  return useSyncExternalStore(subscribe, () => nowMs - thenMs >= ageMs);
};

/** The local day, in milliseconds since 1970 at its start. Changes at midnight, with up to 20 s of delay. */
export const useToday = (): number =>
  useSyncExternalStore(subscribe, () => new Date(nowMs).setHours(0, 0, 0, 0));

interface TimeAgoProps {
  readonly at: string;
  /** Puts it into a sentence. */
  readonly text?: (ago: string) => string;
}

/** How long ago something was. Hovering shows the exact time. */
export const TimeAgo = ({ at, text: inSentence = (ago) => ago }: TimeAgoProps) => {
  const thenMs = Date.parse(at);
  // Only a change of the words redraws it.
  const text = useSyncExternalStore(subscribe, () => relativeTime(thenMs, nowMs));
  return (
    <time dateTime={at} title={exactTime(thenMs)}>
      {inSentence(text)}
    </time>
  );
};
