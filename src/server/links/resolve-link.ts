import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { isSamePath } from '../platform/root.ts';

/** As many hops as Linux follows before it says ELOOP. */
export const MAX_HOPS = 40;

/**
 * Whether the system says that a path leads nowhere. Beside a missing target: a circle, a text that no path can have,
 * and a place that this user may not look at, where pi finds nothing either.
 */
export const isDanglingError = (error: unknown): boolean =>
  isNotFound(error) || ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');

/** Whether a symlink leads nowhere. */
export const isBroken = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return false;
  } catch (error) {
    if (isDanglingError(error)) return true;
    throw error;
  }
};

/** The place that a link's text names, its directory resolved as the system does it. */
const followOnce = async (link: string): Promise<string> => {
  const text = await readlink(link);
  // Not `join`: it takes ".." for the directory in the text, the system for that of where it really is.
  const target = isAbsolute(text) ? text : `${dirname(link)}${sep}${text}`;
  const name = basename(target);
  return name === '' || name === '.' || name === '..'
    ? realpath(target)
    : join(await realpath(dirname(target)), name);
};

/**
 * Whether following a symlink passes through the entry `name` of `directory` (already resolved).
 *
 * Each hop is told by the resolved directory it stands in and its last name, never by the text of the link: that may
 * spell `/elsewhere/shared/skills/x`. The entry itself may be a link in turn, or dangle.
 */
export const linkPassesThrough = async (link: string, directory: string, name: string): Promise<boolean> => {
  let path = link;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    try {
      path = await followOnce(path);
      if (isSamePath(path, join(directory, name))) return true;
      if (!(await lstat(path)).isSymbolicLink()) return false;
    } catch (error) {
      if (isDanglingError(error) || systemCode(error) === 'EINVAL') return false;
      throw error;
    }
  }
  return false;
};
