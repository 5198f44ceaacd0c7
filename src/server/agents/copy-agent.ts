import { randomBytes } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { isBeingWritten } from '../platform/atomic-write.ts';
import { createLink, type LinkSystem, type NewLink } from '../platform/create-link.ts';
import { type DirectoryHandle, withDirectory } from '../platform/directory-handle.ts';
import { removeTree } from '../platform/remove-tree.ts';

/** Hidden from listings, and in the agents' directory so that a rename moves the copy in one step. */
const COPY_NAME = /^\.(.+)\.(\d+-[0-9a-f]{16})\.copy$/;

/** Whether an entry of the agents' directory has the name of a copy that isn't complete. */
export const isHalfCopy = (name: string): boolean => COPY_NAME.test(name);

const CHUNK_BYTES = 256 * 1024;

/** Names of the copies that this process is creating. They aren't leftovers. */
const inFlight = new Set<string>();

/** SECURITY: a set-id bit on a copy that we own would give our rights to whoever runs it. */
const permissionsOf = ({ mode }: Pick<Stats, 'mode'>) => mode & 0o777;

/** The place of a copy, and the system that creates its links. */
export interface CopyPlace {
  /** The absolute path that the copy will have. */
  path: string;
  linkSystem: LinkSystem;
}

const inside = ({ path, linkSystem }: CopyPlace, name: string): CopyPlace => ({
  path: join(path, name),
  linkSystem,
});

/** Windows needs the type of a link's target to create the link. Other systems ignore it. */
const targetTypeOf = async (path: string, { platform }: LinkSystem): Promise<NewLink['target']> => {
  if (platform !== 'win32') return 'unknown';
  const stats = await stat(path).catch(() => undefined);
  return stats ? (stats.isDirectory() ? 'dir' : 'file') : 'unknown';
};

const copyLink = async (
  name: string,
  from: DirectoryHandle,
  to: DirectoryHandle,
  { path, linkSystem }: CopyPlace,
): Promise<void> => {
  const text = await readlink(from.entry(name));
  const target = await targetTypeOf(from.entry(name), linkSystem);
  await createLink({ text, path: to.entry(name), target, finalPath: path }, linkSystem);
};

const copyBytes = async (source: FileHandle, copy: FileHandle): Promise<void> => {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    await copy.writeFile(buffer.subarray(0, bytesRead));
  }
};

const copyFile = async (name: string, from: DirectoryHandle, to: DirectoryHandle): Promise<void> => {
  // SECURITY: don't follow a link or wait for a pipe that has replaced the file meanwhile.
  const source = await open(
    from.entry(name),
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    await from.verify();
    const stats = await source.stat();
    if (!stats.isFile()) return;
    const copy = await open(to.entry(name), 'wx', 0o600);
    try {
      await to.verify();
      await copyBytes(source, copy);
      await copy.chmod(permissionsOf(stats));
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
};

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const copyEntry = async (
  item: Dirent,
  from: DirectoryHandle,
  to: DirectoryHandle,
  place: CopyPlace,
): Promise<void> => {
  const { name } = item;
  try {
    if (item.isSymbolicLink()) await copyLink(name, from, to, place);
    else if (item.isDirectory()) await copyDirectory(name, from, to, name, place);
    else if (item.isFile()) await copyFile(name, from, to);
  } catch (error) {
    // Removed or replaced during the copy, so it isn't part of the copy.
    const isGone = ['ENOENT', 'ELOOP', 'EINVAL', 'ENOTDIR'].includes(systemCode(error) ?? '');
    if (!isGone || (await isThere(to.entry(name)))) throw error;
  }
};

/**
 * Copies the directory `name` of `from` into `to`, as `newName`, without the entries that `isLeftOut` names.
 * Entries of its subdirectories are all copied. The copy will be at `place`.
 */
const copyDirectory = (
  name: string,
  from: DirectoryHandle,
  to: DirectoryHandle,
  newName: string,
  place: CopyPlace,
  isLeftOut: (entry: string) => boolean = () => false,
): Promise<string[]> =>
  withDirectory(from.open(name), async (source) => {
    await mkdir(to.entry(newName), { mode: 0o700 });
    return withDirectory(to.open(newName), async (copy) => {
      const leftOut: string[] = [];
      for (const item of await source.list()) {
        if (isLeftOut(item.name)) leftOut.push(item.name);
        else await copyEntry(item, source, copy, inside(place, item.name));
      }
      await copy.sync();
      // Last, because nothing can be written into a read-only directory.
      await copy.chmod(permissionsOf(source));
      return leftOut;
    });
  });

/**
 * Copies the directory `from` next to itself as `name`. Files keep their bytes and permissions. Symlinks keep
 * their text and aren't followed, or become junctions ({@link createLink}). Pipes, sockets, devices and
 * set-id bits are left out.
 *
 * Creates the copy under a hidden name, flushes it to disk, and moves it into place in one step. So a half
 * copy is never seen. Throws the system's error and then leaves nothing: EEXIST or ENOTEMPTY if the name is
 * taken, ESTALE if a directory was replaced.
 *
 * Leaves out the entries of `from` that `isLeftOut` names. Returns their names, sorted.
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
    const leftOut = await copyDirectory(from, directory, directory, temp, place, isLeftOut);
    await rename(directory.entry(temp), directory.entry(name));
    await directory.sync();
    return leftOut.sort();
  } catch (error) {
    await removeTree(directory, temp);
    throw error;
  } finally {
    inFlight.delete(temp);
  }
};

/** Removes half copies that a crash left in a directory. Keeps those that a live process is creating. */
export const removeLeftoverCopies = async (directory: DirectoryHandle): Promise<void> => {
  for (const item of await directory.list()) {
    const random = COPY_NAME.exec(item.name)?.[2];
    if (random === undefined || !item.isDirectory() || inFlight.has(item.name)) continue;
    if (!(await isBeingWritten(directory.entry(item.name), random))) await removeTree(directory, item.name);
  }
};
