import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { entryRole, KNOWN_ENTRIES } from '../../pi/entry-roles.ts';
import { type AgentEntries, type AgentEntry, MAX_ENTRIES } from '../../shared/api/entries.ts';
import { agentNotFound, requireAgentSync } from '../platform/agent-directory.ts';
import { entryProblemOf, isNotFound, systemCode } from '../platform/app-error.ts';
import type { Reader } from '../platform/caller.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { mayRead } from '../platform/may-read.ts';
import { type InsideDirectory, withDirectoryInside } from '../platform/open-inside.ts';
import { resolvesOutside } from '../platform/resolves-outside.ts';
import type { Root } from '../platform/root.ts';

const byName = (a: AgentEntry, b: AgentEntry) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Returns a directory's first names, in the system's order, and whether there are more. */
const readNames = (directory: InsideDirectory): { names: Set<string>; isTruncated: boolean } => {
  const names = new Set<string>();
  for (const name of directory.names()) {
    // Skip a name that isn't UTF-8, because no request could contain it.
    if (!name.isWellFormed() || name.includes('\uFFFD')) continue;
    if (names.size >= MAX_ENTRIES) return { names, isTruncated: true };
    names.add(name);
  }
  return { names, isTruncated: false };
};

const kindOf = (stats: BigIntStats): AgentEntry['kind'] => {
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() ? 'file' : 'other';
};

/** SECURITY: reveals nothing about a target outside the root, not even whether it exists. */
const targetOf = (
  directory: InsideDirectory,
  name: string,
  rootPath: string,
): Pick<AgentEntry, 'linkTarget' | 'isOutside' | 'broken'> => {
  const linkTarget = directory.linkText(name);
  const path = directory.entry(name);
  if (resolvesOutside(path, [rootPath])) return { isOutside: true };
  return { linkTarget, ...(statIfThere(path) ? {} : { broken: true as const }) };
};

/** Undefined if another program just removed the entry. */
const readEntry = (
  directory: InsideDirectory,
  name: string,
  rootPath: string,
  isShown: (name: string, linked: string | undefined) => boolean,
): AgentEntry | undefined => {
  const path = directory.entry(name);
  const role = entryRole(name);
  try {
    const stats = lstatIfThere(path);
    if (!stats) return undefined;
    const kind = kindOf(stats);
    const target = kind === 'symlink' ? targetOf(directory, name, rootPath) : {};
    const isThere = target.isOutside !== true && target.broken !== true;
    if (isThere && !isShown(name, kind === 'symlink' ? directory.realPath(name) : undefined))
      return { name, kind, role, isHidden: true };
    return {
      name,
      kind,
      role,
      ...(kind === 'file' ? { size: Number(stats.size) } : {}),
      modifiedAt: new Date(Number(stats.mtimeMs)).toISOString(),
      ...target,
    };
  } catch (error) {
    if (isNotFound(error) || systemCode(error) === 'EINVAL') return undefined;
    return { name, kind: 'other', role, problem: entryProblemOf(error, 'This entry') };
  }
};

/**
 * Lists an agent's directory with blocking calls, for the disk thread, without reading files. A reader who doesn't see
 * an entry's content gets only its name. Throws
 * `agent_not_found`, `root_unavailable` and the system's errors.
 */
export const scanEntries = (root: Root, id: string, reader: Reader): AgentEntries => {
  const realRoot = requireAgentSync(root, id);
  const isShown = (name: string, linked = join(realRoot, 'agents', id, name)): boolean =>
    // The operator sees what is there, even where dot-mi shows no content.
    reader.kind === 'operator' || mayRead(reader, linked, { root: realRoot, ownData: [] }) === 'yes';
  const list = (directory: InsideDirectory): AgentEntries => {
    const { names, isTruncated } = readNames(directory);
    // Ensures that a directory full of other files doesn't hide the important ones.
    if (isTruncated) for (const name of KNOWN_ENTRIES) names.add(name);
    const entries = Array.from(names, (name) => readEntry(directory, name, root.path, isShown));
    return { entries: entries.filter((entry) => entry !== undefined).sort(byName), isTruncated };
  };
  try {
    return withDirectoryInside([realRoot], root.agent(id), list);
  } catch (error) {
    if (isNotFound(error)) throw agentNotFound(id);
    throw error;
  }
};
