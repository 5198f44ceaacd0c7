import { mkdir, rename } from 'node:fs/promises';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { type DirectoryHandle, withDirectory } from '../platform/directory-handle.ts';
import { isOccupied } from '../platform/root.ts';

/** Sessions are a few directories below the root. */
const MAX_SEGMENTS = 32;

/** The segments of a path in the root. SECURITY: a record in the trash may be anyone's. */
const segmentsOf = (path: string): string[] => {
  const segments = path.split('/');
  const isSafe = segments.every(
    (name) => name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name),
  );
  if (isSafe && segments.length <= MAX_SEGMENTS && path.endsWith('.jsonl') && segments[0] !== '.trash')
    return segments;
  throw new AppError(
    'trash_entry_unreadable',
    'The record of this session names no place in the root. Its file is in its directory below .trash.',
  );
};

/** Runs `use` in a directory below another one. SECURITY: a link on the way could be to anywhere, so none is followed. */
const withDirectoryBelow = async <T>(
  parent: DirectoryHandle,
  [name, ...rest]: readonly string[],
  /** How many of the directories must be there. The others are created. */
  required: number,
  use: (directory: DirectoryHandle) => Promise<T>,
): Promise<T> => {
  if (name === undefined) return use(parent);
  if (required <= 0) {
    await mkdir(parent.entry(name), { mode: 0o700 }).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  }
  return withDirectory(parent.open(name), (directory) =>
    withDirectoryBelow(directory, rest, required - 1, use),
  );
};

const isOnAnotherDisk = (error: unknown): AppError | undefined =>
  systemCode(error) === 'EXDEV'
    ? new AppError(
        'session_outside_root',
        'This session is on another disk than the trash of the root. Delete its file yourself.',
        {},
        error,
      )
    : undefined;

/** Moves the file of a session into its entry of the trash. Throws `session_not_found` and `session_outside_root`. */
export const takeSession = async (
  root: DirectoryHandle,
  path: string,
  place: DirectoryHandle,
  content: string,
): Promise<void> => {
  const segments = segmentsOf(path);
  try {
    await withDirectoryBelow(root, segments.slice(0, -1), MAX_SEGMENTS, async (directory) => {
      await place.verify();
      await directory.verify();
      await rename(directory.entry(segments.at(-1) ?? ''), place.entry(content));
    });
  } catch (error) {
    if (!isNotFound(error)) throw isOnAnotherDisk(error) ?? error;
    throw new AppError('session_not_found', 'The file of this session was deleted meanwhile.', {}, error);
  }
};

/** Moves the file of a session back from its entry of the trash. Throws `session_exists`. */
export const restoreSession = (
  root: DirectoryHandle,
  path: string,
  place: DirectoryHandle,
  content: string,
): Promise<void> => {
  const segments = segmentsOf(path);
  const name = segments.at(-1) ?? '';
  // Only `agents/<id>`: nothing but a new agent creates the directory of an agent.
  const required = segments[0] === 'agents' ? 2 : 0;
  return withDirectoryBelow(root, segments.slice(0, -1), required, async (directory) => {
    if (await isOccupied(directory.entry(name))) {
      throw new AppError(
        'session_exists',
        'A file is already where this session was. Move it away, then restore the session.',
      );
    }
    await place.verify();
    await directory.verify();
    await rename(place.entry(content), directory.entry(name));
  }).catch((error: unknown) => {
    if (!isNotFound(error)) throw isOnAnotherDisk(error) ?? error;
    if (systemCode(error) === 'ENOENT')
      throw new AppError('agent_not_found', 'The agent of this session is gone. Restore the agent first.');
    throw new AppError(
      'not_a_directory',
      'A directory on the way to this session is a file or a link now. Move it away, then restore the session.',
      {},
      error,
    );
  });
};
