import { type BigIntStats, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import type { SettledWatch, WatchedDirectory } from './watch.ts';

/** The directories that something was read from, so that the watch can say whether it changed. */
export interface WatchCoverage {
  readonly directories: readonly WatchedDirectory[];
  /** What was reported up to here was known before the directories were scanned. */
  readonly since: number;
}

/** One scan of many things on disk, each of which is reused if nothing changed. See docs/adr/0042. */
export interface ScanContext {
  readonly nowMs: number;
  /** Whether the watch has reported everything, and nothing about this coverage: then the disk needs no look. */
  isSame(coverage: WatchCoverage | undefined): boolean;
  /**
   * Covers something with the watch, and is called before its directory is scanned. Returns `before` while nothing
   * was reported about it: then its fingerprint decides. A new coverage means that it must be read again, because a write
   * into a file changes no fingerprint of its directory. Undefined: a change could be missed.
   */
  cover(before: WatchCoverage | undefined, directory: string): WatchCoverage | undefined;
  /** Covers something that is read each time anyway. */
  coverAlso(directory: string): WatchCoverage | undefined;
  /** Something was scanned that the watch doesn't report, such as the target of a link. */
  miss(): void;
}

/** A scan of many things. Returns the same object while its result is equal. */
export type Scan<T> = (at: ScanContext) => T | Promise<T>;

/** A scan that isn't run while the watch reports nothing. */
interface WatchedScan<T> {
  /** `isSettled`: the watch has just reported everything. */
  run(isSettled: boolean): Promise<T>;
  /** Something changed that the watch may not have seen. */
  lookAgain(): void;
}

/** The context of a scan without a watch. */
export const contextWithoutWatch = (nowMs: number): ScanContext => ({
  nowMs,
  isSame: () => false,
  cover: () => undefined,
  coverAlso: () => undefined,
  miss: () => undefined,
});

/** The most things that one scan begins to cover: to read 10,000 of them again would delay its response by a second. */
const MOST_NEW = 500;

/**
 * The watch misses a write through a memory map, one through a second name of a file outside the root, and a file system
 * that is mounted over a directory. So everything is scanned this often, after a response.
 */
const LOOK_EVERY_MS = 5_000;

const isQuiet = ({ directories, since }: WatchCoverage): boolean =>
  directories.every(({ isAlive, changedAt }) => isAlive && changedAt <= since);

/** A context, and whether the watch reports every change to what was scanned in it. */
interface WatchedContext {
  readonly context: ScanContext;
  isCovered(): boolean;
}

/** Creates the context of a scan with a watch. `isSettled`: the watch has just reported everything. */
export const createScanContext = (watch: SettledWatch, isSettled: boolean, nowMs: number): WatchedContext => {
  const since = watch.generation;
  let isCovered = true;
  let added = 0;

  const miss = () => {
    isCovered = false;
  };
  const coverAlso = (path: string): WatchCoverage | undefined => {
    const directory = watch.directory(path);
    if (directory) return { directories: [directory], since };
    miss();
    return undefined;
  };
  const context: ScanContext = {
    nowMs,
    isSame: (coverage) => isSettled && coverage !== undefined && isQuiet(coverage),
    cover(before, path) {
      if (before && isQuiet(before)) return before;
      if (before || added++ < MOST_NEW) return coverAlso(path);
      miss();
      return undefined;
    },
    coverAlso,
    miss,
  };
  return { context, isCovered: () => isCovered };
};

/** Options of {@link createWatchedScan}. */
interface WatchedScanOptions {
  /** How often everything is scanned while the watch reports nothing. */
  readonly lookEveryMs?: number | undefined;
  /** Something that the result depends on too, and that no watch reports: another object once it changed. */
  readonly dependsOn?: () => unknown;
}

/** Creates a {@link WatchedScan}. Without a watch, each run scans the disk. */
export const createWatchedScan = <T>(
  scan: Scan<T>,
  watch: SettledWatch | undefined,
  { lookEveryMs = LOOK_EVERY_MS, dependsOn = () => undefined }: WatchedScanOptions = {},
): WatchedScan<T> => {
  if (!watch) return { run: async () => scan(contextWithoutWatch(Date.now())), lookAgain: () => undefined };
  /** Set while only a report of the watch can change the value. */
  let valid: { readonly generation: number; readonly dependsOn: unknown; readonly value: T } | undefined;
  let lookedAtMs = 0;
  let isWaiting = false;

  const look = async (isSettled: boolean): Promise<T> => {
    const { generation } = watch;
    const nowMs = Date.now();
    const needed = dependsOn();
    valid = undefined;
    const { context, isCovered } = createScanContext(watch, isSettled, nowMs);
    const value = await scan(context);
    if (isCovered()) valid = { generation, dependsOn: needed, value };
    if (!isSettled || lookedAtMs === 0) lookedAtMs = nowMs;
    return value;
  };

  const lookLater = () => {
    if (isWaiting || Date.now() - lookedAtMs < lookEveryMs) return;
    isWaiting = true;
    setImmediate(() => {
      look(false)
        .catch(() => {
          // The next request meets the same problem, and reports it.
          lookedAtMs = Date.now();
        })
        .finally(() => {
          isWaiting = false;
        });
    });
  };

  return {
    async run(isSettled) {
      const isValid = isSettled && valid?.generation === watch.generation && valid.dependsOn === dependsOn();
      const value = isValid && valid ? valid.value : await look(isSettled);
      if (isSettled) lookLater();
      return value;
    },
    lookAgain() {
      valid = undefined;
    },
  };
};

/** pi's files are linked once, and a team's perhaps twice. */
const MOST_LINKS = 4;

/** Whether `..` follows a name. If that's a link, the path may resolve elsewhere. */
const goesUpAgain = (text: string): boolean =>
  /(?:^|\/)(?!\.\.?(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(text);

/** Whether a file can be written through another name than the one in its directory. */
const hasSecondName = (stats: BigIntStats): boolean => stats.nlink > 1n && !stats.isDirectory();

/** Covers a directory, or the one above if there is none yet. Undefined if a change could be missed. */
export const coverDirectory = (path: string, at: ScanContext): WatchCoverage | undefined => {
  if (lstatIfThere(path)) return at.coverAlso(path);
  const above = at.coverAlso(dirname(path));
  if (!lstatIfThere(path)) return above;
  // Created in between.
  at.miss();
  return undefined;
};

const followTo = (path: string, at: ScanContext): WatchCoverage | undefined => {
  const covers: WatchCoverage[] = [];
  let next = path;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const coverage = coverDirectory(dirname(next), at);
    if (!coverage) break;
    covers.push(coverage);
    const stats = lstatIfThere(next);
    if (!stats?.isSymbolicLink()) return stats && hasSecondName(stats) ? undefined : joinCoverage(covers);
    const text = readlinkSync(next);
    if (goesUpAgain(text)) break;
    next = resolve(dirname(next), text);
  }
  return undefined;
};

/**
 * Covers a path, and what it points to if it is a link, before they are scanned. Undefined if the watch could miss a
 * change, as outside the root.
 */
export const coverTarget = (path: string, at: ScanContext): WatchCoverage | undefined => {
  try {
    const coverage = followTo(path, at);
    if (coverage) return coverage;
  } catch (error) {
    // The look itself reports what the system refuses.
    if (systemCode(error) === undefined) throw error;
  }
  at.miss();
  return undefined;
};

/** One coverage for several of the same scan. */
export const joinCoverage = (covers: readonly WatchCoverage[]): WatchCoverage | undefined => {
  const [first] = covers;
  return first && { since: first.since, directories: covers.flatMap(({ directories }) => directories) };
};

/** The paths that a read scanned, to see later whether anything changed. */
export interface PathRecord {
  /** `stat` of a path, which is recorded. Undefined if nothing is there, or the system denies access. */
  stat(path: string): BigIntStats | undefined;
  /** Something that no fingerprint covers was read, so the read is never reused. */
  neverReuse(): void;
  /** Whether every path is as it was, so that the read can be reused. Paths that the watch covers aren't scanned. */
  isUnchanged(at: ScanContext): boolean;
}

/** A path as it is now. */
interface FoundPath {
  readonly stats: BigIntStats | undefined;
  readonly print: string;
  /** `elsewhere`: it can change without an event in the root. */
  readonly kind: 'plain' | 'link' | 'elsewhere';
}

const lookAt = (path: string): FoundPath => {
  try {
    const own = lstatIfThere(path);
    const isLink = own?.isSymbolicLink() ?? false;
    const stats = isLink ? statIfThere(path) : own;
    const print = stats ? fingerprintOf(stats).text : '-';
    if (isLink) return { stats, print, kind: stats?.isDirectory() ? 'elsewhere' : 'link' };
    return { stats, print, kind: own && hasSecondName(own) ? 'elsewhere' : 'plain' };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { stats: undefined, print: code, kind: 'elsewhere' };
  }
};

/** Creates an empty record for a read in a scan. */
export const createPathRecord = (scan: ScanContext): PathRecord => {
  const prints = new Map<string, string>();
  /** By directory. Undefined once something isn't covered. */
  let coverage: Map<string, WatchCoverage> | undefined = new Map();
  let isReusable = true;
  let hasFreshTimes = false;

  const uncovered = (at: ScanContext) => {
    coverage = undefined;
    at.miss();
  };

  /** Covers a path before it is scanned again. Returns whether something was covered that wasn't before. */
  const coverFound = (path: string, { stats, kind }: FoundPath, at: ScanContext): boolean => {
    // A directory reports its entries, and its watch ends once it is another one.
    const place = kind === 'link' ? path : stats?.isDirectory() ? path : dirname(path);
    if (!coverage || coverage.has(place)) return false;
    const covered = kind === 'link' ? coverTarget(path, at) : at.coverAlso(place);
    if (covered) coverage.set(place, covered);
    else coverage = undefined;
    return covered !== undefined;
  };

  const lookAndCover = (path: string, at: ScanContext): FoundPath => {
    let found = lookAt(path);
    if (found.kind !== 'elsewhere' && coverFound(path, found, at)) {
      const after = lookAt(path);
      if (after.print !== found.print || after.kind !== found.kind) uncovered(at);
      found = after;
    }
    if (found.kind === 'elsewhere') uncovered(at);
    return found;
  };

  return {
    stat(path) {
      const { stats, print } = lookAndCover(path, scan);
      // The first look counts: a change since then must cause another read.
      if (!prints.has(path)) prints.set(path, print);
      hasFreshTimes ||= stats !== undefined && !mayKeepRead(fingerprintOf(stats), scan.nowMs);
      return stats;
    },
    neverReuse() {
      isReusable = false;
      scan.miss();
    },
    isUnchanged(at) {
      if (!isReusable) return false;
      if (coverage && at.isSame(joinCoverage([...coverage.values()]))) return true;
      // Their fingerprints can stay the same after another change.
      if (hasFreshTimes) return false;
      coverage = new Map();
      for (const [path, print] of prints) if (lookAndCover(path, at).print !== print) return false;
      return true;
    },
  };
};
