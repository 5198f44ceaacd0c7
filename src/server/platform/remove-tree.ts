import { constants, type Stats } from 'node:fs';
import { chmod, lchmod, lstat, open, rmdir, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from './app-error.ts';
import { type DirectoryHandle, withDirectory } from './directory-handle.ts';

/** Another program may put a link, a file or new entries in an entry's place this often before we give up. */
const ATTEMPTS = 20;
const RETRY_AFTER_MS = 10;

/** What an entry answers when it became something else, or gained entries, since we looked. */
const CHANGED = ['ENOTDIR', 'ELOOP', 'EISDIR', 'EPERM', 'ENOTEMPTY', 'EEXIST', 'EBUSY'];

/** Linux: opens the inode itself without reading it, so that a directory that nobody may read can be changed. */
const O_PATH = 0o10000000;

/** Lets us into a directory of ours that nobody may read. Never follows a link. */
const unlock = async (path: string): Promise<void> => {
  if (process.platform === 'darwin') return lchmod(path, 0o700);
  if (process.platform !== 'linux') return;
  const file = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await chmod(`/proc/self/fd/${file.fd}`, 0o700);
  } finally {
    await file.close();
  }
};

const openForRemoval = async (parent: DirectoryHandle, name: string): Promise<DirectoryHandle> => {
  const directory = await parent.open(name).catch(async (error: unknown) => {
    if (systemCode(error) !== 'EACCES') throw error;
    await unlock(parent.entry(name));
    return parent.open(name);
  });
  // Entries of a read-only directory can't be removed. If it isn't ours, removing them says so.
  if ((directory.mode & 0o700) !== 0o700) await directory.chmod(0o700).catch(() => undefined);
  return directory;
};

const removeOnce = async (parent: DirectoryHandle, name: string, stats: Stats): Promise<void> => {
  if (!stats.isDirectory()) return unlink(parent.entry(name));
  await withDirectory(openForRemoval(parent, name), async (directory) => {
    for (const item of await directory.list()) await removeTree(directory, item.name);
  });
  await parent.verify();
  await rmdir(parent.entry(name));
};

/**
 * Removes an entry of a directory with everything below it, read-only directories included. Does nothing when it
 * isn't there.
 *
 * SECURITY: symlinks are removed and never followed, also when one takes a directory's place meanwhile. `fs.rm` looks
 * first and opens by path later, so it can be led out of the tree.
 */
export const removeTree = async (parent: DirectoryHandle, name: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await parent.verify();
      return await removeOnce(parent, name, await lstat(parent.entry(name)));
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (code === 'ENOENT') return;
      if (!CHANGED.includes(code) || attempt === ATTEMPTS) throw error;
      // On Windows a virus scanner can hold a file for a moment.
      if (process.platform === 'win32') await sleep(attempt * RETRY_AFTER_MS);
    }
  }
};
