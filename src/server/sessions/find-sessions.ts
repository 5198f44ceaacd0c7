import { type Dirent, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isAgentId } from '../../shared/api/names.ts';
import type { ScanContext, WatchCoverage } from '../disk/coverage.ts';
import { joinCoverage } from '../disk/coverage.ts';
import { createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { isInside, type Root } from '../platform/root.ts';
import { mayReadNamed, type NamedSessions, namedSessions, ownSessions } from './session-dir.ts';

/** A directory outside an agent's own ones in which pi keeps its sessions. */
export interface SessionDirectory {
  readonly agent: string;
  /** Absolute. */
  readonly path: string;
}

/** A directory that can't be listed. */
export interface UnreadableDirectory {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly error: unknown;
}

/** The session files in the places of one agent. */
export interface SessionsPlace {
  readonly agent: string;
  /** They may have gone since. */
  readonly files: readonly string[];
  readonly unreadable: readonly UnreadableDirectory[];
  /** Whether pi keeps sessions of the agent where dot-mi doesn't look. */
  readonly hasUncounted: boolean;
  /** Set once all files were read, so that they need no look while the watch reports nothing about them. */
  isRead: boolean;
  readonly cover: WatchCoverage | undefined;
}

/** What a search finds next. It pauses before each directory, because a place can have 100,000 of them. */
type Found = SessionsPlace | UnreadableDirectory | 'pause';

const SUFFIX = '.jsonl';

/** Directories below a directory of sessions: pi makes one for each working directory. */
const MAX_DEPTH = 3;

/** Directories below `workspaces/<agent>`: a date, `sessions`, and pi's own. */
const MAX_WORKSPACE_DEPTH = 4;

/** A workspace with more directories, such as one with packages, is listed each time. */
const MOST_WATCHED = 200;

const ifUseful = (entry: Dirent): Dirent | undefined =>
  entry.isDirectory() || (entry.isFile() && entry.name.endsWith(SUFFIX)) ? entry : undefined;

/** Whether something is at a path. One that can't be checked counts as something. */
const isThere = (path: string): boolean => {
  try {
    return lstatIfThere(path) !== undefined;
  } catch {
    return true;
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

/**
 * Creates a function that finds the session files of all agents: in `agents/<id>/sessions`, in the directory
 * that the agent's settings.json names, in `workspaces/<id>/**\/sessions`, and in `others`, which the operator chose. Sorted by path in each
 * directory, so that a session comes before its forks. Links aren't followed, so a loop of directories is
 * harmless. Blocks. While the watch reports nothing about a place, it is the same object, and `isRead`.
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

  /** Collects what is in the places of an agent. */
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

  /** Whether dot-mi reads what pi writes to a named directory. One in the root may not be there before the first run. */
  const isCounted = (agent: string, { path, isRelative }: NamedSessions, isReadable: boolean): boolean => {
    const chosen = others.filter((other) => other.agent === agent);
    // Only the operator knows where the agent runs.
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
    // It can appear or become a link without a change to the agent's directory.
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
    /** The resolved directories that session files are in. */
    tops: (): string[] => [root.path, ...others.map(({ path }) => path)].map(realPathOf),
    /** Everything must be read again. */
    forget() {
      known = new Map();
    },
  });
};
