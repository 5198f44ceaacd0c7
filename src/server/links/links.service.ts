import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { LinkEntry } from '../../shared/api/links.ts';
import { isEntryName, isLinkName, type LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import {
  createLink,
  hostLinks,
  isJunction,
  type LinkSystem,
  type NewLink,
  symlinksRefused,
} from '../platform/create-link.ts';
import { entryProblemOf } from '../platform/entry-problem.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { isInside, isOccupied, type Root, requireAgent } from '../platform/root.ts';
import { resolveSharedFolder, sharedOutsideRoot } from '../platform/shared-folder.ts';
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

const notADirectory = (kind: LinkKind) =>
  new AppError(
    'not_a_directory',
    `This agent's "${kind}" is not a regular directory, so dot-mi won't add or remove links in it. Replace it with a directory.`,
  );

/** Creates the service. `agentLock` is held by agent id during every change inside an agent. */
export const createLinksService = (
  root: Root,
  agentLock: KeyedLock,
  system: LinkSystem = hostLinks,
): LinksService => {
  const directoryOf = (id: string, kind: LinkKind) => join(root.agent(id), kind);

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

  /** Throws if the folder exists and isn't the agent's own. Returns whether it exists. */
  const checkOwnDirectory = async (id: string, kind: LinkKind) => {
    try {
      // SECURITY: a write through a linked folder would change another folder.
      if (!(await lstat(directoryOf(id, kind))).isDirectory()) throw notADirectory(kind);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  const requireSharedEntry = async (kind: LinkKind, name: string) => {
    const folder = await resolveSharedFolder(root, kind).catch((error) => {
      if (isDanglingError(error)) return undefined;
      throw error;
    });
    if (folder === 'outside') throw sharedOutsideRoot(kind);
    const stats = await stat(join(root.shared(kind), name)).catch((error) => {
      if (isDanglingError(error)) return undefined;
      throw error;
    });
    // By the catalog's rules, a plain file isn't a skill and a pipe isn't an entry.
    if (!stats || !(stats.isDirectory() || (kind === 'extensions' && stats.isFile()))) {
      throw new AppError(
        'shared_entry_not_found',
        `shared/${kind} has no "${name}". GET /api/catalog/${kind} lists what it has.`,
      );
    }
    return stats;
  };

  /** Removes a broken link and returns its text, or undefined if there is none. */
  const takeBroken = async (path: string): Promise<string | undefined> => {
    const text = await readlink(path).catch((error) => {
      if (isNotFound(error) || systemCode(error) === 'EINVAL') return undefined;
      throw error;
    });
    if (text === undefined || !(await isBroken(path))) return undefined;
    await unlink(path);
    return text;
  };

  /** Creates a link. Returns whether it is a junction. */
  const linkTo = async (text: string, path: string, target: NewLink['target']): Promise<boolean> => {
    const { junction } = await createLink({ text, path, target }, system);
    // Windows creates a junction to a network drive, but doesn't follow it.
    if (junction && target === 'dir' && (await isBroken(path))) {
      await unlink(path);
      throw symlinksRefused();
    }
    return junction;
  };

  const linkNotFound = (kind: LinkKind, name: string) =>
    new AppError('link_not_found', `This agent has no "${name}" in ${kind}.`);

  const linkExists = (kind: LinkKind, name: string) =>
    new AppError('link_exists', `This agent already has "${name}" in ${kind}. Remove it first.`);

  const nothingToRestore = (kind: LinkKind, name: string) =>
    new AppError(
      'link_not_found',
      `dot-mi has removed no link "${name}" from ${kind} since its last start. Link it again.`,
    );

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
        const target = await requireSharedEntry(kind, name);
        if (!(await checkOwnDirectory(id, kind))) await mkdir(directoryOf(id, kind));
        const path = join(directoryOf(id, kind), name);
        const text = linkTextTo(kind, name);
        const brokenText = replaceBroken ? await takeBroken(path) : undefined;
        let madeJunction: boolean;
        try {
          madeJunction = await linkTo(text, path, target.isDirectory() ? 'dir' : 'file');
        } catch (error) {
          if (brokenText !== undefined) await linkTo(brokenText, path, 'unknown').catch(() => undefined);
          throw systemCode(error) === 'EEXIST' ? linkExists(kind, name) : error;
        }
        return {
          name,
          kind: 'symlink',
          linkTarget: madeJunction ? await readlink(path) : text,
          ...(madeJunction ? { junction: true } : {}),
          linksToShared: true,
          sharedRelative: text,
          broken: false,
        };
      }),

    remove: (id, kind, name) =>
      agentLock.run(id, async () => {
        await requireAgent(root, id);
        await checkOwnDirectory(id, kind);
        // SECURITY: on Windows "x:y" is a stream of "x", and "x." is "x" itself.
        if (process.platform === 'win32' && !isLinkName(name)) throw linkNotFound(kind, name);
        const path = join(directoryOf(id, kind), name);
        const stats = await lstat(path).catch((error) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        if (!stats) throw linkNotFound(kind, name);
        if (!stats.isSymbolicLink()) {
          throw new AppError(
            'not_a_link',
            `"${name}" is not a symlink. It belongs to this agent, so dot-mi did not remove it.`,
          );
        }
        const text = await readlink(path);
        await unlink(path);
        removed.set(`${id}/${kind}/${name}`, text);
      }),

    restore: (id, kind, name) =>
      agentLock.run(id, async () => {
        const realRoot = await requireAgent(root, id);
        const hasDirectory = await checkOwnDirectory(id, kind);
        const text = removed.get(`${id}/${kind}/${name}`);
        if (text === undefined) throw nothingToRestore(kind, name);
        if (!hasDirectory) await mkdir(directoryOf(id, kind));
        try {
          await linkTo(text, join(directoryOf(id, kind), name), 'unknown');
        } catch (error) {
          throw systemCode(error) === 'EEXIST' ? linkExists(kind, name) : error;
        }
        removed.delete(`${id}/${kind}/${name}`);
        const entries = await listEntries(id, kind, realRoot);
        const entry = entries.find((found) => found.name === name);
        // Another program removed it again.
        if (!entry) throw linkNotFound(kind, name);
        return entry;
      }),
  };
};
