import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, sep } from 'node:path';
import { isNotFound, systemCode } from './app-error.ts';
import { isInside } from './root.ts';

/** No system follows more links than this for one path. */
const MAX_LINKS = 40;

/** The stats of a path, without following a link, or undefined if nothing is there. */
const lookAt = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** The names in a path, last one first, not normalized: after a link, ".." is another directory. */
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
 * Resolves the links of an absolute path, even if nothing exists at the end. For a circle of links, returns
 * one of them. Throws if the system denies access.
 */
const destinationOf = (path: string): string => {
  const whole = realPathIfThere(path);
  if (whole !== undefined) return whole;
  // Mostly only the last name is missing, and looking at each one above it costs the most.
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
 * The place at the end of a path, if it is in one of these resolved directories, even if nothing exists there. Undefined if it is
 * outside, or can't be resolved.
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

/** The resolved directories that files may be in. */
export interface Inside {
  readonly directories: readonly string[];
  /** Whether a link from one place in them to another is followed. */
  readonly followsLinks: boolean;
}

/** The place of a file, as {@link placeInside}. Without `followsLinks`, also undefined for a path with a link in it. */
export const readablePlace = (path: string, { directories, followsLinks }: Inside): string | undefined => {
  const place = placeInside(path, directories);
  return followsLinks || place === path ? place : undefined;
};

/** What an open file must be in: one of the directories, or its own place if no link is followed. */
export const openableIn = (place: string, { directories, followsLinks }: Inside): readonly string[] =>
  followsLinks ? directories : [place];

/**
 * Whether a path resolves to a place outside all of these directories, even if nothing exists there.
 *
 * SECURITY: a shared entry may link to a place outside the root. But dot-mi reports nothing of files outside
 * these directories, not even whether they exist. A path that can't be resolved counts as outside.
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
