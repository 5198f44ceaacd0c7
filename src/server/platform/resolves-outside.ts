import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, sep } from 'node:path';
import { isNotFound, systemCode } from './app-error.ts';
import { isInside } from './root.ts';

/** No system follows more links than this for one path. */
const MAX_LINKS = 40;

/** Returns a path's stats without following a link, or undefined if it doesn't exist. */
const lookAt = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Returns a path's segments, last first. Keeps "..", because after a link it means the parent of the link's target. */
const namesOf = (path: string): string[] =>
  path
    .slice(parse(path).root.length)
    .split(sep === '/' ? sep : /[\\/]/)
    .reverse();

const realPathIfThere = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/**
 * Resolves the links in an absolute path, even if nothing exists at the end. For a cycle of links, returns one of
 * them. Throws if the system denies access.
 */
const destinationOf = (path: string): string => {
  const whole = realPathIfThere(path);
  if (whole !== undefined) return whole;
  // Usually only the last segment is missing. Resolving its parent at once is faster than checking each directory.
  const above = realPathIfThere(dirname(path));
  let place = above ?? parse(path).root;
  const pending = above === undefined ? namesOf(path) : [basename(path)];
  let linksLeft = MAX_LINKS;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const next = join(place, name);
    const stats = lookAt(next);
    // Nothing exists below it either.
    if (!stats) return join(next, pending.reverse().join('/'));
    if (!stats.isSymbolicLink()) place = next;
    else if (linksLeft-- === 0) return next;
    else {
      const link = readlinkSync(next);
      if (isAbsolute(link)) place = parse(link).root;
      pending.push(...namesOf(link));
    }
  }
  return place;
};

/**
 * Resolves the links in an absolute path, even if nothing exists at the end. Returns the path itself if the system
 * denies access. Blocks.
 */
export const resolvedPlace = (path: string): string => {
  try {
    return destinationOf(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path;
  }
};

/**
 * Returns a path's resolved place if it's in one of these resolved directories, even if nothing exists there.
 * Undefined if it's outside or can't be resolved.
 */
export const placeInside = (path: string, inside: readonly string[]): string | undefined => {
  try {
    const destination = destinationOf(path);
    return inside.some((directory) => isInside(directory, destination)) ? destination : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};

/** The resolved directories that files can be in. */
export interface Inside {
  readonly directories: readonly string[];
  /** True if links within them are followed. */
  readonly followsLinks: boolean;
  /** Returns whether a path can be read at the place where it ends. Undefined if every place can. */
  readonly mayEnd?: (path: string, place: string) => boolean;
}

/**
 * Returns a file's place, like {@link placeInside}. Also undefined for a place where the path can't end, and without
 * `followsLinks` for a path that contains a link.
 */
export const readablePlace = (
  path: string,
  { directories, followsLinks, mayEnd }: Inside,
): string | undefined => {
  const place = placeInside(path, directories);
  if (place === undefined || place === path) return place;
  return followsLinks && (mayEnd?.(path, place) ?? true) ? place : undefined;
};

/** Returns the directories that an open file must be in, or only its own place if links aren't followed. */
export const openableIn = (place: string, { directories, followsLinks }: Inside): readonly string[] =>
  followsLinks ? directories : [place];

/**
 * Returns whether a path resolves outside all of these directories, even if nothing exists there.
 *
 * SECURITY: a shared entry can link to a place outside the root, but dot-mi reveals nothing about files outside these
 * directories, not even whether they exist. A path that can't be resolved counts as outside.
 */
export const resolvesOutside = (path: string, allowed: readonly string[]): boolean => {
  try {
    const destination = destinationOf(path);
    return !allowed.some((directory) => isInside(realpathSync.native(directory), destination));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
};
