import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from './app-error.ts';
import { type DirectoryHandle, openChosenDirectory, withDirectory } from './directory-handle.ts';

interface AtomicWriteOptions {
  /** The new file's permission bits. Undefined leaves them to the umask. */
  mode?: number | undefined;
  /** The owner to keep, if the system allows it. */
  owner?: { uid: number; gid: number } | undefined;
  /** Fails with EEXIST if the name is taken, even if it was free a moment ago. */
  exclusive?: boolean;
  /** Called right before the new file replaces the old one. Throw to keep the old one. */
  beforeReplace?: () => Promise<void>;
}

const TEMP_NAME = /^\.(.+)\.([A-Za-z0-9-]+)\.tmp$/;
const STALE_AFTER_MS = 10 * 60 * 1000;

/** The names of temp files that this process is writing. They're random, so the directory doesn't matter. */
const inFlight = new Set<string>();

// The process id lets another server on this root tell a leftover from an unfinished write.
const tempNameFor = (name: string) => `.${name}.${process.pid}-${randomBytes(8).toString('hex')}.tmp`;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

const setOwner = async (file: FileHandle, { uid, gid }: { uid: number; gid: number }) => {
  const made = await file.stat();
  if (made.uid === uid && made.gid === gid) return;
  // Only the superuser can give files away, but a group member can keep the group. If neither works, the content
  // is still saved, because it matters more.
  await file
    .chown(uid, gid)
    .catch(() => file.chown(made.uid, gid))
    .catch(() => undefined);
};

/**
 * Renames the new file over the old one. Retries, because on Windows a reader or a virus scanner can briefly hold the
 * old file.
 */
const replaceFile = async (directory: DirectoryHandle, from: string, to: string) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await directory.rename(from, directory, to);
    } catch (error) {
      const held = ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '');
      if (process.platform !== 'win32' || !held || attempt === 10) throw error;
      await sleep(attempt * 10);
    }
  }
};

const placeNewFile = async (directory: DirectoryHandle, from: string, to: string) => {
  try {
    // Creating a hard link is the only call that never replaces a file.
    await directory.link(from, to);
    await directory.unlink(from);
  } catch (error) {
    if (
      systemCode(error) === 'EEXIST' ||
      !['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(systemCode(error) ?? '')
    )
      throw error;
    // Without hard links (FAT, some network shares), reserve the name and then replace our file.
    await (await directory.openFile(to, NEW_FILE)).close();
    await replaceFile(directory, from, to);
  }
};

const removeTemp = (directory: DirectoryHandle, name: string): Promise<void> =>
  directory.unlink(name).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });

/**
 * Writes a file in a directory atomically, even through a crash.
 *
 * Writes the bytes to `.<name>.<random>.tmp` in the same directory, flushes them to disk and renames the file. Throws
 * the system's error (EEXIST with `exclusive`) and leaves no temp file.
 */
export const writeFileIn = async (
  directory: DirectoryHandle,
  name: string,
  bytes: Uint8Array,
  { mode, owner, exclusive, beforeReplace }: AtomicWriteOptions = {},
): Promise<void> => {
  const temp = tempNameFor(name);
  inFlight.add(temp);
  try {
    const file = await directory.openFile(temp, NEW_FILE, mode === undefined ? 0o666 : 0o600);
    try {
      await file.writeFile(bytes);
      if (owner) await setOwner(file, owner);
      // SECURITY: if the owner can't be kept, we own the file, and a set-id bit would give others our rights.
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    await beforeReplace?.();
    await (exclusive ? placeNewFile(directory, temp, name) : replaceFile(directory, temp, name));
    await directory.sync();
  } catch (error) {
    // Report the first error, not the cleanup's.
    await removeTemp(directory, temp).catch(() => undefined);
    throw error;
  } finally {
    inFlight.delete(temp);
  }
};

/**
 * {@link writeFileIn} for dot-mi's own data, by path. SECURITY: not for files in a root, where another user may
 * replace parent directories.
 *
 * Throws the system's error (ENOENT if the directory is missing).
 */
export const writeAtomically = async (
  path: string,
  bytes: Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> =>
  withDirectory(openChosenDirectory(dirname(path)), (directory) =>
    writeFileIn(directory, basename(path), bytes, options),
  );

const isProcessAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
};

/** Returns whether a process may still be writing an entry, whose name contains `<process id>-<random>`. */
export const isBeingWritten = async (
  directory: DirectoryHandle,
  name: string,
  random: string,
): Promise<boolean> => {
  if (inFlight.has(name)) return true;
  const pid = Number(/^(\d+)-/.exec(random)?.[1] ?? Number.NaN);
  if (!Number.isInteger(pid) || pid === process.pid || !isProcessAlive(pid)) return false;
  // The system reuses process ids, so a live process isn't proof. The file's age decides.
  return Date.now() - (await directory.lstat(name)).mtimeMs < STALE_AFTER_MS;
};

/**
 * Removes temp files that a crash left in a directory.
 *
 * `isOurs` identifies files we write, so that other programs' temp files stay. Files that one of our live processes
 * is writing stay too.
 */
export const removeLeftoverTemps = async (
  directory: DirectoryHandle,
  isOurs: (fileName: string) => boolean,
): Promise<void> => {
  for (const { name } of await directory.list()) {
    const [, fileName = '', random = ''] = TEMP_NAME.exec(name) ?? [];
    if (!fileName || !isOurs(fileName)) continue;
    if (!(await isBeingWritten(directory, name, random))) await removeTemp(directory, name);
  }
};
