import { type Dirent, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { LinkEntry } from '../../shared/api/links.ts';
import { isEntryName, type LinkKind } from '../../shared/api/names.ts';
import { SETTINGS_FILE } from '../../shared/pi/agent-model.ts';
import type { IsOff } from '../../shared/pi/switched-off.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { identityOf, lookAtPlace } from '../platform/agent-place.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { entryProblemOf } from '../platform/entry-problem.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { type InsideDirectory, withDirectoryInside } from '../platform/open-inside.ts';
import { isInside, type Root } from '../platform/root.ts';
import { notADirectory } from './change-links.ts';
import { linkTextTo } from './link-text.ts';
import { isBrokenSync, isDanglingError, linkPassesThroughSync } from './resolve-link.ts';
import { isSwitchedOff, readAgentSwitches, rulesOf } from './switched-off.ts';

/** The state of an agent's folder of links, its settings.json and of the shared entries, without what is in them. */
export interface LinksSignature {
  /** Stays equal until settings.json changes, or an entry appears in, disappears from or is replaced in a folder. */
  readonly text: string;
  readonly device: bigint;
}

/** Asks for the links of an agent. */
export interface LinksQuestion {
  readonly linksOf: string;
  readonly kind: LinkKind;
  /** Junctions exist only on Windows. */
  readonly platform: NodeJS.Platform;
}

/** The links of an agent, and under which signature they can be kept. Undefined: not at all. */
export interface FoundLinks {
  readonly entries: LinkEntry[];
  readonly signature: LinksSignature | undefined;
}

/**
 * Takes the signature of an agent's links: blocking, seven calls. Undefined if one of the folders is missing, a link
 * or on another device, if settings.json is a link, or the system denies access.
 */
export const takeLinksSignature = (
  root: Root,
  id: string,
  kind: LinkKind,
): (LinksSignature & { readonly changedAtMs: number }) | undefined => {
  try {
    const place = lookAtPlace(root, id);
    const [folder, settings, sharedFolder, shared] = [
      lstatIfThere(join(root.agent(id), kind)),
      lstatIfThere(join(root.agent(id), SETTINGS_FILE)),
      lstatIfThere(join(root.path, 'shared')),
      lstatIfThere(root.shared(kind)),
    ];
    if (place?.device === undefined) return undefined;
    if (!folder?.isDirectory() || !sharedFolder?.isDirectory() || !shared?.isDirectory()) return undefined;
    if ([folder, sharedFolder, shared].some(({ dev }) => dev !== place.device)) return undefined;
    // Both can be written through another name.
    if (settings?.isSymbolicLink() || (settings && settings.nlink > 1n)) return undefined;
    const [own, target] = [fingerprintOf(folder), fingerprintOf(shared)];
    const off = settings && fingerprintOf(settings);
    return {
      text: `${place.text} ${own.text} ${off?.text ?? '-'} ${identityOf(sharedFolder)} ${target.text}`,
      device: place.device,
      changedAtMs: Math.max(own.changedAtMs, target.changedAtMs, off?.changedAtMs ?? 0),
    };
  } catch (error) {
    // Whatever the system can't look at has no signature.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const kindOf = (item: Dirent): LinkEntry['kind'] =>
  item.isSymbolicLink() ? 'symlink' : item.isDirectory() ? 'directory' : 'file';

/** Undefined where the system finds nothing, or lets this user find nothing. */
const unlessDangling = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (isDanglingError(error)) return undefined;
    throw error;
  }
};

/** Runs `use` with the entries of a folder of links. */
const withItems = <T>(
  directory: string,
  kind: LinkKind,
  realRoot: string,
  use: (open: InsideDirectory, items: readonly Dirent[]) => T,
): T | undefined => {
  try {
    // SECURITY: a linked folder may be read, but only while it stays in the root.
    const real = realpathSync.native(directory);
    if (!isInside(realRoot, real))
      throw new AppError(
        'outside_root',
        `This agent's "${kind}" is a symlink to a place outside the root. Replace it with a directory.`,
      );
    // A name that no route accepts, such as a hidden file's, isn't an entry.
    return withDirectoryInside([realRoot], real, (open) =>
      use(
        open,
        open.list().filter(({ name }) => isEntryName(name)),
      ),
    );
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') throw notADirectory(kind);
    // If the folder is a broken link, it has no entries either.
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** As Node reads it, a symlink with an absolute text to a directory is a junction too. */
const isJunctionSync = (path: string, text: string, platform: NodeJS.Platform): boolean => {
  if (platform !== 'win32' || !isAbsolute(text)) return false;
  const stats = unlessDangling(() => statIfThere(path));
  return stats === undefined || stats.isDirectory();
};

/** An entry, and whether only the two folders decide what it is. */
interface Read {
  readonly entry: LinkEntry;
  readonly isSettled: boolean;
}

const readEntry = (
  open: InsideDirectory,
  directory: string,
  kind: LinkKind,
  shared: string | undefined,
  item: Dirent,
  platform: NodeJS.Platform,
): Read => {
  const { name } = item;
  const path = join(directory, name);
  const target = shared === undefined ? undefined : unlessDangling(() => lstatIfThere(join(shared, name)));
  const ours = linkTextTo(kind, name);
  const common = { name, ...(target ? { sharedRelative: ours } : {}) };
  if (!item.isSymbolicLink())
    return { entry: { ...common, kind: kindOf(item), linksToShared: false, broken: false }, isSettled: true };
  const linkTarget = open.linkText(name);
  return {
    entry: {
      ...common,
      kind: 'symlink',
      linkTarget,
      ...(isJunctionSync(path, linkTarget, platform) ? { junction: true } : {}),
      linksToShared:
        shared !== undefined && target !== undefined && linkPassesThroughSync(path, shared, name),
      broken: isBrokenSync(path),
    },
    // What another text or another link points to can change elsewhere.
    isSettled: linkTarget === ours && !target?.isSymbolicLink(),
  };
};

/** Undefined for an entry that another program removed meanwhile. One bad entry hides no other. */
const readEntryIfThere = (...args: Parameters<typeof readEntry>): Read | undefined => {
  const item = args[4];
  try {
    return readEntry(...args);
  } catch (error) {
    if (isNotFound(error) || systemCode(error) === 'EINVAL') return undefined;
    const problem = entryProblemOf(error, 'This entry');
    const entry = { name: item.name, kind: kindOf(item), linksToShared: false, broken: false, problem };
    return { entry, isSettled: false };
  }
};

/** The files of the entry decide too, so it isn't settled. */
const switchOff = (root: Root, id: string, kind: LinkKind, rules: IsOff, { entry }: Read): Read => ({
  entry:
    !entry.broken && !entry.problem && isSwitchedOff(root, rules, root.agent(id), kind, entry.name)
      ? { ...entry, switchedOff: true }
      : entry,
  isSettled: false,
});

/**
 * Reads the links of an agent: blocking, for the scanner thread, some µs for each entry.
 *
 * Throws `agent_not_found`, `root_unavailable`, `outside_root`, `not_a_directory`.
 */
export const readLinks = (
  root: Root,
  { linksOf: id, kind, platform }: LinksQuestion,
  nowMs: number,
): FoundLinks => {
  // Before anything is read: a change in between has a newer time.
  const signature = takeLinksSignature(root, id, kind);
  const realRoot = requireAgentSync(root, id);
  const directory = join(root.agent(id), kind);
  const folder = unlessDangling(() => realpathSync.native(root.shared(kind)));
  const shared = folder !== undefined && isInside(realRoot, folder) ? folder : undefined;
  const found =
    withItems(directory, kind, realRoot, (open, items) =>
      items.map((item) => readEntryIfThere(open, directory, kind, shared, item, platform)),
    ) ?? [];
  const rules = rulesOf(readAgentSwitches(root, root.agent(id)), kind, root.agent(id));
  const read = found
    .filter((one) => one !== undefined)
    .map((one) => (rules ? switchOff(root, id, kind, rules, one) : one));
  const canKeep =
    signature !== undefined &&
    isSettled(signature, nowMs) &&
    read.length === found.length &&
    read.every((one) => one.isSettled);
  return {
    entries: read.map(({ entry }) => entry).sort(byName),
    signature: canKeep ? { text: signature.text, device: signature.device } : undefined,
  };
};
