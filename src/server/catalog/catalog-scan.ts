import type { LinkKind } from '../../shared/api/names.ts';
import { systemCode } from '../platform/app-error.ts';
import type { ScanContext } from '../root-model/coverage.ts';
import { createKept, createMemo, ownCopy } from '../root-model/kept.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import type { RootEntries } from '../root-model/root-entries.ts';

interface EntryReader<T> {
  /** Reads one entry with blocking calls. Undefined if it isn't an entry. */
  read(name: string, record: PathRecord): T | undefined;
  /** Returns the entry to list if the system denies access to it. `code` is the system's error code. */
  unreachable(name: string, code: string): T | undefined;
}

/** Scans one catalog. The result's only field is named after the kind. */
export type CatalogScan<K extends LinkKind, T> = (at: ScanContext) => Record<K, T[]>;

/**
 * Creates a blocking scan of one kind's shared directory, for the disk thread. Returns the same object until something
 * changes. An unreadable entry doesn't hide the others. Throws `outside_root`.
 */
export const createCatalogScan = <K extends LinkKind, T>(
  entries: RootEntries,
  kind: K,
  { read, unreachable }: EntryReader<T>,
): CatalogScan<K, T> => {
  const kept = createKept<T>((name, record) => {
    try {
      return ownCopy(read(name, record));
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      record.neverReuse();
      return unreachable(name, code);
    }
  });
  // TypeScript widens a computed key of a type variable to a string.
  const toCatalog = createMemo((items: readonly T[]) => ({ [kind]: [...items] }) as Record<K, T[]>);
  return (at) => toCatalog(kept.all(entries.shared(kind, at), at));
};
