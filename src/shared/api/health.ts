import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** Health of the API: answers while the process lives, whatever the disk says. */
export const getHealth = defineEndpoint({
  id: 'health.get',
  method: 'GET',
  path: '/api/health',
  summary: 'Is the API alive, and which root does it manage?',
  description:
    'A page that was signed in asks for a proof before it sends its token again: another program may have the port by now.',
  access: 'open',
  query: z.object({
    nonce: z.string().max(128).optional().describe('Random text, for a proof.'),
    origin: z.string().max(300).optional().describe('The origin of the page that wants the proof.'),
  }),
  success: {
    status: 200,
    body: z
      .object({
        ok: z.literal(true),
        dotMiRoot: z
          .string()
          .optional()
          .describe('Absolute path of the managed root. Left out without the token where API_TOKEN is set.'),
        version: z.string(),
        devMode: z.boolean().describe('True while ecash is accepted without checking it.'),
        firstRun: z.boolean().describe('True while no root was named and the starter root serves unasked.'),
        rootTrusted: z
          .boolean()
          .describe(
            "False while the root's setup script waits for the operator to trust it, as far as the last check knows.",
          ),
        uptimeSeconds: z.int().nonnegative(),
        proofs: z
          .array(z.string())
          .optional()
          .describe(
            'For a nonce: hex of HMAC-SHA-256 over "dot-mi server", the nonce and the origin, each on a line of its own. One for each kind of page token, which is its key. Empty for an origin where another program could answer.',
          ),
      })
      .meta({ id: 'Health' }),
  },
  errors: [],
});

/** The OpenAPI document of every route, made from the endpoint records. */
export const getOpenApi = defineEndpoint({
  id: 'openapi.get',
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'This API as an OpenAPI 3.1 document',
  access: 'open',
  success: { status: 200, body: z.looseObject({ openapi: z.string() }) },
  errors: [],
});

/** What {@link getHealth} answers. */
export type Health = z.infer<typeof getHealth.success.body>;
