import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { ownUser } from './private-files.ts';

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
/** The group of macOS's administrators, who can become root. Homebrew lets it write to its directories. */
const MAC_ADMINISTRATORS = 80;
/** As many links as Linux follows in one path. */
const MAX_LINKS = 40;

const isOwnedByOthers = ({ uid }: Stats, user: number): boolean => uid !== user && uid !== 0;

/** Returns whether another user could change a file, or a directory's content. Windows has no mode bits for this. */
export const isOpenToOthers = (stats: Stats): boolean => {
  const { gid, mode } = stats;
  const user = ownUser();
  if (user === undefined) return false;
  if (isOwnedByOthers(stats, user)) return true;
  // With this bit, others can't replace files they don't own.
  if (stats.isDirectory() && (mode & STICKY) !== 0) return false;
  // On Linux each user has their own group, with umask 002. On macOS all users share one.
  const isTrustedGroup =
    process.platform === 'darwin' ? gid === MAC_ADMINISTRATORS : gid === process.getegid?.();
  return (mode & WRITABLE_BY_ALL) !== 0 || ((mode & WRITABLE_BY_GROUP) !== 0 && !isTrustedGroup);
};

/**
 * Returns whether another user of this computer could change what a path leads to, or replace any directory or link on
 * the way. The path must be absolute. Throws the system's error if nothing is there.
 */
export const canOthersReplace = async (path: string): Promise<boolean> => {
  const user = ownUser();
  if (user === undefined) return false;
  let place = '/';
  let names = path.split('/').filter(Boolean);
  let links = 0;
  while (names.length > 0) {
    const [name = '', ...rest] = names;
    const next = resolve(place, name);
    const stats = await lstat(next);
    if (stats.isSymbolicLink()) {
      links += 1;
      if (isOwnedByOthers(stats, user) || links > MAX_LINKS) return true;
      const target = await readlink(next);
      names = [...target.split('/').filter(Boolean), ...rest];
      if (isAbsolute(target)) place = '/';
    } else {
      if (isOpenToOthers(stats)) return true;
      place = next;
      names = rest;
    }
  }
  return false;
};

/** Returns a search path's absolute directories. SECURITY: a relative one would be an agent's or a workspace's. */
export const placesIn = (searchPath: string): string[] => searchPath.split(delimiter).filter(isAbsolute);

/** Returns the part of a search path in which nobody else can place a program. */
export const ownSearchPath = async (searchPath: string): Promise<string> => {
  const places = await Promise.all(
    placesIn(searchPath).map(async (place) =>
      (await canOthersReplace(place).catch(() => true)) ? [] : [place],
    ),
  );
  return places.flat().join(delimiter);
};
