import type { Dirent } from 'node:fs';
import { isEntryName, type LinkKind } from '../../shared/api/names.ts';
import { coverDirectory, createPathRecord, type PathRecord, type ScanContext } from '../disk/coverage.ts';
import { systemCode } from '../platform/app-error.ts';
import { createDirectoryLister } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { requireSharedInside } from '../platform/shared-folder.ts';

/** How the entries of a kind are read. */
interface EntryReader<T> {
  /** Reads one entry, with blocking calls. Undefined if it isn't one. Records each path before it reads it. */
  read(entry: Dirent, record: PathRecord): T | undefined;
  /** The entry if the system doesn't let dot-mi read it, with the system's code. */
  unreachable(entry: Dirent, code: string): T | undefined;
}

interface KnownEntry<T> {
  readonly item: T;
  /** Every path that was checked, whether it existed or not. */
  readonly record: PathRecord;
}

/** A scan of one catalog. Its list has the name of the kind. */
export type CatalogScan<K extends LinkKind, T> = (at: ScanContext) => Record<K, T[]>;

/**
 * Creates a blocking scan of the shared folder of a kind, for the disk thread. Without a watch, it costs a few `stat` per
 * entry while nothing changes, and returns the same object. An entry that can't be read hides no other. Throws
 * `outside_root`.
 */
export const createCatalogScan = <K extends LinkKind, T>(
  root: Root,
  kind: K,
  { read, unreachable }: EntryReader<T>,
): CatalogScan<K, T> => {
  const directory = root.shared(kind);
  const listDirectory = createDirectoryLister(root.path, directory, (entry) =>
    isEntryName(entry.name) ? entry : undefined,
  );
  let known = new Map<string, KnownEntry<T>>();
  // A computed key of a type variable is widened to a string.
  const listOf = (items: T[]) => ({ [kind]: items }) as Record<K, T[]>;
  let result = listOf([]);

  /** An entry that is being replaced is reported as unreachable. */
  const readIfReachable = (entry: Dirent, record: PathRecord): T | undefined => {
    try {
      return read(entry, record);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      record.neverReuse();
      return unreachable(entry, code);
    }
  };

  const look = (
    entry: Dirent,
    before: KnownEntry<T> | undefined,
    at: ScanContext,
  ): KnownEntry<T> | undefined => {
    if (before?.record.isUnchanged(at)) return before;
    const record = createPathRecord(at);
    const item = readIfReachable(entry, record);
    if (item === undefined) return undefined;
    // The earlier object if nothing in it changed, so that an unchanged catalog is the same object.
    const isSame = before && JSON.stringify(before.item) === JSON.stringify(item);
    return { item: isSame ? before.item : item, record };
  };

  return (at) => {
    coverDirectory(directory, at);
    requireSharedInside(root, kind);
    const next = new Map<string, KnownEntry<T>>();
    for (const entry of listDirectory(at.nowMs).entries) {
      const found = look(entry, known.get(entry.name), at);
      if (found) next.set(entry.name, found);
    }
    known = next;
    const items = Array.from(next.values(), ({ item }) => item);
    const before = result[kind];
    const isSame = items.length === before.length && items.every((item, i) => item === before[i]);
    if (!isSame) result = listOf(items);
    return result;
  };
};
