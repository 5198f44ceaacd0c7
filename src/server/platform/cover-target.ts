import { readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from './app-error.ts';
import { lstatIfThere } from './list-directory.ts';
import type { Cover, Look } from './look.ts';

/** pi's files are linked once, and a team's perhaps twice. */
const MOST_LINKS = 4;

/** Whether `..` stands after a name. If that name is a link too, the text leads to another place than it says. */
const goesUpAgain = (text: string): boolean =>
  /(?:^|\/)(?!\.\.?(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(text);

/** Covers a directory, or the one above if there is none yet. */
const coverDirectory = (path: string, at: Look): Cover | undefined => {
  if (lstatIfThere(path)) return at.coverAlso(path);
  const above = at.coverAlso(dirname(path));
  // Created in between.
  return lstatIfThere(path) ? undefined : above;
};

const followTo = (path: string, at: Look): Cover | undefined => {
  const covers: Cover[] = [];
  let next = path;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const cover = coverDirectory(dirname(next), at);
    if (!cover) break;
    covers.push(cover);
    const stats = lstatIfThere(next);
    if (!stats?.isSymbolicLink()) {
      // A file with a second name can be written through that one.
      if (stats && stats.nlink > 1n && !stats.isDirectory()) break;
      return joinCovers(covers);
    }
    const text = readlinkSync(next);
    if (goesUpAgain(text)) break;
    next = resolve(dirname(next), text);
  }
  return undefined;
};

/**
 * Covers a path, and what it points to if it is a link, before they are looked at. Undefined if the watch could miss a
 * change, as outside the root.
 */
export const coverTarget = (path: string, at: Look): Cover | undefined => {
  try {
    const cover = followTo(path, at);
    if (cover) return cover;
  } catch (error) {
    // The look itself reports what the system refuses.
    if (systemCode(error) === undefined) throw error;
  }
  at.miss();
  return undefined;
};

/** One cover for several of the same look. */
export const joinCovers = (covers: readonly Cover[]): Cover | undefined => {
  const [first] = covers;
  return first && { since: first.since, directories: covers.flatMap(({ directories }) => directories) };
};
