import type { BigIntStats, Dirent } from 'node:fs';
import { join } from 'node:path';
import type { AgentListEntry, HiddenFolder } from '../../shared/api/agents.ts';
import { EDITABLE_FILES } from '../../shared/api/names.ts';
import type { ScanContext, WatchCoverage } from '../disk/coverage.ts';
import { entryProblemOf, systemCode } from '../platform/app-error.ts';
import { type Fingerprint, fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { agentIdOf, createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { type Root, requireAgentsFolder } from '../platform/root.ts';
import { isHalfCopy } from './copy-agent.ts';

interface KnownAgent {
  entry: AgentListEntry;
  /** `entry` is valid while the agent has this fingerprint. If undefined, `entry` is checked every time. */
  fingerprint: string | undefined;
  cover: WatchCoverage | undefined;
}

/** The list of agents, and the folders that aren't listed. */
interface FoundAgents {
  agents: AgentListEntry[];
  hidden?: HiddenFolder[];
}

const isSameEntry = (a: AgentListEntry, b: AgentListEntry) =>
  a.workspace === b.workspace &&
  a.changedAt === b.changedAt &&
  a.missingFiles?.join() === b.missingFiles?.join() &&
  a.problem?.code === b.problem?.code &&
  a.problem?.message === b.problem?.message;

const NOTHING_HIDDEN: HiddenFolder[] = [];

const NS_PER_MS = 1_000_000n;

const changedAtOf = (stats: readonly (BigIntStats | undefined)[]): string => {
  const times = stats.map((found) => (found ? Number(found.mtimeNs / NS_PER_MS) : 0));
  return new Date(Math.max(...times)).toISOString();
};

const SYSTEM_MD_IS_NO_FILE = {
  code: 'not_a_file',
  message:
    'SYSTEM.md is not a regular file, so pi has no prompt to read. Remove it or move it somewhere else.',
} as const;

/** Returns whether a path is taken. A link counts if its target exists or dot-mi has no permission to see it. */
const isTargetThere = (path: string): boolean => {
  try {
    return statIfThere(path) !== undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
};

const PROBLEMS = {
  link: {
    code: 'linked_agent',
    message:
      'It is a symlink, and dot-mi manages only agents inside the root. Replace the symlink with the folder itself.',
  },
  dot: {
    code: 'unsupported_name',
    message:
      'An agent id can’t start with a dot. Rename the folder so that its name starts with a letter or digit.',
  },
  name: {
    code: 'unsupported_name',
    message:
      'Its name can’t be an agent id. Rename it, using only letters, digits, ".", "_" and "-", and at most 64 characters.',
  },
} as const;

const hiddenFolder = (entry: Dirent): HiddenFolder => ({
  name: entry.name,
  problem: PROBLEMS[entry.isSymbolicLink() ? 'link' : entry.name.startsWith('.') ? 'dot' : 'name'],
});

/** Returns whether a folder holds agent files. Tools such as git create folders whose names start with a dot. */
const looksLikeAgent = (path: string): boolean => {
  try {
    return EDITABLE_FILES.some((name) => lstatIfThere(join(path, name)) !== undefined);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
};

/** Returns whether an unreadable folder could be an agent. */
const isMeant = (entry: Dirent, path: string): boolean => {
  if (entry.isSymbolicLink()) return !entry.name.startsWith('.') && isLinkedFolder(path);
  return !entry.name.startsWith('.') || (!isHalfCopy(entry.name) && looksLikeAgent(path));
};

/** Returns whether a linked entry is or was a folder. Links to files aren't agents. */
const isLinkedFolder = (path: string): boolean => {
  try {
    const target = statIfThere(path);
    return !target || target.isDirectory();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
};

interface AgentsScan {
  /**
   * Lists the agents. Without a watch, it costs one `lstat` per agent and returns the same object until something
   * changes. Unreadable agents are listed with their problem. Throws `root_unavailable`.
   */
  (at: ScanContext): FoundAgents;
  /** Makes the next scan read these agents again. Null means all. Without a watch, scans miss writes to files. */
  lookAgain(ids: readonly string[] | null): void;
}

/** Creates a blocking scan of the agents in a root, for the disk thread. */
export const createAgentsScan = (root: Root): AgentsScan => {
  const listDirectory = createDirectoryLister(
    root.path,
    root.agents,
    (entry) => agentIdOf(entry) ?? (entry.isDirectory() || entry.isSymbolicLink() ? entry : undefined),
  );
  const known = new Map<string, KnownAgent>();
  /** Undefined once `known` has changed. */
  let result: FoundAgents | undefined;
  let ids: readonly string[] = [];
  let others: readonly Dirent[] = [];
  let hidden: HiddenFolder[] = NOTHING_HIDDEN;

  /** Reads an agent's list entry. Also returns whether it stays valid while the directory is unchanged. */
  const readEntry = (
    id: string,
    stats: BigIntStats | undefined,
  ): { entry: AgentListEntry; isFixed: boolean } => {
    const directory = join(root.agents, id);
    let isFixed = true;
    const look = (name: 'SYSTEM.md' | 'workspace.conf'): 'missing' | 'file' | 'other' => {
      const path = join(directory, name);
      const own = lstatIfThere(path);
      if (!own) return 'missing';
      if (!own.isSymbolicLink()) return own.isFile() ? 'file' : 'other';
      // A link's target can appear or disappear without changing the agent's directory.
      isFixed = false;
      return isTargetThere(path) ? 'file' : 'missing';
    };
    try {
      const workspace = look('workspace.conf') !== 'missing';
      const prompt = look('SYSTEM.md');
      const files = EDITABLE_FILES.map((name) => lstatIfThere(join(directory, name)));
      const entry = {
        id,
        workspace,
        changedAt: changedAtOf([stats, ...files]),
        ...(prompt === 'missing' ? { missingFiles: ['SYSTEM.md' as const] } : {}),
        ...(prompt === 'other' ? { problem: SYSTEM_MD_IS_NO_FILE } : {}),
      };
      return { entry, isFixed };
    } catch (error) {
      const problem = entryProblemOf(error, 'This agent’s directory');
      const changed = stats ? { changedAt: changedAtOf([stats]) } : {};
      return { entry: { id, workspace: false, ...changed, problem }, isFixed: false };
    }
  };

  const look = (id: string, before: KnownAgent | undefined, at: ScanContext): KnownAgent | undefined => {
    if (before && at.isSame(before.cover)) return before;
    const cover = at.cover(before?.cover, root.agent(id));
    let fingerprint: Fingerprint | undefined;
    let stats: BigIntStats | undefined;
    try {
      stats = lstatIfThere(join(root.agents, id));
      // The entry was removed or replaced after the listing.
      if (!stats?.isDirectory()) return undefined;
      fingerprint = fingerprintOf(stats);
    } catch (error) {
      // dot-mi may be able to list "agents" but not enter it. Reading the entry reports that.
      if (systemCode(error) === undefined) throw error;
    }
    if (before && fingerprint && before.cover === cover && before.fingerprint === fingerprint.text)
      return before;
    const { entry, isFixed } = readEntry(id, stats);
    if (!isFixed) at.miss();
    return {
      entry: before && isSameEntry(before.entry, entry) ? before.entry : entry,
      fingerprint:
        isFixed && fingerprint && mayKeepRead(fingerprint, at.nowMs) ? fingerprint.text : undefined,
      cover: isFixed ? cover : undefined,
    };
  };

  /** Returns the same array until something changes. */
  const lookAtHidden = (entries: readonly Dirent[], at: ScanContext): HiddenFolder[] => {
    for (const entry of entries) {
      if (entry.isSymbolicLink()) at.miss();
      else at.coverAlso(join(root.agents, entry.name));
    }
    const found = entries.filter((entry) => isMeant(entry, join(root.agents, entry.name))).map(hiddenFolder);
    const same =
      found.length === hidden.length &&
      found.every(
        ({ name, problem }, i) => name === hidden[i]?.name && problem.code === hidden[i].problem.code,
      );
    if (!same) hidden = found.length > 0 ? found : NOTHING_HIDDEN;
    return hidden;
  };

  const forget = (id: string): void => {
    if (known.delete(id)) result = undefined;
  };

  const scan = (at: ScanContext): FoundAgents => {
    at.coverAlso(root.agents);
    requireAgentsFolder(root);
    const { entries, changed } = listDirectory(at.nowMs);
    if (changed) {
      ids = entries.filter((entry) => typeof entry === 'string');
      others = entries.filter((entry) => typeof entry !== 'string');
      const listed = new Set(ids);
      for (const id of known.keys()) if (!listed.has(id)) forget(id);
    }
    for (const id of ids) {
      const before = known.get(id);
      const agent = look(id, before, at);
      if (!agent) forget(id);
      else if (agent !== before) {
        known.set(id, agent);
        if (agent.entry !== before?.entry) result = undefined;
      }
    }
    const notListed = lookAtHidden(others, at);
    if (!result || notListed !== (result.hidden ?? NOTHING_HIDDEN)) {
      const agents = ids.flatMap((id) => known.get(id)?.entry ?? []);
      result = { agents, ...(notListed.length > 0 ? { hidden: notListed } : {}) };
    }
    return result;
  };

  const lookAgain = (changed: readonly string[] | null): void => {
    for (const id of changed ?? known.keys()) {
      const agent = known.get(id);
      if (agent) known.set(id, { ...agent, fingerprint: undefined, cover: undefined });
    }
  };

  return Object.assign(scan, { lookAgain });
};
