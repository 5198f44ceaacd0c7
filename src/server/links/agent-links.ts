import type { Dirent } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import { readSwitches } from '../../pi/switched-off.ts';
import type { LinkEntry } from '../../shared/api/links.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { entryProblemOf, isNotFound, systemCode } from '../platform/app-error.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { followLink, type OpenFolder, sharedFolderIn, withLinkFolder } from '../root-model/link-folders.ts';
import { isDanglingError, linkTextTo } from '../root-model/resolve-link.ts';
import { isSwitchedOff, NOT_KEPT, rulesOf } from '../root-model/switched-off.ts';

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

const statUnlessDangling = (path: string) => unlessDangling(() => statIfThere(path));

/** Returns whether a link is a junction, which in Node looks like a symlink with an absolute path to a directory. */
const isJunctionSync = (path: string, text: string, platform: NodeJS.Platform): boolean => {
  if (platform !== 'win32' || !isAbsolute(text)) return false;
  const stats = statUnlessDangling(path);
  return stats === undefined || stats.isDirectory();
};

/** The facts that all entries of one directory share. */
interface Folder extends Pick<OpenFolder, 'open' | 'path' | 'isOwn'> {
  readonly kind: LinkKind;
  readonly realRoot: string;
  /** The resolved directory of the shared entries. Undefined if it's missing or outside the root. */
  readonly shared: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly followsLinks: boolean;
}

const readEntry = (item: Dirent, folder: Folder): Found<LinkEntry> => {
  const { open, kind, shared, isOwn, platform, followsLinks } = folder;
  const { name } = item;
  const target = shared === undefined ? undefined : unlessDangling(() => lstatIfThere(join(shared, name)));
  const ours = linkTextTo(kind, name);
  const common = { name, ...(target ? { sharedRelative: ours } : {}) };
  if (!item.isSymbolicLink()) return { ...common, kind: kindOf(item), linksToShared: false, broken: false };
  const link = { ...common, kind: 'symlink' as const, linkTarget: open.linkText(name) };
  if (isOwn && shared !== undefined && link.linkTarget === ours && !target?.isSymbolicLink())
    return { ...link, linksToShared: target !== undefined, broken: target === undefined };
  if (!followsLinks) return 'needs the thread';
  const path = join(folder.path, name);
  const end = followLink(path, link.linkTarget, folder.realRoot, shared, { stat: statUnlessDangling });
  return {
    ...link,
    ...(isJunctionSync(path, link.linkTarget, platform) ? { junction: true } : {}),
    linksToShared: target !== undefined && end.through.includes(name),
    broken: end.isBroken,
  };
};

/** Returns undefined for an entry that another program removed meanwhile. One bad entry doesn't hide the others. */
const readEntryIfThere = (item: Dirent, folder: Folder): Found<LinkEntry> | undefined => {
  try {
    return readEntry(item, folder);
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
  const stats = lstatIfThere(join(agent, kind));
  if (!stats) return [];
  const shared = sharedFolderIn(root, realRoot, kind);
  const read = withLinkFolder(kind, { agent, realRoot }, stats, (folder): Found<LinkEntry[]> => {
    const { items } = folder;
    if (!followsLinks && items.length > MOST_NEAR_ENTRIES) return 'needs the thread';
    const entries: LinkEntry[] = [];
    for (const item of items) {
      const entry = readEntryIfThere(item, { ...folder, kind, realRoot, shared, platform, followsLinks });
      if (entry === 'needs the thread') return entry;
      if (entry) entries.push(entry);
    }
    return entries;
  });
  if (read === 'needs the thread') return undefined;
  const entries = read ?? [];
  const rules = hasSettings && readSettings && rulesOf(readSwitches(readSettings()), kind, root.agent(id));
  if (!rules) return entries;
  return entries.map((entry) =>
    !entry.broken && !entry.problem && isSwitchedOff(root, rules, root.agent(id), kind, entry.name, NOT_KEPT)
      ? { ...entry, switchedOff: true }
      : entry,
  );
};
