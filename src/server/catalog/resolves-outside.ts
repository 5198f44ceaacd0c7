import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, join, parse, sep } from 'node:path';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { isInside } from '../platform/root.ts';

/** No system follows more links than this for one path. */
const MAX_LINKS = 40;

/** What is at a path, without following it; undefined where nothing can be. */
const lookAt = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** The names of a path, the last one first. They are not resolved as text: after a link ".." is another place. */
const namesOf = (path: string): string[] =>
  path
    .slice(parse(path).root.length)
    .split(sep === '/' ? sep : /[\\/]/)
    .reverse();

/**
 * Where an absolute path leads by its links, whether something is there or not. A circle leads to a link of it. Throws
 * where the system does not let us see.
 */
const destinationOf = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  let place = parse(path).root;
  const pending = namesOf(path);
  let linksLeft = MAX_LINKS;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const next = join(place, name);
    const stats = lookAt(next);
    // Nothing is below it either, however long the rest may be.
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
 * Whether a path leads to a place outside of all these directories, also where nothing is.
 *
 * SECURITY: a shared entry may be linked in from elsewhere, but what we tell of its files comes from nowhere else, not even
 * whether they are there: what cannot be told counts as outside.
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
