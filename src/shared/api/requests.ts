import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ERROR_CODES } from './errors.ts';
import { limit } from './fields.ts';
import { agentIdSchema } from './names.ts';

/** How many requests of programs dot-mi keeps. As many of its own page are kept apart from them. */
export const KEPT_REQUESTS = 1000;

const DEFAULT_REQUESTS = 50;

/** The most requests in one response. */
export const MAX_REQUESTS = 500;

/**
 * Who sent a request. `page`: a page of dot-mi. `key`: a program with an agent key. `operator`: a program with
 * the operator token. `api`: a program with API_TOKEN. `other`: a program without a valid token.
 */
const CALLER_KINDS = ['page', 'key', 'operator', 'api', 'other'] as const;

/** One of {@link CALLER_KINDS}. */
export type CallerKind = (typeof CALLER_KINDS)[number];

const loggedRequest = z
  .object({
    id: z.int().describe('Grows with each request, also after a restart.'),
    at: z.iso.datetime().describe('When it arrived.'),
    durationMs: z
      .number()
      .nonnegative()
      .describe('Until the response was sent. Event streams last for long.'),
    method: z.string().describe('The HTTP method.'),
    route: z
      .string()
      .nullable()
      .describe(
        'The route as the contract writes it, such as `/api/agents/:id`. Null if no route has this path, or a web page of another origin sent it.',
      ),
    agent: z
      .string()
      .nullable()
      .describe('The agent that it was about. Null if it named none, or one that does not exist.'),
    status: z
      .int()
      .nullable()
      .describe('The HTTP status. Null if the client disconnected before the response.'),
    code: z.enum(ERROR_CODES).nullable().describe('The error code of the response. Null if it succeeded.'),
    caller: z
      .object({
        kind: z
          .enum(CALLER_KINDS)
          .describe(
            '`page`: a page of dot-mi. `key`: a program with an agent key. `operator`: one with the operator token. `api`: one with API_TOKEN. `other`: one without a valid token.',
          ),
        label: z.string().nullable().describe('The label of the agent key.'),
        agent: z.string().nullable().describe('The agent of the agent key.'),
      })
      .describe('The sender of the request.'),
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

/** Lists the last requests to the API. */
export const listRequests = defineEndpoint({
  id: 'requests.list',
  method: 'GET',
  path: '/api/requests',
  summary: 'List the last requests to this API, newest first',
  description:
    `dot-mi keeps the last ${KEPT_REQUESTS.toLocaleString('en')} requests of programs in memory until it stops. ` +
    'It never keeps a body, a header, a token or a query. Responses of this route are not listed. ' +
    'The event `requests` says that there are new ones. It is sent at most three times a second, and only after this route was read.',
  access: 'operator',
  keys: 'none',
  query: z.object({
    agent: agentIdSchema.optional().describe('Only requests about this agent, and those that its keys sent.'),
    errors: flag.describe('Only requests that failed.'),
    page: flag.describe('Also the requests of dot-mi’s own page.'),
    after: requestId('Only requests with a larger `id`.'),
    cursor: requestId('Pass the `nextCursor` of the page before.'),
    limit: limit(MAX_REQUESTS, DEFAULT_REQUESTS),
  }),
  success: {
    status: 200,
    body: z.object({
      requests: z.array(loggedRequest).describe('The requests, newest first.'),
      nextCursor: z
        .string()
        .optional()
        .describe('Pass it as `cursor` for the next page. Missing on the last page.'),
    }),
  },
  errors: ['invalid_agent_id'],
});

/** The response of {@link listRequests}. */
export type RequestLogPage = z.infer<typeof listRequests.success.body>;
