import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { replaced } from './app-error.ts';
import { isInside, isSamePath } from './root.ts';

/**
 * How to check that an open file is in one of its required directories.
 *
 * - `descriptor`: the system reports the open file's path. Linux with /proc.
 * - `path`: each directory on the path has the same device and inode before and after. An attacker can defeat it only
 *   by swapping directories at exactly the right moments, several times in a row.
 */
type OpenWay = 'descriptor' | 'path';

const OPEN_WAY: OpenWay = process.platform === 'linux' && existsSync('/proc/self/fd') ? 'descriptor' : 'path';

// Windows has neither these flags nor the links and pipes they guard against.
const FLAGS =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

const isInAny = (tops: readonly string[], path: string): boolean => tops.some((top) => isInside(top, path));

/** Returns an open file's path. */
const placeOf = (descriptor: number): string => readlinkSync(`/proc/self/fd/${descriptor}`);

/** Returns the paths from a directory down to a resolved path and up again, so that a swap in between is detected. */
const wayTo = (real: string, tops: readonly string[]): string[] => {
  const top = tops.find((directory) => isInside(directory, real));
  if (top === undefined) throw replaced(real);
  const names = relative(top, real).split(sep);
  const down = real === top ? [top] : [top, ...names.map((_, at) => join(top, ...names.slice(0, at + 1)))];
  return [...down, ...down.slice(0, -1).reverse()];
};

const printOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Throws ESTALE if the path contains a link, or if the last name isn't the opened file. */
const compareWays = (
  path: string,
  [before, ...after]: readonly (readonly BigIntStats[])[],
  opened: BigIntStats | undefined,
): void => {
  const first = before ?? [];
  const last = first[(first.length - 1) / 2];
  const isSame = after.every((way) =>
    way.every((stats, at) => printOf(stats) === printOf(first[at] ?? stats)),
  );
  const hasLink = first.some((stats) => stats.isSymbolicLink());
  const isOpened = !opened || (last !== undefined && printOf(opened) === printOf(last));
  if (!isSame || hasLink || !isOpened) throw replaced(path);
};

const lookSync = (way: readonly string[]) => way.map((path) => lstatSync(path, { bigint: true }));

/** Options for opening a path that must be in certain directories. */
interface OpenOptions {
  readonly way?: OpenWay;
  /** True if the path can't contain links. It must be absolute and below a resolved directory. */
  readonly isExact?: boolean | undefined;
}

/**
 * Opens something for reading that must be in one of the resolved directories `tops`, without waiting on a pipe or
 * device. Blocks. Returns a descriptor. Follows links unless `isExact`, except in the last name.
 *
 * SECURITY: another user of a shared root can replace any directory with a link between two calls. So this opens
 * first and then checks what it opened. Throws ESTALE for anything outside, and the system's errors.
 */
export const openInsideSync = (
  tops: readonly string[],
  path: string,
  { way = OPEN_WAY, isExact = false }: OpenOptions = {},
): number => {
  if (way === 'descriptor') {
    const file = openSync(path, FLAGS);
    try {
      const place = placeOf(file);
      if (!isInAny(tops, place) || (isExact && !isSamePath(place, path))) throw replaced(path);
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }
  const real = join(realpathSync.native(dirname(path)), basename(path));
  if (isExact && !isSamePath(real, path)) throw replaced(path);
  const steps = wayTo(real, tops);
  const before = lookSync(steps);
  const file = openSync(real, FLAGS);
  try {
    compareWays(path, [before, lookSync(steps), lookSync(steps)], fstatSync(file, { bigint: true }));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
};

/** Linux: opens a file without reading it, so that pipes and devices don't notice. Node doesn't define the flag. */
const O_PATH = 0o10_000_000;

/**
 * Resolves a path that begins at a descriptor.
 *
 * SECURITY: `realpath` would walk the directory's path, which may contain a link by then.
 */
const placeFromDescriptor = (path: string): string => {
  const file = openSync(path, O_PATH);
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } finally {
    closeSync(file);
  }
};

/** How many names one system call returns. */
const NAMES_AT_ONCE = 512;

/** A directory that stays the same while it's read. */
export interface InsideDirectory {
  /** Returns an entry's path for `node:fs`, not for people. `.` is the directory itself. */
  entry(name: string): string;
  list(): Dirent[];
  /** Returns the names in the system's order. A caller that needs only the first ones can stop early. */
  names(): Iterable<string>;
  linkText(name: string): string;
  /** Returns an entry's path with links resolved. */
  realPath(name: string): string;
}

/**
 * Runs `use` with a directory that must be in one of the resolved directories `tops`. Blocks. Returns the result only
 * if the directory is still the same. Throws ESTALE for a directory outside, and ENOTDIR for a link or a file.
 */
export const withDirectoryInside = <T>(
  tops: readonly string[],
  path: string,
  use: (directory: InsideDirectory) => T,
  way = OPEN_WAY,
): T => {
  const directoryAt = (
    entry: (name: string) => string,
    realPath: (path: string) => string,
  ): InsideDirectory => ({
    entry,
    list: () => readdirSync(entry('.'), { withFileTypes: true }),
    *names() {
      const open = opendirSync(entry('.'), { bufferSize: NAMES_AT_ONCE });
      try {
        for (let item = open.readSync(); item; item = open.readSync()) yield item.name;
      } finally {
        open.closeSync();
      }
    },
    linkText: (name) => readlinkSync(entry(name)),
    realPath: (name) => realPath(entry(name)),
  });
  if (way === 'descriptor') {
    const file = openSync(path, FLAGS | constants.O_DIRECTORY);
    try {
      if (!isInAny(tops, placeOf(file))) throw replaced(path);
      // Opening "." would require search permission, which listing a directory doesn't.
      const own = `/proc/self/fd/${file}`;
      return use(directoryAt((name) => (name === '.' ? own : `${own}/${name}`), placeFromDescriptor));
    } finally {
      closeSync(file);
    }
  }
  const real = join(realpathSync.native(dirname(path)), basename(path));
  const steps = wayTo(real, tops);
  const before = lookSync(steps);
  const isDirectory = before[(before.length - 1) / 2]?.isDirectory();
  if (!isDirectory) throw Object.assign(new Error(`ENOTDIR: ${path}`), { code: 'ENOTDIR' });
  const result = use(directoryAt((name) => join(real, name), realpathSync.native));
  compareWays(path, [before, lookSync(steps), lookSync(steps)], undefined);
  return result;
};

/**
 * Returns the text of a link in a directory that must be in one of `tops`. Follows links in the directory's path.
 * Blocks.
 */
export const linkTextInside = (tops: readonly string[], path: string): string =>
  withDirectoryInside(tops, realpathSync.native(dirname(path)), ({ linkText }) => linkText(basename(path)));

/** Lists a directory that must be in one of `tops`. Follows links in its path, including the last one. Blocks. */
export const listInside = (tops: readonly string[], path: string, way = OPEN_WAY): Dirent[] =>
  withDirectoryInside(tops, realpathSync.native(path), (directory) => directory.list(), way);
