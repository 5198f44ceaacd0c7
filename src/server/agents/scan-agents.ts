import { join } from 'node:path';
import type { AgentListEntry } from '../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isAgentId, isOptionalFile } from '../../shared/api/names.ts';
import { AppError } from '../platform/app-error.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';

interface KnownAgent {
  entry: AgentListEntry;
  /** `entry` is valid while the agent has this fingerprint. Undefined means check it every time. */
  fingerprint: string | undefined;
}

const REQUIRED_FILES = EDITABLE_FILES.filter((name) => !isOptionalFile(name));

const isSameEntry = (a: AgentListEntry, b: AgentListEntry) =>
  a.workspace === b.workspace && a.missingFiles?.join() === b.missingFiles?.join();

/**
 * Creates a blocking scan of a root's agents, for the scanner thread. While nothing changes, it costs one
 * `lstat` per agent and returns the same object. Throws `root_unavailable`.
 */
export const createAgentsScan = (root: Root) => {
  const listDirectory = createDirectoryLister(
    root.agents,
    (entry) => entry.isDirectory() && isAgentId(entry.name),
  );
  let known = new Map<string, KnownAgent>();
  let result: { agents: AgentListEntry[] } | undefined;

  const look = (id: string, before: KnownAgent | undefined, nowMs: number): KnownAgent | undefined => {
    const directory = join(root.agents, id);
    const stats = lstatIfThere(directory);
    // Removed or replaced since the listing.
    if (!stats?.isDirectory()) return undefined;
    const fingerprint = fingerprintOf(stats);
    if (before && before.fingerprint === fingerprint.text) return before;

    let followsLink = false;
    const isThere = (name: EditableFile): boolean => {
      const path = join(directory, name);
      const own = lstatIfThere(path);
      if (!own?.isSymbolicLink()) return own !== undefined;
      followsLink = true;
      return statIfThere(path) !== undefined;
    };
    const workspace = isThere('workspace.conf');
    const missingFiles = REQUIRED_FILES.filter((name) => !isThere(name));
    const entry = { id, workspace, ...(missingFiles.length > 0 ? { missingFiles } : {}) };
    // A link's target can appear or disappear without a change to the agent's directory.
    const keep = !followsLink && isSettled(fingerprint, nowMs);
    return {
      entry: before && isSameEntry(before.entry, entry) ? before.entry : entry,
      fingerprint: keep ? fingerprint.text : undefined,
    };
  };

  return (nowMs: number): { agents: AgentListEntry[] } => {
    const place = lstatIfThere(root.agents);
    // SECURITY: agents in a linked folder are outside the root; no other route would find them either.
    if (place && !place.isDirectory()) {
      throw new AppError(
        'root_unavailable',
        '"agents" in the root is not a regular directory. Move it away or replace it with a directory.',
      );
    }

    const { entries, changed } = listDirectory(nowMs);
    const next = new Map<string, KnownAgent>();
    let same = !changed || entries.length === known.size;
    for (const { name } of entries) {
      const before = known.get(name);
      const agent = look(name, before, nowMs);
      if (agent) next.set(name, agent);
      same &&= agent?.entry === before?.entry;
    }
    known = next;
    if (!result || !same) result = { agents: Array.from(next.values(), ({ entry }) => entry) };
    return result;
  };
};
