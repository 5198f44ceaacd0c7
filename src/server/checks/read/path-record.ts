import type { BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../platform/app-error.ts';
import { fingerprintOf, isSettled } from '../../platform/fingerprint.ts';
import { lstatIfThere, statIfThere } from '../../platform/list-directory.ts';
import type { SettledWatch, WatchedDirectory } from '../../platform/settled-watch.ts';

/** The paths that a read looked at, to see later whether anything changed. */
export interface PathRecord {
  /** `stat` of a path, which is recorded. Undefined if nothing is there, or the system denies access. */
  stat(path: string): BigIntStats | undefined;
  /** Something that no fingerprint covers was read, so the read is never reused. */
  neverReuse(): void;
  /**
   * Whether every path is as it was. The read can then be reused. With `isSettled`, the watch has reported
   * everything, and paths that it covers aren't looked at.
   */
  isUnchanged(isSettled?: boolean): boolean;
  /** Whether the watch reports all that can change. */
  isCovered(): boolean;
}

/** A path as it is now. */
interface Look {
  readonly stats: BigIntStats | undefined;
  readonly print: string;
  /** Whether it can change without an event in its directory: a link, or a file with a second name. */
  readonly isShared: boolean;
}

const look = (path: string): Look => {
  try {
    const own = lstatIfThere(path);
    const isLink = own?.isSymbolicLink() ?? false;
    const stats = isLink ? statIfThere(path) : own;
    const isShared = isLink || (own !== undefined && own.nlink > 1n && !own.isDirectory());
    return { stats, print: stats ? fingerprintOf(stats).text : '-', isShared };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { stats: undefined, print: code, isShared: true };
  }
};

/** What a watch reports about the paths of one record. */
const createCover = (watch: SettledWatch) => {
  const paths = new Set<string>();
  let watched: WatchedDirectory[] = [];
  let since = watch.generation;
  let isComplete = true;

  const acquire = (path: string) => {
    const directory = watch.directory(path);
    if (directory) watched.push(directory);
    else isComplete = false;
  };
  return {
    /** To call before the directory is looked at. */
    add(path: string): void {
      if (paths.has(path)) return;
      paths.add(path);
      acquire(path);
    },
    fail(): void {
      isComplete = false;
    },
    /** To call before everything is looked at again. */
    begin(): void {
      since = watch.generation;
      watched = [];
      isComplete = true;
      for (const path of paths) acquire(path);
    },
    isComplete: () => isComplete,
    hasNoChange(looked: Iterable<string>): boolean {
      if (!isComplete) return false;
      if (since === watch.generation) return true;
      if (!watched.every(({ isAlive }) => isAlive) || watch.hasChanged(looked, since)) return false;
      since = watch.generation;
      return true;
    },
  };
};

/** Creates an empty record for a read that begins at `nowMs`. */
export const createPathRecord = (nowMs: number, watch?: SettledWatch): PathRecord => {
  const prints = new Map<string, string>();
  const cover = watch && createCover(watch);
  let isReusable = true;
  let hasFreshTimes = false;

  const lookAt = (path: string): Look => {
    cover?.add(dirname(path));
    const found = look(path);
    if (found.isShared) cover?.fail();
    else if (found.stats?.isDirectory()) cover?.add(path);
    return found;
  };

  return {
    stat(path) {
      const { stats, print } = lookAt(path);
      // The first look counts: a change since then must cause another read.
      if (!prints.has(path)) prints.set(path, print);
      hasFreshTimes ||= stats !== undefined && !isSettled(fingerprintOf(stats), nowMs);
      return stats;
    },
    neverReuse() {
      isReusable = false;
    },
    isUnchanged(isWatchSettled = false) {
      if (!isReusable) return false;
      if (isWatchSettled && cover?.hasNoChange(prints.keys())) return true;
      // Their fingerprints can stay the same after another change.
      if (hasFreshTimes) return false;
      cover?.begin();
      for (const [path, print] of prints) if (lookAt(path).print !== print) return false;
      return true;
    },
    isCovered: () => isReusable && cover?.isComplete() === true,
  };
};
