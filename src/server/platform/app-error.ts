import type { Method } from '../../shared/api/endpoint.ts';
import type { DetailsOf, ErrorCode } from '../../shared/api/errors.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';

/**
 * Describes one entry that the system denies access to. `what` begins the sentence, such as "This agent's
 * directory".
 *
 * Rethrows the error if it isn't about the entry: a bug, or too many open files.
 */
export const entryProblemOf = (error: unknown, what: string): EntryProblem => {
  const code = systemCode(error);
  if (code === undefined || isOutOfFileHandles(error)) throw error;
  return fromSystemError(error)?.code === 'permission_denied'
    ? {
        code: 'permission_denied',
        message: `${what} can’t be read because the operating system denies access. Check its owner and mode.`,
      }
    : { code: 'unreadable', message: `${what} can’t be read (${code}). Check the disk and the directory.` };
};

/** A sentence that points to a route. Only callers with access to that route receive it. */
export interface RouteHint {
  /** As in the contract, such as `GET /api/agents`. */
  readonly route: `${Method} /api/${string}`;
  /** The route's `:id` agent, if known. */
  readonly agentId?: string;
  readonly text: string;
}

/**
 * An error that a caller can understand and act on. `code` is for programs. `message` is for people: one sentence
 * that says what to do and names no path outside the root. `details` are additional fields of the error body. `hint`
 * is a last sentence for callers with access to its route.
 */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  hint: RouteHint | undefined;

  constructor(
    code: C,
    message: string,
    details?: DetailsOf<C> | Readonly<Record<string, never>>,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details ?? {};
  }

  /** Adds a hint, if any, and returns the error. */
  withHint(hint: RouteHint | undefined): this {
    this.hint = hint;
    return this;
  }

  /** The message with the hint, for readers with access to every route. */
  get text(): string {
    return this.hint ? `${this.message} ${this.hint.text}` : this.message;
  }
}

/** Returns a Node system error's `code` (`ENOENT`), or undefined for anything else, such as an {@link AppError}. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && !(error instanceof AppError) && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** Returns whether the system refused a file, socket or thread because too many are open. */
export const isOutOfFileHandles = (error: unknown): boolean => {
  const code = systemCode(error);
  if (code === 'EMFILE' || code === 'ENFILE') return true;
  // A thread without handles fails with a code specific to Node.
  return code === 'ERR_WORKER_INIT_FAILED' && /\bE[MN]FILE\b/.test(String(error));
};

const NOT_FOUND_CODES: readonly (string | undefined)[] = [
  'ENOENT',
  // A parent is a file.
  'ENOTDIR',
  // A cycle of links, or a link whose text isn't a valid path.
  'ELOOP',
  'ENAMETOOLONG',
];

/** Returns whether an error means that nothing is at a path, or only a broken link. */
export const isNotFound = (error: unknown): boolean => NOT_FOUND_CODES.includes(systemCode(error));

/** Returns an ESTALE error, for a path whose content was replaced or removed. The caller should retry. */
export const replaced = (path: string): Error =>
  Object.assign(new Error(`ESTALE: ${path} is not where it was`), { code: 'ESTALE' });

/** Converts a system error into a response, or returns undefined if it doesn't concern the caller. */
export const fromSystemError = (error: unknown): AppError | undefined => {
  if (isOutOfFileHandles(error)) {
    return new AppError(
      'too_many_open_files',
      'dot-mi has too many files and connections open. Try again in a moment. If this continues, raise its limit ("ulimit -n").',
      {},
      error,
    );
  }
  switch (systemCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return new AppError(
        'permission_denied',
        'The operating system denied access. Check the owner and mode of the files in the root.',
        {},
        error,
      );
    case 'ESTALE':
      return new AppError(
        'permission_denied',
        'A directory in the root was replaced while dot-mi was working in it. Try again.',
        {},
        error,
      );
    case 'EROFS':
      return new AppError(
        'permission_denied',
        'The root is on a read-only file system. Make it writable, or choose another root.',
        {},
        error,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new AppError('disk_full', 'The disk is full. Free some space and try again.', {}, error);
    default:
      return undefined;
  }
};

/** Returns the result of `look`, or undefined if the system denies access, which counts as missing. */
export const unlessRefused = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};
