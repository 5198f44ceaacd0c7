import { type FSWatcher, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { ITSELF, watchDirectory } from '../root-model/watch.ts';

/** A directory where pi stores an agent's sessions outside the agent's own directory. */
export interface OtherSessions {
  readonly agent: string;
  readonly path: string;
}

/**
 * How many recently changed subdirectories are watched in each directory. pi creates one for each working directory.
 */
const RECENT_DIRECTORIES = 30;

const inodeOf = (path: string): number | undefined => {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? stats.ino : undefined;
  } catch {
    // The directory is unreadable, or doesn't exist until the first run.
    return undefined;
  }
};

/** Returns the subdirectories that changed most recently. Doesn't follow links. */
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
 * Watches session directories and their subdirectories. `changed` gets the agent. Call `check` periodically to find
 * directories that appeared, were replaced or were added to settings. Blocks.
 */
export const watchSessions = (
  directories: () => Iterable<OtherSessions>,
  changed: (agent: string) => void,
) => {
  const watched = new Map<string, { readonly ino: number; readonly watcher: FSWatcher }>();
  let agentsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  let isTop: ReadonlySet<string> = new Set();
  let isFirst = true;

  const unwatch = (path: string) => {
    watched.get(path)?.watcher.close();
    watched.delete(path);
  };

  const check = (): void => {
    // Agents can share a directory.
    const wanted = new Map<string, Set<string>>();
    const want = (path: string, agent: string) =>
      wanted.set(path, (wanted.get(path) ?? new Set()).add(agent));
    for (const { agent, path } of directories()) want(path, agent);
    isTop = new Set(wanted.keys());
    for (const [path, agents] of [...wanted])
      for (const child of recentIn(path)) for (const agent of agents) want(child, agent);
    for (const [path, { ino }] of watched) if (!wanted.has(path) || inodeOf(path) !== ino) unwatch(path);
    agentsOf = wanted;
    for (const [path, agents] of wanted) {
      const ino = watched.has(path) ? undefined : inodeOf(path);
      if (ino === undefined) continue;
      try {
        const watcher = watchDirectory(path, (event, name) => {
          agentsOf.get(path)?.forEach(changed);
          // pi will soon write a session there, so don't wait for the next check.
          const isNew =
            event === 'rename' && name !== null && name !== ITSELF && !watched.has(join(path, name));
          if (isNew && isTop.has(path) && inodeOf(join(path, name)) !== undefined) check();
        });
        watcher.on('error', () => unwatch(path));
        watched.set(path, { ino, watcher });
        // Nothing else reports files that were written before the watch began.
        if (!isFirst) agents.forEach(changed);
      } catch (error) {
        // The directory disappeared again, or no watches are left. The next check retries.
        if (systemCode(error) === undefined) throw error;
      }
    }
    isFirst = false;
  };

  check();
  return {
    check,
    close() {
      for (const path of [...watched.keys()]) unwatch(path);
    },
  };
};
