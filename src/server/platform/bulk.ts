import type { ErrorCode } from '../../shared/api/errors.ts';
import { AppError, fromSystemError, systemCode } from './app-error.ts';

/** Agents that change at the same time. Each needs a few open files. */
const AGENTS_AT_ONCE = 8;

/** Why one part of a bulk change was not made. */
export interface Failure {
  readonly code: ErrorCode;
  readonly error: string;
}

/** What to answer for an error. Throws it if it is a bug, which must not hide. */
export const failureOf = (error: unknown): Failure => {
  const known = error instanceof AppError ? error : fromSystemError(error);
  if (known) return { code: known.code, error: known.text };
  const code = systemCode(error);
  if (code === undefined) throw error;
  return { code: 'internal', error: `The operating system refused this change (${code}). Check the disk.` };
};

/** Runs `task` for each agent of a bulk change, some at a time. */
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
