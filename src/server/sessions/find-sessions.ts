import { closeSync, constants, type Dirent, openSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { isAgentId } from '../../shared/api/names.ts';
import { createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { isInside, type Root } from '../platform/root.ts';

/** A directory outside an agent's own ones in which pi keeps its sessions. */
export interface SessionDirectory {
  readonly agent: string;
  /** Absolute. */
  readonly path: string;
}

/** A session file, which may have gone since. */
export interface FoundSession {
  readonly path: string;
  readonly agent: string;
}

/** A directory that can't be listed. */
export interface UnreadableDirectory {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly error: unknown;
}

const SUFFIX = '.jsonl';

/** Directories below a directory of sessions: pi makes one for each working directory. */
const MAX_DEPTH = 3;

/** Directories below `workspaces/<agent>`: a date, `sessions`, and pi's own. */
const MAX_WORKSPACE_DEPTH = 4;

/** A larger settings.json isn't one. */
const MAX_SETTINGS_BYTES = 256 * 1024;

const isUseful = (entry: Dirent): boolean =>
  entry.isDirectory() || (entry.isFile() && entry.name.endsWith(SUFFIX));

/** The setting `sessionDir` of an agent's settings.json. Undefined if there is none, or it can't be read. */
const sessionDirOf = (directory: string): string | undefined => {
  const path = join(directory, 'settings.json');
  try {
    const stats = lstatIfThere(path);
    if (!stats?.isFile() || stats.size > MAX_SETTINGS_BYTES) return undefined;
    const file = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
      if (typeof settings !== 'object' || settings === null || !('sessionDir' in settings)) return undefined;
      return typeof settings.sessionDir === 'string' ? settings.sessionDir : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // The checks of the agent report it.
    return undefined;
  }
};

/** A path relative to the root, with `/`, or as it is if it is elsewhere. */
export const shownPath = (root: Root, path: string): string =>
  isInside(root.path, path) ? relative(root.path, path).split(sep).join('/') : path;

/** The operator may have chosen a link. */
const realPathOf = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    // It isn't there yet, as before the first run.
    return path;
  }
};

/** Whether a path is inside a directory, also after its links were followed. */
const isReallyInside = (parent: string, path: string): boolean => {
  try {
    return isInside(realpathSync.native(parent), realpathSync.native(path));
  } catch {
    return false;
  }
};

/**
 * Creates a function that finds the session files of all agents: in `agents/<id>/sessions`, in the directory
 * that the agent's settings.json names, in `workspaces/<id>/**\/sessions`, and in `others`, which the operator chose. Sorted by path in each
 * directory, so that a session comes before its forks. Links aren't followed, so a loop of directories is
 * harmless. Blocks.
 */
export const createSessionFinder = (root: Root, others: readonly SessionDirectory[] = []) => {
  const listers = new Map<string, ReturnType<typeof createDirectoryLister>>();

  return function* find(nowMs: number): Generator<FoundSession | UnreadableDirectory> {
    const list = (path: string): readonly Dirent[] | UnreadableDirectory => {
      try {
        if (!lstatIfThere(path)?.isDirectory()) {
          listers.delete(path);
          return [];
        }
        const lister = listers.get(path) ?? createDirectoryLister(path, isUseful);
        listers.set(path, lister);
        return lister(nowMs).entries;
      } catch (error) {
        listers.delete(path);
        return { path: shownPath(root, path), error };
      }
    };

    function* below(
      directory: string,
      agent: string,
      depth: number,
      isSessions: boolean,
    ): Generator<FoundSession | UnreadableDirectory> {
      const entries = list(directory);
      if ('error' in entries) {
        yield entries;
        return;
      }
      for (const entry of entries) {
        const path = join(directory, entry.name);
        if (!entry.isDirectory()) {
          if (isSessions) yield { path, agent };
        } else if (depth > 1) yield* below(path, agent, depth - 1, isSessions || entry.name === 'sessions');
      }
    }

    const agents = list(root.agents);
    if ('error' in agents) {
      yield agents;
      return;
    }
    for (const { name: agent } of agents.filter((entry) => entry.isDirectory() && isAgentId(entry.name))) {
      const directory = join(root.agents, agent);
      const own = join(directory, 'sessions');
      yield* below(own, agent, MAX_DEPTH, true);
      const named = sessionDirOf(directory);
      if (named === undefined) continue;
      const path = resolve(directory, named);
      // SECURITY: an agent writes its own settings. Never read outside the root because of them.
      if (!isInside(own, path) && isReallyInside(root.path, path)) yield* below(path, agent, MAX_DEPTH, true);
    }
    const workspaces = join(root.path, 'workspaces');
    const found = list(workspaces);
    if ('error' in found) {
      yield found;
      return;
    }
    for (const { name: agent } of found.filter((entry) => entry.isDirectory() && isAgentId(entry.name)))
      yield* below(join(workspaces, agent), agent, MAX_WORKSPACE_DEPTH, false);
    for (const { agent, path } of others) yield* below(realPathOf(path), agent, MAX_DEPTH, true);
  };
};
