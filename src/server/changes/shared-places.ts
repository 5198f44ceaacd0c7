import { isEntryName, LINK_KINDS, MAX_FILE_BYTES } from '../../shared/api/names.ts';
import { isPresetName } from '../../shared/api/presets.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { writeFileIn } from '../platform/atomic-write.ts';
import {
  isSameState,
  MISSING,
  PathChangedError,
  type PathState,
  type Places,
  SHARED_LOCK,
} from '../platform/changes.ts';
import { type DirectoryHandle, openOrMake, withDirectoryBelow } from '../platform/directory-handle.ts';
import { decodeUtf8 } from '../platform/regular-file.ts';
import { type Root, withRoot } from '../platform/root.ts';

/** The most directories of a shared entry that a path can pass through. */
const MOST_SEGMENTS = 8;

/** Returns whether a path is a preset, or a shared entry's file. */
export const isSharedPath = (path: string): boolean => {
  const [top, kind = '', ...names] = path.split('/');
  if (top !== 'shared') return false;
  if (kind === 'presets') return names.length === 1 && isPresetName(names[0]?.replace(/\.json$/, '') ?? '');
  const isKind = (LINK_KINDS as readonly string[]).includes(kind);
  return isKind && names.length > 0 && names.length <= MOST_SEGMENTS && names.every(isEntryName);
};

const notThrough = (path: string) =>
  new AppError(
    'linked_file',
    `${path} is not in a regular directory of the root, or is a symlink. dot-mi never writes through a symlink. Edit its target instead.`,
  );

const readIn = async (directory: DirectoryHandle, name: string, path: string): Promise<PathState> => {
  const stats = await directory.lstat(name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!stats) return MISSING;
  if (stats.isSymbolicLink()) throw notThrough(path);
  if (!stats.isFile()) return { is: 'other' };
  const file = await directory.openFile(name);
  try {
    // SECURITY: use only the opened file, because another user may have replaced it by now.
    const opened = await file.stat();
    if (!opened.isFile()) return { is: 'other' };
    if (opened.size > MAX_FILE_BYTES)
      throw new AppError(
        'file_too_large',
        `${path} is larger than the limit of 2 MiB. Edit it in another program.`,
      );
    const bytes = await file.readFile();
    const text = bytes.includes(0) ? undefined : decodeUtf8(bytes);
    if (text === undefined)
      throw new AppError('not_text', `${path} is not a text file in UTF-8, so dot-mi doesn’t change it.`);
    return { is: 'file', text, mode: opened.mode & 0o777 };
  } finally {
    await file.close();
  }
};

/** Splits a path into its name and the directories above. */
const partsOf = (path: string) => {
  const names = path.split('/');
  return { name: names.at(-1) ?? '', parents: names.slice(0, -1) };
};

/** Removes the directories of a shared entry that are empty now. */
const removeEmpty = async (top: DirectoryHandle, parents: readonly string[]): Promise<void> => {
  // `shared` and the folders in it stay.
  for (let depth = parents.length; depth > 2; depth--) {
    const isRemoved = await withDirectoryBelow(top, parents.slice(0, depth - 1), (directory) =>
      directory.rmdir(parents[depth - 1] ?? '').then(
        () => true,
        (error: unknown) => {
          // A directory that has other files stays.
          if (systemCode(error) === undefined) throw error;
          return false;
        },
      ),
    );
    if (!isRemoved) return;
  }
};

/** Runs `use` with the directory of a path. Undefined if that directory or one above is missing. */
const withParent = <T>(
  top: DirectoryHandle,
  path: string,
  use: (directory: DirectoryHandle) => Promise<T>,
): Promise<T | undefined> =>
  withDirectoryBelow(top, partsOf(path).parents, use).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw isNotFound(error) ? notThrough(path) : error;
  });

const read = async (top: DirectoryHandle, path: string): Promise<PathState> =>
  (await withParent(top, path, (directory) => readIn(directory, partsOf(path).name, path))) ?? {
    is: 'missing',
    folderless: true,
  };

const write = async (
  top: DirectoryHandle,
  path: string,
  before: PathState,
  after: PathState,
  recorded: Promise<void>,
): Promise<PathState> => {
  const { name, parents } = partsOf(path);
  await recorded;
  if (after.is === 'file')
    await withDirectoryBelow(
      top,
      parents,
      async () => undefined,
      (directory, child) => openOrMake(directory, child),
    );
  const written = await withParent(top, path, async (directory) => {
    /** Other programs don't use our lock. This comes last, so that they can interfere only during the rename. */
    const verify = async () => {
      if (!isSameState(await readIn(directory, name, path), before)) throw new PathChangedError();
    };
    if (after.is === 'file') {
      await writeFileIn(directory, name, Buffer.from(after.text, 'utf8'), {
        mode: before.is === 'file' ? before.mode : after.mode,
        exclusive: before.is === 'missing',
        beforeReplace: verify,
      }).catch((error: unknown) => {
        throw systemCode(error) === 'EEXIST' ? new PathChangedError() : error;
      });
      return after;
    }
    if (after.is !== 'missing') throw new Error(`${path} is a file`);
    await verify();
    await directory.unlink(name);
    return after;
  });
  if (!written) throw new PathChangedError();
  if (after.is === 'missing' && after.folderless) await removeEmpty(top, parents);
  return written;
};

/** Returns the places of shared entries' files and presets. No link is followed. */
export const createSharedPlaces = (root: Root): Places => ({
  lock: SHARED_LOCK,
  open: (use) =>
    withRoot(root, (top) =>
      use({
        read: (path) => read(top, path),
        write: (path, before, after, recorded) => write(top, path, before, after, recorded),
      }),
    ),
});
