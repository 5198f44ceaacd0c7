import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ok } from './fields.ts';

/** The health of the API. It answers while the process lives, whatever the state of the disk. */
export const getHealth = defineEndpoint({
  id: 'health.get',
  method: 'GET',
  path: '/api/health',
  summary: 'Check that the API is running and which root it manages',
  description:
    'Before you send a key or a token, make the server prove itself. Another program may have taken the port. Send a new random nonce and the origin that you call.',
  task: 'See the version, and whether sats are real (devMode)',
  access: 'open',
  query: z.object({
    nonce: z.string().max(128).optional().describe('Random text to include in the proof.'),
    origin: z
      .string()
      .max(300)
      .optional()
      .describe('The origin that is called, such as `http://127.0.0.1:8000`.'),
  }),
  success: {
    status: 200,
    body: z
      .object({
        ok,
        dotMiRoot: z
          .string()
          .optional()
          .describe(
            'Absolute path of the managed root. Left out if API_TOKEN is set and the request does not carry it.',
          ),
        rootId: z
          .string()
          .optional()
          .describe('Identifies the root, for the header Dot-Mi-Root. Left out together with dotMiRoot.'),
        version: z.string().describe('The version of dot-mi.'),
        devMode: z.boolean().describe('True while dot-mi accepts ecash without checking it.'),
        firstRun: z
          .boolean()
          .describe('True until someone chooses a root. dot-mi uses the starter root until then.'),
        rootTrusted: z
          .boolean()
          .describe(
            'False while the operator has not trusted the root and its setup script, according to the last check.',
          ),
        asksForToken: z
          .boolean()
          .describe(
            'True if ordinary routes need a token: API_TOKEN or an agent key. Routes of the operator always do.',
          ),
        uptimeSeconds: z.int().nonnegative().describe('For how many seconds the server has been running.'),
        proofs: z
          .array(z.string())
          .optional()
          .describe(
            'With a nonce: the HMAC-SHA-256, in hex, of "dot-mi server", the nonce and the origin, each on its own line. One for each kind of page token, with the token as the key. One for the operator token and for each agent key, with its SHA-256 in hex as the key. Empty for an origin where another program could answer.',
          ),
      })
      .meta({ id: 'Health' }),
  },
  errors: [],
});

/** The response of {@link getHealth}. */
export type Health = z.infer<typeof getHealth.success.body>;
