import {
  type Dirent,
  type FSWatcher,
  lstatSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
  watch,
} from 'node:fs';
import { join } from 'node:path';
import { isAgentId, LINK_KIND_SHAPES, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { listInside, withDirectoryInside } from '../platform/open-inside.ts';
import { createTurns } from '../platform/thread.ts';
import { ITSELF, watchDirectory } from '../root-model/watch.ts';

/** Receives a watch's reports. Paths are relative to the root, with "/". */
interface WatchListener {
  changed(path: string): void;
  /** Called if the watch missed which paths changed. */
  lost(): void;
  /** Called if the system has no more watches (Linux: fs.inotify.max_user_watches). */
  exhausted(): void;
}

type Segments = readonly string[];

const isKind = (name: string | undefined): name is LinkKind => LINK_KINDS.some((kind) => kind === name);

/** Returns whether this shared directory's entries can be directories, whose changes count too. */
const holdsDirectories = (name: string): boolean => isKind(name) && LINK_KIND_SHAPES[name].directories;

/** How many levels below an extension are watched: enough for the entries in a package.json. */
const EXTENSION_DEPTH = 3;

/** The limit for watched directories below one extension, which may link to an entire home directory. */
const EXTENSION_DIRECTORIES = 200;

/** Excludes installed packages (thousands of directories) and hidden directories (.git). */
const isSource = (name: string) => name !== 'node_modules' && !name.startsWith('.');

/** Returns the path of the extension that contains a directory, or undefined. */
const extensionAbove = (segments: Segments): string | undefined =>
  segments.length > 3 && segments[0] === 'shared' && segments[1] === 'extensions'
    ? segments.slice(0, 3).join('/')
    : undefined;

/** Returns whether a directory is an agent's own skill, whose SKILL.md the checks read (docs/adr/0034). */
const isOwnSkill = ([top, second = '', third, name = '', ...deeper]: Segments): boolean =>
  top === 'agents' && isAgentId(second) && third === 'skills' && isSource(name) && deeper.length === 0;

/** How many recently changed directories are watched for each agent's sessions and workspaces. */
const RECENT_DIRECTORIES = 30;

/** Returns whether pi writes sessions into a directory, or creates such a directory in it. */
const holdsSessions = ([top, second, third, fourth, ...deeper]: Segments): boolean => {
  if (deeper.length > 0 || (second !== undefined && !isAgentId(second))) return false;
  if (top === 'agents') return third === 'sessions';
  return top === 'workspaces' && (fourth === undefined || fourth === 'sessions');
};

/** Returns whether a route lists a directory's entries, or extensions store entries there. */
const isWatched = (segments: Segments): boolean => {
  const [top, second, third] = segments;
  if (holdsSessions(segments)) return true;
  if (segments.length > 3)
    return (
      isOwnSkill(segments) ||
      (extensionAbove(segments) !== undefined &&
        segments.length <= 3 + EXTENSION_DEPTH &&
        segments.slice(2).every(isSource))
    );
  if (top === undefined) return true;
  if (top === 'agents')
    return second === undefined || (isAgentId(second) && (third === undefined || isKind(third)));
  // Teams also link to shared entries.
  if (top === 'teams') return third === undefined || isKind(third);
  if (top !== 'shared') return false;
  if (second === undefined || holdsDirectories(second)) return true;
  return third === undefined && (second === 'presets' || isKind(second));
};

/** Returns the names of the only children that can be watched. Undefined if the directory must be listed. */
const fixedChildren = ([top, second, third, fourth]: Segments): readonly string[] | undefined => {
  if (top === undefined) return ['agents', 'shared', 'teams', 'workspaces'];
  if (top === 'teams') {
    if (second === undefined) return undefined;
    return third === undefined ? LINK_KINDS : [];
  }
  if (top === 'workspaces' && third !== undefined) return fourth === undefined ? ['sessions'] : [];
  if (top === 'workspaces') return undefined;
  if (top === 'agents' && third !== undefined)
    return (third === 'skills' || third === 'sessions') && !fourth ? undefined : [];
  if (top === 'agents') return second === undefined ? undefined : [...LINK_KINDS, 'sessions'];
  if (second === undefined) return [...LINK_KINDS, 'presets'];
  return holdsDirectories(second) ? undefined : [];
};

/** SECURITY: shared entries can be links. Agents, presets and directories inside an extension can't. */
const statOf = (path: string, segments: Segments): Stats | undefined => {
  const mayBeLink =
    segments.length === 0 || (segments[0] === 'shared' && segments[1] !== 'presets' && segments.length <= 3);
  try {
    const stats = mayBeLink ? statSync(path) : lstatSync(path);
    return stats.isDirectory() ? stats : undefined;
  } catch (error) {
    // The path is missing or unreadable. It must not end all other watches.
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
};

/** Returns a path's parent. '' is the root itself. */
const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Returns whether names in a directory are agent ids. Events contain no other names from the disk. */
const holdsIds = (path: string): boolean => path === 'agents' || path === 'workspaces';

interface Watched {
  watcher: FSWatcher;
  /** Detects a replaced directory, whose old watch reports nothing. */
  ino: number;
  children: Set<string>;
}

/**
 * Watches the directories of a root that routes list, and those below a shared extension. Blocks, so use it in its own
 * thread.
 *
 * Linux needs one watch per directory. macOS and Windows need one for the entire tree. On Linux, 10,000 agents cost
 * 0.2 s and about 60 MB. One watch per file, as in general-purpose libraries, would cost 7 s and 450 MB
 * (docs/adr/0002).
 */
export const watchTree = (rootPath: string, listener: WatchListener): { close(): void; check(): void } => {
  const directories = new Map<string, Watched>();
  /** How many directories are watched below each extension. */
  const below = new Map<string, number>();
  const recursive = process.platform === 'darwin' || process.platform === 'win32';

  const unwatch = (path: string) => {
    const watched = directories.get(path);
    if (!watched) return;
    directories.delete(path);
    countBelow(path, -1);
    watched.watcher.close();
    for (const child of watched.children) unwatch(child);
  };

  const onEvent = (path: string, event: string, name: string | null) => {
    if (name === null) return listener.lost();
    if (!recursive && name === ITSELF) {
      if (event !== 'rename') return;
      // The directory was removed or moved. A new one may already have the same inode, so watch the path again.
      unwatch(path);
      syncSoon(path);
      if (path === '') return listener.lost();
      return listener.changed(path);
    }
    const child = [...(path === '' ? [] : [path]), ...name.split(/[\\/]/)].join('/');
    listener.changed(child);
    if (!recursive) syncSoon(child);
  };

  /** Returns the most recently changed directories. */
  const recent = (paths: string[]): string[] => {
    if (paths.length <= RECENT_DIRECTORIES) return paths;
    const changedAt = (path: string) =>
      lstatSync(join(rootPath, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return paths
      .map((path) => [changedAt(path), path] as const)
      .sort(([a], [b]) => b - a)
      .slice(0, RECENT_DIRECTORIES)
      .map(([, path]) => path);
  };

  /** SECURITY: another user can swap a directory for a link, and events must not contain names from elsewhere. */
  const list = (path: string): Dirent[] => {
    const full = join(rootPath, path);
    return holdsIds(path)
      ? listInside([realpathSync.native(rootPath)], full)
      : readdirSync(full, { withFileTypes: true });
  };

  const watchAt = (path: string, at: string): FSWatcher => {
    const report = (event: string, name: string | null) => onEvent(path, event, name);
    return recursive ? watch(at, { recursive, persistent: false }, report) : watchDirectory(at, report);
  };

  const open = (path: string): FSWatcher => {
    const full = join(rootPath, path);
    if (!holdsIds(path)) return watchAt(path, full);
    let watcher: FSWatcher | undefined;
    try {
      return withDirectoryInside([realpathSync.native(rootPath)], full, ({ entry }) => {
        watcher = watchAt(path, entry('.'));
        return watcher;
      });
    } catch (error) {
      watcher?.close();
      throw error;
    }
  };

  const childrenOf = (path: string, segments: Segments) => {
    const names =
      fixedChildren(segments) ??
      list(path)
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map((entry) => entry.name);
    const paths = names.map((name) => (path === '' ? name : `${path}/${name}`));
    return holdsSessions(segments) && segments.length > 1 ? recent(paths) : paths;
  };

  const countBelow = (path: string, change: 1 | -1) => {
    const extension = extensionAbove(path.split('/'));
    if (extension !== undefined) below.set(extension, (below.get(extension) ?? 0) + change);
  };
  const isFull = (segments: Segments) =>
    (below.get(extensionAbove(segments) ?? '') ?? 0) >= EXTENSION_DIRECTORIES;

  /** True once all existing directories are watched. Directories that appear later are reported. */
  let isStarted = false;

  /** Updates the watches at and below a path. */
  const sync = (path: string): void => {
    const segments = path === '' ? [] : path.split('/');
    if (!isWatched(segments)) return;
    const stats = statOf(join(rootPath, path), segments);
    const before = directories.get(path);
    if (before && stats && before.ino === stats.ino) return;
    unwatch(path);
    if (!stats || isFull(segments)) return;
    try {
      const watcher = open(path);
      watcher.on('error', () => unwatch(path));
      const watched: Watched = { watcher, ino: stats.ino, children: new Set() };
      directories.set(path, watched);
      countBelow(path, 1);
      if (path !== '') directories.get(parentOf(path))?.children.add(path);
      if (recursive) return;
      // List after watching, so that a child created in between is reported twice, not missed.
      if (isStarted && path !== '') for (const { name } of list(path)) listener.changed(`${path}/${name}`);
      for (const child of childrenOf(path, segments)) {
        sync(child);
      }
    } catch (error) {
      // Lets the next event for this path set up all watches below it again.
      unwatch(path);
      const code = systemCode(error) ?? '';
      if (['ENOSPC', 'EMFILE', 'ENFILE'].includes(code)) listener.exhausted();
      // The directory was removed or replaced, or is unreadable. The parent's watch reports any change.
      else if (!isNotFound(error) && !['EACCES', 'EPERM', 'ESTALE'].includes(code)) throw error;
    }
  };

  const due = new Set<string>();
  const turn = createTurns();
  let isSyncing = false;
  const syncDue = async (): Promise<void> => {
    isSyncing = true;
    for (const path of due) {
      due.delete(path);
      sync(path);
      await turn();
    }
    isSyncing = false;
  };
  /** Lets the thread's other work run in between, because thousands of directories can appear at once. */
  const syncSoon = (path: string): void => {
    due.add(path);
    if (!isSyncing) void syncDue();
  };

  sync('');
  isStarted = true;

  return {
    /** Detects a root that appeared, disappeared or was replaced, which watches don't report. */
    check() {
      const before = directories.get('')?.ino;
      sync('');
      if (directories.get('')?.ino !== before) listener.lost();
    },
    close() {
      due.clear();
      for (const { watcher } of directories.values()) watcher.close();
      directories.clear();
    },
  };
};
