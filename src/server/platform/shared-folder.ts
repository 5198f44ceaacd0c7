import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound } from './app-error.ts';
import { isInside, type Root } from './root.ts';

/** Says that the folder of a shared kind is a link out of the root. */
export const sharedOutsideRoot = (kind: LinkKind): AppError =>
  new AppError(
    'outside_root',
    `"shared/${kind}" is a symlink to a place outside the root, so dot-mi doesn't open it. Replace it with a directory.`,
  );

/** Undefined where nothing is: a link to nowhere has no entries to show. */
const whereThere = (error: unknown): undefined => {
  if (isNotFound(error)) return undefined;
  throw error;
};

/** Where the folder of a shared kind really is: `outside` the root, or its resolved path; undefined when it doesn't exist. */
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
 * Makes sure that the folder of a shared kind is in the root, blocking: for a thread.
 *
 * SECURITY: single entries may be linked in from elsewhere. But a linked folder would list whatever is in some other directory of this
 * user. Throws `outside_root`.
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
