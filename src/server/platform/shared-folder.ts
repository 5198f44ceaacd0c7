import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound } from './app-error.ts';
import {
  type DirectoryHandle,
  openDirectory,
  openOrMake,
  withDirectory,
  withDirectoryBelow,
} from './directory-handle.ts';
import { mayBeLinked } from './may-read.ts';
import { withDirectoryInside } from './open-inside.ts';
import type { Inside } from './resolves-outside.ts';
import { isInside, type Root, resolveRoot, withRoot } from './root.ts';

/** The error for a shared folder that is a link to a place outside the root. */
const sharedOutsideRoot = (kind: LinkKind): AppError =>
  new AppError(
    'outside_root',
    `"shared/${kind}" is a symlink to a place outside the root, so dot-mi doesn’t open it. Replace it with a directory.`,
  );

/** The error for a missing entry of a shared folder. */
export const sharedEntryNotFound = (kind: LinkKind, name: string): AppError =>
  new AppError('shared_entry_not_found', `shared/${kind} has no "${name}".`).withHint({
    route: `GET /api/catalog/${kind}`,
    text: `GET /api/catalog/${kind} lists what it has.`,
  });

/** Returns undefined for a missing folder and for a broken link, which have no entries to show. */
const whereThere = (error: unknown): undefined => {
  if (isNotFound(error)) return undefined;
  throw error;
};

const notADirectory = (folder: string): AppError =>
  new AppError('not_a_directory', `"${folder}" is not a regular directory. Replace it with a directory.`);

/** Opens a directory, and throws `not_a_directory` for anything else, such as a link. */
const openShown =
  (shown: string, open = (parent: DirectoryHandle, name: string) => parent.open(name)) =>
  async (parent: DirectoryHandle, name: string): Promise<DirectoryHandle> =>
    open(parent, name).catch((error: unknown) => {
      throw isNotFound(error) ? notADirectory(shown) : error;
    });

/**
 * Runs `use` with the open folder of a shared kind, or with undefined if it doesn't exist. A link to another place in
 * the root is followed.
 *
 * Throws `outside_root`, `not_a_directory` and `root_unavailable`.
 */
export const withSharedFolder = async <T>(
  root: Root,
  kind: LinkKind,
  use: (folder: DirectoryHandle | undefined) => Promise<T>,
): Promise<T> => {
  const realRoot = await resolveRoot(root);
  const folder = await realpath(root.shared(kind)).catch(whereThere);
  if (folder === undefined) return use(undefined);
  if (!isInside(realRoot, folder)) throw sharedOutsideRoot(kind);
  const names = relative(realRoot, folder).split(sep).filter(Boolean);
  // SECURITY: open level by level, because another user may have replaced one of them.
  return withDirectory(openDirectory(realRoot), (top) =>
    withDirectoryBelow(top, names, use, openShown(`shared/${kind}`)),
  );
};

/** Like {@link withSharedFolder}, but creates the folder if it doesn't exist. */
export const withNewSharedFolder = <T>(
  root: Root,
  kind: LinkKind,
  use: (folder: DirectoryHandle) => Promise<T>,
): Promise<T> =>
  withSharedFolder(root, kind, (folder) =>
    folder
      ? use(folder)
      : withRoot(root, (top) =>
          withDirectory(openShown('shared', openOrMake)(top, 'shared'), (shared) =>
            withDirectory(openShown(`shared/${kind}`, openOrMake)(shared, kind), use),
          ),
        ),
  );

/**
 * Returns the limits for files in the root, for lists and checks that are the same for all callers. Blocks.
 *
 * SECURITY: a link in the root can end at settings, sessions or logins.
 */
export const insideOfRoot = (root: Root): Inside => {
  const realRoot = realpathSync.native(root.path);
  return {
    directories: [realRoot],
    followsLinks: true,
    mayEnd: (path, place) =>
      relative(root.path, path) === relative(realRoot, place) || mayBeLinked(path, place, realRoot),
  };
};

/**
 * Returns where a shared entry is read, and where its files can be: in the root, or in its own directory if it's
 * linked from elsewhere. Blocks.
 *
 * SECURITY: the entry is resolved once, within the open folder. An entry from elsewhere is read at the resolved
 * place, even if it's replaced later. Links there aren't followed, because another user may have left one to a
 * private file. Throws ESTALE for a folder outside, and the system's errors.
 */
export const placeOfSharedEntry = (
  root: Root,
  kind: LinkKind,
  name: string,
): { path: string; inside: Inside } => {
  const inRoot = insideOfRoot(root);
  const folder = realpathSync.native(root.shared(kind));
  const place = withDirectoryInside(inRoot.directories, folder, ({ realPath }) => realPath(name));
  return inRoot.directories.some((directory) => isInside(directory, place))
    ? { path: join(root.shared(kind), name), inside: inRoot }
    : { path: place, inside: { directories: [place], followsLinks: false } };
};

/** Returns whether the folder of a shared kind is in the root or missing. Blocks. Throws the system's errors. */
export const isSharedInside = (root: Root, kind: LinkKind): boolean => {
  try {
    return isInside(realpathSync.native(root.path), realpathSync.native(root.shared(kind)));
  } catch (error) {
    return whereThere(error) ?? true;
  }
};

/**
 * Verifies that the folder of a shared kind is in the root. Blocks.
 *
 * SECURITY: single entries can be links to places outside, but a linked folder would list another of this user's
 * directories. Throws `outside_root`.
 */
export const requireSharedInside = (root: Root, kind: LinkKind): void => {
  if (!isSharedInside(root, kind)) throw sharedOutsideRoot(kind);
};
