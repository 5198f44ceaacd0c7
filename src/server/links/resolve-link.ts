import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { isSamePath } from '../platform/root.ts';

/** As many hops as Linux follows before it says ELOOP. */
const MAX_HOPS = 40;

/** Whether a symlink leads nowhere: its target is missing, or it goes round in a circle. */
export const isBroken = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return false;
  } catch (error) {
    if (isNotFound(error) || systemCode(error) === 'ELOOP') return true;
    throw error;
  }
};

/**
 * Whether following a symlink passes through the entry `name` of `directory` (already resolved).
 *
 * Each hop is told by the resolved directory it stands in and its last name, never by the text of the link: that may
 * spell `/elsewhere/shared/skills/x`. The entry itself may be a link in turn, or dangle.
 */
export const leadsThrough = async (link: string, directory: string, name: string): Promise<boolean> => {
  let path = link;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    try {
      // ".." in a link counts from where its directory really is.
      const next = resolve(await realpath(dirname(path)), await readlink(path));
      path = join(await realpath(dirname(next)), basename(next));
      if (isSamePath(path, join(directory, name))) return true;
      if (!(await lstat(path)).isSymbolicLink()) return false;
    } catch (error) {
      if (isNotFound(error) || systemCode(error) === 'ELOOP' || systemCode(error) === 'EINVAL') return false;
      throw error;
    }
  }
  return false;
};
