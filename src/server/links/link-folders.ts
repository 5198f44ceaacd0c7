import { type Dirent, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TEAM_PREFIX } from '../../shared/api/catalog.ts';
import { byKind, isEntryName, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { coverDirectory, type ScanContext, type WatchCoverage } from '../disk/coverage.ts';
import { entryProblemOf, isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { agentIdOf, createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { mayBeLinked } from '../platform/may-read.ts';
import { type InsideDirectory, withDirectoryInside } from '../platform/open-inside.ts';
import { type Root, requireAgentsFolder } from '../platform/root.ts';
import { isBrokenSync, linkPassesThroughSync, linkTextTo } from './resolve-link.ts';

/** An entry in an agent's folder of links. */
interface FoundLink {
  name: string;
  /** False for the agent's own file or directory. */
  isLink: boolean;
  /** True if dot-mi would write the same link text. Then only the shared entry decides whether the link is broken. */
  isOurs: boolean;
}

/** A folder of links. The same object while the folder is unchanged. */
export interface KnownFolder {
  /** `links` is valid while the folder has this fingerprint. If undefined, it's read every time. */
  fingerprint: string | undefined;
  cover: WatchCoverage | undefined;
  links: readonly FoundLink[];
  /** True if the folder itself is a link. dot-mi changes nothing in it. */
  isLinked?: true;
  /** The reason why the folder can't be read. */
  problem?: EntryProblem;
}

/** An agent or a team, and its folders of links. */
export interface KnownAgent {
  /** `team:<name>` for a team. */
  id: string;
  path: string;
  folders: Readonly<Record<LinkKind, KnownFolder>>;
}

const NO_FOLDER: KnownFolder = { fingerprint: undefined, cover: undefined, links: [] };

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
  agent: KnownAgent,
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
  { folders }: KnownAgent,
  kind: LinkKind,
  { name }: FoundLink,
  shared: SharedLook,
): boolean => {
  const entry = shared.entry(kind, name);
  return entry.isThere && !entry.broken && !folders[kind].isLinked;
};

/** Returns whether an entry is a link to the shared entry with its name. */
export const usesShared = (
  agent: KnownAgent,
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

/**
 * Creates a blocking scan of all agents' and teams' link folders, for the disk thread. Without a watch, it costs one
 * `lstat` per agent and kind.
 */
export const createLinksLook = (root: Root) => {
  const teamsPath = join(root.path, 'teams');
  const listAgents = createDirectoryLister(root.path, root.agents, agentIdOf);
  const listTeams = createDirectoryLister(root.path, teamsPath, (entry) =>
    entry.isDirectory() && isEntryName(entry.name) ? entry.name : undefined,
  );
  let known = new Map<string, KnownAgent>();
  let knownTeams = new Map<string, KnownAgent>();

  /** Makes the watch cover a folder, or its parent if the folder is missing. Returns the folder's state after that. */
  const coverFolder = (directory: string, before: WatchCoverage | undefined, at: ScanContext) => {
    const stats = lstatIfThere(directory);
    const isThere = stats?.isDirectory() ?? false;
    if (stats && !isThere) {
      at.miss();
      return { stats, cover: undefined };
    }
    const cover = at.cover(before, isThere ? directory : dirname(directory));
    if (cover === before) return { stats, cover };
    const after = lstatIfThere(directory);
    if ((after?.isDirectory() ?? false) === isThere) return { stats: after, cover };
    at.miss();
    return { stats: after, cover: undefined };
  };

  const read = (directory: string, kind: LinkKind, isOwn: boolean) =>
    withDirectoryInside([realpathSync.native(root.path)], directory, (open) => readLinks(open, kind, isOwn));

  const lookAtFolder = (
    directory: string,
    kind: LinkKind,
    before: KnownFolder | undefined,
    at: ScanContext,
  ) => {
    if (before && at.isSame(before.cover)) return before;
    const { stats, cover } = coverFolder(directory, before?.cover, at);
    if (stats?.isDirectory()) {
      const fingerprint = fingerprintOf(stats);
      if (before && before.fingerprint === fingerprint.text) {
        // Keep the same object, so that its row of the matrix stays cached.
        before.cover = cover;
        return before;
      }
      const links = read(directory, kind, true);
      return { links, fingerprint: mayKeepRead(fingerprint, at.nowMs) ? fingerprint.text : undefined, cover };
    }
    if (!stats) return { ...NO_FOLDER, cover };
    // SECURITY: a linked folder can be read only while it stays in the root.
    if (!stats.isSymbolicLink() || !statIfThere(directory)?.isDirectory()) return NO_FOLDER;
    const realRoot = realpathSync.native(root.path);
    const real = realpathSync.native(directory);
    if (!mayBeLinked(real, real, realRoot)) return NO_FOLDER;
    return {
      ...NO_FOLDER,
      links: read(real, kind, false),
      isLinked: true as const,
    };
  };

  const lookAtEach = (
    names: readonly string[],
    place: string,
    prefix: string,
    before: ReadonlyMap<string, KnownAgent>,
    at: ScanContext,
    kinds: readonly LinkKind[],
  ): Map<string, KnownAgent> => {
    const next = new Map<string, KnownAgent>();
    for (const name of names) {
      const path = join(place, name);
      const folders = before.get(name)?.folders;
      const folder = (kind: LinkKind): KnownFolder => {
        if (!kinds.includes(kind)) return folders?.[kind] ?? NO_FOLDER;
        try {
          return lookAtFolder(join(path, kind), kind, folders?.[kind], at);
        } catch (error) {
          at.miss();
          // The folder was removed in the meantime.
          if (isNotFound(error)) return NO_FOLDER;
          return { ...NO_FOLDER, problem: entryProblemOf(error, `This agent’s "${kind}"`) };
        }
      };
      next.set(name, { id: `${prefix}${name}`, path, folders: byKind(folder) });
    }
    return next;
  };

  return {
    /** Scans the folders of `kinds`. Others keep their earlier result. Throws `root_unavailable`. */
    agents(at: ScanContext, kinds: readonly LinkKind[] = LINK_KINDS): Iterable<KnownAgent> {
      at.coverAlso(root.agents);
      requireAgentsFolder(root);
      known = lookAtEach(listAgents(at.nowMs).entries, root.agents, '', known, at, kinds);
      return known.values();
    },

    /**
     * Scans teams, which link to the same shared entries. If the folder of teams is linked or unreadable, it counts
     * as empty.
     */
    teams(at: ScanContext, kinds: readonly LinkKind[] = LINK_KINDS): Iterable<KnownAgent> {
      const entries = unlessRefused(() =>
        coverFolder(teamsPath, undefined, at).stats?.isDirectory() ? listTeams(at.nowMs).entries : [],
      );
      if (!entries) at.miss();
      knownTeams = lookAtEach(entries ?? [], teamsPath, TEAM_PREFIX, knownTeams, at, kinds);
      return knownTeams.values();
    },
  };
};
