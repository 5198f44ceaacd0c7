import { type Dirent, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import { readSwitches } from '../../pi/switched-off.ts';
import type { LinkEntry } from '../../shared/api/links.ts';
import { isEntryName, type LinkKind } from '../../shared/api/names.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError, entryProblemOf, isNotFound, systemCode } from '../platform/app-error.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { mayBeLinked } from '../platform/may-read.ts';
import { type InsideDirectory, withDirectoryInside } from '../platform/open-inside.ts';
import { isInside, type Root } from '../platform/root.ts';
import { notADirectory } from './change-links.ts';
import { isBrokenSync, isDanglingError, linkPassesThroughSync, linkTextTo } from './resolve-link.ts';
import { isSwitchedOff, rulesOf } from './switched-off.ts';

/** A request to the disk thread for an agent's links. */
export interface LinksQuestion {
  readonly linksOf: string;
  readonly kind: LinkKind;
  /** Junctions exist only on Windows. */
  readonly platform: NodeJS.Platform;
}

/** A result, or a sign that only the disk thread can follow the links. */
type Found<T> = T | 'needs the thread';

/** The size limit for lists to read here. The disk thread reads larger ones. */
const MOST_NEAR_ENTRIES = 100;

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const kindOf = (item: Dirent): LinkEntry['kind'] =>
  item.isSymbolicLink() ? 'symlink' : item.isDirectory() ? 'directory' : 'file';

/** Returns undefined if the target is missing or this user has no access to it. */
const unlessDangling = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (isDanglingError(error)) return undefined;
    throw error;
  }
};

const realPathIfThere = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Runs `use` with the entries of a directory of links. Returns undefined if the directory is missing. */
const withItems = <T>(
  real: string,
  kind: LinkKind,
  realRoot: string,
  use: (open: InsideDirectory, items: readonly Dirent[]) => T,
): T | undefined => {
  try {
    // SECURITY: a linked directory can be read only while it stays in the root, and the names of sessions say much.
    if (!mayBeLinked(real, real, realRoot)) {
      const place = isInside(realRoot, real) ? 'that dot-mi doesn’t list' : 'outside the root';
      throw new AppError(
        'outside_root',
        `This agent’s "${kind}" is a symlink to a place ${place}. Replace it with a directory.`,
      );
    }
    // SECURITY: the resolved directory itself, which can be swapped for a link to another agent's by now.
    // Leave out hidden files and other names that no route accepts.
    return withDirectoryInside([real], real, (open) =>
      use(
        open,
        open.list().filter(({ name }) => isEntryName(name)),
      ),
    );
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') throw notADirectory(kind);
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Returns whether a link is a junction, which in Node looks like a symlink with an absolute path to a directory. */
const isJunctionSync = (path: string, text: string, platform: NodeJS.Platform): boolean => {
  if (platform !== 'win32' || !isAbsolute(text)) return false;
  const stats = unlessDangling(() => statIfThere(path));
  return stats === undefined || stats.isDirectory();
};

/** The facts that all entries of one directory share. */
interface Folder {
  readonly directory: string;
  readonly kind: LinkKind;
  /** The resolved directory of the shared entries. Undefined if it's missing or outside the root. */
  readonly shared: string | undefined;
  /** True if the directory is the agent's own, where our link text points to the shared directory. */
  readonly isOwn: boolean;
  readonly platform: NodeJS.Platform;
  readonly followsLinks: boolean;
}

const readEntry = (open: InsideDirectory, item: Dirent, folder: Folder): Found<LinkEntry> => {
  const { directory, kind, shared, isOwn, platform, followsLinks } = folder;
  const { name } = item;
  const target = shared === undefined ? undefined : unlessDangling(() => lstatIfThere(join(shared, name)));
  const ours = linkTextTo(kind, name);
  const common = { name, ...(target ? { sharedRelative: ours } : {}) };
  if (!item.isSymbolicLink()) return { ...common, kind: kindOf(item), linksToShared: false, broken: false };
  const link = { ...common, kind: 'symlink' as const, linkTarget: open.linkText(name) };
  if (isOwn && shared !== undefined && link.linkTarget === ours && !target?.isSymbolicLink())
    return { ...link, linksToShared: target !== undefined, broken: target === undefined };
  if (!followsLinks) return 'needs the thread';
  const path = join(directory, name);
  return {
    ...link,
    ...(isJunctionSync(path, link.linkTarget, platform) ? { junction: true } : {}),
    linksToShared: shared !== undefined && target !== undefined && linkPassesThroughSync(path, shared, name),
    broken: isBrokenSync(path),
  };
};

/** Returns undefined for an entry that another program removed meanwhile. One bad entry doesn't hide the others. */
const readEntryIfThere = (
  open: InsideDirectory,
  item: Dirent,
  folder: Folder,
): Found<LinkEntry> | undefined => {
  try {
    return readEntry(open, item, folder);
  } catch (error) {
    if (isNotFound(error) || systemCode(error) === 'EINVAL') return undefined;
    const problem = entryProblemOf(error, 'This entry');
    return { name: item.name, kind: kindOf(item), linksToShared: false, broken: false, problem };
  }
};

/**
 * Reads an agent's links. Blocks for a few µs per entry. `readSettings` reads the agent's settings.json. Without it, it
 * returns undefined if it would have to read that or follow a link, which may be on a slow disk.
 *
 * Throws `agent_not_found`, `root_unavailable`, `outside_root` and `not_a_directory`.
 */
export const readLinks = (
  root: Root,
  { linksOf: id, kind, platform }: LinksQuestion,
  readSettings: (() => string | undefined) | undefined,
): LinkEntry[] | undefined => {
  const realRoot = requireAgentSync(root, id);
  const agent = join(realRoot, 'agents', id);
  const followsLinks = readSettings !== undefined;
  const hasSettings = lstatIfThere(join(agent, SETTINGS_FILE)) !== undefined;
  if (hasSettings && !followsLinks) return undefined;
  const own = join(agent, kind);
  // Resolving takes twice as long as a look, and only a link needs it. Opening the directory verifies its path.
  const directory = lstatIfThere(own)?.isDirectory() ? own : realPathIfThere(own);
  // If the directory is a broken link, there are no entries either.
  if (directory === undefined) return [];
  const sharedFolder = unlessDangling(() => realpathSync.native(root.shared(kind)));
  const shared = sharedFolder !== undefined && isInside(realRoot, sharedFolder) ? sharedFolder : undefined;
  const isOwn = directory === own;
  const folder = { directory, kind, shared, isOwn, platform, followsLinks };
  const read = withItems(directory, kind, realRoot, (open, items): Found<(LinkEntry | undefined)[]> => {
    const entries: (LinkEntry | undefined)[] = [];
    if (!followsLinks && items.length > MOST_NEAR_ENTRIES) return 'needs the thread';
    for (const item of items) {
      const entry = readEntryIfThere(open, item, folder);
      if (entry === 'needs the thread') return entry;
      entries.push(entry);
    }
    return entries;
  });
  if (read === 'needs the thread') return undefined;
  const entries = (read ?? []).filter((entry) => entry !== undefined).sort(byName);
  const rules = hasSettings && readSettings && rulesOf(readSwitches(readSettings()), kind, root.agent(id));
  if (!rules) return entries;
  return entries.map((entry) =>
    !entry.broken && !entry.problem && isSwitchedOff(root, rules, root.agent(id), kind, entry.name)
      ? { ...entry, switchedOff: true }
      : entry,
  );
};
