import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isLinkName, isOfKind, type LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { createLink, type LinkSystem, type NewLink, symlinksRefused } from '../platform/create-link.ts';
import type { DirectoryHandle } from '../platform/directory-handle.ts';
import type { Root } from '../platform/root.ts';
import { sharedEntryNotFound, withSharedFolder } from '../platform/shared-folder.ts';
import { isBroken, isDanglingError, linkTextTo } from './resolve-link.ts';

/** A link that was created. */
interface MadeLink {
  /** As stored on disk. */
  text: string;
  /** The text of the broken link that it replaced. */
  replaced?: string | undefined;
}

/** An agent's open folder for links of one kind. */
export interface LinkFolder {
  readonly id: string;
  readonly kind: LinkKind;
  readonly directory: DirectoryHandle;
}

/**
 * The steps of every change to an agent's links. The caller holds the agent's lock and closes the folders.
 *
 * SECURITY: each step uses the open folder, so swapping a directory for a link can't cause a change outside.
 */
interface LinkSteps {
  /** Opens the agent's own folder. Returns undefined if it's missing. Throws `not_a_directory`. */
  openFolder(agent: DirectoryHandle, id: string, kind: LinkKind): Promise<LinkFolder | undefined>;
  /** Like `openFolder`, but creates a missing folder. */
  makeFolder(agent: DirectoryHandle, id: string, kind: LinkKind): Promise<LinkFolder & { isNew: boolean }>;
  removeEmptyFolder(agent: DirectoryHandle, kind: LinkKind): Promise<void>;
  /** Throws if the shared entry doesn't exist. Needs no lock. */
  targetOf(kind: LinkKind, name: string): Promise<'dir' | 'file'>;
  /** Returns a symlink's text, or undefined for anything else. */
  textOf(folder: LinkFolder, name: string): Promise<string | undefined>;
  /** Returns whether the agent has a broken link with this name. */
  hasBroken(folder: LinkFolder, name: string): Promise<boolean>;
  link(folder: LinkFolder, name: string, target: 'dir' | 'file', replaceBroken: boolean): Promise<MadeLink>;
  /** Removes a symlink and returns its text. */
  unlink(folder: LinkFolder, name: string): Promise<string>;
  /** Recreates a removed link. */
  relink(folder: LinkFolder, name: string, text: string): Promise<void>;
}

/** The error if a link folder is a file or a link. */
export const notADirectory = (kind: LinkKind): AppError =>
  new AppError(
    'not_a_directory',
    `This agent’s "${kind}" is not a regular directory, so dot-mi won’t add or remove links in it. Replace it with a directory.`,
  );

/** The error for a missing link. */
export const linkNotFound = (kind: LinkKind, name: string): AppError =>
  new AppError('link_not_found', `This agent has no "${name}" in ${kind}.`);

const linkExists = (kind: LinkKind, name: string) =>
  new AppError('link_exists', `This agent already has "${name}" in ${kind}. Remove it first.`);

/** The error for a broken link that nothing in `shared` can repair. It suggests removing the link. */
export const brokenLinkStays = (id: string, kind: LinkKind, name: string): AppError =>
  new AppError(
    'shared_entry_not_found',
    `shared/${kind} has no "${name}", so dot-mi can’t repair this broken link.`,
  ).withHint({
    route: `DELETE /api/agents/:id/links/${kind}/:name`,
    agentId: id,
    text: `Remove it with DELETE /api/agents/${id}/links/${kind}/${encodeURIComponent(name)}.`,
  });

/** Creates {@link LinkSteps}. */
export const createLinkSteps = (root: Root, system: LinkSystem): LinkSteps => {
  const textOf = ({ directory }: LinkFolder, name: string): Promise<string | undefined> =>
    directory.readlink(name).catch((error: unknown) => {
      if (isNotFound(error) || systemCode(error) === 'EINVAL') return undefined;
      throw error;
    });

  const isBrokenIn = ({ directory }: LinkFolder, name: string): Promise<boolean> =>
    directory.at(name, isBroken);

  /** Removes a broken link and returns its text, or undefined if there is none. */
  const takeBroken = async (folder: LinkFolder, name: string): Promise<string | undefined> => {
    const text = await textOf(folder, name);
    if (text === undefined || !(await isBrokenIn(folder, name))) return undefined;
    await folder.directory.unlink(name);
    return text;
  };

  /** Creates a link. Returns whether it's a junction. */
  const linkTo = async (
    text: string,
    folder: LinkFolder,
    name: string,
    target: NewLink['target'],
  ): Promise<boolean> => {
    const { id, kind, directory } = folder;
    const finalPath = join(root.agent(id), kind, name);
    const { junction } = await createLink({ text, directory, name, target, finalPath }, system);
    // Windows creates junctions to network drives but doesn't follow them.
    if (junction && target === 'dir' && (await isBrokenIn(folder, name))) {
      await directory.unlink(name);
      throw symlinksRefused();
    }
    return junction;
  };

  const openFolder: LinkSteps['openFolder'] = async (agent, id, kind) => {
    try {
      // SECURITY: writing through a linked folder would change another folder.
      return { id, kind, directory: await agent.open(kind) };
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw isNotFound(error) ? notADirectory(kind) : error;
    }
  };

  return {
    openFolder,

    async makeFolder(agent, id, kind) {
      const existing = await openFolder(agent, id, kind);
      if (existing) return { ...existing, isNew: false };
      await agent.mkdir(kind).catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error;
      });
      const made = await openFolder(agent, id, kind);
      // Another program removed the directory again.
      if (!made) throw notADirectory(kind);
      return { ...made, isNew: true };
    },

    async removeEmptyFolder(agent, kind) {
      await agent.rmdir(kind).catch((error: unknown) => {
        if (systemCode(error) === undefined) throw error;
      });
    },

    async targetOf(kind, name) {
      const stats = await withSharedFolder(root, kind, async (folder) =>
        folder?.at(name, (path) => stat(path)),
      ).catch((error: unknown) => {
        const isNoFolder = error instanceof AppError && error.code === 'not_a_directory';
        if (isNoFolder || isDanglingError(error)) return undefined;
        throw error;
      });
      // By the catalog's rules, a plain file isn't a skill and a pipe isn't an entry.
      const type = stats?.isDirectory() ? 'dir' : stats?.isFile() ? 'file' : undefined;
      if (type && isOfKind(kind, name, type)) return type;
      throw sharedEntryNotFound(kind, name);
    },

    textOf,

    hasBroken: async (folder, name) =>
      (await textOf(folder, name)) !== undefined && (await isBrokenIn(folder, name)),

    async link(folder, name, target, replaceBroken) {
      const { kind } = folder;
      const text = linkTextTo(kind, name);
      const replaced = replaceBroken ? await takeBroken(folder, name) : undefined;
      try {
        const isJunction = await linkTo(text, folder, name, target);
        return { text: isJunction ? await folder.directory.readlink(name) : text, replaced };
      } catch (error) {
        // Report the first error. The replaced link was broken anyway.
        if (replaced !== undefined) await linkTo(replaced, folder, name, 'unknown').catch(() => undefined);
        throw systemCode(error) === 'EEXIST' ? linkExists(kind, name) : error;
      }
    },

    async unlink({ kind, directory }, name) {
      // SECURITY: on Windows, "x:y" is a stream of "x", and "x." is "x" itself.
      if (process.platform === 'win32' && !isLinkName(name)) throw linkNotFound(kind, name);
      const stats = await directory.lstat(name).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (!stats) throw linkNotFound(kind, name);
      if (!stats.isSymbolicLink()) {
        throw new AppError(
          'not_a_link',
          `"${name}" is not a symlink. It belongs to this agent, so dot-mi didn’t remove it.`,
        );
      }
      const text = await directory.readlink(name);
      await directory.unlink(name);
      return text;
    },

    async relink(folder, name, text) {
      try {
        await linkTo(text, folder, name, 'unknown');
      } catch (error) {
        throw systemCode(error) === 'EEXIST' ? linkExists(folder.kind, name) : error;
      }
    },
  };
};
