import type { EntryProblem } from '../../shared/api/problem.ts';
import { fromSystemError, isOutOfFileHandles, systemCode } from './app-error.ts';

/**
 * The problem of one entry that the system doesn't let us read. `what` begins the sentence, such as
 * "The directory of this agent".
 *
 * Throws the error again if it isn't the entry's own: a bug, or too many open files.
 */
export const entryProblemOf = (error: unknown, what: string): EntryProblem => {
  const code = systemCode(error);
  if (code === undefined || isOutOfFileHandles(error)) throw error;
  return fromSystemError(error)?.code === 'permission_denied'
    ? {
        code: 'permission_denied',
        message: `${what} can't be read because the operating system denies access. Check its owner and mode.`,
      }
    : { code: 'unreadable', message: `${what} can't be read (${code}). Check the disk and the directory.` };
};
