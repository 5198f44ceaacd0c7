import { constants, type Stats } from 'node:fs';
import { chmod, lchmod, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from './app-error.ts';
import { type DirectoryHandle, withDirectory } from './directory-handle.ts';

/** How many times another program can replace an entry, or add entries to it, before removal fails. */
const ATTEMPTS = 20;
const RETRY_AFTER_MS = 10;

/** Error codes for an entry that was replaced or gained entries since the check. */
const CHANGED = ['ENOTDIR', 'ELOOP', 'EISDIR', 'EPERM', 'ENOTEMPTY', 'EEXIST', 'EBUSY'];

/** Linux: opens the inode without reading it, so that an unreadable directory's mode can be changed. */
const O_PATH = 0o10000000;

/** Makes one of our directories accessible if it's unreadable. Never follows a link. */
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
    await parent.at(name, unlock);
    return parent.open(name);
  });
  // A read-only directory's entries can't be removed. If it isn't ours, the removal reports that.
  if ((directory.mode & 0o700) !== 0o700) await directory.chmod(0o700).catch(() => undefined);
  return directory;
};

const removeOnce = async (parent: DirectoryHandle, name: string, stats: Stats): Promise<void> => {
  if (!stats.isDirectory()) return parent.unlink(name);
  await withDirectory(openForRemoval(parent, name), async (directory) => {
    for (const item of await directory.list()) await removeTree(directory, item.name);
  });
  await parent.rmdir(name);
};

/**
 * Removes an entry with everything below it, including read-only directories. Does nothing if it doesn't exist.
 *
 * SECURITY: symlinks are removed and never followed, even if one replaces a directory meanwhile. `fs.rm` checks first
 * and opens by path later, so a link can direct it out of the tree.
 */
export const removeTree = async (parent: DirectoryHandle, name: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await removeOnce(parent, name, await parent.lstat(name));
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (code === 'ENOENT') return;
      if (!CHANGED.includes(code) || attempt === ATTEMPTS) throw error;
      // On Windows, a virus scanner can briefly hold a file.
      if (process.platform === 'win32') await sleep(attempt * RETRY_AFTER_MS);
    }
  }
};
