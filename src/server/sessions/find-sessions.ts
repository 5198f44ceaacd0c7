import { type Dirent, lstatSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isAgentId } from '../../shared/api/names.ts';
import { fromSystemError, systemCode } from '../platform/app-error.ts';
import { createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import { isInside, type Root } from '../platform/root.ts';
import { coverTarget, joinCoverage, type ScanContext, type WatchCoverage } from '../root-model/coverage.ts';
import { type AgentTerms, readTerms, TERMS_FILES } from './agent-terms.ts';
import { type NamedSessions, ownSessions, readSessionSettings, type SessionSetting } from './session-dir.ts';

/** A directory where pi stores an agent's sessions outside the agent's own directory. */
export interface SessionDirectory {
  readonly agent: string;
  readonly path: string;
}

/** The places outside the root. */
export interface OtherPlaces {
  /** The directories that the operator chose. */
  readonly others?: readonly SessionDirectory[];
  /** The directory of the agents for sale. Their runs store sessions in `<agent>/sessions/<date>`. */
  readonly sold?: string | undefined;
}

/** The listers of directories by path. */
type Listers = Map<string, ReturnType<typeof createDirectoryLister<Dirent>>>;

/** Something that can hold calls and isn't counted. */
export interface Gap {
  /** Relative to the root, with `/`. Absolute if it's outside. */
  readonly path: string;
  /** A sentence for people. */
  readonly problem: string;
}

/** The session files in one agent's places, and what isn't counted there. */
export interface SessionsPlace {
  readonly agent: string;
  /** Some may no longer exist. */
  readonly files: readonly string[];
  /** What the search left out. Reading the files adds what it left out of them. Empty only if nothing was left out. */
  readonly gaps: Gap[];
  /** Set once all files were read, so that they aren't scanned while the watch reports nothing about them. */
  isRead: boolean;
  readonly cover: WatchCoverage | undefined;
  /** What is known about its directories. */
  readonly listers: Listers;
  /** Set for the agent's own directory. */
  readonly terms?: AgentTerms;
}

/**
 * The next result of a search. A gap alone can be in any agent's sessions. The search pauses before each directory,
 * because a place can have 100,000 of them.
 */
type Found = SessionsPlace | Gap | 'pause';

const SUFFIX = '.jsonl';

/**
 * How deep a session directory is searched. pi creates a subdirectory for each working directory. An agent that starts
 * others stores their sessions three directories further down, and those can start others too.
 */
const MAX_DEPTH = 16;

/** How deep `workspaces/<agent>` is searched for directories called `sessions`. Launchers create them in a dated one. */
const MAX_WORKSPACE_DEPTH = 3;

/** A workspace with more directories, such as one with packages, is listed every time. */
const MOST_WATCHED = 200;

/** Each agent that another one starts has its own directories. */
const MOST_WATCHED_SESSIONS = 2_000;

const DAY_MS = 24 * 60 * 60_000;

/** So many days after the start of a day, a run that began on it is over. */
const SOLD_DAYS = 3;

const unreadable = (by: SessionSetting['by']): string =>
  `dot-mi can’t read it, so sessions in a directory that its ${by} names aren’t counted.`;

/** A response lists no more than this many. */
export const MAX_GAPS = 20;

const ifUseful = (entry: Dirent): Dirent | undefined =>
  entry.isDirectory() || entry.isSymbolicLink() || (entry.isFile() && entry.name.endsWith(SUFFIX))
    ? entry
    : undefined;

/** Returns whether something is at a path. If that can't be checked, it counts as existing. */
const isThere = (path: string): boolean => {
  try {
    return lstatIfThere(path) !== undefined;
  } catch {
    return true;
  }
};

/** Throws if a path is too long for the system, because what it names isn't missing. */
export const requireShort = (path: string): void => {
  try {
    lstatSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENAMETOOLONG') throw error;
  }
};

/** Returns a path relative to the root, with `/`, or unchanged if it's elsewhere. */
const shownPath = (root: Root, path: string): string =>
  isInside(root.path, path) ? relative(root.path, path).split(sep).join('/') : path;

export const toGap = (root: Root, path: string, problem: string): Gap => ({
  path: shownPath(root, path),
  problem,
});

/** Describes what the system didn't let dot-mi read. Rethrows other errors, such as those of the index. */
export const gapOf = (root: Root, path: string, error: unknown): Gap => {
  const code = systemCode(error);
  if (code === undefined || code.startsWith('ERR_')) throw error;
  return toGap(root, path, fromSystemError(error)?.message ?? `It can’t be read (${code}).`);
};

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
 * Creates a function that lists directories, and reads again only those that changed since `before`. What it knows is in
 * `listers`, without the directories that it wasn't asked for.
 */
const createLists = (before: Listers | undefined) => {
  const listers: Listers = new Map();
  /** Returns a directory's entries, or undefined for a link. Throws the system's errors. */
  const list = (top: string, path: string, nowMs: number): readonly Dirent[] | undefined => {
    const stats = lstatIfThere(path);
    if (!stats) requireShort(path);
    if (!stats?.isDirectory()) return stats?.isSymbolicLink() ? undefined : [];
    const lister = before?.get(path) ?? createDirectoryLister(top, path, ifUseful);
    const { entries } = lister(nowMs);
    listers.set(path, lister);
    return entries;
  };
  return { list, listers };
};

/**
 * Creates a function that finds all agents' session files: in `agents/<id>/sessions`, in the directory in the agent's
 * settings.json, in `workspaces/<id>/**\/sessions`, and in places outside the root. Sorted by path in each
 * directory, so that a session precedes its forks. Blocks. While the watch reports nothing about a place, it returns
 * the same object for it, with `isRead` set.
 *
 * SECURITY: agents write their own directories, so links are followed only to places in the root. Links in `others` are
 * also followed within the same directory.
 */
export const createSessionFinder = (
  root: Root,
  homeDirectory: string,
  { others = [], sold }: OtherPlaces = {},
) => {
  const workspaces = join(root.path, 'workspaces');
  let known = new Map<string, SessionsPlace>();
  /** Of the directories that contain places. */
  let tops = createLists(undefined);

  /**
   * Returns where a path ends, even if nothing exists there. Undefined if that's outside the root and `top`. A place in
   * the root starts with the root's own path, so that each file has only one path.
   */
  const endOf = (path: string, top: string): string | undefined => {
    const realRoot = realPathOf(root.path);
    const end = placeInside(path, [realRoot, realPathOf(top)]);
    return end !== undefined && isInside(realRoot, end) ? join(root.path, relative(realRoot, end)) : end;
  };

  /** Returns whether a path is in a directory that the operator chose for an agent. */
  const isChosen = (agent: string, path: string): boolean =>
    others.some((other) => other.agent === agent && isInside(realPathOf(other.path), realPathOf(path)));

  /** Collects the content of an agent's places. */
  const createCollection = (
    agent: string,
    at: ScanContext,
    first: WatchCoverage | undefined,
    before: SessionsPlace | undefined,
    top = root.path,
  ) => {
    const isNew = first !== before?.cover;
    const { list, listers } = createLists(before?.listers);
    const files: string[] = [];
    const gaps: Gap[] = [];
    const visited = new Set<string>();
    const covers = first ? [first] : [];
    let isCovered = first !== undefined;
    const miss = () => {
      isCovered = false;
    };
    const leaveOut = (gap: Gap) => {
      if (gaps.length < MAX_GAPS) gaps.push(gap);
    };
    const cover = (directory: string, isSessions: boolean) => {
      const isFull = covers.length >= (isSessions ? MOST_WATCHED_SESSIONS : MOST_WATCHED);
      const own = isFull ? undefined : at.coverAlso(directory);
      if (own) covers.push(own);
      else miss();
    };
    const listOrLeaveOut = (directory: string): readonly Dirent[] | undefined => {
      try {
        return list(isInside(top, directory) ? top : root.path, directory, at.nowMs);
      } catch (error) {
        miss();
        leaveOut(gapOf(root, directory, error));
        return [];
      }
    };
    /** Returns where a link ends. Undefined if dot-mi doesn't follow it. */
    const follow = (link: string) => {
      // Where a link ends can change without a report.
      miss();
      try {
        const path = endOf(link, top);
        if (path !== undefined) return { path, stats: lstatIfThere(path) };
        if (!isChosen(agent, link))
          leaveOut(toGap(root, link, 'It’s a link to a place outside the root, which isn’t counted.'));
      } catch (error) {
        leaveOut(gapOf(root, link, error));
      }
      return undefined;
    };

    /** `isSessions` is false in a workspace, outside of `sessions`. */
    function* below(directory: string, depth: number, isSessions: boolean): Generator<'pause'> {
      yield 'pause';
      // Two links can point to the same directory, and a link can point to one above it.
      if (visited.has(directory)) return;
      visited.add(directory);
      if (isNew && isCovered && isThere(directory)) cover(directory, isSessions);
      const entries = listOrLeaveOut(directory);
      if (!entries) return yield* behind(directory, depth, isSessions);
      for (const entry of entries) {
        const path = join(directory, entry.name);
        const isStart = !isSessions && entry.name === 'sessions';
        if (entry.isFile()) {
          if (isSessions) files.push(path);
        } else if (isStart) yield* below(path, MAX_DEPTH, true);
        else if (entry.isDirectory()) yield* deeper(path, depth, isSessions);
        else if (isSessions) yield* behind(path, depth, true);
      }
    }
    function* deeper(directory: string, depth: number, isSessions: boolean): Generator<'pause'> {
      if (depth > 1) yield* below(directory, depth - 1, isSessions);
      else if (isSessions) leaveOut(toGap(root, directory, 'It’s nested too deeply, so it isn’t counted.'));
    }
    /** Continues where a link ends, because pi reads linked directories and files. */
    function* behind(link: string, depth: number, isSessions: boolean): Generator<'pause'> {
      const end = follow(link);
      if (end?.stats?.isDirectory()) {
        // A link to a directory above itself is a circle.
        if (!isInside(end.path, link)) yield* deeper(end.path, depth, isSessions);
      } else if (end?.stats?.isFile() && isSessions && link.endsWith(SUFFIX)) files.push(end.path);
    }

    /** Covers a file, and where it ends if it's a link. Call it before reading the file. */
    const coverFile = (path: string) => {
      if (!isNew || !isCovered) return;
      const own = coverTarget(path, at);
      if (own) covers.push(own);
      else miss();
    };

    const place = (): SessionsPlace => {
      const covered = isCovered ? (isNew ? joinCoverage(covers) : first) : undefined;
      return { agent, files, gaps, isRead: false, cover: covered, listers };
    };
    return { below, miss, leaveOut, coverFile, place };
  };

  /** Returns why dot-mi doesn't count the sessions in a named directory. Undefined if it does. */
  const whyNotCounted = (
    agent: string,
    by: SessionSetting['by'],
    { path, isRelative }: NamedSessions,
    end: string | undefined,
  ): string | undefined => {
    // A relative path depends on the working directory, which only the operator knows.
    if (isRelative)
      return others.some((other) => other.agent === agent)
        ? undefined
        : `Its ${by} is relative to each run’s directory, so those sessions aren’t counted.`;
    return end !== undefined || isChosen(agent, path)
      ? undefined
      : `Its ${by} is outside the root, so those sessions aren’t counted.`;
  };

  function* lookAtAgent(
    agent: string,
    before: SessionsPlace | undefined,
    at: ScanContext,
  ): Generator<'pause', SessionsPlace> {
    const directory = join(root.agents, agent);
    const cover = at.cover(before?.cover, directory);
    const found = createCollection(agent, at, cover, before);
    yield* found.below(ownSessions(directory), MAX_DEPTH, true);
    for (const { file, by, named, isUnknown, isLinked } of readSessionSettings(
      root,
      directory,
      homeDirectory,
    )) {
      // The named directory, or the file that this one links to, can change without a change to the agent's directory.
      if (named || isLinked) found.miss();
      const end = named && endOf(named.path, root.path);
      if (end !== undefined) yield* found.below(end, MAX_DEPTH, true);
      const why = isUnknown ? unreadable(by) : named && whyNotCounted(agent, by, named, end);
      if (why !== undefined) found.leaveOut(toGap(root, join(directory, file), why));
    }
    for (const name of TERMS_FILES) found.coverFile(join(directory, name));
    return { ...found.place(), terms: readTerms(root, directory) };
  }

  function* lookAtWorkspace(
    agent: string,
    before: SessionsPlace | undefined,
    at: ScanContext,
  ): Generator<'pause', SessionsPlace> {
    const directory = join(workspaces, agent);
    const cover = at.cover(before?.cover, directory);
    const found = createCollection(agent, at, cover, before);
    yield* found.below(directory, MAX_WORKSPACE_DEPTH, false);
    return found.place();
  }

  function* lookOutside(
    { agent, path }: SessionDirectory,
    before: SessionsPlace | undefined,
    at: ScanContext,
  ): Generator<'pause', SessionsPlace> {
    const top = realPathOf(path);
    const found = createCollection(agent, at, undefined, before, top);
    yield* found.below(top, MAX_DEPTH, true);
    return found.place();
  }

  /** Returns the agents with an entry in a directory. A gap if it can't be listed. */
  const agentsIn = (
    directory: string,
    followsLinks: boolean,
    at: ScanContext,
    top = root.path,
  ): readonly string[] | Gap => {
    try {
      let entries = tops.list(top, directory, at.nowMs);
      if (!entries && followsLinks) {
        const end = endOf(directory, root.path);
        if (end === undefined)
          return toGap(root, directory, 'It’s a link to a place outside the root, which isn’t counted.');
        entries = tops.list(root.path, end, at.nowMs);
      }
      return (entries ?? []).flatMap((entry) =>
        (entry.isDirectory() || (followsLinks && entry.isSymbolicLink())) && isAgentId(entry.name)
          ? entry.name
          : [],
      );
    } catch (error) {
      return gapOf(root, directory, error);
    }
  };

  /**
   * Finds the sessions of runs for customers. Only those runs write there, and each stays within two days, so earlier
   * days are read once.
   */
  function* findSold(top: string, at: ScanContext, next: Map<string, SessionsPlace>): Generator<Found> {
    const agents = agentsIn(top, false, at, top);
    if ('problem' in agents) {
      yield agents;
      return;
    }
    for (const agent of agents) {
      const directory = join(top, agent, 'sessions');
      try {
        for (const { name } of tops.list(top, directory, at.nowMs) ?? []) {
          const path = join(directory, name);
          const before = known.get(path);
          const isOver = Date.parse(name) + SOLD_DAYS * DAY_MS < at.nowMs;
          const place = before?.isRead && isOver ? before : yield* lookOutside({ agent, path }, before, at);
          next.set(path, place);
          yield place;
        }
      } catch (error) {
        yield gapOf(root, directory, error);
      }
    }
  }

  function* find(at: ScanContext): Generator<Found> {
    const next = new Map<string, SessionsPlace>();
    tops = createLists(tops.listers);
    function* each(directory: string, followsLinks: boolean, look: typeof lookAtAgent): Generator<Found> {
      at.coverAlso(isThere(directory) ? directory : root.path);
      const agents = agentsIn(directory, followsLinks, at);
      if ('problem' in agents) {
        at.miss();
        yield agents;
        return;
      }
      for (const agent of agents) {
        const path = join(directory, agent);
        const before = known.get(path);
        const place = before?.isRead && at.isSame(before.cover) ? before : yield* look(agent, before, at);
        next.set(path, place);
        yield place;
        if (!place.isRead || !place.cover) at.miss();
      }
    }
    // A linked directory isn't an agent.
    yield* each(root.agents, false, lookAtAgent);
    yield* each(workspaces, true, lookAtWorkspace);
    for (const other of others) {
      at.miss();
      const key = `${other.agent} ${other.path}`;
      const place = yield* lookOutside(other, known.get(key), at);
      next.set(key, place);
      yield place;
    }
    if (sold !== undefined && isThere(sold)) {
      at.miss();
      yield* findSold(realPathOf(sold), at, next);
    }
    known = next;
  }

  return Object.assign(find, {
    /** Returns the resolved directories that contain session files. */
    tops: (): string[] =>
      [root.path, ...others.map(({ path }) => path), ...(sold === undefined ? [] : [sold])].map(realPathOf),
    /** Returns whether a session file is of a run for a customer. */
    isOfSale: (path: string): boolean => sold !== undefined && isInside(realPathOf(sold), path),
    /** Forces everything to be read again. */
    forget() {
      known = new Map();
    },
  });
};
