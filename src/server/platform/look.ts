import type { SettledWatch, WatchedDirectory } from './settled-watch.ts';

/** The directories that something was read from, so that the watch can say whether it changed. */
export interface Cover {
  readonly directories: readonly WatchedDirectory[];
  /** What was reported up to here was known before the directories were looked at. */
  readonly since: number;
}

/** One look at many things on disk, each of which is reused if nothing changed. See docs/adr/0051. */
export interface Look {
  readonly nowMs: number;
  /** Whether the watch has reported everything, and nothing about this cover: then the disk needs no look. */
  isSame(cover: Cover | undefined): boolean;
  /**
   * Covers something with the watch, and is called before its directory is looked at. Returns `before` while nothing
   * was reported about it: then its fingerprint decides. A new cover means that it must be read again, because a write
   * into a file changes no fingerprint of its directory. Undefined: a change could be missed.
   */
  cover(before: Cover | undefined, directory: string): Cover | undefined;
  /** Covers something that is read each time anyway. */
  coverAlso(directory: string): Cover | undefined;
  /** Something was looked at that the watch doesn't report, such as the target of a link. */
  miss(): void;
}

/** A scan of many things. Returns the same object while its result is equal. */
export type Scan<T> = (look: Look) => T;

/** A scan that isn't run while the watch reports nothing. */
interface WatchedScan<T> {
  /** `isSettled`: the watch has just reported everything. */
  run(isSettled: boolean): T;
  /** Something changed that the watch may not have seen. */
  lookAgain(): void;
}

/** A look without a watch. */
export const plainLook = (nowMs: number): Look => ({
  nowMs,
  isSame: () => false,
  cover: () => undefined,
  coverAlso: () => undefined,
  miss: () => undefined,
});

/** The most things that one look begins to cover: to read 10,000 of them again would delay its answer by a second. */
const MOST_NEW = 500;

/**
 * The watch misses a write through a memory map, one through a second name of a file outside the root, and a file system
 * that is mounted over a directory. So everything is looked at this often, after an answer.
 */
export const LOOK_EVERY_MS = 5_000;

const isQuiet = ({ directories, since }: Cover): boolean =>
  directories.every(({ isAlive, changedAt }) => isAlive && changedAt <= since);

/** A look, and whether the watch reports every change to what it looked at. */
interface WatchedLook {
  readonly look: Look;
  isCovered(): boolean;
}

/** Creates a look with a watch. `isSettled`: the watch has just reported everything. */
export const createLook = (watch: SettledWatch, isSettled: boolean, nowMs: number): WatchedLook => {
  const since = watch.generation;
  let isCovered = true;
  let added = 0;

  const miss = () => {
    isCovered = false;
  };
  const coverAlso = (path: string): Cover | undefined => {
    const directory = watch.directory(path);
    if (directory) return { directories: [directory], since };
    miss();
    return undefined;
  };
  const look: Look = {
    nowMs,
    isSame: (cover) => isSettled && cover !== undefined && isQuiet(cover),
    cover(before, path) {
      if (before && isQuiet(before)) return before;
      if (before || added++ < MOST_NEW) return coverAlso(path);
      miss();
      return undefined;
    },
    coverAlso,
    miss,
  };
  return { look, isCovered: () => isCovered };
};

/** Creates a {@link WatchedScan}. Without a watch, each run looks at the disk. */
export const createWatchedScan = <T>(
  scan: Scan<T>,
  watch: SettledWatch | undefined,
  lookEveryMs = LOOK_EVERY_MS,
): WatchedScan<T> => {
  if (!watch) return { run: () => scan(plainLook(Date.now())), lookAgain: () => undefined };
  /** Set while only a report of the watch can change the value. */
  let valid: { readonly generation: number; readonly value: T } | undefined;
  let lookedAtMs = 0;
  let isWaiting = false;

  const look = (isSettled: boolean): T => {
    const { generation } = watch;
    const nowMs = Date.now();
    valid = undefined;
    const found = createLook(watch, isSettled, nowMs);
    const value = scan(found.look);
    if (found.isCovered()) valid = { generation, value };
    if (!isSettled || lookedAtMs === 0) lookedAtMs = nowMs;
    return value;
  };

  const lookLater = () => {
    if (isWaiting || Date.now() - lookedAtMs < lookEveryMs) return;
    isWaiting = true;
    setImmediate(() => {
      isWaiting = false;
      try {
        look(false);
      } catch {
        // The next request meets the same problem, and reports it.
        lookedAtMs = Date.now();
      }
    });
  };

  return {
    run(isSettled) {
      const value = isSettled && valid?.generation === watch.generation ? valid.value : look(isSettled);
      if (isSettled) lookLater();
      return value;
    },
    lookAgain() {
      valid = undefined;
    },
  };
};
