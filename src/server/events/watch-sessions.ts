import { type FSWatcher, lstatSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../platform/app-error.ts';

/** A directory outside the root in which an agent keeps its sessions. */
export interface OutsideSessions {
  readonly agent: string;
  /** Absolute. */
  readonly path: string;
}

/** How many directories in each are watched: the ones that changed last. pi makes one for each working directory. */
const RECENT_DIRECTORIES = 30;

const inodeOf = (path: string): number | undefined => {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? stats.ino : undefined;
  } catch {
    // It isn't there yet, as before the first run, or it can't be read.
    return undefined;
  }
};

/** The directories in a directory that changed last. Links aren't followed. */
const recentIn = (directory: string): string[] => {
  try {
    const paths = readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(directory, name));
    if (paths.length <= RECENT_DIRECTORIES) return paths;
    const changedAt = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return paths
      .map((path) => ({ path, atMs: changedAt(path) }))
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, RECENT_DIRECTORIES)
      .map(({ path }) => path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
};

/**
 * Watches the directories outside the root that the operator named, and those directly in them. `changed` gets the agent.
 * `check` finds directories that appeared or were replaced, so it is called from time to time. Blocks.
 */
export const watchSessions = (directories: readonly OutsideSessions[], changed: (agent: string) => void) => {
  const watched = new Map<string, { readonly ino: number; readonly watcher: FSWatcher }>();
  let isFirst = true;

  const unwatch = (path: string) => {
    watched.get(path)?.watcher.close();
    watched.delete(path);
  };

  const check = (): void => {
    const wanted = new Map<string, string>();
    for (const { agent, path } of directories)
      for (const each of [path, ...recentIn(path)]) wanted.set(each, agent);
    for (const [path, { ino }] of watched) if (!wanted.has(path) || inodeOf(path) !== ino) unwatch(path);
    for (const [path, agent] of wanted) {
      const ino = watched.has(path) ? undefined : inodeOf(path);
      if (ino === undefined) continue;
      try {
        const watcher = watch(path, { persistent: false }, () => changed(agent));
        watcher.on('error', () => unwatch(path));
        watched.set(path, { ino, watcher });
        // What was written before the watch is reported by nobody else.
        if (!isFirst) changed(agent);
      } catch (error) {
        // Gone again, or no watches are left. The next check tries again.
        if (systemCode(error) === undefined) throw error;
      }
    }
    isFirst = false;
  };

  check();
  return { check };
};
