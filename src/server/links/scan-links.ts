import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedEntryUsage, UnreadAgent } from '../../shared/api/catalog.ts';
import type { AgentLinkCounts } from '../../shared/api/links.ts';
import { isAgentId, isEntryName, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { entryProblemOf } from '../platform/entry-problem.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { isInside, type Root } from '../platform/root.ts';
import { requireSharedInside } from '../platform/shared-folder.ts';
import { linkTextTo } from './link-text.ts';
import { isBrokenSync, linkPassesThroughSync } from './resolve-link.ts';

/** A symlink of an agent. */
interface FoundLink {
  name: string;
  /** Whether dot-mi writes the same text. Then only the shared entry decides whether the link is broken. */
  isOurs: boolean;
}

interface KnownFolder {
  /** `links` is valid while the folder has this fingerprint. Undefined means read it every time. */
  fingerprint: string | undefined;
  links: readonly FoundLink[];
  /** Why the folder can't be read. */
  problem?: EntryProblem;
}

interface KnownAgent {
  id: string;
  folders: Readonly<Record<LinkKind, KnownFolder>>;
}

const NO_FOLDER: KnownFolder = { fingerprint: undefined, links: [] };

const problemOf = (folders: KnownAgent['folders']): EntryProblem | undefined =>
  LINK_KINDS.map((kind) => folders[kind].problem).find((problem) => problem !== undefined);

/** Which agents use which shared entry, and the agents for which nobody knows. */
interface Usage {
  usage: SharedEntryUsage[];
  unread?: UnreadAgent[];
}

const isSameUnread = (a: Usage, b: Usage): boolean =>
  JSON.stringify(a.unread ?? []) === JSON.stringify(b.unread ?? []);

/** Undefined if the system denies access. */
const ifReachable = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};

const readLinks = (directory: string, kind: LinkKind, isOwn: boolean): FoundLink[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((item): FoundLink[] => {
    if (!item.isSymbolicLink() || !isEntryName(item.name)) return [];
    try {
      const text = readlinkSync(join(directory, item.name));
      return [{ name: item.name, isOurs: isOwn && text === linkTextTo(kind, item.name) }];
    } catch (error) {
      // Removed or replaced meanwhile.
      if (isNotFound(error) || systemCode(error) === 'EINVAL') return [];
      throw error;
    }
  });

/** Creates a cache of shared entries for one scan, which checks each entry once. */
const createSharedLook = (root: Root) => {
  const byPath = new Map<string, { broken: boolean; isThere: boolean }>();
  const folders = new Map<LinkKind, string | undefined>();
  return {
    entry(kind: LinkKind, name: string) {
      const path = join(root.shared(kind), name);
      const known = byPath.get(path);
      if (known) return known;
      const found = {
        broken: isBrokenSync(path),
        isThere: ifReachable(() => lstatIfThere(path)) !== undefined,
      };
      byPath.set(path, found);
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

type SharedLook = ReturnType<typeof createSharedLook>;

/**
 * Creates blocking scans of the links of all agents, for the scanner thread.
 *
 * While nothing changes, they cost two `lstat` per agent and one or two per shared entry: a link with our
 * text is as broken as the entry it names. Only links with another text are followed each time. Each scan
 * returns the same object while its result is equal. Throws `root_unavailable`. `usage` also throws
 * `outside_root`.
 */
export const createLinksScan = (root: Root) => {
  const listAgents = createDirectoryLister(
    root.agents,
    (entry) => entry.isDirectory() && isAgentId(entry.name),
  );
  let known = new Map<string, KnownAgent>();
  let counted: { agents: AgentLinkCounts[] } = { agents: [] };
  const used: Record<LinkKind, Usage> = {
    extensions: { usage: [] },
    skills: { usage: [] },
  };

  const lookAtFolder = (
    id: string,
    kind: LinkKind,
    before: KnownFolder | undefined,
    nowMs: number,
  ): KnownFolder => {
    const directory = join(root.agent(id), kind);
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
    return { links: readLinks(directory, kind, false), fingerprint: undefined };
  };

  const look = (nowMs: number): Iterable<KnownAgent> => {
    const place = lstatIfThere(root.agents);
    // SECURITY: agents in a linked folder are outside the root, as for the list of agents.
    if (place && !place.isDirectory()) {
      throw new AppError(
        'root_unavailable',
        '"agents" in the root is not a regular directory. Move it away or replace it with a directory.',
      );
    }
    const next = new Map<string, KnownAgent>();
    for (const { name: id } of listAgents(nowMs).entries) {
      const before = known.get(id)?.folders;
      const folder = (kind: LinkKind): KnownFolder => {
        try {
          return lookAtFolder(id, kind, before?.[kind], nowMs);
        } catch (error) {
          // Removed meanwhile.
          if (isNotFound(error)) return NO_FOLDER;
          return { ...NO_FOLDER, problem: entryProblemOf(error, `This agent's "${kind}"`) };
        }
      };
      next.set(id, { id, folders: { extensions: folder('extensions'), skills: folder('skills') } });
    }
    known = next;
    return next.values();
  };

  const isBroken = (id: string, kind: LinkKind, { name, isOurs }: FoundLink, shared: SharedLook) =>
    isOurs ? shared.entry(kind, name).broken : isBrokenSync(join(root.agent(id), kind, name));

  const usesShared = (id: string, kind: LinkKind, { name, isOurs }: FoundLink, shared: SharedLook) => {
    if (!shared.entry(kind, name).isThere) return false;
    const folder = shared.folder(kind);
    return (
      isOurs ||
      (folder !== undefined && linkPassesThroughSync(join(root.agent(id), kind, name), folder, name))
    );
  };

  return {
    counts(nowMs: number): { agents: AgentLinkCounts[] } {
      const shared = createSharedLook(root);
      const agents: AgentLinkCounts[] = [];
      for (const { id, folders } of look(nowMs)) {
        let links = 0;
        let brokenLinks = 0;
        for (const kind of LINK_KINDS) {
          for (const link of folders[kind].links) {
            links++;
            if (isBroken(id, kind, link, shared)) brokenLinks++;
          }
        }
        const problem = problemOf(folders);
        if (links > 0 || problem) agents.push({ id, links, brokenLinks, ...(problem ? { problem } : {}) });
      }
      const same =
        agents.length === counted.agents.length &&
        agents.every((now, i) => {
          const before = counted.agents[i];
          return (
            now.id === before?.id &&
            now.links === before.links &&
            now.brokenLinks === before.brokenLinks &&
            now.problem?.message === before.problem?.message
          );
        });
      if (!same) counted = { agents };
      return counted;
    },

    usage(kind: LinkKind, nowMs: number): Usage {
      requireSharedInside(root, kind);
      const shared = createSharedLook(root);
      const byName = new Map<string, string[]>();
      const unread: UnreadAgent[] = [];
      for (const { id, folders } of look(nowMs)) {
        const { problem } = folders[kind];
        if (problem) unread.push({ id, problem });
        for (const link of folders[kind].links) {
          if (!usesShared(id, kind, link, shared)) continue;
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
  };
};
