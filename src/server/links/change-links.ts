import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isLinkName, isOfKind, type LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { type ChangeItem, type LinksAccess, MISSING, PathChangedError } from '../platform/changes.ts';
import { createLink, type LinkSystem, type NewLink, symlinksRefused } from '../platform/create-link.ts';
import type { DirectoryHandle } from '../platform/directory-handle.ts';
import type { Root } from '../platform/root.ts';
import { sharedEntryNotFound, withSharedFolder } from '../platform/shared-folder.ts';
import { notADirectory } from '../root-model/link-folders.ts';
import { isBroken, isDanglingError, linkTextTo } from '../root-model/resolve-link.ts';

/** Returns the type of a link's target. Throws if the shared entry doesn't exist. */
export type TargetOf = (kind: LinkKind, name: string) => Promise<'dir' | 'file'>;

/** The error for a missing link. */
export const linkNotFound = (kind: LinkKind, name: string): AppError =>
  new AppError('link_not_found', `This agent has no "${name}" in ${kind}.`);

const linkExists = (kind: LinkKind, name: string) =>
  new AppError('link_exists', `This agent already has "${name}" in ${kind}. Remove it first.`);

const notALink = (name: string) =>
  new AppError(
    'not_a_link',
    `"${name}" is not a symlink. It belongs to this agent, so dot-mi didn’t remove it.`,
  );

/** The error for a broken link that nothing in `shared` can repair. It suggests removing the link. */
const brokenLinkStays = (id: string, kind: LinkKind, name: string): AppError =>
  new AppError(
    'shared_entry_not_found',
    `shared/${kind} has no "${name}", so dot-mi can’t repair this broken link.`,
  ).withHint({
    route: `DELETE /api/agents/:id/links/${kind}/:name`,
    agentId: id,
    text: `Remove it with DELETE /api/agents/${id}/links/${kind}/${encodeURIComponent(name)}.`,
  });

/** Returns the path of an agent's link, for change sets. */
const pathOf = (id: string, kind: LinkKind, name: string): string => `agents/${id}/${kind}/${name}`;

/** Creates {@link TargetOf} for a root. */
export const createTargetOf =
  (root: Root): TargetOf =>
  async (kind, name) => {
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
  };

/** What to do with a name that the agent has already. */
interface LinkOptions {
  /** Replaces a broken link. */
  readonly replaceBroken: boolean;
  /** A link with our text counts as made already. */
  readonly keepsOwn: boolean;
}

/** Returns the item that links a shared entry. */
export const linkItem = (
  targetOf: TargetOf,
  id: string,
  kind: LinkKind,
  name: string,
  { replaceBroken, keepsOwn }: LinkOptions,
): ChangeItem => ({
  path: pathOf(id, kind, name),
  async plan(before) {
    const isBrokenLink = async () => before.is === 'link' && (await before.isBroken?.()) === true;
    const target = await targetOf(kind, name).catch(async (error: unknown) => {
      const isMissing = error instanceof AppError && error.code === 'shared_entry_not_found';
      throw isMissing && !keepsOwn && (await isBrokenLink()) ? brokenLinkStays(id, kind, name) : error;
    });
    const text = linkTextTo(kind, name);
    if (before.is === 'missing') return { is: 'link', text, target };
    if (keepsOwn && before.is === 'link' && before.text === text) return before;
    if (replaceBroken && (await isBrokenLink())) return { is: 'link', text, target };
    throw linkExists(kind, name);
  },
});

/** Returns the item that removes a symlink. With `isRequired`, it's refused if there's none. */
export const unlinkItem = (id: string, kind: LinkKind, name: string, isRequired: boolean): ChangeItem => ({
  path: pathOf(id, kind, name),
  plan(before) {
    // SECURITY: on Windows, "x:y" is a stream of "x", and "x." is "x" itself.
    const isMissing = before.is === 'missing' || (process.platform === 'win32' && !isLinkName(name));
    if (isMissing && isRequired) throw linkNotFound(kind, name);
    if (isMissing) return before;
    if (before.is !== 'link') throw notALink(name);
    return MISSING;
  },
});

interface LinkFolder {
  readonly kind: LinkKind;
  readonly directory: DirectoryHandle;
}

const isBrokenIn = ({ directory }: LinkFolder, name: string): Promise<boolean> =>
  directory.at(name, isBroken);

/** Returns a symlink's text, or undefined for anything else. */
const textOf = ({ directory }: LinkFolder, name: string): Promise<string | undefined> =>
  directory.readlink(name).catch((error: unknown) => {
    if (isNotFound(error) || systemCode(error) === 'EINVAL') return undefined;
    throw error;
  });

export const createLinksAccess = (root: Root, system: LinkSystem): LinksAccess => ({
  open(agent, id) {
    const folders = new Map<LinkKind, LinkFolder>();

    /** Returns undefined if the folder is missing. Throws `not_a_directory`. */
    const folderOf = async (kind: LinkKind): Promise<LinkFolder | undefined> => {
      const known = folders.get(kind);
      if (known) return known;
      try {
        // SECURITY: writing through a linked folder would change another folder.
        const folder = { kind, directory: await agent.open(kind) };
        folders.set(kind, folder);
        return folder;
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        throw isNotFound(error) ? notADirectory(kind) : error;
      }
    };

    const makeFolder = async (kind: LinkKind): Promise<LinkFolder> => {
      const existing = await folderOf(kind);
      if (existing) return existing;
      await agent.mkdir(kind).catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error;
      });
      const made = await folderOf(kind);
      // Another program removed the directory again.
      if (!made) throw notADirectory(kind);
      return made;
    };

    const closeFolder = async (kind: LinkKind) => {
      await folders.get(kind)?.directory.close();
      folders.delete(kind);
    };

    /** A folder that still has links stays. */
    const removeEmptyFolder = async (kind: LinkKind) => {
      await closeFolder(kind);
      await agent.rmdir(kind).catch((error: unknown) => {
        if (systemCode(error) === undefined) throw error;
      });
    };

    /** Creates a link. Returns its text as stored. */
    const create = async (
      folder: LinkFolder,
      name: string,
      text: string,
      target: NewLink['target'],
    ): Promise<string> => {
      const { kind, directory } = folder;
      const finalPath = join(root.agent(id), kind, name);
      const { junction } = await createLink({ text, directory, name, target, finalPath }, system).catch(
        (error: unknown) => {
          throw systemCode(error) === 'EEXIST' ? new PathChangedError() : error;
        },
      );
      if (!junction) return text;
      // Windows creates junctions to network drives but doesn't follow them.
      if (target === 'dir' && (await isBrokenIn(folder, name))) {
        await directory.unlink(name);
        throw symlinksRefused();
      }
      return directory.readlink(name);
    };

    return {
      async read(kind, name) {
        const folder = await folderOf(kind);
        if (!folder) return { is: 'missing', folderless: true };
        const stats = await folder.directory.lstat(name).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        if (!stats) return MISSING;
        if (!stats.isSymbolicLink()) return { is: 'other' };
        const text = await textOf(folder, name);
        if (text === undefined) return MISSING;
        return { is: 'link', text, isBroken: () => isBrokenIn(folder, name) };
      },

      async write(kind, name, before, after, recorded) {
        await recorded;
        const folder = after.is === 'link' ? await makeFolder(kind) : await folderOf(kind);
        if (!folder) throw new PathChangedError();
        if (before.is === 'link') {
          if ((await textOf(folder, name)) !== before.text) throw new PathChangedError();
          await folder.directory.unlink(name);
        }
        if (after.is === 'missing') {
          if (after.folderless) await removeEmptyFolder(kind);
          return after;
        }
        if (after.is !== 'link') throw new Error(`${name} is a link`);
        try {
          return { ...after, text: await create(folder, name, after.text, after.target ?? 'unknown') };
        } catch (error) {
          // Report the first error. It says why no link can be created here.
          if (before.is === 'link') await create(folder, name, before.text, 'unknown').catch(() => undefined);
          throw error;
        }
      },

      async close() {
        for (const kind of [...folders.keys()]) await closeFolder(kind);
      },
    };
  },
});
