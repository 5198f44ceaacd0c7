import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { resolvedPlace } from '../platform/resolves-outside.ts';
import {
  coverTarget,
  hasSecondName,
  joinCoverage,
  type ScanContext,
  type WatchCoverage,
} from './coverage.ts';
import { hopsOfSync } from './resolve-link.ts';

/** The paths of one read, to detect changes later. Everything that is read is recorded first. */
export interface PathRecord {
  /** Records a path and returns its `stat`. Undefined if the path is missing or access is denied. */
  stat(path: string): BigIntStats | undefined;
  /** Records a path and returns its `lstat`. Undefined if it's missing. Throws if access is denied. */
  lstat(path: string): BigIntStats | undefined;
  /** Marks the read as not reusable, because no fingerprint covers part of it. */
  neverReuse(): void;
  /** Marks the read as reusable only while the watch covers it, because not all that was read is recorded. */
  reuseOnlyWatched(): void;
}

/** What a read depended on. Small, because there is one for each part of each of 10,000 agents. */
export interface Dependencies {
  /** The recorded paths, joined. Most begin with the first one, which the others leave out. */
  readonly paths: string;
  /** A hash of the fingerprints. Undefined if equal fingerprints don't mean that nothing changed. */
  readonly print: string | undefined;
  /** Undefined if the watch doesn't report every change. */
  coverage: WatchCoverage | undefined;
}

/** A path's state on disk. */
interface FoundPath {
  readonly own: BigIntStats | undefined;
  /** The stats of a link's target, or else the path's own. */
  readonly stats: BigIntStats | undefined;
  readonly print: string;
  /** When it was last changed, in milliseconds since 1970. */
  readonly changedAtMs: number;
  /** `elsewhere` if it can change without an event in the root. */
  readonly kind: 'plain' | 'link' | 'elsewhere';
  /** Set if the system denies access. */
  readonly error?: unknown;
}

const MISSING: FoundPath = { own: undefined, stats: undefined, print: '-', changedAtMs: 0, kind: 'plain' };

const lookAt = (path: string): FoundPath => {
  let own: BigIntStats | undefined;
  try {
    own = lstatIfThere(path);
    if (!own) return MISSING;
    const { text, changedAtMs } = fingerprintOf(own);
    if (!own.isSymbolicLink())
      return { own, stats: own, print: text, changedAtMs, kind: hasSecondName(own) ? 'elsewhere' : 'plain' };
    const stats = statIfThere(path);
    const target = stats && fingerprintOf(stats);
    return {
      own,
      stats,
      // Where it ends, and what is on the way, decides what may be read, also if the same file is there.
      print: [text, target?.text, resolvedPlace(path), ...hopsOfSync(path)].join(' '),
      changedAtMs: Math.max(changedAtMs, target?.changedAtMs ?? 0),
      kind: 'link',
    };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return {
      own,
      stats: undefined,
      print: code,
      changedAtMs: 0,
      kind: 'elsewhere',
      ...(own ? {} : { error }),
    };
  }
};

/** The places of directories in each scan. */
const places = new WeakMap<ScanContext, Map<string, string>>();

/** Returns where a directory is. It can be moved and replaced by a link, without a change to its files. */
const placeIn = (directory: string, at: ScanContext): string => {
  const known = places.get(at) ?? new Map<string, string>();
  places.set(at, known);
  const place = known.get(directory) ?? resolvedPlace(directory);
  known.set(directory, place);
  return place;
};

/** The directories that the watch covers for some paths. `coversMore` covers more new ones in one scan. */
const createCover = (at: ScanContext, coversMore: boolean) => {
  const cover = coversMore ? at.coverMore : (directory: string) => at.cover(undefined, directory);
  let covered: Map<string, WatchCoverage> | undefined = new Map();

  const uncovered = () => {
    covered = undefined;
    at.miss();
  };

  /** Covers a link's way and, if it ends at a directory, that directory's entries. */
  const coverLink = (path: string, target: BigIntStats | undefined): WatchCoverage | undefined => {
    const way = coverTarget(path, at);
    if (!way || !target?.isDirectory()) return way;
    const end = cover(resolvedPlace(path));
    return end && joinCoverage([way, end]);
  };

  /** Covers a path before it's looked at again. Returns whether the coverage grew. */
  const coverFound = (path: string, { stats, kind }: FoundPath): boolean => {
    // A directory's watch reports its entries, and ends when the directory is replaced.
    const place = kind === 'link' || stats?.isDirectory() ? path : dirname(path);
    if (!covered || covered.has(place)) return false;
    const found = kind === 'link' ? coverLink(path, stats) : cover(place);
    if (found) covered.set(place, found);
    else covered = undefined;
    return found !== undefined;
  };

  return {
    uncovered,
    look(path: string): FoundPath {
      let found = lookAt(path);
      if (found.kind !== 'elsewhere' && coverFound(path, found)) {
        const after = lookAt(path);
        if (after.print !== found.print || after.kind !== found.kind) uncovered();
        found = after;
      }
      if (found.kind === 'elsewhere') uncovered();
      return { ...found, print: `${found.print} ${placeIn(dirname(path), at)}` };
    },
    coverage: (): WatchCoverage | undefined => covered && joinCoverage([...covered.values()]),
  };
};

/** A byte that no path contains. */
const BETWEEN = '\0';

const joinPaths = ([first = '', ...others]: readonly string[]): string =>
  [
    first,
    ...others.map((path) => (path.startsWith(first) ? path.slice(first.length) : `${BETWEEN}${path}`)),
  ].join(BETWEEN);

/** Reverses {@link joinPaths}. An empty part means that the next one is a whole path. */
const splitPaths = (paths: string): string[] => {
  const [first = '', ...parts] = paths.split(BETWEEN);
  const all = [first];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    all.push(part === '' ? (parts[++at] ?? '') : `${first}${part}`);
  }
  return all;
};

const hashOf = (prints: Iterable<string>): string => hash('sha1', [...prints].join(BETWEEN), 'base64');

/** Creates an empty record for a read in a scan, and a function that returns what the read depended on. */
export const recordPaths = (
  scan: ScanContext,
  coversMore = false,
): { readonly record: PathRecord; readonly dependencies: () => Dependencies } => {
  const prints = new Map<string, string>();
  const cover = createCover(scan, coversMore);
  let isReusable = true;
  let hasFreshTimes = false;

  const lookAndKeep = (path: string): FoundPath => {
    const found = cover.look(path);
    // Keep the first fingerprint, because a change since then must cause another read.
    if (!prints.has(path)) prints.set(path, found.print);
    hasFreshTimes ||= !mayKeepRead(found, scan.nowMs);
    return found;
  };

  return {
    record: {
      stat: (path) => lookAndKeep(path).stats,
      lstat(path) {
        const { own, error } = lookAndKeep(path);
        if (error !== undefined) throw error;
        return own;
      },
      neverReuse() {
        isReusable = false;
        cover.uncovered();
      },
      reuseOnlyWatched() {
        isReusable = false;
      },
    },
    dependencies: () => ({
      paths: joinPaths([...prints.keys()]),
      // Another change within the same moment can leave the fingerprints equal.
      print: isReusable && !hasFreshTimes ? hashOf(prints.values()) : undefined,
      coverage: cover.coverage(),
    }),
  };
};

/**
 * Returns whether everything that a read depended on is unchanged, so that its result can be reused. Looks at the disk
 * only if the watch doesn't cover it.
 */
export const isUnchanged = (dependencies: Dependencies, at: ScanContext, coversMore = false): boolean => {
  if (at.isSame(dependencies.coverage)) return true;
  if (dependencies.print === undefined) return false;
  const cover = createCover(at, coversMore);
  const prints = splitPaths(dependencies.paths).map((path) => cover.look(path).print);
  if (hashOf(prints) !== dependencies.print) return false;
  dependencies.coverage = cover.coverage();
  return true;
};
