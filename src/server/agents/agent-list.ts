import { type BigIntStats, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentListEntry, HiddenFolder } from '../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile } from '../../shared/api/names.ts';
import { entryProblemOf, isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { withDirectoryInside } from '../platform/open-inside.ts';
import type { Root } from '../platform/root.ts';
import type { Scan } from '../root-model/coverage.ts';
import { createKept, createMemo } from '../root-model/kept.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import { isHalfCopy } from './copy-agent.ts';

/** The list of agents, and the folders that aren't listed. */
interface FoundAgents {
  agents: AgentListEntry[];
  hidden?: HiddenFolder[];
}

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

/** Returns whether a folder holds agent files. Tools such as git create folders whose names start with a dot. */
const looksLikeAgent = (path: string, record: PathRecord): boolean => {
  try {
    return EDITABLE_FILES.some((name) => record.lstat(join(path, name)) !== undefined);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
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

/** Returns the folder if it could be an agent that isn't listed. */
const readHidden = (path: string, name: string, record: PathRecord): HiddenFolder | undefined => {
  // dot-mi may be able to list "agents" but not enter it.
  const isLink = unlessRefused(() => record.lstat(path))?.isSymbolicLink() ?? false;
  const startsWithDot = name.startsWith('.');
  const isMeant = isLink
    ? !startsWithDot && isLinkedFolder(path)
    : !startsWithDot || (!isHalfCopy(name) && looksLikeAgent(path, record));
  return isMeant ? { name, problem: PROBLEMS[isLink ? 'link' : startsWithDot ? 'dot' : 'name'] } : undefined;
};

/** Returns whether there is a file at a path. A link whose target is missing counts as missing. */
const kindOf = (path: string, own: BigIntStats | undefined): 'missing' | 'file' | 'other' => {
  if (!own) return 'missing';
  if (own.isSymbolicLink()) return isTargetThere(path) ? 'file' : 'missing';
  return own.isFile() ? 'file' : 'other';
};

/** Reads an agent's list entry. Undefined if it was removed or replaced after the listing. */
const readEntry = (root: Root, id: string, record: PathRecord): AgentListEntry | undefined => {
  const directory = root.agent(id);
  let own: BigIntStats | undefined;
  try {
    const stats = record.lstat(directory);
    if (!stats?.isDirectory()) return undefined;
    own = stats;
    const real = join(realpathSync.native(root.path), 'agents', id);
    // SECURITY: exactly this directory, which can be swapped for a link by now.
    return withDirectoryInside([real], real, (open) => {
      const files = new Map(EDITABLE_FILES.map((name) => [name, lstatIfThere(open.entry(name))]));
      for (const [name, file] of files) if (file?.isSymbolicLink()) record.stat(join(directory, name));
      record.reuseOnlyWatched();
      const kindAt = (name: EditableFile) => kindOf(open.entry(name), files.get(name));
      const prompt = kindAt('SYSTEM.md');
      return {
        id,
        workspace: kindAt('workspace.conf') !== 'missing',
        changedAt: changedAtOf([stats, ...files.values()]),
        ...(prompt === 'missing' ? { missingFiles: ['SYSTEM.md' as const] } : {}),
        ...(prompt === 'other' ? { problem: SYSTEM_MD_IS_NO_FILE } : {}),
      };
    });
  } catch (error) {
    record.neverReuse();
    if (isNotFound(error) || systemCode(error) === 'ESTALE') return undefined;
    const problem = entryProblemOf(error, 'This agent’s directory');
    const changed = own ? { changedAt: changedAtOf([own]) } : {};
    return { id, workspace: false, ...changed, problem };
  }
};

/**
 * Creates the list of agents, for the disk thread. Unreadable agents are listed with their problem. Throws
 * `root_unavailable`.
 */
export const createAgentList = (root: Root, entries: RootEntries): Scan<FoundAgents> => {
  const agents = createKept((id, record) => readEntry(root, id, record));
  const folders = createKept((name, record) => readHidden(join(root.agents, name), name, record));
  const toList = createMemo(
    (listed: readonly AgentListEntry[], hidden: readonly HiddenFolder[]): FoundAgents => ({
      agents: [...listed],
      ...(hidden.length > 0 ? { hidden: [...hidden] } : {}),
    }),
  );
  return (at) => toList(agents.all(entries.agents(at), at), folders.all(entries.others(at), at));
};
