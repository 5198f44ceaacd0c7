import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { keyId } from './fields.ts';

/** The prefix of page tokens. A page exchanges any other token for a page token. */
export const PAGE_TOKEN_PREFIX = 'dmp_';

/** Returns the message that a browser signs. Its key must be bound to this origin, and the challenge works once. */
export const signInMessage = (challenge: string, origin: string): string =>
  `dot-mi sign-in\n${challenge}\n${origin}`;

/**
 * Returns the message that the server signs with HMAC-SHA-256 to prove its identity. For the keys, see `proofs` of
 * `GET /api/health`.
 */
export const proofMessage = (nonce: string, origin: string): string => `dot-mi server\n${nonce}\n${origin}`;

const pageToken = z.object({
  token: z
    .string()
    .describe('The page token. Send it as a bearer token. It works at this address until dot-mi quits.'),
});

/** Exchanges a pasted token for a page token, which is valid until the process ends. */
export const exchangeToken = defineEndpoint({
  id: 'signIn.exchange',
  method: 'POST',
  path: '/api/sign-in/token',
  summary: 'Exchange a token for a page token',
  description:
    'A page stores this token instead of the operator token or API_TOKEN, which never expire. It opens the same routes.',
  access: 'api',
  keys: 'none',
  body: z.strictObject({}),
  success: { status: 200, body: pageToken },
  errors: [],
});

/** Gives a browser a challenge to sign. */
export const getChallenge = defineEndpoint({
  id: 'signIn.challenge',
  method: 'GET',
  path: '/api/sign-in/challenge',
  summary: 'Get a challenge to sign in with a page key',
  access: 'open',
  success: {
    status: 200,
    body: z.object({
      challenge: z.string().describe('The challenge. It works once.'),
      expiresInSeconds: z.int().describe('How long the challenge works, in seconds.'),
    }),
  },
  errors: [],
});

/** Signs a browser in with its page key. */
export const signIn = defineEndpoint({
  id: 'signIn.withKey',
  method: 'POST',
  path: '/api/sign-in',
  summary: 'Sign in with a page key',
  description:
    'The signature is ECDSA over P-256 with SHA-256 (IEEE P1363, base64url). The signed text is "dot-mi sign-in", the challenge and the origin, each on its own line. The key works only at the origin for which it was created.',
  access: 'open',
  body: z.strictObject({
    keyId,
    challenge: z.string().max(128).describe('The challenge. It works once.'),
    signature: z.string().max(128).describe('The signature, in base64url.'),
  }),
  success: { status: 200, body: pageToken },
  errors: ['page_key_not_found', 'sign_in_refused'],
});
