import { type BigIntStats, type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { isAgentId } from '../../shared/api/names.ts';
import { isNotFound } from './app-error.ts';
import { type Fingerprint, fingerprintOf, mayKeepRead } from './fingerprint.ts';
import { listInside } from './open-inside.ts';

/**
 * Returns undefined if the path is missing. Node does that only for a missing last part, not if a parent is a file or a
 * cycle of links.
 */
const ifThere = (look: () => BigIntStats | undefined): BigIntStats | undefined => {
  try {
    return look();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Returns the `lstat` of a path that may not exist. */
export const lstatIfThere = (path: string): BigIntStats | undefined =>
  ifThere(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));

/** Returns the `stat` of a path that may not exist or may be a broken link. */
export const statIfThere = (path: string): BigIntStats | undefined =>
  ifThere(() => statSync(path, { bigint: true, throwIfNoEntry: false }));

/** Returns whether a path is currently a directory, or a link to one. */
export const isDirectoryThere = (path: string): boolean => statIfThere(path)?.isDirectory() ?? false;

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Lists any of the user's own directories. For a directory in the root, use {@link listInside}. Blocks. */
export const listAnywhere = (path: string): Dirent[] => readdirSync(path, { withFileTypes: true });

/** Returns the agent id of an entry in the agents directory, if it's a directory with a valid name. */
export const agentIdOf = (entry: Dirent): string | undefined =>
  entry.isDirectory() && isAgentId(entry.name) ? entry.name : undefined;

/** Converts an entry to the stored form. Undefined skips it. Names alone take a third of the memory. */
type Take<T> = (entry: Dirent) => T | undefined;

/**
 * Creates a function that lists a directory, sorted by name, and reads it only after a change. The directory must be
 * in `top` after links are resolved.
 *
 * `changed` is false if `entries` is the same array as before. A missing directory is empty.
 */
export const createDirectoryLister = <T>(top: string, path: string, take: Take<T>) => {
  let known: { fingerprint: Fingerprint; mayKeep: boolean } | undefined;
  let entries: readonly T[] = [];

  const none = (): { entries: readonly T[]; changed: boolean } => {
    const changed = entries.length > 0;
    known = undefined;
    entries = changed ? [] : entries;
    return { entries, changed };
  };

  /** Returns undefined if the directory was just removed. */
  const list = (): Dirent[] | undefined => {
    try {
      return listInside([realpathSync.native(top)], path);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  return (nowMs: number): { entries: readonly T[]; changed: boolean } => {
    const stats = statIfThere(path);
    if (!stats?.isDirectory()) return none();
    const fingerprint = fingerprintOf(stats);
    if (known?.mayKeep && known.fingerprint.text === fingerprint.text) return { entries, changed: false };
    // Read the entries after the stat, so that one created in between is found both now and the next time.
    const found = list();
    if (!found) return none();
    entries = found.sort(byName).flatMap((entry) => take(entry) ?? []);
    known = { fingerprint, mayKeep: mayKeepRead(fingerprint, nowMs) };
    return { entries, changed: true };
  };
};
