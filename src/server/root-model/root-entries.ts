import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { byKind, isEntryName, type LinkKind } from '../../shared/api/names.ts';
import { unlessRefused } from '../platform/app-error.ts';
import { agentIdOf, createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { type Root, requireAgentsFolder } from '../platform/root.ts';
import { requireSharedInside } from '../platform/shared-folder.ts';
import { coverDirectory, type ScanContext } from './coverage.ts';

/** The names of what a root contains, sorted. Each list is the same array while it's unchanged. Blocks. */
export interface RootEntries {
  /** The ids of the agents. Throws `root_unavailable`. */
  agents(at: ScanContext): readonly string[];
  /** The other folders and links in `agents`. Throws `root_unavailable`. */
  others(at: ScanContext): readonly string[];
  /** The names of the teams. Empty if their folder is a link or can't be read. */
  teams(at: ScanContext): readonly string[];
  /** The entries of a shared folder. Throws `outside_root`. */
  shared(kind: LinkKind, at: ScanContext): readonly string[];
  /** Those of them that are links. Throws `outside_root`. */
  sharedLinks(kind: LinkKind, at: ScanContext): readonly string[];
}

export const createRootEntries = (root: Root): RootEntries => {
  const teamsPath = join(root.path, 'teams');
  const listAgents = createDirectoryLister(root.path, root.agents, agentIdOf);
  const listOthers = createDirectoryLister(root.path, root.agents, (entry) =>
    agentIdOf(entry) === undefined && (entry.isDirectory() || entry.isSymbolicLink())
      ? entry.name
      : undefined,
  );
  const listTeams = createDirectoryLister(root.path, teamsPath, (entry) =>
    entry.isDirectory() && isEntryName(entry.name) ? entry.name : undefined,
  );
  const listersOf = (isListed: (entry: Dirent) => boolean) =>
    byKind((kind) =>
      createDirectoryLister(root.path, root.shared(kind), (entry) =>
        isEntryName(entry.name) && isListed(entry) ? entry.name : undefined,
      ),
    );
  const listShared = listersOf(() => true);
  const listSharedLinks = listersOf((entry) => entry.isSymbolicLink());

  const ofAgents = (list: typeof listAgents, at: ScanContext): readonly string[] => {
    at.coverAlso(root.agents);
    requireAgentsFolder(root);
    return list(at.nowMs).entries;
  };

  const ofShared = (listers: typeof listShared, kind: LinkKind, at: ScanContext): readonly string[] => {
    coverDirectory(root.shared(kind), at);
    requireSharedInside(root, kind);
    return listers[kind](at.nowMs).entries;
  };

  return {
    agents: (at) => ofAgents(listAgents, at),
    others: (at) => ofAgents(listOthers, at),
    teams(at) {
      const names = unlessRefused(() => {
        coverDirectory(teamsPath, at);
        // SECURITY: teams in a linked directory are outside the root.
        return lstatIfThere(teamsPath)?.isDirectory() ? listTeams(at.nowMs).entries : [];
      });
      if (!names) at.miss();
      return names ?? [];
    },
    shared: (kind, at) => ofShared(listShared, kind, at),
    sharedLinks: (kind, at) => ofShared(listSharedLinks, kind, at),
  };
};
