import { type Dirent, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TEAM_PREFIX } from '../../shared/api/catalog.ts';
import { byKind, isEntryName, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { entryProblemOf, isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import { mayBeLinked } from '../platform/may-read.ts';
import { type InsideDirectory, withDirectoryInside } from '../platform/open-inside.ts';
import type { Root } from '../platform/root.ts';
import { coverDirectory, type ScanContext } from '../root-model/coverage.ts';
import { createKept } from '../root-model/kept.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
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

const readLinks = (directory: InsideDirectory, kind: LinkKind, isOwn: boolean): FoundLink[] =>
  directory
    .list()
    .sort(byName)
    .flatMap((item): FoundLink[] => {
      if (!isEntryName(item.name)) return [];
      if (!item.isSymbolicLink()) return [{ name: item.name, isLink: false, isOurs: false }];
      try {
        const text = directory.linkText(item.name);
        return [{ name: item.name, isLink: true, isOurs: isOwn && text === linkTextTo(kind, item.name) }];
      } catch (error) {
        // The entry was removed or replaced in the meantime.
        if (isNotFound(error) || systemCode(error) === 'EINVAL') return [];
        throw error;
      }
    });

/** Reads a folder of links. `parent` is the path of its directory, and `realParent` the same without links. */
const readFolder = (
  kind: LinkKind,
  parent: string,
  { realParent, realRoot }: { readonly realParent: string; readonly realRoot: string },
  record: PathRecord,
): FoundFolder => {
  const directory = join(parent, kind);
  // SECURITY: exactly this directory, which can be swapped for a link to another agent's or the trash by now.
  const read = (place: string, isOwn: boolean) =>
    withDirectoryInside([place], place, (open) => readLinks(open, kind, isOwn));
  try {
    const own = record.lstat(directory);
    if (own?.isDirectory()) return { links: read(join(realParent, kind), true) };
    // SECURITY: a linked folder can be read only while it stays in the root.
    if (!own?.isSymbolicLink() || !record.stat(directory)?.isDirectory()) return NO_FOLDER;
    const real = realpathSync.native(directory);
    return mayBeLinked(real, real, realRoot) ? { links: read(real, false), isLinked: true } : NO_FOLDER;
  } catch (error) {
    record.neverReuse();
    // The folder was removed in the meantime.
    if (isNotFound(error)) return NO_FOLDER;
    return { problem: entryProblemOf(error, `This agent’s "${kind}"`) };
  }
};

/** Creates the link folders of all agents and teams, for the disk thread. */
export const createLinkFolders = (root: Root, entries: RootEntries) => {
  const readIn = (place: string, prefix: string) =>
    createKept((name, record): AgentFolders => {
      const path = join(place, name);
      const realRoot = unlessRefused(() => realpathSync.native(root.path)) ?? root.path;
      const places = { realRoot, realParent: join(realRoot, relative(root.path, path)) };
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
