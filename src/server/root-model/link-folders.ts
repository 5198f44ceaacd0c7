import { type BigIntStats, type Dirent, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { TEAM_PREFIX } from '../../shared/api/catalog.ts';
import { byKind, isEntryName, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { AppError, entryProblemOf, isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import { statIfThere } from '../platform/list-directory.ts';
import { mayBeLinked } from '../platform/may-read.ts';
import { type InsideDirectory, withDirectoryInside } from '../platform/open-inside.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import { isInside, isSamePath, type Root } from '../platform/root.ts';
import { isSharedInside, requireSharedInside } from '../platform/shared-folder.ts';
import { coverTarget, type ScanContext } from './coverage.ts';
import { createKept, createMemo } from './kept.ts';
import type { PathRecord } from './path-record.ts';
import { hopsOfSync, isBrokenSync, linkTextTo } from './resolve-link.ts';
import type { RootEntries } from './root-entries.ts';

/** The error if a link folder is a file or a link. */
export const notADirectory = (kind: LinkKind): AppError =>
  new AppError(
    'not_a_directory',
    `This agent’s "${kind}" is not a regular directory, so dot-mi won’t add or remove links in it. Replace it with a directory.`,
  );

/** Where a link ends that dot-mi didn't write. */
export interface LinkEnd {
  /** The path stored in the link. */
  readonly text: string;
  /** True if the target is missing, or this user has no access to it. pi finds nothing there either. */
  readonly isBroken: boolean;
  readonly isOutside: boolean;
  /** The names of the entries of the shared folder that resolving the link passes through. */
  readonly through: readonly string[];
}

/** An entry in an agent's folder of links. */
export interface FoundLink {
  readonly name: string;
  /** False for the agent's own file or directory. */
  readonly isLink: boolean;
  /** Where the link ends. Undefined if dot-mi would write the same link. Then only the shared entry decides. */
  readonly end?: LinkEnd;
}

/** A folder of links. */
interface ReadFolder {
  readonly links: readonly FoundLink[];
  /** True if the folder itself is a link. dot-mi changes nothing in it. */
  readonly isLinked?: true;
}

/** A folder of links, or the reason why it can't be read, which each list has to report. */
export type FoundFolder = ReadFolder | { readonly problem: EntryProblem };

/** Returns a folder's links, or reports why it can't be read. */
export const linksIn = (
  folder: FoundFolder,
  report: (problem: EntryProblem) => void,
): readonly FoundLink[] => {
  if (!('problem' in folder)) return folder.links;
  report(folder.problem);
  return [];
};

/** An agent or a team, and its folders of links. */
export interface AgentFolders {
  /** `team:<name>` for a team. */
  readonly id: string;
  readonly path: string;
  readonly folders: Readonly<Record<LinkKind, FoundFolder>>;
}

const NO_FOLDER: FoundFolder = { links: [] };

// pi loads them in this order.
const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** An agent's or a team's directory, with the resolved root. */
interface LinkPlaces {
  /** Without links. */
  readonly agent: string;
  readonly realRoot: string;
}

/** An open folder of links. */
export interface OpenFolder {
  readonly open: InsideDirectory;
  /** The resolved path. */
  readonly path: string;
  /** False if the folder itself is a link. dot-mi changes nothing in it. */
  readonly isOwn: boolean;
  /** In pi's order, without names that no route accepts, such as hidden files. */
  readonly items: readonly Dirent[];
}

/**
 * Runs `use` with a folder of links. `stats` are its `lstat`. Blocks. Returns undefined if it's missing. Throws
 * `outside_root`, `not_a_directory` and the system's errors.
 */
export const withLinkFolder = <T>(
  kind: LinkKind,
  { agent, realRoot }: LinkPlaces,
  stats: BigIntStats,
  use: (folder: OpenFolder) => T,
): T | undefined => {
  const own = join(agent, kind);
  const isOwn = !stats.isSymbolicLink();
  // Resolving takes twice as long as a look, and only a link needs it. Opening the directory verifies its path.
  const path = isOwn ? own : placeInside(own, [realRoot]);
  if (path !== undefined && !isOwn && !statIfThere(path)) return undefined;
  // SECURITY: a linked folder can be read only while it stays in the root, and the names of sessions say much. No
  // response says whether anything outside exists.
  if (path === undefined || (!isOwn && !mayBeLinked(path, path, realRoot))) {
    const place = path === undefined ? 'outside the root' : 'that dot-mi doesn’t list';
    throw new AppError(
      'outside_root',
      `This agent’s "${kind}" is a symlink to a place ${place}. Replace it with a directory.`,
    );
  }
  try {
    // SECURITY: exactly this directory, which can be swapped for a link to another agent's or the trash by now.
    return withDirectoryInside([path], path, (open) => {
      const items = open.list().filter(({ name }) => isEntryName(name));
      return use({ open, path, isOwn, items: items.sort(byName) });
    });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') throw notADirectory(kind);
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Returns the folder of a kind's shared entries, without links. Undefined if it's missing or outside the root. */
export const sharedFolderIn = (root: Root, realRoot: string, kind: LinkKind): string | undefined => {
  const folder = unlessRefused(() => realpathSync.native(root.shared(kind)));
  return folder !== undefined && isInside(realRoot, folder) ? folder : undefined;
};

/** Follows a link. Blocks. Records the places on the way. */
export const followLink = (
  path: string,
  text: string,
  realRoot: string,
  shared: string | undefined,
  record: Pick<PathRecord, 'stat'>,
): LinkEnd => ({
  text,
  isBroken: record.stat(path) === undefined,
  isOutside: placeInside(path, [realRoot]) === undefined,
  through: hopsOfSync(path).flatMap((hop) =>
    shared !== undefined && isSamePath(dirname(hop), shared) ? [basename(hop)] : [],
  ),
});

/** The most links in a folder that dot-mi didn't write and records. Recording takes ten times as long as following. */
const MOST_RECORDED = 200;

const UNRECORDED: Pick<PathRecord, 'stat'> = {
  stat: (path) => (isBrokenSync(path) ? undefined : statIfThere(path)),
};

/** Reads a folder of links in a directory at `parent`. */
const readFolder = (root: Root, kind: LinkKind, parent: string, record: PathRecord): FoundFolder => {
  const realRoot = unlessRefused(() => realpathSync.native(root.path)) ?? root.path;
  const places = { realRoot, agent: join(realRoot, relative(root.path, parent)) };
  let shared: string | undefined;
  let foreign = 0;
  const recordNext = (): Pick<PathRecord, 'stat'> => {
    if (foreign++ < MOST_RECORDED) return record;
    record.neverReuse();
    return UNRECORDED;
  };
  const readLinks = ({ open, isOwn, path, items }: OpenFolder): ReadFolder => ({
    links: items.flatMap((item): FoundLink[] => {
      const { name } = item;
      if (!item.isSymbolicLink()) return [{ name, isLink: false }];
      try {
        const text = open.linkText(name);
        if (isOwn && text === linkTextTo(kind, name)) return [{ name, isLink: true }];
        shared ??= sharedFolderIn(root, realRoot, kind);
        const link = join(isOwn ? join(parent, kind) : path, name);
        return [{ name, isLink: true, end: followLink(link, text, realRoot, shared, recordNext()) }];
      } catch (error) {
        // The entry was removed or replaced in the meantime.
        if (isNotFound(error) || systemCode(error) === 'EINVAL') return [];
        throw error;
      }
    }),
    ...(isOwn ? {} : { isLinked: true }),
  });
  try {
    const stats = record.lstat(join(parent, kind));
    return (stats && withLinkFolder(kind, places, stats, readLinks)) ?? NO_FOLDER;
  } catch (error) {
    record.neverReuse();
    if (!(error instanceof AppError)) return { problem: entryProblemOf(error, `This agent’s "${kind}"`) };
    // pi finds no links in a file either.
    return error.code === 'not_a_directory'
      ? NO_FOLDER
      : { problem: { code: 'unreadable', message: error.text } };
  }
};

/** Whether each entry of one shared folder is a link whose target is missing, by the entry's name. */
export type SharedStates = Pick<ReadonlyMap<string, boolean>, 'get' | 'has'>;

/** Creates the states of the shared entries. They're the same object until something changes. */
const createSharedStates = (root: Root, entries: RootEntries) => {
  const toStates = byKind(() =>
    createMemo((names: readonly string[], broken: string): SharedStates => {
      const all = new Set(broken.split('/'));
      return new Map(names.map((name) => [name, all.has(name)]));
    }),
  );
  return (kind: LinkKind, at: ScanContext): SharedStates => {
    const pathOf = (name: string) => join(root.shared(kind), name);
    const names = isSharedInside(root, kind) ? unlessRefused(() => entries.shared(kind, at)) : undefined;
    if (!names) {
      at.miss();
      const get = (name: string) => (isBrokenSync(pathOf(name)) ? undefined : false);
      // The folder can't be listed. A new object each time, so that nothing that depends on it is reused.
      return { get, has: (name) => get(name) !== undefined };
    }
    const broken = entries.sharedLinks(kind, at).filter((name) => {
      coverTarget(pathOf(name), at);
      return isBrokenSync(pathOf(name));
    });
    return toStates[kind](names, broken.join('/'));
  };
};

/** Creates the link folders of all agents and teams, and the states of the shared entries, for the disk thread. */
export const createLinkFolders = (root: Root, entries: RootEntries) => {
  const readIn = (place: string, prefix: string) =>
    createKept((name, record): AgentFolders => {
      const path = join(place, name);
      const folders = byKind((kind) => readFolder(root, kind, path, record));
      return { id: `${prefix}${name}`, path, folders };
    });
  const agents = readIn(root.agents, '');
  const teams = readIn(join(root.path, 'teams'), TEAM_PREFIX);
  const shared = createSharedStates(root, entries);
  return {
    /** Returns one agent's folders. */
    agent: agents.one,
    /** Throws `root_unavailable`. */
    agents: (at: ScanContext): readonly AgentFolders[] => agents.all(entries.agents(at), at),
    /** Teams link to the same shared entries. */
    teams: (at: ScanContext): readonly AgentFolders[] => teams.all(entries.teams(at), at),
    shared,
    /** Throws `outside_root`. */
    sharedInside(kind: LinkKind, at: ScanContext): SharedStates {
      requireSharedInside(root, kind);
      return shared(kind, at);
    },
  };
};

/** Returns whether a link's target is missing. */
export const isBrokenLink = ({ name, end }: FoundLink, shared: SharedStates): boolean =>
  end ? end.isBroken : shared.get(name) !== false;

/** Returns whether a broken link can be replaced with a link to the shared entry with its name. */
export const isRepairable = (folder: FoundFolder, { name }: FoundLink, shared: SharedStates): boolean =>
  shared.get(name) === false && !('problem' in folder) && !folder.isLinked;

/** Returns whether an entry is a link to the shared entry with its name. */
export const usesShared = ({ name, isLink, end }: FoundLink, shared: SharedStates): boolean =>
  isLink && shared.has(name) && (end?.through.includes(name) ?? true);
