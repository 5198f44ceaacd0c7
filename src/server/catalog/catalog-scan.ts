import type { Dirent } from 'node:fs';
import { isEntryName, type LinkKind } from '../../shared/api/names.ts';
import { coverDirectory, createPathRecord, type PathRecord, type ScanContext } from '../disk/coverage.ts';
import { systemCode } from '../platform/app-error.ts';
import { createDirectoryLister } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { requireSharedInside } from '../platform/shared-folder.ts';

interface EntryReader<T> {
  /**
   * Reads one entry with blocking calls. Returns undefined if it isn't an entry. Records each path before it's read.
   */
  read(entry: Dirent, record: PathRecord): T | undefined;
  /** Returns the entry to list if the system denies access to it. `code` is the system's error code. */
  unreachable(entry: Dirent, code: string): T | undefined;
}

interface KnownEntry<T> {
  readonly item: T;
  /** Every path that was checked, including missing ones. */
  readonly record: PathRecord;
}

/** Scans one catalog. The result's only field is named after the kind. */
export type CatalogScan<K extends LinkKind, T> = (at: ScanContext) => Record<K, T[]>;

/**
 * Creates a blocking scan of one kind's shared directory, for the disk thread. Without a watch, it costs a few `stat`
 * calls per entry and returns the same object until something changes. An unreadable entry doesn't hide the others.
 * Throws `outside_root`.
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
  // TypeScript widens a computed key of a type variable to a string.
  const listOf = (items: T[]) => ({ [kind]: items }) as Record<K, T[]>;
  let result = listOf([]);

  /** Reports an entry as unreachable while it's being replaced. */
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
    // Reuse the earlier object, so that an unchanged catalog stays the same object.
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
