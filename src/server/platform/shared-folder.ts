import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound } from './app-error.ts';
import { withDirectoryInside } from './open-inside.ts';
import { isInside, type Root } from './root.ts';

/** The error for a shared folder that is a link out of the root. */
export const sharedOutsideRoot = (kind: LinkKind): AppError =>
  new AppError(
    'outside_root',
    `"shared/${kind}" is a symlink to a place outside the root, so dot-mi doesn't open it. Replace it with a directory.`,
  );

/** Undefined if nothing is there. A broken link has no entries to show. */
const whereThere = (error: unknown): undefined => {
  if (isNotFound(error)) return undefined;
  throw error;
};

/** The resolved path of a shared folder, `outside` if it isn't in the root, or undefined if it is missing. */
export const resolveSharedFolder = async (
  root: Root,
  kind: LinkKind,
): Promise<string | 'outside' | undefined> => {
  const [realRoot, folder] = await Promise.all([
    realpath(root.path).catch(whereThere),
    realpath(root.shared(kind)).catch(whereThere),
  ]);
  if (realRoot === undefined || folder === undefined) return undefined;
  return isInside(realRoot, folder) ? folder : 'outside';
};

/**
 * The resolved directories that files of a shared entry may be in: the root, and the entry's own place if it is linked
 * from elsewhere. Blocking, for a thread.
 *
 * SECURITY: the entry is resolved within the open folder. Through a folder that was swapped for a link, any directory
 * would look like an entry's own. Throws ESTALE for such a folder, and the system's errors.
 */
export const insideOfSharedEntry = (root: Root, kind: LinkKind, name: string): string[] => {
  const realRoot = realpathSync.native(root.path);
  const folder = realpathSync.native(root.shared(kind));
  const place = withDirectoryInside([realRoot], folder, ({ realPath }) => realPath(name));
  return isInside(realRoot, place) ? [realRoot] : [realRoot, place];
};

/**
 * Makes sure that the folder of a shared kind is in the root. Blocking, for a thread.
 *
 * SECURITY: single entries may be links to places outside. But a linked folder would list whatever is in some
 * other directory of this user. Throws `outside_root`.
 */
export const requireSharedInside = (root: Root, kind: LinkKind): void => {
  let isIn = true;
  try {
    isIn = isInside(realpathSync.native(root.path), realpathSync.native(root.shared(kind)));
  } catch (error) {
    whereThere(error);
  }
  if (!isIn) throw sharedOutsideRoot(kind);
};
