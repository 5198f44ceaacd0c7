import { type Dirent, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { TEAM_PREFIX } from '../../shared/api/catalog.ts';
import { isAgentId, isEntryName, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { entryProblemOf } from '../platform/entry-problem.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { isInside, type Root, requireAgentsFolder } from '../platform/root.ts';
import { linkTextTo } from './link-text.ts';
import { isBrokenSync, linkPassesThroughSync } from './resolve-link.ts';

/** An entry of an agent's folder of links. */
export interface FoundLink {
  name: string;
  /** False for a file or directory of its own. */
  isLink: boolean;
  /** Whether dot-mi writes the same text. Then only the shared entry decides whether the link is broken. */
  isOurs: boolean;
}

/** What is known of one folder of links. The same object while the folder is unchanged. */
export interface KnownFolder {
  /** `links` is valid while the folder has this fingerprint. Undefined means read it every time. */
  fingerprint: string | undefined;
  links: readonly FoundLink[];
  /** Whether the folder itself is a link. dot-mi changes nothing in it. */
  isLinked?: true;
  /** Why the folder can't be read. */
  problem?: EntryProblem;
}

/** An agent or a team, and its folders of links. */
export interface KnownAgent {
  /** `team:<name>` for a team. */
  id: string;
  path: string;
  folders: Readonly<Record<LinkKind, KnownFolder>>;
}

const NO_FOLDER: KnownFolder = { fingerprint: undefined, links: [] };

/** Undefined if the system denies access. */
const ifReachable = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};

// pi loads them in this order.
const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const readLinks = (directory: string, kind: LinkKind, isOwn: boolean): FoundLink[] =>
  readdirSync(directory, { withFileTypes: true })
    .sort(byName)
    .flatMap((item): FoundLink[] => {
      if (!isEntryName(item.name)) return [];
      if (!item.isSymbolicLink()) return [{ name: item.name, isLink: false, isOurs: false }];
      try {
        const text = readlinkSync(join(directory, item.name));
        return [{ name: item.name, isLink: true, isOurs: isOwn && text === linkTextTo(kind, item.name) }];
      } catch (error) {
        // Removed or replaced meanwhile.
        if (isNotFound(error) || systemCode(error) === 'EINVAL') return [];
        throw error;
      }
    });

/** Creates a cache of shared entries for one scan, which checks each entry once. */
export const createSharedLook = (root: Root) => {
  const known: Record<LinkKind, Map<string, { broken: boolean; isThere: boolean }>> = {
    extensions: new Map(),
    skills: new Map(),
  };
  const folders = new Map<LinkKind, string | undefined>();
  return {
    entry(kind: LinkKind, name: string) {
      const before = known[kind].get(name);
      if (before) return before;
      const path = join(root.shared(kind), name);
      const found = {
        broken: isBrokenSync(path),
        isThere: ifReachable(() => lstatIfThere(path)) !== undefined,
      };
      known[kind].set(name, found);
      return found;
    },
    /** The resolved folder of a kind. */
    folder(kind: LinkKind): string | undefined {
      if (!folders.has(kind))
        folders.set(
          kind,
          ifReachable(() => realpathSync.native(root.shared(kind))),
        );
      return folders.get(kind);
    },
  };
};

/** A {@link createSharedLook}. */
export type SharedLook = ReturnType<typeof createSharedLook>;

/** Whether a link has no target. */
export const isBrokenLink = (
  agent: KnownAgent,
  kind: LinkKind,
  { name, isOurs }: FoundLink,
  shared: SharedLook,
): boolean => (isOurs ? shared.entry(kind, name).broken : isBrokenSync(join(agent.path, kind, name)));

/** Whether a broken link can be replaced with one to the shared entry of its name. */
export const isRepairable = (
  { folders }: KnownAgent,
  kind: LinkKind,
  { name }: FoundLink,
  shared: SharedLook,
): boolean => {
  const entry = shared.entry(kind, name);
  return entry.isThere && !entry.broken && !folders[kind].isLinked;
};

/** Whether an entry is a link to the shared entry of its name. */
export const usesShared = (
  agent: KnownAgent,
  kind: LinkKind,
  { name, isLink, isOurs }: FoundLink,
  shared: SharedLook,
): boolean => {
  if (!isLink || !shared.entry(kind, name).isThere) return false;
  const folder = shared.folder(kind);
  return (
    isOurs || (folder !== undefined && linkPassesThroughSync(join(agent.path, kind, name), folder, name))
  );
};

/**
 * Creates a blocking look at the link folders of all agents and teams, for the scanner thread. While nothing
 * changes, it costs two `lstat` per agent.
 */
export const createLinksLook = (root: Root) => {
  const teamsPath = join(root.path, 'teams');
  const listAgents = createDirectoryLister(
    root.agents,
    (entry) => entry.isDirectory() && isAgentId(entry.name),
  );
  const listTeams = createDirectoryLister(
    teamsPath,
    (entry) => entry.isDirectory() && isEntryName(entry.name),
  );
  let known = new Map<string, KnownAgent>();
  let knownTeams = new Map<string, KnownAgent>();

  const lookAtFolder = (
    directory: string,
    kind: LinkKind,
    before: KnownFolder | undefined,
    nowMs: number,
  ) => {
    const stats = lstatIfThere(directory);
    if (stats?.isDirectory()) {
      const fingerprint = fingerprintOf(stats);
      if (before && before.fingerprint === fingerprint.text) return before;
      const links = readLinks(directory, kind, true);
      return { links, fingerprint: isSettled(fingerprint, nowMs) ? fingerprint.text : undefined };
    }
    // SECURITY: a linked folder may be read, but only while it stays in the root.
    if (!stats?.isSymbolicLink() || !statIfThere(directory)?.isDirectory()) return NO_FOLDER;
    if (!isInside(realpathSync.native(root.path), realpathSync.native(directory))) return NO_FOLDER;
    return { links: readLinks(directory, kind, false), fingerprint: undefined, isLinked: true as const };
  };

  const lookAtEach = (
    entries: readonly Dirent[],
    place: string,
    prefix: string,
    before: ReadonlyMap<string, KnownAgent>,
    nowMs: number,
    kinds: readonly LinkKind[],
  ): Map<string, KnownAgent> => {
    const next = new Map<string, KnownAgent>();
    for (const { name } of entries) {
      const path = join(place, name);
      const folders = before.get(name)?.folders;
      const folder = (kind: LinkKind): KnownFolder => {
        if (!kinds.includes(kind)) return folders?.[kind] ?? NO_FOLDER;
        try {
          return lookAtFolder(join(path, kind), kind, folders?.[kind], nowMs);
        } catch (error) {
          // Removed meanwhile.
          if (isNotFound(error)) return NO_FOLDER;
          return { ...NO_FOLDER, problem: entryProblemOf(error, `This agent's "${kind}"`) };
        }
      };
      next.set(name, {
        id: `${prefix}${name}`,
        path,
        folders: { extensions: folder('extensions'), skills: folder('skills') },
      });
    }
    return next;
  };

  return {
    /** Looks at the folders of `kinds`. Others are as in an earlier look. Throws `root_unavailable`. */
    agents(nowMs: number, kinds: readonly LinkKind[] = LINK_KINDS): Iterable<KnownAgent> {
      requireAgentsFolder(root);
      known = lookAtEach(listAgents(nowMs).entries, root.agents, '', known, nowMs, kinds);
      return known.values();
    },

    /** The teams, which link to the same shared entries. A linked or unreadable folder of teams has none. */
    teams(nowMs: number, kinds: readonly LinkKind[] = LINK_KINDS): Iterable<KnownAgent> {
      const entries = ifReachable(() =>
        lstatIfThere(teamsPath)?.isDirectory() ? listTeams(nowMs).entries : [],
      );
      knownTeams = lookAtEach(entries ?? [], teamsPath, TEAM_PREFIX, knownTeams, nowMs, kinds);
      return knownTeams.values();
    },
  };
};
