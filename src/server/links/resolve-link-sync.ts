import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { isSamePath } from '../platform/root.ts';
import { isDanglingError, MAX_HOPS } from './resolve-link.ts';

/** What `look` finds, or undefined where the system says that a path leads nowhere. */
const orNowhere = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (isDanglingError(error) || systemCode(error) === 'EINVAL') return undefined;
    throw error;
  }
};

/** As `isBroken`, blocking: for a thread. */
export const isBrokenSync = (path: string): boolean => orNowhere(() => statSync(path)) === undefined;

const followOnceSync = (link: string): string => {
  const text = readlinkSync(link);
  // Not `join`: it takes ".." for the directory in the text, the system for that of where it really is.
  const target = isAbsolute(text) ? text : `${dirname(link)}${sep}${text}`;
  const name = basename(target);
  return name === '' || name === '.' || name === '..'
    ? realpathSync.native(target)
    : join(realpathSync.native(dirname(target)), name);
};

/** As `leadsThrough`, blocking: for a thread. */
export const linkPassesThroughSync = (link: string, directory: string, name: string): boolean => {
  let path = link;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const from = path;
    const next = orNowhere(() => followOnceSync(from));
    if (next === undefined) return false;
    if (isSamePath(next, join(directory, name))) return true;
    if (!orNowhere(() => lstatSync(next))?.isSymbolicLink()) return false;
    path = next;
  }
  return false;
};
