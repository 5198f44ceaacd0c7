import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** Returns the OpenAPI document of all routes, created from the endpoint records. */
export const getOpenApi = defineEndpoint({
  id: 'openapi.get',
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'Get the OpenAPI 3.1 document of this API',
  description:
    'The whole document is large. With `path`, it contains only the routes that begin with that path, and their schemas.',
  access: 'open',
  query: z.object({
    path: z
      .string()
      .startsWith('/api', { error: 'path must begin with /api.' })
      .optional()
      .describe('The beginning of the paths to describe, such as /api/wallet/send. Default: all routes.'),
  }),
  success: {
    status: 200,
    body: z.looseObject({
      openapi: z.string().describe('The OpenAPI version of the document.'),
    }),
  },
  errors: [],
});

const apiIndex = z
  .object({
    about: z.string().describe('The purpose of this server.'),
    address: z.string().describe('The address of this server, without a path.'),
    token: z.string().describe('The token that the routes need, if any.'),
    tasks: z
      .record(z.string(), z.string())
      .describe('The route for each task, with its body. Fields with "?" are optional.'),
    operator: z.string().describe('The tasks that only the operator can do.'),
    errors: z.string().describe('The form of every error.'),
    more: z.string().describe('The routes that describe all routes.'),
  })
  .meta({ id: 'ApiIndex' });

/** The response of {@link getIndex}. */
export type ApiIndex = z.infer<typeof apiIndex>;

const asText = ({ about, address, token, tasks, operator, errors, more }: ApiIndex): string =>
  [
    about,
    `Address: ${address}`,
    `Token: ${token}`,
    '',
    ...Object.entries(tasks).map(([task, route]) => `${task}: ${route}`),
    '',
    operator,
    errors,
    more,
    '',
  ].join('\n');

/** Describes what the API can do, for an agent that knows only its address. */
export const getIndex = defineEndpoint({
  id: 'index.get',
  method: 'GET',
  path: '/api',
  summary: 'List the tasks of this API with their routes',
  description:
    'Returns a short list for agents that know only the address: JSON with one task per line, or plain text for ' +
    'clients that prefer `text/plain`. The OpenAPI document describes these routes and all others.',
  access: 'open',
  success: {
    status: 200,
    description: 'The tasks, and how to send a request.',
    body: apiIndex,
    text: asText,
  },
  errors: [],
});
