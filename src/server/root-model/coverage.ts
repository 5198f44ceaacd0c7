import { type BigIntStats, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import type { RootWatch, WatchedDirectory } from './watch.ts';

/** The directories that were read, so that the watch can report whether something changed. */
export interface WatchCoverage {
  readonly directories: readonly WatchedDirectory[];
  /** Changes reported up to here were known before the scan. */
  readonly since: number;
}

/** One scan of many things on disk, which reuses whatever didn't change. See docs/adr/0042. */
export interface ScanContext {
  readonly nowMs: number;
  /** The watch's generation when the scan began. */
  readonly since: number;
  /** True if the scan only looks for what the watch doesn't report, now and then. */
  readonly isSweep: boolean;
  /**
   * Returns whether the watch is up to date and reported nothing about this coverage, so that the disk doesn't have to
   * be read.
   */
  isSame(coverage: WatchCoverage | undefined): boolean;
  /**
   * Makes the watch cover a directory. Call it before scanning the directory. Returns `before` if nothing was
   * reported, and then the fingerprint decides. If it returns a new coverage, read the directory again, because a
   * write to a file doesn't change its directory's fingerprint. Undefined if a change could be missed.
   */
  cover(before: WatchCoverage | undefined, directory: string): WatchCoverage | undefined;
  /** Covers a directory whose content takes longer to read than to watch. */
  coverMore(directory: string): WatchCoverage | undefined;
  /** Covers a directory that is read every time anyway. */
  coverAlso(directory: string): WatchCoverage | undefined;
  /** Records that the scan read something that the watch doesn't report, such as a link's target. */
  miss(): void;
}

/** A scan of many things. Returns the same object while the result stays equal. */
export type Scan<T> = (at: ScanContext) => T | Promise<T>;

/** A scan that runs only after the watch reports a change. */
interface WatchedScan<T> {
  /** `isCaughtUp` is true if the watch has just reported everything. */
  run(isCaughtUp: boolean): Promise<T>;
}

/** Creates the context of a scan without a watch. */
export const contextWithoutWatch = (nowMs: number): ScanContext => ({
  nowMs,
  since: 0,
  isSweep: false,
  isSame: () => false,
  cover: () => undefined,
  coverMore: () => undefined,
  coverAlso: () => undefined,
  miss: () => undefined,
});

/**
 * The most new directories that one scan covers. Reading 10,000 of them again would delay the response by a second.
 */
const MOST_NEW = 500;
/** The most that {@link ScanContext.coverMore} adds in one scan, so that 10,000 directories don't block the thread for seconds. */
const MOST_MORE = 2_000;

/**
 * The watch misses writes through a memory map, through a hard link outside the root, and in a file system mounted
 * over a directory. Everything is therefore scanned this often, after a response.
 */
const LOOK_EVERY_MS = 5_000;

/** The pause between such scans, as a multiple of how long one takes. */
const SWEEP_PAUSE = 20;

const isQuiet = ({ directories, since }: WatchCoverage): boolean =>
  directories.every(({ isAlive, changedAt }) => isAlive && changedAt <= since);

/** A context, and whether the watch reports every change to what was scanned in it. */
interface WatchedContext {
  readonly context: ScanContext;
  isCovered(): boolean;
}

/** Creates the context of a scan with a watch. `isCaughtUp` is true if the watch has just reported everything. */
export const createScanContext = (
  watch: RootWatch,
  isCaughtUp: boolean,
  nowMs: number,
  isSweep = false,
): WatchedContext => {
  const since = watch.generation;
  let isCovered = true;
  let added = 0;
  let addedMore = 0;

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
    since,
    isSweep,
    isSame: (coverage) => isCaughtUp && coverage !== undefined && isQuiet(coverage),
    cover(before, path) {
      if (before && isQuiet(before)) return before;
      if (before || watch.has(path) || added++ < MOST_NEW) return coverAlso(path);
      miss();
      return undefined;
    },
    coverMore(path) {
      if (watch.has(path) || addedMore++ < MOST_MORE) return coverAlso(path);
      miss();
      return undefined;
    },
    coverAlso,
    miss,
  };
  return { context, isCovered: () => isCovered };
};

interface WatchedScanOptions {
  /** How often everything is scanned even if the watch reports nothing. */
  readonly lookEveryMs?: number | undefined;
  /**
   * Returns something else that the result depends on and that the watch doesn't report: a new object after each
   * change.
   */
  readonly dependsOn?: () => unknown;
}

/** Creates a {@link WatchedScan}. Without a watch, each run scans the disk. */
export const createWatchedScan = <T>(
  scan: Scan<T>,
  watch: RootWatch | undefined,
  { lookEveryMs = LOOK_EVERY_MS, dependsOn = () => undefined }: WatchedScanOptions = {},
): WatchedScan<T> => {
  if (!watch) return { run: async () => scan(contextWithoutWatch(Date.now())) };
  /** Set while only the watch can invalidate the value. */
  let valid: { readonly generation: number; readonly dependsOn: unknown; readonly value: T } | undefined;
  let lookedAtMs = 0;
  let sweptForMs = 0;
  let isWaiting = false;

  const look = async (isCaughtUp: boolean, isSweep: boolean): Promise<T> => {
    const { generation } = watch;
    const nowMs = Date.now();
    const needed = dependsOn();
    valid = undefined;
    const { context, isCovered } = createScanContext(watch, isCaughtUp, nowMs, isSweep);
    const value = await scan(context);
    if (isCovered()) valid = { generation, dependsOn: needed, value };
    if (!isCaughtUp || lookedAtMs === 0) lookedAtMs = nowMs;
    return value;
  };

  const lookLater = () => {
    if (isWaiting || Date.now() - lookedAtMs < Math.max(lookEveryMs, SWEEP_PAUSE * sweptForMs)) return;
    isWaiting = true;
    setImmediate(() => {
      const beganMs = performance.now();
      look(false, true)
        .catch(() => {
          // The next request runs into the same problem and reports it.
          lookedAtMs = Date.now();
        })
        .finally(() => {
          isWaiting = false;
          sweptForMs = performance.now() - beganMs;
        });
    });
  };

  return {
    async run(isCaughtUp) {
      const isValid = isCaughtUp && valid?.generation === watch.generation && valid.dependsOn === dependsOn();
      const value = isValid && valid ? valid.value : await look(isCaughtUp, false);
      if (isCaughtUp) lookLater();
      return value;
    },
  };
};

/** The most links to follow. pi's files are behind one link, and a team's may be behind two. */
const MOST_LINKS = 4;

/** Returns whether `..` follows a name. If the name is a link, the path may resolve elsewhere. */
const goesUpAgain = (text: string): boolean =>
  /(?:^|\/)(?!\.\.?(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(text);

/** Returns whether the file has another hard link that can change it. */
export const hasSecondName = (stats: BigIntStats): boolean => stats.nlink > 1n && !stats.isDirectory();

/** Covers a directory, or its parent if it doesn't exist. Returns undefined if a change could be missed. */
export const coverDirectory = (path: string, at: ScanContext): WatchCoverage | undefined => {
  if (lstatIfThere(path)) return at.coverAlso(path);
  const above = at.coverAlso(dirname(path));
  if (!lstatIfThere(path)) return above;
  // The directory was created in the meantime.
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
 * Covers a path and, if it's a link, its target, before they are scanned. Returns undefined if the watch could miss a
 * change, as it would outside the root.
 */
export const coverTarget = (path: string, at: ScanContext): WatchCoverage | undefined => {
  try {
    const coverage = followTo(path, at);
    if (coverage) return coverage;
  } catch (error) {
    // If access is denied, the scan itself reports it.
    if (systemCode(error) === undefined) throw error;
  }
  at.miss();
  return undefined;
};

/** Combines several coverages from one scan. */
export const joinCoverage = (covers: readonly WatchCoverage[]): WatchCoverage | undefined => {
  const [first] = covers;
  return first && { since: first.since, directories: covers.flatMap(({ directories }) => directories) };
};
