import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound, systemCode } from './app-error.ts';
import { openUnlinked } from './regular-file.ts';

/** Thrown if another user could have created or changed a secret file or directory. `message` is one line of advice. */
export class NotPrivateError extends Error {}

const GROUP_AND_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/** Returns our user id. Undefined on Windows, which has no comparable owners and modes. */
export const ownUser = (): number | undefined => process.geteuid?.();

const requireOwn = ({ uid }: Stats, path: string): void => {
  if (ownUser() === undefined || uid === ownUser()) return;
  throw new NotPrivateError(
    `${path} belongs to another user (uid ${uid}). Check it, then take ownership with chown or move it somewhere else.`,
  );
};

/** Throws {@link NotPrivateError} if another user owns an open file or can write to it. */
export const requireOnlyOurs = (stats: Stats, path: string): void => {
  requireOwn(stats, path);
  if (ownUser() === undefined || (stats.mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new NotPrivateError(
    `Other users can write to ${path}, so dot-mi doesn’t trust its contents. Check them, then remove that permission.`,
  );
};

/** Removes all permissions for the group and others. */
const tighten = async (file: FileHandle, { mode }: Stats, path: string): Promise<void> => {
  if (ownUser() === undefined || (mode & GROUP_AND_OTHERS) === 0) return;
  await file.chmod(mode & 0o700).catch(() => undefined);
  // Some file systems accept the call but don't change the mode.
  if (((await file.stat()).mode & GROUP_AND_OTHERS) === 0) return;
  throw new NotPrivateError(
    `Other users can open ${path}, and its file system can’t prevent that. Set WALLET_DB_PATH to a directory on another file system.`,
  );
};

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );

const linkError = (path: string) =>
  new NotPrivateError(`${path} is a symlink. Move it somewhere else, or replace it with the file itself.`);

/** Opens one of our files. Returns undefined if it doesn't exist. */
const openOwn = async (path: string): Promise<FileHandle | undefined> => {
  try {
    // Windows has no O_NOFOLLOW.
    if (constants.O_NOFOLLOW === undefined && (await isLink(path))) throw linkError(path);
    return await openUnlinked(path);
  } catch (error) {
    // Linux and macOS report a link as ELOOP, FreeBSD as EMLINK. A broken link must not count as missing.
    if (await isLink(path)) throw linkError(path);
    if (systemCode(error) === 'EACCES') requireOwn(await lstat(path), path);
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** The content of a secret file. */
interface PrivateFile {
  text: string;
  /** True if another user could write to the file until now. */
  wasWritableByOthers: boolean;
}

/**
 * Reads a secret file: a regular file that belongs to us and that nobody else can open. Returns undefined if it
 * doesn't exist.
 *
 * SECURITY: checks the owner and mode of the opened file, because its name may belong to another file by then.
 * Tightens a mode that is too wide. Throws {@link NotPrivateError}.
 */
export const readPrivateFile = async (path: string): Promise<PrivateFile | undefined> => {
  const file = await openOwn(path);
  if (!file) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new NotPrivateError(`${path} is not a regular file. Move it somewhere else.`);
    requireOwn(stats, path);
    await tighten(file, stats, path);
    return {
      text: await file.readFile('utf8'),
      wasWritableByOthers: ownUser() !== undefined && (stats.mode & WRITABLE_BY_OTHERS) !== 0,
    };
  } finally {
    await file.close();
  }
};

/** The size limit for our files. None is larger. */
const MAX_OWN_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file of dot-mi's data that others can read: a regular file that belongs to us and that only we can write.
 * Returns undefined if it doesn't exist. Throws {@link NotPrivateError}.
 *
 * SECURITY: changes no mode. A file that another user could have changed must not look like ours the next time.
 */
export const readOwnFile = async (path: string): Promise<string | undefined> => {
  const file = await openOwn(path);
  if (!file) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new NotPrivateError(`${path} is not a regular file. Move it somewhere else.`);
    requireOnlyOurs(stats, path);
    if (stats.size > MAX_OWN_BYTES) throw new Error(`${path} is larger than the limit of 64 MiB`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};

const tightenFile = async (path: string): Promise<void> => {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) throw linkError(path);
  requireOwn(stats, path);
  if (!stats.isFile() || (stats.mode & GROUP_AND_OTHERS) === 0) return;
  const file = await openOwn(path);
  try {
    if (file) await tighten(file, await file.stat(), path);
  } finally {
    await file?.close();
  }
};

/**
 * Creates a directory for secrets (mode 0700), or verifies that an existing one belongs to us and nobody else can
 * open it. Verifies the files that match `isSecret` in the same way. A link to a directory of ours is fine.
 *
 * Throws {@link NotPrivateError}.
 */
export const securePrivateDirectory = async (
  path: string,
  isSecret: (fileName: string) => boolean,
): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (ownUser() === undefined) return;
  // SECURITY: the link's owner decides where it points.
  requireOwn(await lstat(path), path);
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch(async (error) => {
    if (systemCode(error) === 'EACCES') return undefined;
    throw error;
  });
  // If we can't list the directory, using it later fails with a better message.
  if (!directory) return;
  try {
    const stats = await directory.stat();
    requireOwn(stats, path);
    await tighten(directory, stats, path);
  } finally {
    await directory.close();
  }
  // Check the files after the directory, because by then nobody else can add files.
  for (const name of (await readdir(path)).filter(isSecret)) await tightenFile(join(path, name));
};
