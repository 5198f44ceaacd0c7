import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ok } from './fields.ts';

/** Reports the API's health. It responds as long as the process runs, even if the disk fails. */
export const getHealth = defineEndpoint({
  id: 'health.get',
  method: 'GET',
  path: '/api/health',
  summary: 'Check that the API is running, and get its root',
  description:
    'Another program may use the port. Before you send a key or a token, let the server prove that it is dot-mi. Send a new random nonce and the origin that you call.',
  task: 'See the version, and whether sats are real (devMode)',
  access: 'open',
  query: z.object({
    nonce: z.string().max(128).optional().describe('Random text to include in the proof.'),
    origin: z
      .string()
      .max(300)
      .optional()
      .describe('The origin that you call, such as `http://127.0.0.1:8000`.'),
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
            'The absolute path of the root. Absent if API_TOKEN is set and the request doesn’t send it.',
          ),
        rootId: z
          .string()
          .optional()
          .describe(
            'The id of the root, for the header Dot-Mi-Root. It stays the same when the root moves. Absent whenever `dotMiRoot` is.',
          ),
        version: z.string().describe('The version of dot-mi.'),
        devMode: z
          .boolean()
          .describe('True if dot-mi accepts ecash without checking it, so sats aren’t real.'),
        firstRun: z
          .boolean()
          .describe('True until somebody chooses a root. Until then, dot-mi uses the starter root.'),
        rootTrusted: z
          .boolean()
          .describe('True if the root and its setup script were trusted when dot-mi last checked.'),
        asksForToken: z
          .boolean()
          .describe(
            'True if most routes need API_TOKEN or an agent key. Operator routes always need the operator token.',
          ),
        uptimeSeconds: z.int().nonnegative().describe('How long the server has been running, in seconds.'),
        proofs: z
          .array(z.string())
          .optional()
          .describe(
            'HMAC-SHA-256 hashes, in hex. The hashed text is "dot-mi server", the nonce and the origin, joined by newlines. For a page token, the HMAC key is the token itself. For the operator token or an agent key, it is the SHA-256 hash of that token or key, in hex. Empty for an origin where another program could listen. Absent without a nonce.',
          ),
      })
      .meta({ id: 'Health' }),
  },
  errors: [],
});

export type Health = z.infer<typeof getHealth.success.body>;
