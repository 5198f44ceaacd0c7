import type { SharedEntryUsage, UnreadAgent } from '../../shared/api/catalog.ts';
import type { AgentLinkCounts, BrokenLink } from '../../shared/api/links.ts';
import { byKind, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import type { ScanContext } from '../root-model/coverage.ts';
import { createMemo } from '../root-model/kept.ts';
import {
  type AgentFolders,
  type createLinkFolders,
  isBrokenLink,
  isRepairable,
  linksIn,
  type SharedStates,
  usesShared,
} from '../root-model/link-folders.ts';

/** Which agents use which shared entries, and the agents whose links are unknown. */
interface Usage {
  usage: SharedEntryUsage[];
  unread?: UnreadAgent[];
}

const usageOf = (
  kind: LinkKind,
  shared: SharedStates,
  agents: readonly AgentFolders[],
  teams: readonly AgentFolders[],
): Usage => {
  const byName = new Map<string, string[]>();
  const unread: UnreadAgent[] = [];
  for (const { id, folders } of [...agents, ...teams]) {
    for (const link of linksIn(folders[kind], (problem) => void unread.push({ id, problem }))) {
      if (!usesShared(link, shared)) continue;
      const ids = byName.get(link.name);
      if (ids) ids.push(id);
      else byName.set(link.name, [id]);
    }
  }
  const usage = Array.from(byName, ([name, ids]) => ({ name, agents: ids }));
  usage.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { usage, ...(unread.length > 0 ? { unread } : {}) };
};

/** Counts an agent's links. Undefined if it has none. */
const countsOf = (
  { id, folders }: AgentFolders,
  shared: (kind: LinkKind) => SharedStates,
): AgentLinkCounts | undefined => {
  let links = 0;
  const broken: BrokenLink[] = [];
  let problem: EntryProblem | undefined;
  for (const kind of LINK_KINDS) {
    for (const link of linksIn(folders[kind], (found) => (problem ??= found))) {
      if (!link.isLink) continue;
      links++;
      if (!isBrokenLink(link, shared(kind))) continue;
      broken.push({ kind, name: link.name, repairable: isRepairable(folders[kind], link, shared(kind)) });
    }
  }
  if (links === 0 && !problem) return undefined;
  return {
    id,
    links,
    brokenLinks: broken.length,
    ...(broken.length > 0 ? { broken } : {}),
    ...(problem ? { problem } : {}),
  };
};

/**
 * Creates what lists say about the links of all agents, from what the model read of them. Throws `root_unavailable`.
 * `usage` also throws `outside_root`.
 */
export const createLinkViews = (links: ReturnType<typeof createLinkFolders>) => {
  const toCounts = createMemo((agents: readonly AgentFolders[], ...states: readonly SharedStates[]) => {
    const ofKind = Object.fromEntries(LINK_KINDS.map((kind, i) => [kind, states[i]]));
    // TypeScript can't see that there is one state for each kind.
    const shared = (kind: LinkKind) => ofKind[kind] as SharedStates;
    return { agents: agents.flatMap((agent) => countsOf(agent, shared) ?? []) };
  });
  const toUsage = byKind((kind) =>
    createMemo((...read: [SharedStates, readonly AgentFolders[], readonly AgentFolders[]]) =>
      usageOf(kind, ...read),
    ),
  );
  return {
    counts: (at: ScanContext): { agents: AgentLinkCounts[] } =>
      toCounts(links.agents(at), ...LINK_KINDS.map((kind) => links.shared(kind, at))),
    usage: (kind: LinkKind, at: ScanContext): Usage =>
      toUsage[kind](links.sharedInside(kind, at), links.agents(at), links.teams(at)),
  };
};
