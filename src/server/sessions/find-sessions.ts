import { type Dirent, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isAgentId } from '../../shared/api/names.ts';
import type { ScanContext, WatchCoverage } from '../disk/coverage.ts';
import { joinCoverage } from '../disk/coverage.ts';
import { createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { isInside, type Root } from '../platform/root.ts';
import { mayReadNamed, type NamedSessions, namedSessions, ownSessions } from './session-dir.ts';

/** A directory where pi stores an agent's sessions outside the agent's own directory. */
export interface SessionDirectory {
  readonly agent: string;
  readonly path: string;
}

/** A directory that can't be listed. */
export interface UnreadableDirectory {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly error: unknown;
}

/** The session files in one agent's places. */
export interface SessionsPlace {
  readonly agent: string;
  /** Some may no longer exist. */
  readonly files: readonly string[];
  readonly unreadable: readonly UnreadableDirectory[];
  /** True if pi stores some of the agent's sessions where dot-mi doesn't read them. */
  readonly hasUncounted: boolean;
  /** Set once all files were read, so that they aren't scanned while the watch reports nothing about them. */
  isRead: boolean;
  readonly cover: WatchCoverage | undefined;
}

/** The next result of a search. It pauses before each directory, because a place can have 100,000 of them. */
type Found = SessionsPlace | UnreadableDirectory | 'pause';

const SUFFIX = '.jsonl';

/** How deep a session directory is searched. pi creates a subdirectory for each working directory. */
const MAX_DEPTH = 3;

/** How deep `workspaces/<agent>` is searched: a date, `sessions`, and pi's subdirectory. */
const MAX_WORKSPACE_DEPTH = 4;

/** A workspace with more directories, such as one with packages, is listed every time. */
const MOST_WATCHED = 200;

const ifUseful = (entry: Dirent): Dirent | undefined =>
  entry.isDirectory() || (entry.isFile() && entry.name.endsWith(SUFFIX)) ? entry : undefined;

/** Returns whether something is at a path. If that can't be checked, it counts as existing. */
const isThere = (path: string): boolean => {
  try {
    return lstatIfThere(path) !== undefined;
  } catch {
    return true;
  }
};

/** Returns a path relative to the root, with `/`, or unchanged if it's elsewhere. */
export const shownPath = (root: Root, path: string): string =>
  isInside(root.path, path) ? relative(root.path, path).split(sep).join('/') : path;

/** Resolves links, because the operator may have chosen one. */
const realPathOf = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    // The directory doesn't exist until the first run.
    return path;
  }
};

/**
 * Creates a function that finds all agents' session files: in `agents/<id>/sessions`, in the directory in the agent's
 * settings.json, in `workspaces/<id>/**\/sessions`, and in `others`, which the operator chose. Sorted by path in each
 * directory, so that a session precedes its forks. Doesn't follow links, so a loop of directories is harmless.
 * Blocks. While the watch reports nothing about a place, it returns the same object for it, with `isRead` set.
 */
export const createSessionFinder = (
  root: Root,
  homeDirectory: string,
  others: readonly SessionDirectory[] = [],
) => {
  const listers = new Map<string, ReturnType<typeof createDirectoryLister<Dirent>>>();
  const workspaces = join(root.path, 'workspaces');
  let known = new Map<string, SessionsPlace>();

  const list = (top: string, path: string, nowMs: number): readonly Dirent[] | UnreadableDirectory => {
    try {
      if (!lstatIfThere(path)?.isDirectory()) {
        listers.delete(path);
        return [];
      }
      const lister = listers.get(path) ?? createDirectoryLister(top, path, ifUseful);
      listers.set(path, lister);
      return lister(nowMs).entries;
    } catch (error) {
      listers.delete(path);
      return { path: shownPath(root, path), error };
    }
  };

  /** Collects the content of an agent's places. */
  const createCollection = (
    at: ScanContext,
    first: WatchCoverage | undefined,
    isNew: boolean,
    top = root.path,
  ) => {
    const files: string[] = [];
    const unreadable: UnreadableDirectory[] = [];
    const covers = first ? [first] : [];
    let isCovered = first !== undefined;
    const miss = () => {
      isCovered = false;
    };
    function* below(directory: string, depth: number, isSessions: boolean): Generator<'pause'> {
      yield 'pause';
      if (isNew && isCovered && isThere(directory)) {
        const cover = covers.length < MOST_WATCHED ? at.coverAlso(directory) : undefined;
        if (cover) covers.push(cover);
        else miss();
      }
      const entries = list(top, directory, at.nowMs);
      if ('error' in entries) {
        unreadable.push(entries);
        return;
      }
      for (const entry of entries) {
        const path = join(directory, entry.name);
        if (!entry.isDirectory()) {
          if (isSessions) files.push(path);
        } else if (depth > 1) yield* below(path, depth - 1, isSessions || entry.name === 'sessions');
      }
    }
    const place = (agent: string): SessionsPlace => {
      const cover = isCovered && unreadable.length === 0 ? (isNew ? joinCoverage(covers) : first) : undefined;
      return { agent, files, unreadable, hasUncounted: false, isRead: false, cover };
    };
    return { below, miss, place };
  };

  /**
   * Returns whether dot-mi reads the sessions in a named directory. One in the root may not exist before the first
   * run.
   */
  const isCounted = (agent: string, { path, isRelative }: NamedSessions, isReadable: boolean): boolean => {
    const chosen = others.filter((other) => other.agent === agent);
    // A relative path depends on the working directory, which only the operator knows.
    if (isRelative) return chosen.length > 0;
    if (isReadable || chosen.some((other) => isInside(realPathOf(other.path), realPathOf(path)))) return true;
    return isInside(root.path, path) && !isThere(path);
  };

  function* lookAtAgent(
    agent: string,
    before: SessionsPlace | undefined,
    at: ScanContext,
  ): Generator<'pause', SessionsPlace> {
    const directory = join(root.agents, agent);
    const cover = at.cover(before?.cover, directory);
    const found = createCollection(at, cover, cover !== before?.cover);
    yield* found.below(ownSessions(directory), MAX_DEPTH, true);
    const named = namedSessions(root, directory, homeDirectory);
    if (named === undefined) return found.place(agent);
    // The named directory can appear or become a link without a change to the agent's directory.
    found.miss();
    const isReadable = mayReadNamed(root, named.path);
    if (isReadable) yield* found.below(named.path, MAX_DEPTH, true);
    return { ...found.place(agent), hasUncounted: !isCounted(agent, named, isReadable) };
  }

  function* lookAtWorkspace(
    agent: string,
    before: SessionsPlace | undefined,
    at: ScanContext,
  ): Generator<'pause', SessionsPlace> {
    const directory = join(workspaces, agent);
    const cover = at.cover(before?.cover, directory);
    const found = createCollection(at, cover, cover !== before?.cover);
    yield* found.below(directory, MAX_WORKSPACE_DEPTH, false);
    return found.place(agent);
  }

  function* lookOutside(
    { agent, path }: SessionDirectory,
    at: ScanContext,
  ): Generator<'pause', SessionsPlace> {
    const top = realPathOf(path);
    const found = createCollection(at, undefined, false, top);
    yield* found.below(top, MAX_DEPTH, true);
    return found.place(agent);
  }

  const agentsIn = (directory: string, at: ScanContext): readonly string[] | UnreadableDirectory => {
    const entries = list(root.path, directory, at.nowMs);
    if ('error' in entries) return entries;
    return entries.flatMap((entry) => (entry.isDirectory() && isAgentId(entry.name) ? entry.name : []));
  };

  function* find(at: ScanContext): Generator<Found> {
    const next = new Map<string, SessionsPlace>();
    function* each(directory: string, look: typeof lookAtAgent): Generator<Found, boolean> {
      at.coverAlso(isThere(directory) ? directory : root.path);
      const agents = agentsIn(directory, at);
      if ('error' in agents) {
        at.miss();
        yield agents;
        return false;
      }
      for (const agent of agents) {
        const path = join(directory, agent);
        const before = known.get(path);
        const place = before?.isRead && at.isSame(before.cover) ? before : yield* look(agent, before, at);
        next.set(path, place);
        yield place;
        if (!place.isRead || !place.cover) at.miss();
      }
      return true;
    }
    if (!(yield* each(root.agents, lookAtAgent))) return;
    if (!(yield* each(workspaces, lookAtWorkspace))) return;
    for (const other of others) {
      at.miss();
      yield yield* lookOutside(other, at);
    }
    known = next;
  }

  return Object.assign(find, {
    /** Returns the resolved directories that contain session files. */
    tops: (): string[] => [root.path, ...others.map(({ path }) => path)].map(realPathOf),
    /** Forces everything to be read again. */
    forget() {
      known = new Map();
    },
  });
};
