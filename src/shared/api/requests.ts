import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ERROR_CODES } from './errors.ts';
import { limit } from './fields.ts';
import { agentIdSchema } from './names.ts';

/** How many requests are kept of each {@link CallerClass}. */
export const KEPT_REQUESTS = 1000;

const DEFAULT_REQUESTS = 50;

/** The maximum number of requests in one response. */
export const MAX_REQUESTS = 500;

/**
 * Who sent a request. `page`: a page of dot-mi. `key`: a program with an agent key. `operator`: a program with
 * the operator token. `api`: a program with API_TOKEN. `other`: a program without a valid token.
 */
const CALLER_KINDS = ['page', 'key', 'operator', 'api', 'other'] as const;

export type CallerKind = (typeof CALLER_KINDS)[number];

const CLASSES = {
  page: 'page',
  operator: 'operator',
  key: 'agent',
  api: 'anyone',
  other: 'anyone',
} as const satisfies Record<CallerKind, string>;

/** Callers whose requests are kept together. */
export type CallerClass = (typeof CLASSES)[CallerKind];

/** Returns the class of a caller. */
export const callerClass = (kind: CallerKind): CallerClass => CLASSES[kind];

const loggedRequest = z
  .object({
    id: z.int().describe('The id. Later requests have larger ids, even after a restart.'),
    at: z.iso.datetime().describe('When the request arrived.'),
    durationMs: z
      .number()
      .nonnegative()
      .describe(
        'The time until the response was sent, in milliseconds. For an event stream, until it ended.',
      ),
    method: z.string().describe('The HTTP method.'),
    route: z
      .string()
      .nullable()
      .describe(
        'The route, such as `/api/agents/:id`. Null if no route has this path, or if a web page from another origin sent the request.',
      ),
    agent: z
      .string()
      .nullable()
      .describe('The agent that the request names. Null if it names none, or one that doesn’t exist.'),
    status: z
      .int()
      .nullable()
      .describe('The HTTP status. Null if the client disconnected before the response.'),
    code: z
      .enum(ERROR_CODES)
      .nullable()
      .describe('The error code of the response. Null if the request succeeded.'),
    caller: z
      .object({
        kind: z
          .enum(CALLER_KINDS)
          .describe(
            '`page`: a page of dot-mi. `key`: a program with an agent key. `operator`: a program with the operator token. `api`: a program with API_TOKEN. `other`: a program without a valid token.',
          ),
        label: z.string().nullable().describe('The label of the agent key. Null without one.'),
        agent: z.string().nullable().describe('The agent of the agent key. Null without one.'),
      })
      .describe('The caller that sent the request.'),
  })
  .meta({ id: 'LoggedRequest' });

/** A request in the log. */
export type LoggedRequest = z.infer<typeof loggedRequest>;

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

const requestId = (name: string) =>
  z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).optional().describe(name);

/** Lists the latest requests to the API. */
export const listRequests = defineEndpoint({
  id: 'requests.list',
  method: 'GET',
  path: '/api/requests',
  summary: 'List the last requests to this API, newest first',
  description:
    `dot-mi keeps the last ${KEPT_REQUESTS.toLocaleString('en')} requests with the operator token, as many with agent keys, and as many from other programs. It keeps them in memory until it quits. ` +
    'It never keeps a body, a header, a token or a query. It doesn’t list requests for this route. ' +
    'The event `requests` reports new requests, at most three times a second. dot-mi doesn’t send it until somebody has called this route.',
  access: 'operator',
  keys: 'none',
  query: z.object({
    agent: agentIdSchema.optional().describe('Only requests that name this agent or used one of its keys.'),
    errors: flag.describe('True: only failed requests.'),
    page: flag.describe('True: include the requests from dot-mi’s own page.'),
    after: requestId('Only requests with a larger `id`.'),
    cursor: requestId('The `nextCursor` of the previous response.'),
    limit: limit(MAX_REQUESTS, DEFAULT_REQUESTS),
  }),
  success: {
    status: 200,
    body: z.object({
      requests: z.array(loggedRequest).describe('The requests, newest first.'),
      nextCursor: z
        .string()
        .optional()
        .describe('Pass it as `cursor` to get the next page. Absent on the last page.'),
    }),
  },
  errors: ['invalid_agent_id'],
});

/** The response of {@link listRequests}. */
export type RequestLogPage = z.infer<typeof listRequests.success.body>;
