import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { SharedExtension } from '../../shared/api/catalog.ts';
import { isEntryName } from '../../shared/api/names.ts';
import type { ScanContext, WatchCoverage } from '../disk/coverage.ts';
import { coverTarget, joinCoverage } from '../disk/coverage.ts';
import { systemCode } from '../platform/app-error.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { createDirectoryLister, statIfThere } from '../platform/list-directory.ts';
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
  extension: SharedExtension;
  /** Every path that was checked, whether it existed or not. */
  paths: readonly string[];
  /** `extension` is valid while `paths` have these fingerprints. Undefined means read it every time. */
  signature: string | undefined;
  /** That of all paths, if the watch reports everything about them. */
  cover: WatchCoverage | undefined;
}

/** Creates a `stat` that records the fingerprint of each path. */
const createStatRecorder = (at: ScanContext) => {
  const prints = new Map<string, string>();
  const covers: (WatchCoverage | undefined)[] = [];
  let settled = true;
  const stats = (path: string) => {
    covers.push(coverTarget(path, at));
    const target = targetOf(path);
    const found = typeof target === 'string' ? undefined : target;
    const print = found && fingerprintOf(found);
    prints.set(path, print?.text ?? '-');
    if (print && !isSettled(print, at.nowMs)) settled = false;
    return found;
  };
  return {
    stats,
    paths: () => [...prints.keys()],
    signature: () => (settled ? [...prints.values()].join(' ') : undefined),
    cover(): WatchCoverage | undefined {
      const known = covers.filter((cover) => cover !== undefined);
      return known.length === covers.length ? joinCoverage(known) : undefined;
    },
  };
};

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

  /** What is known, if it is still so. */
  const unchanged = (known: KnownExtension, at: ScanContext): KnownExtension | undefined => {
    if (at.isSame(known.cover)) return known;
    if (known.signature === undefined) return undefined;
    const look = createStatRecorder(at);
    for (const path of known.paths) look.stats(path);
    return look.signature() === known.signature ? { ...known, cover: look.cover() } : undefined;
  };

  const read = (entry: Dirent, at: ScanContext): KnownExtension | undefined => {
    const { name } = entry;
    const path = join(directory, name);
    // Record each path before reading it, so that a change in between causes another read.
    const look = createStatRecorder(at);
    const stats = look.stats(path);
    const target = stats ?? targetOf(path);
    if (typeof target === 'string') {
      at.miss();
      return {
        extension: unreachableExtension(entry, target),
        paths: [],
        signature: undefined,
        cover: undefined,
      };
    }
    if (!stats?.isFile() && !stats?.isDirectory()) return undefined;
    const readDirectory = (): ExtensionDetails => {
      const place = placeOfSharedEntry(root, 'extensions', name);
      return readDirectoryExtension(place.path, place.inside, (file) => look.stats(file) !== undefined);
    };
    const details = stats.isFile() ? readFileExtension(path, name, insideOfRoot(root)) : readDirectory();
    const kind = stats.isFile() ? 'file' : 'dir';
    return {
      extension: { name, kind, path: `shared/extensions/${name}`, ...details },
      paths: look.paths(),
      signature: look.signature(),
      cover: look.cover(),
    };
  };

  /** An extension that can't be read, or is being replaced, hides no other. */
  const readIfReachable = (entry: Dirent, at: ScanContext): KnownExtension | undefined => {
    try {
      return read(entry, at);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      at.miss();
      const extension = unreachableExtension(entry, code);
      return { extension, paths: [], signature: undefined, cover: undefined };
    }
  };

  /** Returns the earlier object if nothing in it changed, so that an unchanged catalog is the same object. */
  const reuse = (before: KnownExtension | undefined, now: KnownExtension): KnownExtension =>
    before && JSON.stringify(before.extension) === JSON.stringify(now.extension)
      ? { ...now, extension: before.extension }
      : now;

  return (at: ScanContext): { extensions: SharedExtension[] } => {
    at.coverAlso(directory);
    requireSharedInside(root, 'extensions');
    const next = new Map<string, KnownExtension>();
    for (const entry of listDirectory(at.nowMs).entries) {
      const before = known.get(entry.name);
      const now = (before && unchanged(before, at)) ?? readIfReachable(entry, at);
      if (now) next.set(entry.name, reuse(before, now));
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
