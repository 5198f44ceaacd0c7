import { z } from 'zod';
import { ERROR_CODES, ERRORS, type ErrorCode, errorInfo } from '../../shared/api/errors.ts';
import { problemSchema } from '../../shared/api/problem.ts';

const JSON_TYPE = 'application/json';

const NEXT = {
  ask: 'Ask a person.',
  giveUp: 'Give up: another attempt gives the same answer.',
  retry: 'Retry the same request later. Wait for Retry-After if it is sent.',
  change: 'Read the sentence in `error`, change the request, and send it again.',
} as const;

/** What each code means and what to do next, for `x-errors` of the document. */
export const errorTable = () =>
  Object.fromEntries(
    ERROR_CODES.map((code) => {
      const {
        status,
        retryable,
        title = 'Something went wrong inside dot-mi',
        advice,
        next,
      } = errorInfo(code);
      const step = NEXT[next ?? (retryable ? 'retry' : 'change')];
      return [code, { status, title, next: advice ?? step, retryable }];
    }),
  );

/** The body of these errors, with the additional fields that some of them carry. */
const problemBody = (codes: readonly ErrorCode[]): z.ZodType => {
  const shape = Object.assign({}, ...codes.map((code) => errorInfo(code).details?.partial().shape));
  return Object.keys(shape).length === 0 ? problemSchema : problemSchema.and(z.looseObject(shape));
};

const HEADERS = {
  retryAfter: {
    'Retry-After': {
      description: 'In how many seconds to try again. Not every code sends it.',
      schema: { type: 'integer' as const, minimum: 1 },
    },
  },
  authenticate: {
    'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string' as const } },
  },
} as const;

const headersOf = (status: number, codes: readonly ErrorCode[]) => {
  if (status === 401) return HEADERS.authenticate;
  const waits = codes.some((code) => errorInfo(code).details?.shape.retryAfterSeconds !== undefined);
  return waits || status === 503 ? HEADERS.retryAfter : undefined;
};

/** The answer to these errors, which have one status. */
const responseOf = (status: number, codes: readonly ErrorCode[]) => {
  const headers = headersOf(status, codes);
  return {
    description: `${codes.map((code) => `\`${code}\``).join(', ')}. See \`x-errors\`.`,
    ...(headers ? { headers } : {}),
    content: { [JSON_TYPE]: { schema: problemBody(codes) } },
  };
};

/** The error answers that operations share: `refsOf` an operation's codes, and afterwards all `components`. */
export const createErrorResponses = () => {
  const components: Record<string, ReturnType<typeof responseOf>> = {};
  const names = new Map<string, string>();
  return {
    components,
    refsOf(codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
      const byStatus = Map.groupBy(
        ERROR_CODES.filter((code) => codes.includes(code)),
        (code) => ERRORS[code].status,
      );
      return Object.fromEntries(
        [...byStatus].map(([status, group]) => {
          const key = group.join(' ');
          const name =
            names.get(key) ?? (group.length <= 2 ? group.join('.') : `Error${status}.${names.size}`);
          names.set(key, name);
          components[name] ??= responseOf(status, group);
          return [String(status), { $ref: `#/components/responses/${name}` }];
        }),
      );
    },
  };
};
