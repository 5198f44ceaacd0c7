import { type BigIntStats, type Dirent, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TEAM_PREFIX } from '../../shared/api/catalog.ts';
import { byKind, isEntryName, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { AppError, entryProblemOf, isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { mayBeLinked } from '../platform/may-read.ts';
import { type InsideDirectory, withDirectoryInside } from '../platform/open-inside.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import type { Root } from '../platform/root.ts';
import { coverDirectory, type ScanContext } from '../root-model/coverage.ts';
import { createKept } from '../root-model/kept.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import { notADirectory } from './change-links.ts';
import { isBrokenSync, linkPassesThroughSync, linkTextTo } from './resolve-link.ts';

/** An entry in an agent's folder of links. */
export interface FoundLink {
  readonly name: string;
  /** False for the agent's own file or directory. */
  readonly isLink: boolean;
  /** True if dot-mi would write the same link text. Then only the shared entry decides whether the link is broken. */
  readonly isOurs: boolean;
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

const readLinks = (kind: LinkKind, { open, isOwn, items }: OpenFolder): ReadFolder => ({
  links: items.flatMap((item): FoundLink[] => {
    const { name } = item;
    if (!item.isSymbolicLink()) return [{ name, isLink: false, isOurs: false }];
    try {
      return [{ name, isLink: true, isOurs: isOwn && open.linkText(name) === linkTextTo(kind, name) }];
    } catch (error) {
      // The entry was removed or replaced in the meantime.
      if (isNotFound(error) || systemCode(error) === 'EINVAL') return [];
      throw error;
    }
  }),
  ...(isOwn ? {} : { isLinked: true }),
});

/** Reads a folder of links in a directory at `parent`. */
const readFolder = (kind: LinkKind, parent: string, places: LinkPlaces, record: PathRecord): FoundFolder => {
  try {
    const stats = record.lstat(join(parent, kind));
    return (stats && withLinkFolder(kind, places, stats, (folder) => readLinks(kind, folder))) ?? NO_FOLDER;
  } catch (error) {
    record.neverReuse();
    if (!(error instanceof AppError)) return { problem: entryProblemOf(error, `This agent’s "${kind}"`) };
    // pi finds no links in a file either.
    return error.code === 'not_a_directory'
      ? NO_FOLDER
      : { problem: { code: 'unreadable', message: error.text } };
  }
};

/** Creates the link folders of all agents and teams, for the disk thread. */
export const createLinkFolders = (root: Root, entries: RootEntries) => {
  const readIn = (place: string, prefix: string) =>
    createKept((name, record): AgentFolders => {
      const path = join(place, name);
      const realRoot = unlessRefused(() => realpathSync.native(root.path)) ?? root.path;
      const places = { realRoot, agent: join(realRoot, relative(root.path, path)) };
      const folders = byKind((kind) => readFolder(kind, path, places, record));
      return { id: `${prefix}${name}`, path, folders };
    });
  const agents = readIn(root.agents, '');
  const teams = readIn(join(root.path, 'teams'), TEAM_PREFIX);
  return {
    /** Throws `root_unavailable`. */
    agents: (at: ScanContext): readonly AgentFolders[] => agents.all(entries.agents(at), at),
    /** Teams link to the same shared entries. */
    teams: (at: ScanContext): readonly AgentFolders[] => teams.all(entries.teams(at), at),
  };
};

/** Creates a cache of shared entries for one scan, which checks each entry once. */
export const createSharedLook = (root: Root, at: ScanContext, kinds: readonly LinkKind[] = LINK_KINDS) => {
  for (const kind of kinds) coverDirectory(root.shared(kind), at);
  const known = byKind(() => new Map<string, { broken: boolean; isThere: boolean }>());
  const folders = new Map<LinkKind, string | undefined>();
  return {
    entry(kind: LinkKind, name: string) {
      const before = known[kind].get(name);
      if (before) return before;
      const path = join(root.shared(kind), name);
      const own = unlessRefused(() => lstatIfThere(path));
      // The link's target can disappear.
      if (own?.isSymbolicLink()) at.miss();
      const found = { broken: isBrokenSync(path), isThere: own !== undefined };
      known[kind].set(name, found);
      return found;
    },
    /** Returns the resolved folder of a kind. */
    folder(kind: LinkKind): string | undefined {
      if (!folders.has(kind))
        folders.set(
          kind,
          unlessRefused(() => realpathSync.native(root.shared(kind))),
        );
      return folders.get(kind);
    },
    miss: at.miss,
  };
};

/** A {@link createSharedLook}. */
export type SharedLook = ReturnType<typeof createSharedLook>;

/** Returns whether a link's target is missing. */
export const isBrokenLink = (
  agent: AgentFolders,
  kind: LinkKind,
  { name, isOurs }: FoundLink,
  shared: SharedLook,
): boolean => {
  if (isOurs) return shared.entry(kind, name).broken;
  shared.miss();
  return isBrokenSync(join(agent.path, kind, name));
};

/** Returns whether a broken link can be replaced with a link to the shared entry with its name. */
export const isRepairable = (
  { folders }: AgentFolders,
  kind: LinkKind,
  { name }: FoundLink,
  shared: SharedLook,
): boolean => {
  const entry = shared.entry(kind, name);
  const folder = folders[kind];
  return entry.isThere && !entry.broken && !('problem' in folder) && !folder.isLinked;
};

/** Returns whether an entry is a link to the shared entry with its name. */
export const usesShared = (
  agent: AgentFolders,
  kind: LinkKind,
  { name, isLink, isOurs }: FoundLink,
  shared: SharedLook,
): boolean => {
  if (!isLink || !shared.entry(kind, name).isThere) return false;
  if (isOurs) return true;
  shared.miss();
  const folder = shared.folder(kind);
  return folder !== undefined && linkPassesThroughSync(join(agent.path, kind, name), folder, name);
};
