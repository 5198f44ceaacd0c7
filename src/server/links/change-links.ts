import { lstat, mkdir, readlink, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isLinkName, type LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { createLink, type LinkSystem, type NewLink, symlinksRefused } from '../platform/create-link.ts';
import type { Root } from '../platform/root.ts';
import { resolveSharedFolder, sharedOutsideRoot } from '../platform/shared-folder.ts';
import { linkTextTo } from './link-text.ts';
import { isBroken, isDanglingError } from './resolve-link.ts';

/** A link that was created. */
export interface MadeLink {
  /** As stored on disk. */
  text: string;
  isJunction: boolean;
  /** The text of the broken link that it replaced. */
  replaced?: string | undefined;
}

/** The single steps of every change of an agent's links. The caller holds the agent's lock. */
export interface LinkSteps {
  directoryOf(id: string, kind: LinkKind): string;
  /** Throws if the folder exists and isn't the agent's own. Returns whether it exists. */
  hasOwnDirectory(id: string, kind: LinkKind): Promise<boolean>;
  makeDirectory(id: string, kind: LinkKind): Promise<void>;
  /** Removes the folder if it is empty. */
  removeEmptyDirectory(id: string, kind: LinkKind): Promise<void>;
  /** Throws if there is no such shared entry. Needs no lock. */
  targetOf(kind: LinkKind, name: string): Promise<'dir' | 'file'>;
  /** Whether the agent has a broken link of this name. */
  hasBroken(id: string, kind: LinkKind, name: string): Promise<boolean>;
  /** Links a shared entry. The agent's folder exists. */
  link(
    id: string,
    kind: LinkKind,
    name: string,
    target: 'dir' | 'file',
    replaceBroken: boolean,
  ): Promise<MadeLink>;
  /** Removes a symlink and returns its text. */
  unlink(id: string, kind: LinkKind, name: string): Promise<string>;
  /** Creates a link again that was removed. The agent's folder exists. */
  relink(id: string, kind: LinkKind, name: string, text: string): Promise<void>;
}

/** The error for a folder of links that is a file or a link. */
export const notADirectory = (kind: LinkKind): AppError =>
  new AppError(
    'not_a_directory',
    `This agent's "${kind}" is not a regular directory, so dot-mi won't add or remove links in it. Replace it with a directory.`,
  );

/** The error for a missing link. */
export const linkNotFound = (kind: LinkKind, name: string): AppError =>
  new AppError('link_not_found', `This agent has no "${name}" in ${kind}.`);

const linkExists = (kind: LinkKind, name: string) =>
  new AppError('link_exists', `This agent already has "${name}" in ${kind}. Remove it first.`);

/** The same error, where it says what to do with a broken link that nothing in `shared` can replace. */
export const brokenLinkStays = (id: string, kind: LinkKind, name: string): AppError =>
  new AppError(
    'shared_entry_not_found',
    `shared/${kind} has no "${name}", so dot-mi can't repair this broken link. Remove it with DELETE /api/agents/${id}/links/${kind}/${encodeURIComponent(name)}.`,
  );

/** Creates the steps. */
export const createLinkSteps = (root: Root, system: LinkSystem): LinkSteps => {
  const directoryOf = (id: string, kind: LinkKind) => join(root.agent(id), kind);

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

  return {
    directoryOf,

    async hasOwnDirectory(id, kind) {
      try {
        // SECURITY: a write through a linked folder would change another folder.
        if (!(await lstat(directoryOf(id, kind))).isDirectory()) throw notADirectory(kind);
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },

    makeDirectory: (id, kind) => mkdir(directoryOf(id, kind)),

    async removeEmptyDirectory(id, kind) {
      await rmdir(directoryOf(id, kind)).catch((error) => {
        if (systemCode(error) === undefined) throw error;
      });
    },

    async targetOf(kind, name) {
      const folder = await resolveSharedFolder(root, kind).catch((error) => {
        if (isDanglingError(error)) return undefined;
        throw error;
      });
      if (folder === 'outside') throw sharedOutsideRoot(kind);
      const stats = await stat(join(root.shared(kind), name)).catch((error) => {
        if (isDanglingError(error)) return undefined;
        throw error;
      });
      if (stats?.isDirectory()) return 'dir';
      // By the catalog's rules, a plain file isn't a skill and a pipe isn't an entry.
      if (kind === 'extensions' && stats?.isFile()) return 'file';
      throw new AppError(
        'shared_entry_not_found',
        `shared/${kind} has no "${name}". GET /api/catalog/${kind} lists what it has.`,
      );
    },

    async hasBroken(id, kind, name) {
      const path = join(directoryOf(id, kind), name);
      const isLink = await readlink(path).then(
        () => true,
        () => false,
      );
      return isLink && isBroken(path);
    },

    async link(id, kind, name, target, replaceBroken) {
      const path = join(directoryOf(id, kind), name);
      const text = linkTextTo(kind, name);
      const replaced = replaceBroken ? await takeBroken(path) : undefined;
      try {
        const isJunction = await linkTo(text, path, target);
        return { text: isJunction ? await readlink(path) : text, isJunction, replaced };
      } catch (error) {
        // The caller must get the first error, and the link that was here was broken anyway.
        if (replaced !== undefined) await linkTo(replaced, path, 'unknown').catch(() => undefined);
        throw systemCode(error) === 'EEXIST' ? linkExists(kind, name) : error;
      }
    },

    async unlink(id, kind, name) {
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
      return text;
    },

    async relink(id, kind, name, text) {
      try {
        await linkTo(text, join(directoryOf(id, kind), name), 'unknown');
      } catch (error) {
        throw systemCode(error) === 'EEXIST' ? linkExists(kind, name) : error;
      }
    },
  };
};
