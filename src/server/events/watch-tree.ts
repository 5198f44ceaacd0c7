import { type FSWatcher, lstatSync, readdirSync, type Stats, statSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { isAgentId, LINK_KINDS } from '../../shared/api/names.ts';
import { isNotFound, systemCode } from '../platform/app-error.ts';

/** What a watch tells. Paths are relative to the root, with "/". */
export interface WatchListener {
  changed(path: string): void;
  /** Something changed and it cannot be told what. */
  lost(): void;
  /** The system watches no further directory (Linux: fs.inotify.max_user_watches). */
  exhausted(): void;
}

type Segments = readonly string[];

const isKind = (name: string | undefined) => LINK_KINDS.some((kind) => kind === name);

/** Which directories are watched: those whose entries a route shows. What lies deeper is not told on Linux (docs/adr/0013). */
const isWatched = ([top, second, third, ...rest]: Segments): boolean => {
  if (rest.length > 0) return false;
  if (top === undefined) return true;
  if (top === 'agents')
    return second === undefined || (isAgentId(second) && (third === undefined || isKind(third)));
  return top === 'shared' && (second === undefined || isKind(second));
};

/** The names below a watched directory that may be watched too; undefined asks the directory. */
const fixedChildren = ([top, second]: Segments): readonly string[] | undefined => {
  if (top === undefined) return ['agents', 'shared'];
  if (top === 'agents') return second === undefined ? undefined : LINK_KINDS;
  return second === undefined ? LINK_KINDS : undefined;
};

/** SECURITY: agents are never followed through links; shared entries may be linked in. */
const statOf = (path: string, [top]: Segments): Stats | undefined => {
  try {
    const stats = top === 'shared' || top === undefined ? statSync(path) : lstatSync(path);
    return stats.isDirectory() ? stats : undefined;
  } catch (error) {
    // Not there, or nothing that can be looked at: one such place must not end the watch of all others.
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
};

/** The directory a path is in; '' is the root itself. */
const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

interface Watched {
  watcher: FSWatcher;
  /** A directory that was replaced has another inode, and its old watch is deaf. */
  ino: number;
  children: Set<string>;
}

/**
 * Watches the directories of a root whose entries a route shows: blocking, for a thread of its own.
 *
 * Linux has a watch a directory; macOS and Windows have one for the whole tree. Of 10,000 agents this costs 0.2 s and
 * some 60 MB on Linux, where a watch a file, as general libraries set it, costs 7 s and 450 MB (docs/adr).
 */
export const watchTree = (rootPath: string, listener: WatchListener): { close(): void; check(): void } => {
  const directories = new Map<string, Watched>();
  const recursive = process.platform === 'darwin' || process.platform === 'win32';

  const unwatch = (path: string) => {
    const watched = directories.get(path);
    if (!watched) return;
    directories.delete(path);
    watched.watcher.close();
    for (const child of watched.children) unwatch(child);
  };

  const onEvent = (path: string, event: string, name: string | null) => {
    if (name === null) return listener.lost();
    // On Linux a directory that is removed or moved says so by its own name. Another one may stand there already,
    // with the same inode, so it is watched anew.
    if (!recursive && event === 'rename' && name === basename(join(rootPath, path))) {
      unwatch(path);
      sync(path);
      if (path === '') listener.lost();
    }
    const child = [...(path === '' ? [] : [path]), ...name.split(/[\\/]/)].join('/');
    listener.changed(child);
    if (!recursive) sync(child);
  };

  const childrenOf = (path: string, segments: Segments) => {
    const names =
      fixedChildren(segments) ??
      readdirSync(join(rootPath, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map((entry) => entry.name);
    return names.map((name) => (path === '' ? name : `${path}/${name}`));
  };

  /** Makes the watches at and below a path what they should be now. */
  const sync = (path: string): void => {
    const segments = path === '' ? [] : path.split('/');
    if (!isWatched(segments)) return;
    const stats = statOf(join(rootPath, path), segments);
    const before = directories.get(path);
    if (before && stats && before.ino === stats.ino) return;
    unwatch(path);
    if (!stats) return;
    try {
      const watcher = watch(join(rootPath, path), { recursive, persistent: false }, (event, name) =>
        onEvent(path, event, name),
      );
      watcher.on('error', () => unwatch(path));
      const watched: Watched = { watcher, ino: stats.ino, children: new Set() };
      directories.set(path, watched);
      if (path !== '') directories.get(parentOf(path))?.children.add(path);
      if (recursive) return;
      // After the watch: what comes in between is seen twice rather than never.
      for (const child of childrenOf(path, segments)) {
        sync(child);
      }
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (['ENOSPC', 'EMFILE', 'ENFILE'].includes(code)) listener.exhausted();
      // Gone again, or not ours to read: its parent tells when that changes.
      else if (!isNotFound(error) && !['EACCES', 'EPERM'].includes(code)) throw error;
    }
  };

  sync('');

  return {
    /** Finds a root that came, went or was replaced, which no watch tells. */
    check() {
      const before = directories.get('')?.ino;
      sync('');
      if (directories.get('')?.ino !== before) listener.lost();
    },
    close() {
      for (const { watcher } of directories.values()) watcher.close();
      directories.clear();
    },
  };
};
