import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { type DirectoryHandle, openOrMake, withDirectoryBelow } from '../platform/directory-handle.ts';

/** The limit for segments in a session's path. Sessions are a few directories below the root. */
const MAX_SEGMENTS = 32;

/**
 * Returns the segments of a path in the root. SECURITY: anyone who can write to the trash may have written the record.
 */
const segmentsOf = (path: string): string[] => {
  const segments = path.split('/');
  const isSafe = segments.every(
    (name) => name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name),
  );
  if (isSafe && segments.length <= MAX_SEGMENTS && path.endsWith('.jsonl') && segments[0] !== '.trash')
    return segments;
  throw new AppError(
    'trash_entry_unreadable',
    'dot-mi can’t tell where this session was. Find the session’s file under .trash, and move it back yourself.',
  );
};

const isOnAnotherDisk = (error: unknown): AppError | undefined =>
  systemCode(error) === 'EXDEV'
    ? new AppError(
        'session_outside_root',
        'This session is not on the same disk as the root’s trash. Delete its file yourself.',
        {},
        error,
      )
    : undefined;

/** Moves a session's file into its trash item. Throws `session_not_found` and `session_outside_root`. */
export const takeSession = async (
  root: DirectoryHandle,
  path: string,
  place: DirectoryHandle,
  content: string,
): Promise<void> => {
  const segments = segmentsOf(path);
  try {
    await withDirectoryBelow(root, segments.slice(0, -1), (directory) =>
      directory.rename(segments.at(-1) ?? '', place, content),
    );
  } catch (error) {
    if (!isNotFound(error)) throw isOnAnotherDisk(error) ?? error;
    throw new AppError('session_not_found', 'This session’s file was deleted in the meantime.', {}, error);
  }
};

/** Moves a session's file back from its trash item. Throws `session_exists`. */
export const restoreSession = (
  root: DirectoryHandle,
  path: string,
  place: DirectoryHandle,
  content: string,
): Promise<void> => {
  const segments = segmentsOf(path);
  const name = segments.at(-1) ?? '';
  // Both directories in `agents/<id>` must already exist, because a restore must not create an agent's
  // directory.
  let required = segments[0] === 'agents' ? 2 : 0;
  const openOrMakeNext = (parent: DirectoryHandle, child: string) =>
    required-- > 0 ? parent.open(child) : openOrMake(parent, child, 0o700);
  const moveBack = async (directory: DirectoryHandle) => {
    if (await directory.has(name)) {
      throw new AppError(
        'session_exists',
        'Another file is now where this session was. Move that file somewhere else, then restore the session.',
      );
    }
    await place.rename(content, directory, name);
  };
  return withDirectoryBelow(root, segments.slice(0, -1), moveBack, openOrMakeNext).catch((error: unknown) => {
    if (!isNotFound(error)) throw isOnAnotherDisk(error) ?? error;
    if (systemCode(error) === 'ENOENT')
      throw new AppError(
        'agent_not_found',
        'This session’s agent no longer exists. Restore the agent first.',
      );
    throw new AppError(
      'not_a_directory',
      'A directory in this session’s path is now a file or a link. Move it somewhere else, then restore the session.',
      {},
      error,
    );
  });
};
