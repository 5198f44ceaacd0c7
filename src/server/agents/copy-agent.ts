import { randomBytes } from 'node:crypto';
import type { Dirent, Stats } from 'node:fs';
import {
  chmod,
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { isBeingWritten, syncDirectory } from '../platform/atomic-write.ts';

/** Hidden, so that no listing shows it, and beside the agents: a directory is renamed in one step there. */
const COPY_NAME = /^\.(.+)\.(\d+-[0-9a-f]{16})\.copy$/;

const CHUNK_BYTES = 256 * 1024;

/** Copies that this process is making: not leftovers. */
const inFlight = new Set<string>();

/** SECURITY: a set-id bit on a copy that we own would give our rights to whoever runs it. */
const modeOf = (stats: Stats) => stats.mode & 0o777;

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

const copyFile = async (from: string, to: string): Promise<void> => {
  // SECURITY: a link or a pipe that takes the file's place meanwhile is not followed, and not waited for.
  const source = await open(
    from,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    const stats = await source.stat();
    if (!stats.isFile()) return;
    const copy = await open(to, 'wx', 0o600);
    try {
      await copyBytes(source, copy);
      await copy.chmod(modeOf(stats));
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
};

const copyEntry = async (item: Dirent, from: string, to: string): Promise<void> => {
  try {
    if (item.isSymbolicLink()) await symlink(await readlink(from), to, await linkTypeOf(from));
    else if (item.isDirectory()) await copyDirectory(from, to);
    else if (item.isFile()) await copyFile(from, to);
  } catch (error) {
    // Removed, or replaced by a link, while it was copied: it is not part of the copy.
    const isGone = ['ENOENT', 'ELOOP', 'EINVAL', 'ENOTDIR'].includes(systemCode(error) ?? '');
    if (!isGone || (await isThere(to))) throw error;
  }
};

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const copyDirectory = async (from: string, to: string): Promise<void> => {
  const stats = await lstat(from);
  await mkdir(to, { mode: 0o700 });
  for (const item of await readdir(from, { withFileTypes: true })) {
    await copyEntry(item, join(from, item.name), join(to, item.name));
  }
  await syncDirectory(to);
  // Last: nothing can be written into one that is read-only.
  await chmod(to, modeOf(stats));
};

/** Removes a copy, of which some directories may be read-only already. */
const removeCopy = async (path: string): Promise<void> => {
  const open = async (directory: string): Promise<void> => {
    await chmod(directory, 0o700);
    for (const item of await readdir(directory, { withFileTypes: true })) {
      if (item.isDirectory()) await open(join(directory, item.name));
    }
  };
  await open(path).catch(() => undefined);
  await rm(path, { recursive: true, force: true });
};

/**
 * Copies a directory beside itself under another name: files with bytes and modes, symlinks with their text, none of
 * them followed; pipes, sockets and devices are left out.
 *
 * It is made under a hidden name, flushed to disk, and takes its place in one step, so a half copy is never seen.
 * Throws the system's error (EEXIST or ENOTEMPTY when the name is taken) and then leaves nothing.
 */
export const copyBeside = async (directory: string, from: string, name: string): Promise<void> => {
  const temp = join(directory, `.${name}.${process.pid}-${randomBytes(8).toString('hex')}.copy`);
  inFlight.add(temp);
  try {
    await copyDirectory(join(directory, from), temp);
    await rename(temp, join(directory, name));
    await syncDirectory(directory);
  } catch (error) {
    await removeCopy(temp);
    throw error;
  } finally {
    inFlight.delete(temp);
  }
};

/** Removes the half copies that a crash left in a directory; those another live process is making stay. */
export const removeLeftoverCopies = async (directory: string): Promise<void> => {
  for (const item of await readdir(directory, { withFileTypes: true })) {
    const random = COPY_NAME.exec(item.name)?.[2];
    const path = join(directory, item.name);
    if (random === undefined || !item.isDirectory() || inFlight.has(path)) continue;
    if (!(await isBeingWritten(path, random))) await removeCopy(path);
  }
};
