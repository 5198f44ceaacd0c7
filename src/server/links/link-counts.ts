import type { Switches } from '../../pi/switched-off.ts';
import type { SharedEntryUsage, UnreadAgent } from '../../shared/api/catalog.ts';
import type { AgentLinkCounts, BrokenLink } from '../../shared/api/links.ts';
import { byKind, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import type { Root } from '../platform/root.ts';
import { requireSharedInside } from '../platform/shared-folder.ts';
import type { ScanContext } from '../root-model/coverage.ts';
import type { Kept } from '../root-model/kept.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import {
  createLinkFolders,
  createSharedLook,
  isBrokenLink,
  isRepairable,
  linksIn,
  usesShared,
} from './link-folders.ts';
import { createMatrixScan, type MatrixEntry } from './scan-matrix.ts';

const isSameBroken = (now: readonly BrokenLink[] = [], before: readonly BrokenLink[] = []): boolean =>
  now.length === before.length &&
  now.every(
    ({ kind, name, repairable }, i) =>
      kind === before[i]?.kind && name === before[i].name && repairable === before[i].repairable,
  );

/** Which agents use which shared entries, and the agents whose links are unknown. */
interface Usage {
  usage: SharedEntryUsage[];
  unread?: UnreadAgent[];
}

const isSameUnread = (a: Usage, b: Usage): boolean =>
  JSON.stringify(a.unread ?? []) === JSON.stringify(b.unread ?? []);

/**
 * Creates blocking scans of all agents' links, for the disk thread. `localNames` reads the names of entries in an
 * agent's directory, for the kinds that pi names by their content.
 *
 * A link with our text is broken only if its shared entry is. Other links are followed every time. Each scan returns
 * the same object until its result changes. Throws `root_unavailable`. `usage` and `matrix` also throw `outside_root`.
 */
export const createLinksScan = (
  root: Root,
  entries: RootEntries,
  localNames: Partial<Record<LinkKind, Kept<string>>>,
) => {
  const look = createLinkFolders(root, entries);
  let counted: { agents: AgentLinkCounts[] } = { agents: [] };
  const used = byKind((): Usage => ({ usage: [] }));
  const matrices = byKind((kind) => createMatrixScan(root, kind, localNames[kind]));

  return {
    counts(at: ScanContext): { agents: AgentLinkCounts[] } {
      const shared = createSharedLook(root, at);
      const agents: AgentLinkCounts[] = [];
      for (const agent of look.agents(at)) {
        const { id, folders } = agent;
        let links = 0;
        const broken: BrokenLink[] = [];
        let problem: EntryProblem | undefined;
        for (const kind of LINK_KINDS) {
          for (const link of linksIn(folders[kind], (found) => (problem ??= found))) {
            if (!link.isLink) continue;
            links++;
            if (!isBrokenLink(agent, kind, link, shared)) continue;
            broken.push({ kind, name: link.name, repairable: isRepairable(agent, kind, link, shared) });
          }
        }
        if (links === 0 && !problem) continue;
        agents.push({
          id,
          links,
          brokenLinks: broken.length,
          ...(broken.length > 0 ? { broken } : {}),
          ...(problem ? { problem } : {}),
        });
      }
      const same =
        agents.length === counted.agents.length &&
        agents.every((now, i) => {
          const before = counted.agents[i];
          return (
            now.id === before?.id &&
            now.links === before.links &&
            isSameBroken(now.broken, before.broken) &&
            now.problem?.message === before.problem?.message
          );
        });
      if (!same) counted = { agents };
      return counted;
    },

    usage(kind: LinkKind, at: ScanContext): Usage {
      requireSharedInside(root, kind);
      const shared = createSharedLook(root, at, [kind]);
      const byName = new Map<string, string[]>();
      const unread: UnreadAgent[] = [];
      for (const agent of [...look.agents(at), ...look.teams(at)]) {
        const { id, folders } = agent;
        const report = (problem: EntryProblem) => void unread.push({ id, problem });
        for (const link of linksIn(folders[kind], report)) {
          if (!usesShared(agent, kind, link, shared)) continue;
          const agents = byName.get(link.name);
          if (agents) agents.push(id);
          else byName.set(link.name, [id]);
        }
      }
      const usage = Array.from(byName, ([name, agents]) => ({ name, agents })).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
      const now: Usage = { usage, ...(unread.length > 0 ? { unread } : {}) };
      const before = used[kind].usage;
      const same =
        isSameUnread(now, used[kind]) &&
        usage.length === before.length &&
        usage.every(
          ({ name, agents }, i) =>
            name === before[i]?.name &&
            agents.length === before[i].agents.length &&
            agents.every((id, j) => id === before[i]?.agents[j]),
        );
      if (!same) used[kind] = now;
      return used[kind];
    },

    /** `shared` are the catalog's entries of this kind, and `switches` what the agents' settings switch off. */
    matrix(
      kind: LinkKind,
      shared: readonly MatrixEntry[],
      switches: ReadonlyMap<string, Switches>,
      at: ScanContext,
    ) {
      requireSharedInside(root, kind);
      return matrices[kind](shared, look.agents(at), switches, createSharedLook(root, at, [kind]), at);
    },
  };
};
