import {
  type BigIntStats,
  constants,
  type Dirent,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound, replaced, systemCode } from './app-error.ts';

/**
 * A directory that was opened once and stays the same, even if something replaces it in the tree. Every change to a
 * root uses one, starting with {@link openDirectory} for the root itself.
 *
 * SECURITY: another user of a shared root can replace a directory with a symlink between two calls. On Linux, every
 * call uses the open descriptor (`/proc/self/fd/<n>/<name>`), so it can't leave the directory. Other systems have no
 * such path, so each call first compares the device and inode at the path with the opened ones and throws ESTALE if
 * they differ. That leaves a gap of one system call.
 *
 * A name is one entry of the directory. Anything else, such as "..", "a/b" or "", throws EINVAL.
 */
export interface DirectoryHandle {
  /** The directory's mode, read after opening. */
  readonly mode: number;
  list(): Promise<Dirent[]>;
  /** Opens a subdirectory. Throws ENOTDIR or ELOOP for anything else, even a symlink to a directory. */
  open(name: string): Promise<DirectoryHandle>;
  /**
   * Opens a file, for reading unless `flags` say otherwise. Throws ELOOP for a symlink. Doesn't block on a pipe, so
   * check that the entry is a file.
   */
  openFile(name: string, flags?: number, mode?: number): Promise<FileHandle>;
  /** Reads an entry's stats without following a link. */
  lstat(name: string): Promise<Stats>;
  /** Returns whether anything has this name, even a broken link. */
  has(name: string): Promise<boolean>;
  readlink(name: string): Promise<string>;
  /** Throws EEXIST if the name is taken. */
  mkdir(name: string, mode?: number): Promise<void>;
  /** Moves an entry to `newName` in `to`, replacing a file there. */
  rename(name: string, to: DirectoryHandle, newName: string): Promise<void>;
  /** Hard-links a file to a second name. Throws EEXIST if the name is taken. */
  link(name: string, newName: string): Promise<void>;
  /** Removes a file or a link. */
  unlink(name: string): Promise<void>;
  /** Removes an empty directory. */
  rmdir(name: string): Promise<void>;
  /** Calls a `node:fs` function on an entry. The path is valid only during the call. */
  at<T>(name: string, call: (path: string) => Promise<T>): Promise<T>;
  /** Returns the path for a process that starts in this directory. It's valid until the directory is closed. */
  workingDirectory(): string;
  chmod(mode: number): Promise<void>;
  /** Flushes the directory's entries to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Windows has neither these flags nor the links and pipes they guard against. */
const FILE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns whether paths below a descriptor work: only on Linux with /proc mounted. */
const hasDescriptorPaths = (): boolean => process.platform === 'linux' && existsSync('/proc/self/fd');

const systemError = (code: string, text: string) => Object.assign(new Error(`${code}: ${text}`), { code });

const isOneName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  !/[/\0]/.test(name) &&
  !(process.platform === 'win32' && name.includes('\\'));

/** The non-blocking calls that change entries. */
const CALLS = { link, mkdir, rename, rmdir, unlink };

/** The same calls, but blocking, because Node's thread pool would give an attacker more time. */
const BLOCKING_CALLS: typeof CALLS = {
  link: async (...args) => linkSync(...args),
  mkdir: (async (path: string, options: { mode?: number }) => mkdirSync(path, options)) as typeof mkdir,
  rename: async (...args) => renameSync(...args),
  rmdir: async (path) => rmdirSync(path),
  unlink: async (...args) => unlinkSync(...args),
};

/** What differs between the two kinds of handles. */
interface Access {
  readonly mode: number;
  /** Returns the path of an entry, or of the directory itself for ".". */
  pathOf(name: string): string;
  /** Throws ESTALE if another directory has replaced it. */
  verify(): void;
  openChild(path: string): Promise<DirectoryHandle>;
  readonly calls: typeof CALLS;
  /** Undefined on Windows, which can't open a directory as a file. */
  readonly file: FileHandle | undefined;
}

const createHandle = ({ mode, pathOf, verify, openChild, calls, file }: Access): DirectoryHandle => {
  const at = async <T>(name: string, call: (path: string) => Promise<T>): Promise<T> => {
    if (!isOneName(name)) throw systemError('EINVAL', 'an entry has exactly one name');
    verify();
    return call(pathOf(name));
  };
  /** Returns the opened file only if the directory is still where it was. */
  const verified = async <T extends { close(): Promise<void> }>(opened: T): Promise<T> => {
    try {
      verify();
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
  return {
    mode,
    at,
    async list() {
      const entries = await readdir(pathOf('.'), { withFileTypes: true }).catch((error: unknown) => {
        throw isNotFound(error) ? replaced(pathOf('.')) : error;
      });
      verify();
      return entries;
    },
    open: async (name) => verified(await at(name, openChild)),
    openFile: async (name, flags = constants.O_RDONLY, fileMode) =>
      verified(await at(name, (path) => open(path, flags | FILE_FLAGS, fileMode))),
    lstat: (name) => at(name, (path) => lstat(path)),
    has: (name) =>
      at(name, (path) => lstat(path)).then(
        () => true,
        (error: unknown) => {
          if (isNotFound(error)) return false;
          throw error;
        },
      ),
    readlink: (name) => at(name, (path) => readlink(path)),
    mkdir: (name, newMode) => at(name, (path) => calls.mkdir(path, { mode: newMode })).then(() => undefined),
    rename: (name, to, newName) => to.at(newName, (target) => at(name, (path) => calls.rename(path, target))),
    link: (name, newName) => at(newName, (target) => at(name, (path) => calls.link(path, target))),
    unlink: (name) => at(name, (path) => calls.unlink(path)),
    rmdir: (name) => at(name, (path) => calls.rmdir(path)),
    workingDirectory() {
      verify();
      return pathOf('.');
    },
    chmod: async (newMode) => file?.chmod(newMode),
    sync: async () => file?.sync(),
    close: async () => file?.close(),
  };
};

const openByDescriptor = async (path: string): Promise<DirectoryHandle> => {
  const file = await open(path, FLAGS);
  try {
    return createHandle({
      mode: (await file.stat()).mode,
      pathOf: (name) => (name === '.' ? `/proc/self/fd/${file.fd}` : `/proc/self/fd/${file.fd}/${name}`),
      verify: () => undefined,
      openChild: openByDescriptor,
      calls: CALLS,
      file,
    });
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** Blocks, because another turn of the event loop would give an attacker more time. */
const lookAt = (path: string): BigIntStats => lstatSync(path, { bigint: true });

const lookIfThere = (path: string): BigIntStats | undefined => {
  try {
    return lookAt(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Opens a directory on systems where descriptors have no paths. See {@link DirectoryHandle}. */
export const openByPath = async (path: string): Promise<DirectoryHandle> => {
  const opened = lookAt(path);
  if (!opened.isDirectory()) throw systemError('ENOTDIR', `${path} is not a directory`);
  const file = process.platform === 'win32' ? undefined : await open(path, FLAGS);
  const verify = () => {
    // The directory's path must still resolve to this directory, whatever happened above it.
    const now = lookIfThere(path);
    if (!now?.isDirectory() || now.dev !== opened.dev || now.ino !== opened.ino) throw replaced(path);
  };
  const handle = createHandle({
    mode: Number(opened.mode),
    pathOf: (name) => join(path, name),
    verify,
    openChild: openByPath,
    calls: BLOCKING_CALLS,
    file,
  });
  try {
    // `chmod` and `sync` use the descriptor.
    const held = await file?.stat({ bigint: true });
    if (held && (held.dev !== opened.dev || held.ino !== opened.ino)) throw replaced(path);
    return handle;
  } catch (error) {
    await file?.close();
    throw error;
  }
};

/** Opens a directory by its path. Follows symlinks, except in the last name. Throws the system's error. */
export const openDirectory = (path: string): Promise<DirectoryHandle> =>
  hasDescriptorPaths() ? openByDescriptor(path) : openByPath(path);

/** Like {@link openDirectory}, but also follows a symlink in the last name, because a person chose the path. */
export const openChosenDirectory = async (path: string): Promise<DirectoryHandle> =>
  openDirectory(await realpath(path));

/** Opens a subdirectory, creating it if the name is free. Throws the errors of `open`. */
export const openOrMake = async (
  parent: DirectoryHandle,
  name: string,
  mode?: number,
): Promise<DirectoryHandle> => {
  await parent.mkdir(name, mode).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  return parent.open(name);
};

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

/**
 * Runs `use` in a directory some levels below another one. SECURITY: follows no links, because they could point
 * anywhere. `openChild` opens each level. By default, it must exist.
 */
export const withDirectoryBelow = async <T>(
  parent: DirectoryHandle,
  [name, ...rest]: readonly string[],
  use: (directory: DirectoryHandle) => Promise<T>,
  openChild = (above: DirectoryHandle, child: string) => above.open(child),
): Promise<T> =>
  name === undefined
    ? use(parent)
    : withDirectory(openChild(parent, name), (directory) =>
        withDirectoryBelow(directory, rest, use, openChild),
      );
