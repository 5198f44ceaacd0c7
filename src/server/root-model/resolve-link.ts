import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import type { LinkKind } from '../../shared/api/names.ts';
import { isNotFound, systemCode } from '../platform/app-error.ts';

/** Returns the text of a link to a shared entry. It's the same on every system, so that roots are portable. */
export const linkTextTo = (kind: LinkKind, name: string): string => `../../../shared/${kind}/${name}`;

/** The most links to follow. Linux reports ELOOP after this many. */
const MAX_HOPS = 40;

/**
 * Returns whether an error means that a path has no target. That includes loops, invalid paths and places that this
 * user can't read, where pi finds nothing either.
 */
export const isDanglingError = (error: unknown): boolean =>
  isNotFound(error) || ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');

/** Returns undefined if the target is missing. EINVAL means the path is no longer a link. */
const orUndefined = (error: unknown): undefined => {
  if (!isDanglingError(error) && systemCode(error) !== 'EINVAL') throw error;
};

/** Runs a blocking call, which is faster for the 100,000 links of 10,000 agents. */
const look = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    return orUndefined(error);
  }
};

/** Returns whether a symlink's target is missing. Doesn't block, because a network drive can take seconds. */
export const isBroken = async (path: string): Promise<boolean> =>
  (await stat(path).catch(orUndefined)) === undefined;

/** Like {@link isBroken}, but blocks. */
export const isBrokenSync = (path: string): boolean => look(() => statSync(path)) === undefined;

/**
 * Returns the places that resolving a symlink passes through, up to its end. Blocks.
 *
 * Each is a resolved directory with the last name, never the link's text, which may be `/elsewhere/shared/skills/x`. The
 * last one can be missing.
 */
export const hopsOfSync = (link: string): string[] => {
  const hops: string[] = [];
  let path = link;
  while (hops.length < MAX_HOPS) {
    const text = look(() => readlinkSync(path));
    if (text === undefined) return hops;
    // Don't use `join`, which would drop "..". The system resolves ".." after it follows the links before it.
    const target = isAbsolute(text) ? text : `${dirname(path)}${sep}${text}`;
    const last = basename(target);
    const isWhole = last === '' || last === '.' || last === '..';
    const real = look(() => realpathSync.native(isWhole ? target : dirname(target)));
    if (real === undefined) return hops;
    path = isWhole ? real : join(real, last);
    hops.push(path);
  }
  return hops;
};
