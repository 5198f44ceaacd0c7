import type { z } from 'zod';
import { type ErrorCode, isErrorCode } from '../../shared/api/errors.ts';
import { AppError } from '../platform/app-error.ts';
import { sentenceFor, smallestOf } from './issue-sentence.ts';

/** One problem of a request. */
interface RequestIssue {
  path: string;
  message: string;
  /** The code that the schema gave this issue, as for names. */
  code?: ErrorCode;
}

const UNKNOWN_FIELD = "This route doesn't have this field.";

const issuesOf = (part: string, issue: z.core.$ZodIssue): RequestIssue[] => {
  const path = [part, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: `${path}.${key}`,
      message: UNKNOWN_FIELD,
    }));
  }
  const code = issue.code === 'custom' ? issue.params?.code : undefined;
  return [{ path, message: issue.message, ...(isErrorCode(code) ? { code } : {}) }];
};

const MOST_IN_SENTENCE = 5;

/** Unknown fields have the same sentence, so it needs a name. */
const asSentence = ({ path, message }: RequestIssue): string =>
  message === UNKNOWN_FIELD ? `This route doesn't have the field "${path.replace(/^\w+\./, '')}".` : message;

/**
 * Parses the parts of a request (`params`, `query`, `headers`, `body`) with their schemas.
 *
 * Throws one error that lists every issue of all parts. Its code is the schema's if a name is bad
 * (`invalid_agent_id`), otherwise `invalid_request`.
 */
export const parseParts = (
  parts: ReadonlyArray<readonly [part: string, schema: z.ZodType, value: unknown]>,
) => {
  const parsed: Record<string, unknown> = {};
  const issues: RequestIssue[] = [];
  for (const [part, schema, value] of parts) {
    // A schema's own sentences win over these.
    const result = schema.safeParse(value, {
      error: (issue) => sentenceFor(part, issue, () => smallestOf(schema)),
    });
    if (result.success) parsed[part] = result.data;
    else issues.push(...result.error.issues.flatMap((issue) => issuesOf(part, issue)));
  }
  if (issues.length === 0) return parsed;

  const named = issues.find((issue) => issue.code);
  throw new AppError(
    named?.code ?? 'invalid_request',
    named?.message ??
      `The request is not valid. ${issues.slice(0, MOST_IN_SENTENCE).map(asSentence).join(' ')}`,
    { issues: issues.map(({ path, message }) => ({ path, message })) },
  );
};
