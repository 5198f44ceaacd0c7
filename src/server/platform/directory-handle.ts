import { type BigIntStats, constants, type Dirent, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A directory that was opened once and stays the same one, whatever takes its place in the tree.
 *
 * SECURITY: another user of a shared root can replace a directory with a symlink between two calls. On Linux
 * every path that {@link DirectoryHandle.entry} returns goes through the open descriptor
 * (`/proc/self/fd/<n>/<name>`), so it can't leave the directory. Elsewhere there is no such path: {@link
 * DirectoryHandle.verify} compares device and inode of the directory and its parents with those that were
 * opened. That leaves the time of one system call.
 */
export interface DirectoryHandle {
  /** The mode of the directory, read after it was opened. */
  readonly mode: number;
  /** The path of an entry, for `node:fs`. It isn't meant for people. */
  entry(name: string): string;
  list(): Promise<Dirent[]>;
  /** Opens a directory in it. Throws ENOTDIR or ELOOP for anything else, even a symlink to a directory. */
  open(name: string): Promise<DirectoryHandle>;
  /** Throws ESTALE when another directory has taken its place. Does nothing where it can't happen. */
  verify(): Promise<void>;
  chmod(mode: number): Promise<void>;
  /** Flushes its entries to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A path below a descriptor works on Linux with /proc mounted. */
const hasDescriptorPaths = (): boolean => process.platform === 'linux' && existsSync('/proc/self/fd');

const systemError = (code: string, path: string) =>
  Object.assign(new Error(`${code}: ${path} is not the directory that was opened`), { code });

const openByDescriptor = async (path: string): Promise<DirectoryHandle> => {
  const file: FileHandle = await open(path, FLAGS);
  const entry = (name: string) => `/proc/self/fd/${file.fd}/${name}`;
  try {
    return {
      mode: (await file.stat()).mode,
      entry,
      list: () => readdir(entry('.'), { withFileTypes: true }),
      open: (name) => openByDescriptor(entry(name)),
      verify: async () => undefined,
      chmod: (mode) => file.chmod(mode),
      sync: () => file.sync(),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
};

const lookAt = async (path: string): Promise<BigIntStats> => {
  const stats = await lstat(path, { bigint: true });
  if (!stats.isDirectory()) throw systemError('ENOTDIR', path);
  return stats;
};

/** Opens a directory where descriptors have no paths; see {@link DirectoryHandle}. */
export const openByPath = async (path: string, parent?: DirectoryHandle): Promise<DirectoryHandle> => {
  const opened = await lookAt(path);
  // Windows can't open a directory as a file.
  const file = process.platform === 'win32' ? undefined : await open(path, FLAGS);
  const verify = async () => {
    await parent?.verify();
    const now = await lookAt(path);
    if (now.dev !== opened.dev || now.ino !== opened.ino) throw systemError('ESTALE', path);
  };
  const handle: DirectoryHandle = {
    mode: Number(opened.mode),
    entry: (name) => join(path, name),
    async list() {
      const entries = await readdir(path, { withFileTypes: true });
      await verify();
      return entries;
    },
    async open(name) {
      const child = await openByPath(join(path, name), handle);
      try {
        await verify();
      } catch (error) {
        await child.close();
        throw error;
      }
      return child;
    },
    verify,
    chmod: async (mode) => file?.chmod(mode),
    sync: async () => file?.sync(),
    close: async () => file?.close(),
  };
  return handle;
};

/** Opens a directory by its path. Follows symlinks, except in the last name. Throws the system's error. */
export const openDirectory = (path: string): Promise<DirectoryHandle> =>
  hasDescriptorPaths() ? openByDescriptor(path) : openByPath(path);

/** Runs `use` with an open directory, then closes it. */
export const withDirectory = async <T>(
  opening: DirectoryHandle | Promise<DirectoryHandle>,
  use: (directory: DirectoryHandle) => Promise<T>,
): Promise<T> => {
  const directory = await opening;
  try {
    return await use(directory);
  } finally {
    await directory.close();
  }
};
