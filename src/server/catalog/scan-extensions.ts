import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { SharedExtension } from '../../shared/api/catalog.ts';
import { isEntryName } from '../../shared/api/names.ts';
import { createPathRecord, type PathRecord, type ScanContext } from '../disk/coverage.ts';
import { systemCode } from '../platform/app-error.ts';
import { createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot, placeOfSharedEntry, requireSharedInside } from '../platform/shared-folder.ts';
import { type ExtensionDetails, readDirectoryExtension, readFileExtension } from './read-extension.ts';

/** The stats of a path's target, undefined if there is none, or why the system doesn't let dot-mi see it. */
const targetOf = (path: string) => {
  try {
    return statIfThere(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
};

/** An extension that the system doesn't let us see. It may be a link into a directory of another user. */
const unreachableExtension = (entry: Dirent, code: string): SharedExtension => ({
  name: entry.name,
  kind: entry.isDirectory() ? 'dir' : 'file',
  path: `shared/extensions/${entry.name}`,
  diagnostics: [
    {
      severity: 'error',
      rule: 'extension-unreachable',
      message: `The extension can't be read (${code}). Check its owner and mode, or its link.`,
    },
  ],
});

interface KnownExtension {
  readonly extension: SharedExtension;
  /** Every path that was checked, whether it existed or not. */
  readonly record: PathRecord;
}

/**
 * Creates a blocking scan of `shared/extensions`, for the disk thread. Without a watch, it costs a
 * few `stat` per extension while nothing changes, and returns the same object. A broken link isn't an extension. A reason why pi
 * can't load an extension is a diagnostic of that extension and hides no other. Throws `outside_root`.
 */
export const createExtensionsScan = (root: Root) => {
  const directory = root.shared('extensions');
  const listDirectory = createDirectoryLister(root.path, directory, (entry) =>
    isEntryName(entry.name) ? entry : undefined,
  );
  let known = new Map<string, KnownExtension>();
  let result: { extensions: SharedExtension[] } = { extensions: [] };

  const read = (entry: Dirent, record: PathRecord): SharedExtension | undefined => {
    const { name } = entry;
    const path = join(directory, name);
    // Record each path before reading it, so that a change in between causes another read.
    const stats = record.stat(path);
    const target = stats ?? targetOf(path);
    if (typeof target === 'string') {
      record.neverReuse();
      return unreachableExtension(entry, target);
    }
    if (!stats?.isFile() && !stats?.isDirectory()) return undefined;
    const readDirectory = (): ExtensionDetails => {
      // Throws if the system refuses to look into it, which would otherwise look like files outside the root.
      lstatIfThere(join(path, 'package.json'));
      const place = placeOfSharedEntry(root, 'extensions', name);
      return readDirectoryExtension(place.path, place.inside, (file) => record.stat(file) !== undefined);
    };
    const details = stats.isFile() ? readFileExtension(path, name, insideOfRoot(root)) : readDirectory();
    return {
      name,
      kind: stats.isFile() ? 'file' : 'dir',
      path: `shared/extensions/${name}`,
      ...details,
    };
  };

  /** An extension that can't be read, or is being replaced, hides no other. */
  const readIfReachable = (entry: Dirent, record: PathRecord): SharedExtension | undefined => {
    try {
      return read(entry, record);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      record.neverReuse();
      return unreachableExtension(entry, code);
    }
  };

  const look = (
    entry: Dirent,
    before: KnownExtension | undefined,
    at: ScanContext,
  ): KnownExtension | undefined => {
    if (before?.record.isUnchanged(at)) return before;
    const record = createPathRecord(at);
    const extension = readIfReachable(entry, record);
    if (!extension) return undefined;
    // The earlier object if nothing in it changed, so that an unchanged catalog is the same object.
    const isSame = before && JSON.stringify(before.extension) === JSON.stringify(extension);
    return { extension: isSame ? before.extension : extension, record };
  };

  return (at: ScanContext): { extensions: SharedExtension[] } => {
    at.coverAlso(directory);
    requireSharedInside(root, 'extensions');
    const next = new Map<string, KnownExtension>();
    for (const entry of listDirectory(at.nowMs).entries) {
      const found = look(entry, known.get(entry.name), at);
      if (found) next.set(entry.name, found);
    }
    known = next;
    const extensions = Array.from(next.values(), ({ extension }) => extension);
    const same =
      extensions.length === result.extensions.length &&
      extensions.every((extension, i) => extension === result.extensions[i]);
    if (!same) result = { extensions };
    return result;
  };
};
