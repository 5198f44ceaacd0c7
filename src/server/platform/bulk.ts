import type { ErrorCode } from '../../shared/api/errors.ts';
import { AppError, fromSystemError, systemCode } from './app-error.ts';

/** How many agents change at the same time. Each needs a few open files. */
const AGENTS_AT_ONCE = 8;

/** How many changes an agent's lock is held for, so that a save waits for a moment, however large the request. */
const CHANGES_AT_ONCE = 100;

/** Splits an agent's changes into parts, to lock the agent for each part. */
export const partsOf = <T>(changes: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(changes.length / CHANGES_AT_ONCE) }, (_, part) =>
    changes.slice(part * CHANGES_AT_ONCE, (part + 1) * CHANGES_AT_ONCE),
  );

/** The reason why part of a bulk change failed. */
export interface Failure {
  readonly code: ErrorCode;
  readonly error: string;
}

/** Converts an error to a response. Rethrows bugs, so that they aren't hidden. */
export const failureOf = (error: unknown): Failure => {
  const known = error instanceof AppError ? error : fromSystemError(error);
  if (known) return { code: known.code, error: known.text };
  const code = systemCode(error);
  if (code === undefined) throw error;
  return { code: 'internal', error: `The operating system refused this change (${code}). Check the disk.` };
};

/** Runs `task` for each agent of a bulk change, several at a time. */
export const forEachAgent = async <T>(
  agents: Iterable<T>,
  task: (agent: T) => Promise<void>,
): Promise<void> => {
  const waiting = agents[Symbol.iterator]();
  const work = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await task(next.value);
  };
  await Promise.all(Array.from({ length: AGENTS_AT_ONCE }, work));
};
