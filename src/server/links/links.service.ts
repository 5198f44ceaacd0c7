import type { Dirent } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { LinkEntry } from '../../shared/api/links.ts';
import { isEntryName, type LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { hostLinks, isJunction, type LinkSystem } from '../platform/create-link.ts';
import { entryProblemOf } from '../platform/entry-problem.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { isInside, isOccupied, type Root, requireAgent } from '../platform/root.ts';
import { resolveSharedFolder } from '../platform/shared-folder.ts';
import { brokenLinkStays, createLinkSteps, linkNotFound, notADirectory } from './change-links.ts';
import { linkTextTo } from './link-text.ts';
import { isBroken, isDanglingError, linkPassesThrough } from './resolve-link.ts';

/** The most removed links that can be restored. */
const MAX_REMOVED = 1_000;

/** Lists, creates, removes and restores the links of agents. */
export interface LinksService {
  list(id: string, kind: LinkKind): Promise<LinkEntry[]>;
  /** With `replaceBroken`, replaces a broken link of this name. */
  create(id: string, kind: LinkKind, name: string, replaceBroken: boolean): Promise<LinkEntry>;
  remove(id: string, kind: LinkKind, name: string): Promise<void>;
  /** Creates a link again that {@link LinksService.remove} removed, with the same text. */
  restore(id: string, kind: LinkKind, name: string): Promise<LinkEntry>;
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const kindOf = (item: Dirent): LinkEntry['kind'] =>
  item.isSymbolicLink() ? 'symlink' : item.isDirectory() ? 'directory' : 'file';

/** Whether the shared folder has such an entry, as far as dot-mi may know. */
const isInShared = (path: string): Promise<boolean> =>
  isOccupied(path).catch((error: unknown) => {
    if (isDanglingError(error)) return false;
    throw error;
  });

const nothingToRestore = (kind: LinkKind, name: string) =>
  new AppError(
    'link_not_found',
    `dot-mi has removed no link "${name}" from ${kind} since its last start. Link it again.`,
  );

/** Creates the service. `agentLock` is held by agent id during every change inside an agent. */
export const createLinksService = (
  root: Root,
  agentLock: KeyedLock,
  system: LinkSystem = hostLinks,
): LinksService => {
  const steps = createLinkSteps(root, system);
  const { directoryOf } = steps;

  /**
   * The texts of removed links. SECURITY: only a link that was there can be created again, because a text of
   * the caller's choice could point anywhere.
   */
  const removed = new LRUCache<string, string>({ max: MAX_REMOVED });

  /** The resolved folder of a shared kind, or undefined if the root has none. */
  const resolveShared = async (kind: LinkKind) => {
    try {
      const folder = await resolveSharedFolder(root, kind);
      return folder === 'outside' ? undefined : folder;
    } catch (error) {
      if (isDanglingError(error)) return undefined;
      throw error;
    }
  };

  const toEntry = async (directory: string, kind: LinkKind, shared: string | undefined, item: Dirent) => {
    const { name } = item;
    const path = join(directory, name);
    const sharedRelative =
      shared !== undefined && (await isInShared(join(shared, name))) ? linkTextTo(kind, name) : undefined;
    const common = { name, ...(sharedRelative === undefined ? {} : { sharedRelative }) };
    if (!item.isSymbolicLink()) {
      return { ...common, kind: kindOf(item), linksToShared: false, broken: false };
    }
    const linkTarget = await readlink(path);
    const [junction, broken, linksToShared] = await Promise.all([
      isJunction(path, linkTarget, system),
      isBroken(path),
      shared !== undefined && sharedRelative !== undefined ? linkPassesThrough(path, shared, name) : false,
    ]);
    return {
      ...common,
      kind: 'symlink' as const,
      linkTarget,
      ...(junction ? { junction } : {}),
      linksToShared,
      broken,
    };
  };

  /** Returns undefined for an entry that another program removed meanwhile. One bad entry hides no other. */
  const toEntryIfThere = async (
    directory: string,
    kind: LinkKind,
    shared: string | undefined,
    item: Dirent,
  ) => {
    try {
      return await toEntry(directory, kind, shared, item);
    } catch (error) {
      if (isNotFound(error) || systemCode(error) === 'EINVAL') return undefined;
      const problem = entryProblemOf(error, 'This entry');
      return { name: item.name, kind: kindOf(item), linksToShared: false, broken: false, problem };
    }
  };

  const readItems = async (id: string, kind: LinkKind, realRoot: string): Promise<Dirent[]> => {
    const directory = directoryOf(id, kind);
    try {
      // SECURITY: a linked folder may be read, but only while it stays in the root.
      if (!isInside(realRoot, await realpath(directory))) {
        throw new AppError(
          'outside_root',
          `This agent's "${kind}" is a symlink to a place outside the root. Replace it with a directory.`,
        );
      }
      const items = await readdir(directory, { withFileTypes: true });
      // A name that no route accepts, such as a hidden file's, isn't an entry.
      return items.filter(({ name }) => isEntryName(name));
    } catch (error) {
      if (systemCode(error) === 'ENOTDIR') throw notADirectory(kind);
      // If the folder is a broken link, it has no entries either.
      if (isNotFound(error)) return [];
      throw error;
    }
  };

  const listEntries = async (id: string, kind: LinkKind, realRoot: string): Promise<LinkEntry[]> => {
    const [items, shared] = await Promise.all([readItems(id, kind, realRoot), resolveShared(kind)]);
    const directory = directoryOf(id, kind);
    const entries = await Promise.all(items.map((item) => toEntryIfThere(directory, kind, shared, item)));
    return entries.filter((entry) => entry !== undefined).sort(byName);
  };

  return {
    list: async (id, kind) => listEntries(id, kind, await requireAgent(root, id)),

    create: (id, kind, name, replaceBroken) =>
      agentLock.run(id, async () => {
        await requireAgent(root, id);
        const target = await steps.targetOf(kind, name).catch(async (error: unknown) => {
          const isMissing = error instanceof AppError && error.code === 'shared_entry_not_found';
          if (isMissing && (await steps.hasBroken(id, kind, name))) throw brokenLinkStays(id, kind, name);
          throw error;
        });
        if (!(await steps.hasOwnDirectory(id, kind))) await steps.makeDirectory(id, kind);
        const made = await steps.link(id, kind, name, target, replaceBroken);
        return {
          name,
          kind: 'symlink',
          linkTarget: made.text,
          ...(made.isJunction ? { junction: true } : {}),
          linksToShared: true,
          sharedRelative: linkTextTo(kind, name),
          broken: false,
        };
      }),

    remove: (id, kind, name) =>
      agentLock.run(id, async () => {
        await requireAgent(root, id);
        await steps.hasOwnDirectory(id, kind);
        removed.set(`${id}/${kind}/${name}`, await steps.unlink(id, kind, name));
      }),

    restore: (id, kind, name) =>
      agentLock.run(id, async () => {
        const realRoot = await requireAgent(root, id);
        const hasDirectory = await steps.hasOwnDirectory(id, kind);
        const text = removed.get(`${id}/${kind}/${name}`);
        if (text === undefined) throw nothingToRestore(kind, name);
        if (!hasDirectory) await steps.makeDirectory(id, kind);
        await steps.relink(id, kind, name, text);
        removed.delete(`${id}/${kind}/${name}`);
        const entries = await listEntries(id, kind, realRoot);
        const entry = entries.find((found) => found.name === name);
        // Another program removed it again.
        if (!entry) throw linkNotFound(kind, name);
        return entry;
      }),
  };
};
