import { randomBytes } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, rename, stat, symlink } from 'node:fs/promises';
import { systemCode } from '../platform/app-error.ts';
import { isBeingWritten } from '../platform/atomic-write.ts';
import { type DirectoryHandle, withDirectory } from '../platform/directory-handle.ts';
import { removeTree } from '../platform/remove-tree.ts';

/** Hidden, so that no listing shows it, and beside the agents: a directory is renamed in one step there. */
const COPY_NAME = /^\.(.+)\.(\d+-[0-9a-f]{16})\.copy$/;

const CHUNK_BYTES = 256 * 1024;

/** Names of the copies that this process is making: not leftovers. */
const inFlight = new Set<string>();

/** SECURITY: a set-id bit on a copy that we own would give our rights to whoever runs it. */
const permissionsOf = ({ mode }: Pick<Stats, 'mode'>) => mode & 0o777;

/** Windows wants to know what a link leads to when it is made; elsewhere it makes no difference. */
const linkTypeOf = async (path: string) =>
  process.platform === 'win32' && (await stat(path).catch(() => undefined))?.isDirectory() ? 'dir' : 'file';

const copyBytes = async (source: FileHandle, copy: FileHandle): Promise<void> => {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    await copy.writeFile(buffer.subarray(0, bytesRead));
  }
};

const copyFile = async (name: string, from: DirectoryHandle, to: DirectoryHandle): Promise<void> => {
  // SECURITY: a link or a pipe that takes the file's place meanwhile is not followed, and not waited for.
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

const copyEntry = async (item: Dirent, from: DirectoryHandle, to: DirectoryHandle): Promise<void> => {
  const { name } = item;
  try {
    if (item.isSymbolicLink())
      await symlink(await readlink(from.entry(name)), to.entry(name), await linkTypeOf(from.entry(name)));
    else if (item.isDirectory()) await copyDirectory(name, from, to, name);
    else if (item.isFile()) await copyFile(name, from, to);
  } catch (error) {
    // Removed, or replaced by a link, while it was copied: it is not part of the copy.
    const isGone = ['ENOENT', 'ELOOP', 'EINVAL', 'ENOTDIR'].includes(systemCode(error) ?? '');
    if (!isGone || (await isThere(to.entry(name)))) throw error;
  }
};

/** Copies the directory `name` of `from` into `to`, as `newName`. */
const copyDirectory = (
  name: string,
  from: DirectoryHandle,
  to: DirectoryHandle,
  newName: string,
): Promise<void> =>
  withDirectory(from.open(name), async (source) => {
    await mkdir(to.entry(newName), { mode: 0o700 });
    await withDirectory(to.open(newName), async (copy) => {
      for (const item of await source.list()) await copyEntry(item, source, copy);
      await copy.sync();
      // Last: nothing can be written into one that is read-only.
      await copy.chmod(permissionsOf(source));
    });
  });

/**
 * Copies the directory `from` of a directory beside itself as `name`: files with bytes and permissions, symlinks with
 * their text, none of them followed; pipes, sockets and devices are left out, and so are set-id bits.
 *
 * It is made under a hidden name, flushed to disk, and takes its place in one step, so a half copy is never seen.
 * Throws the system's error (EEXIST or ENOTEMPTY when the name is taken, ESTALE when a directory was replaced) and
 * then leaves nothing.
 */
export const copyBeside = async (directory: DirectoryHandle, from: string, name: string): Promise<void> => {
  const temp = `.${name}.${process.pid}-${randomBytes(8).toString('hex')}.copy`;
  inFlight.add(temp);
  try {
    await copyDirectory(from, directory, directory, temp);
    await rename(directory.entry(temp), directory.entry(name));
    await directory.sync();
  } catch (error) {
    await removeTree(directory, temp);
    throw error;
  } finally {
    inFlight.delete(temp);
  }
};

/** Removes the half copies that a crash left in a directory; those another live process is making stay. */
export const removeLeftoverCopies = async (directory: DirectoryHandle): Promise<void> => {
  for (const item of await directory.list()) {
    const random = COPY_NAME.exec(item.name)?.[2];
    if (random === undefined || !item.isDirectory() || inFlight.has(item.name)) continue;
    if (!(await isBeingWritten(directory.entry(item.name), random))) await removeTree(directory, item.name);
  }
};
