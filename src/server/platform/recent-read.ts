import type { Clock } from './clock.ts';

/** How old a result can be. Another program's change of a file shows after this. */
const RECENT_MS = 1000;

/** What was read a moment ago. Any number of callers costs one read a second. */
interface RecentRead<T> {
  /** Returns what was read or set in the last second, or else reads again. All callers share that read. */
  get(): Promise<T>;
  /** Sets what the next read would return. */
  set(value: T): void;
}

export const createRecentRead = <T>(read: () => Promise<T>, clock: Pick<Clock, 'now'>): RecentRead<T> => {
  let recent: { readonly value: Promise<T>; readAtMs?: number } | undefined;
  /** Returns whether it's still being read, or was read in the last second. The clock can be set back. */
  const isRecent = (readAtMs = clock.now()) => Math.abs(clock.now() - readAtMs) < RECENT_MS;

  const keep = (value: Promise<T>) => {
    const entry: typeof recent = { value };
    recent = entry;
    const forget = () => {
      if (recent === entry) recent = undefined;
    };
    value.then(() => {
      entry.readAtMs = clock.now();
    }, forget);
    return value;
  };

  return {
    get: () => (recent && isRecent(recent.readAtMs) ? recent.value : keep(read())),
    set: (value) => void keep(Promise.resolve(value)),
  };
};
