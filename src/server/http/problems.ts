import { ERRORS } from '../../shared/api/errors.ts';
import type { Problem } from '../../shared/api/problem.ts';
import { AppError, fromSystemError, type RouteHint } from '../platform/app-error.ts';

/** The response to an error. `unexpected` is set if the error is our fault and needs a log line. */
interface ProblemResponse {
  status: number;
  body: Problem;
  headers: Record<string, string>;
  unexpected?: unknown;
}

const extraHeaders = (error: AppError): Record<string, string> => {
  if (error.code === 'unauthorized') return { 'WWW-Authenticate': 'Bearer' };
  if (error.code === 'method_not_allowed') return { Allow: String(error.details.allow) };
  // RFC 9110, 15.5.16: lists the types that the server accepts.
  if (error.code === 'unsupported_media_type')
    return { Accept: 'application/json', 'Accept-Encoding': 'identity' };
  // For this error, threads report only the code.
  const retryAfterSeconds = error.code === 'too_many_open_files' ? 1 : error.details.retryAfterSeconds;
  if (typeof retryAfterSeconds === 'number') return { 'Retry-After': String(retryAfterSeconds) };
  return {};
};

/**
 * Turns any thrown value into a response. Unexpected errors never reveal their message, stack or paths. `mayFollow`
 * returns whether the caller can use a hint's route.
 */
export const toProblem = (
  error: unknown,
  mayFollow: (hint: RouteHint) => boolean = () => false,
): ProblemResponse => {
  const known = error instanceof AppError ? error : fromSystemError(error);
  if (!known) {
    return {
      status: ERRORS.internal.status,
      body: {
        error: 'Something went wrong inside dot-mi. See its log for details, and please report the error.',
        code: 'internal',
      },
      headers: {},
      unexpected: error,
    };
  }
  const { allow: _allow, ...details } = known.details;
  return {
    status: ERRORS[known.code].status,
    body: {
      error: known.hint && mayFollow(known.hint) ? known.text : known.message,
      code: known.code,
      ...details,
    },
    headers: extraHeaders(known),
  };
};
