import { randomBytes } from 'node:crypto';
import { isBeingWritten } from '../platform/atomic-write.ts';
import { type CopyPlace, copyTree } from '../platform/copy-tree.ts';
import { type DirectoryHandle, withDirectory } from '../platform/directory-handle.ts';
import { removeTree } from '../platform/remove-tree.ts';

/**
 * An incomplete copy's name. Listings hide it, and it's in the agents' directory so that one rename can move it into
 * place.
 */
const COPY_NAME = /^\.(.+)\.(\d+-[0-9a-f]{16})\.copy$/;

/** Returns whether this is the name of an incomplete copy. */
export const isHalfCopy = (name: string): boolean => COPY_NAME.test(name);

/** The names of copies that this process is making, which aren't leftovers. */
const inFlight = new Set<string>();

/**
 * Copies the directory `from` to its sibling `name`, with {@link copyTree}.
 *
 * Writes the copy under a hidden name, flushes it to disk and renames it, so a partial copy is never visible. On
 * failure it leaves nothing and throws the system's error: EEXIST or ENOTEMPTY if the name is taken, ESTALE if a
 * directory was replaced.
 *
 * Skips entries of `from` that match `isLeftOut`, and returns their names, sorted.
 */
export const copyBeside = async (
  directory: DirectoryHandle,
  from: string,
  name: string,
  place: CopyPlace,
  isLeftOut?: (entry: string) => boolean,
): Promise<string[]> => {
  const temp = `.${name}.${process.pid}-${randomBytes(8).toString('hex')}.copy`;
  inFlight.add(temp);
  try {
    const leftOut = await withDirectory(directory.open(from), (source) =>
      copyTree(source, directory, temp, place, isLeftOut),
    );
    await directory.rename(temp, directory, name);
    await directory.sync();
    return leftOut.sort();
  } catch (error) {
    await removeTree(directory, temp);
    throw error;
  } finally {
    inFlight.delete(temp);
  }
};

/** Removes partial copies that a crash left in a directory. Keeps copies that a live process is still making. */
export const removeLeftoverCopies = async (directory: DirectoryHandle): Promise<void> => {
  for (const item of await directory.list()) {
    const random = COPY_NAME.exec(item.name)?.[2];
    if (random === undefined || !item.isDirectory() || inFlight.has(item.name)) continue;
    if (!(await isBeingWritten(directory, item.name, random))) await removeTree(directory, item.name);
  }
};
