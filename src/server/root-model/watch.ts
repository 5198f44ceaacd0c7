import {
  closeSync,
  type FSWatcher,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  watch,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { threadId } from 'node:worker_threads';
import { deviceOf, identityOf, isLocal } from './near-disk.ts';

/** A watched directory. The watch reports changes to it and to its direct entries. */
export interface WatchedDirectory {
  /** False once it may have been moved or replaced. Its entries are unknown from then on. */
  readonly isAlive: boolean;
  /** The generation of the last report about it or its entries. */
  readonly changedAt: number;
}

/** A watch that knows whether it has reported everything. See docs/adr/0042. */
export interface RootWatch {
  /**
   * Waits until all earlier changes are reported. Returns false if that's impossible, and then the disk has to be
   * scanned.
   */
  catchUp(): Promise<boolean>;
  /** Counts the reports. */
  readonly generation: number;
  /** Starts watching a directory unless it's watched already. Returns undefined if changes could be missed. */
  directory(path: string): WatchedDirectory | undefined;
  /** Returns whether a directory is watched already. */
  has(path: string): boolean;
  close(): void;
}

interface Node extends WatchedDirectory {
  isAlive: boolean;
  changedAt: number;
  readonly path: string;
  readonly watcher: NodeWatcher;
  /** Created on demand, because most directories have no watched children. */
  children?: Set<Node>;
}

/**
 * Refers to its node, so that all watchers share their listeners. Thousands of closures would use ten times the
 * memory.
 */
interface NodeWatcher extends FSWatcher {
  node?: Node;
}

/** An open file whose changes are markers. */
interface MarkerFile {
  readonly name: string;
  readonly descriptor: number;
}

/** The name under which a directory reports changes to itself, such as a move. */
export const ITSELF = '.';

/**
 * Watches a directory. This thread's watches of it share one system watch, which reports the directory under
 * the last segment of the first path. Each path on Linux therefore ends with {@link ITSELF}.
 */
export const watchDirectory = (
  path: string,
  onEvent: (event: string, name: string | null) => void,
): FSWatcher =>
  watch(process.platform === 'linux' ? `${path}/${ITSELF}` : path, { persistent: false }, onEvent);

/** How long to wait for a marker. Events arrive within a fraction of a millisecond unless the thread is busy. */
const MARKER_TIMEOUT_MS = 250;
/** After this many lost markers in a row, the watch is useless here. */
const MOST_LOST_MARKERS = 3;
/** dot-mi uses at most one in this many of the user's watches, because all of the user's programs share them. */
const SHARE_OF_WATCHES = 4;

/** Reads an inotify limit. The fallback is the limit's oldest default. */
const limitOf = (name: string, fallback: number): number => {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8')) || fallback;
  } catch {
    return fallback;
  }
};

/**
 * Creates a watch of a root, or returns undefined where events aren't reliable. Only Linux queues them in order, and
 * only for local file systems.
 *
 * `catchUp` changes a file in `markerPath`, a directory of ours that reports to the same queue. When its event
 * arrives, all earlier events have arrived too.
 */
export const createRootWatch = (watchedRoot: string, markerPath: string): RootWatch | undefined => {
  if (process.platform !== 'linux') return undefined;
  const rootPath = resolve(watchedRoot);
  const nodes = new Map<string, Node>();
  const markers = new Map<string, () => void>();
  /** Marker files that aren't waiting for an event. */
  const markerFiles: MarkerFile[] = [];
  const maxNodes = limitOf('max_user_watches', 8_192) / SHARE_OF_WATCHES;
  // The system's queue drops events when it's full, and Node doesn't report that.
  const maxBurst = limitOf('max_queued_events', 16_384) / 2;
  let generation = 0;
  let burst = 0;
  let markerNumber = 0;
  let lostMarkers = 0;
  let isExhausted = false;
  let root: { identity: string; device: number } | undefined;
  let dead: FSWatcher[] = [];

  const drop = (node: Node): void => {
    if (!node.isAlive) return;
    node.isAlive = false;
    nodes.delete(node.path);
    nodes.get(dirname(node.path))?.children?.delete(node);
    generation++;
    // Closing is delayed, because its pending events must still be counted.
    dead.push(node.watcher);
    setImmediate(closeDead);
    for (const child of node.children ?? []) drop(child);
  };

  const closeDead = () => {
    for (const watcher of dead) watcher.close();
    dead = [];
  };

  const dropAll = () => {
    const top = nodes.get(rootPath);
    if (top) drop(top);
    generation++;
  };

  const count = () => {
    if (burst === 0)
      setImmediate(() => {
        burst = 0;
      });
    if (++burst === maxBurst) dropAll();
  };

  function onEvent(this: NodeWatcher, event: string, name: string | null) {
    count();
    const { node } = this;
    if (!node?.isAlive) return;
    if (name === null) return dropAll();
    node.changedAt = ++generation;
    if (event !== 'rename') return;
    // The directory was moved or removed.
    if (name === ITSELF) return drop(node);
    const child = nodes.get(join(node.path, name));
    if (child) drop(child);
  }

  function onError(this: NodeWatcher) {
    if (this.node) drop(this.node);
  }

  /** SECURITY: a link can't be watched, because its target can change without an event. */
  const canWatch = (path: string): boolean => {
    if (path === rootPath) {
      const identity = identityOf(path);
      if (identity === undefined || !isLocal(path)) return false;
      root = { identity, device: statSync(path).dev };
      return true;
    }
    return root !== undefined && deviceOf(path) === root.device;
  };

  const directory = (path: string): Node | undefined => {
    const known = nodes.get(path);
    if (known || isExhausted || lostMarkers >= MOST_LOST_MARKERS) return known;
    if (path !== rootPath && !path.startsWith(`${rootPath}${sep}`)) return undefined;
    // The parent's watch reports when this directory is moved or replaced.
    const above = path === rootPath ? undefined : directory(dirname(path));
    if (path !== rootPath && !above) return undefined;
    if (nodes.size >= maxNodes) return undefined;
    try {
      const watcher: NodeWatcher = watchDirectory(path, onEvent);
      const node: Node = { isAlive: true, changedAt: generation, path, watcher };
      watcher.node = node;
      watcher.on('error', onError);
      // Check after the watch starts, so that a replacement in between is an event.
      if (!canWatch(path)) {
        watcher.close();
        return undefined;
      }
      nodes.set(path, node);
      if (above) {
        above.children ??= new Set();
        above.children.add(node);
      }
      return node;
    } catch (error) {
      isExhausted = (error as NodeJS.ErrnoException).code === 'ENOSPC';
      return undefined;
    }
  };

  const markersWatch = (() => {
    try {
      mkdirSync(markerPath, { recursive: true, mode: 0o700 });
      if (!isLocal(markerPath)) return undefined;
      return watch(markerPath, { persistent: false }, (event, name) => {
        count();
        // Creating and removing a marker file also cause events.
        if (event === 'change') markers.get(name ?? '')?.();
      });
    } catch {
      // The data directory isn't writable, or no watches are left.
      return undefined;
    }
  })();
  if (!markersWatch) return undefined;
  markersWatch.on('error', () => {
    lostMarkers = MOST_LOST_MARKERS;
  });

  /**
   * Creates a file for markers and removes it at once. It leaves nothing behind, and its directory still reports
   * changes to it.
   */
  const createMarkerFile = (): MarkerFile => {
    const name = `${process.pid}-${threadId}-${++markerNumber}`;
    const path = join(markerPath, name);
    const descriptor = openSync(path, 'wx', 0o600);
    unlinkSync(path);
    return { name, descriptor };
  };

  const placeMarker = (): Promise<boolean> => {
    let file: MarkerFile;
    try {
      // A reused file's last event has arrived, so its next event belongs to its next marker.
      file = markerFiles.pop() ?? createMarkerFile();
    } catch {
      return Promise.resolve(false);
    }
    const { name, descriptor } = file;
    return new Promise((resolve) => {
      const finish = (isCaughtUp: boolean) => {
        clearTimeout(timer);
        markers.delete(name);
        if (isCaughtUp) markerFiles.push(file);
        else closeSync(descriptor);
        resolve(isCaughtUp);
      };
      const arrived = () => finish(true);
      // SECURITY: an event can follow a late timer, and the file must not be closed twice.
      const giveUp = () => markers.get(name) === arrived && finish(false);
      const timer = setTimeout(() => setImmediate(giveUp), MARKER_TIMEOUT_MS);
      markers.set(name, arrived);
      try {
        // Changing an open file takes a thirtieth of the time for creating a directory.
        futimesSync(descriptor, 0, 0);
      } catch {
        finish(false);
      }
    });
  };

  return {
    get generation() {
      return generation;
    },
    directory,
    has: (path) => nodes.has(path),
    async catchUp() {
      if (lostMarkers >= MOST_LOST_MARKERS) return false;
      const isCaughtUp = await placeMarker();
      lostMarkers = isCaughtUp ? 0 : lostMarkers + 1;
      // The watch gets no events for directories above the root.
      if (root && identityOf(rootPath) !== root.identity) dropAll();
      return isCaughtUp;
    },
    close() {
      markersWatch.close();
      for (const { descriptor } of markerFiles) closeSync(descriptor);
      markerFiles.length = 0;
      for (const { watcher } of nodes.values()) watcher.close();
      closeDead();
      nodes.clear();
    },
  };
};
