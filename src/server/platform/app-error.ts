import type { Method } from '../../shared/api/endpoint.ts';
import type { DetailsOf, ErrorCode } from '../../shared/api/errors.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';

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
        message: `${what} can’t be read because the operating system denies access. Check its owner and mode.`,
      }
    : { code: 'unreadable', message: `${what} can’t be read (${code}). Check the disk and the directory.` };
};

/** A sentence that points to a route. Only the answer to a caller who may use that route has it. */
export interface RouteHint {
  /** As the contract writes it, such as `GET /api/agents`. */
  readonly route: `${Method} /api/${string}`;
  /** The agent `:id` of the route, if it is known. */
  readonly agentId?: string;
  readonly text: string;
}

/**
 * An error that a caller can understand and act on. `code` is for programs, `message` for a person: one
 * sentence that says what to do and names no path outside the root. `details` are further fields of the error
 * body. `hint` is a last sentence for callers who may use its route.
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

  /** Adds a hint, if there is one, and returns the error. */
  withHint(hint: RouteHint | undefined): this {
    this.hint = hint;
    return this;
  }

  /** The message with the hint, for readers who may use any route. */
  get text(): string {
    return this.hint ? `${this.message} ${this.hint.text}` : this.message;
  }
}

/** The `code` of a Node system error (`ENOENT`), or undefined for anything else. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether the system refused this process a file, a socket or a thread because it has too many open. */
export const isOutOfFileHandles = (error: unknown): boolean => {
  const code = systemCode(error);
  if (code === 'EMFILE' || code === 'ENFILE') return true;
  // A thread that gets no handles fails with a code of Node's own.
  return code === 'ERR_WORKER_INIT_FAILED' && /\bE[MN]FILE\b/.test(String(error));
};

const NOT_FOUND_CODES: readonly (string | undefined)[] = [
  'ENOENT',
  // A parent is a file.
  'ENOTDIR',
  // A circle of links, or a link whose text can't be a path.
  'ELOOP',
  'ENAMETOOLONG',
];

/** Whether an error says that nothing is at a path, or that it is a broken link. */
export const isNotFound = (error: unknown): boolean => NOT_FOUND_CODES.includes(systemCode(error));

/** The error for a path at which something else, or nothing, is now: ESTALE. The caller should try again. */
export const replaced = (path: string): Error =>
  Object.assign(new Error(`ESTALE: ${path} is not where it was`), { code: 'ESTALE' });

/** Turns a refusal of the operating system into a response, or undefined if it doesn't concern the caller. */
export const fromSystemError = (error: unknown): AppError | undefined => {
  if (isOutOfFileHandles(error)) {
    return new AppError(
      'too_many_open_files',
      'dot-mi has too many files and connections open. Try again in a second. If this continues, raise its limit ("ulimit -n").',
      {},
      error,
    );
  }
  switch (systemCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return new AppError(
        'permission_denied',
        'The operating system denied access. Check the owner and the mode of the files in the root.',
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

/** The result of `look`, or undefined where the system refuses: what it doesn't show isn't there for dot-mi. */
export const unlessRefused = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};
