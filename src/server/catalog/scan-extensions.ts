import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { SharedExtension } from '../../shared/api/catalog.ts';
import { isEntryName } from '../../shared/api/names.ts';
import { systemCode } from '../platform/app-error.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { createDirectoryLister, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { requireSharedInside } from '../platform/shared-folder.ts';
import { readDirectoryExtension, readFileExtension } from './read-extension.ts';

/** What a path leads to; undefined where that is nothing, or not ours to look at. */
const targetOf = (path: string) => {
  try {
    return statIfThere(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};

interface KnownExtension {
  extension: SharedExtension;
  /** What was looked at, whether it was there or not. */
  paths: readonly string[];
  /** The fingerprints of these paths while which `extension` holds; undefined asks again each time. */
  signature: string | undefined;
}

/** Looks at paths, and notes what they were. */
const createStatRecorder = (nowMs: number) => {
  const prints = new Map<string, string>();
  let settled = true;
  const stats = (path: string) => {
    const found = targetOf(path);
    const print = found && fingerprintOf(found);
    prints.set(path, print?.text ?? '-');
    if (print && !isSettled(print, nowMs)) settled = false;
    return found;
  };
  return {
    stats,
    paths: () => [...prints.keys()],
    signature: () => (settled ? [...prints.values()].join(' ') : undefined),
  };
};

/**
 * Makes a scan of `shared/extensions`: blocking, for the scanner's thread. While nothing changed it costs a few `stat` an
 * extension and returns the same object. A link that leads nowhere is no extension; what keeps pi from loading one is a
 * diagnostic of it and hides no other. Throws `outside_root`.
 */
export const createExtensionsScan = (root: Root) => {
  const directory = root.shared('extensions');
  const listDirectory = createDirectoryLister(directory, (entry) => isEntryName(entry.name));
  let known = new Map<string, KnownExtension>();
  let result: { extensions: SharedExtension[] } = { extensions: [] };

  const isUnchanged = ({ paths, signature }: KnownExtension, nowMs: number): boolean => {
    if (signature === undefined) return false;
    const look = createStatRecorder(nowMs);
    for (const path of paths) look.stats(path);
    return look.signature() === signature;
  };

  const read = ({ name }: Dirent, nowMs: number): KnownExtension | undefined => {
    const path = join(directory, name);
    // What is looked at before it is read is read again when it changed in between.
    const look = createStatRecorder(nowMs);
    const stats = look.stats(path);
    if (!stats?.isFile() && !stats?.isDirectory()) return undefined;
    const details = stats.isFile()
      ? readFileExtension(path, name, root.path)
      : readDirectoryExtension(path, root.path, (inside) => look.stats(inside) !== undefined);
    const kind = stats.isFile() ? 'file' : 'dir';
    return {
      extension: { name, kind, path: `shared/extensions/${name}`, ...details },
      paths: look.paths(),
      signature: look.signature(),
    };
  };

  /** The object of before while it says the same, so that an unchanged catalog is the same object. */
  const reuse = (before: KnownExtension | undefined, now: KnownExtension): KnownExtension =>
    before && JSON.stringify(before.extension) === JSON.stringify(now.extension)
      ? { ...now, extension: before.extension }
      : now;

  return (nowMs: number): { extensions: SharedExtension[] } => {
    requireSharedInside(root, 'extensions');
    const next = new Map<string, KnownExtension>();
    for (const entry of listDirectory(nowMs).entries) {
      const before = known.get(entry.name);
      const now = before && isUnchanged(before, nowMs) ? before : read(entry, nowMs);
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
