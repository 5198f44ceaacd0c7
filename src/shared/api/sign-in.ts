import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { createdAt, id, keyId, okBody } from './fields.ts';

/** The prefix of page tokens. A page keeps such a token, and exchanges any other for one. */
export const PAGE_TOKEN_PREFIX = 'dmp_';

/** How long a browser stays signed in. */
export const PAGE_KEY_DAYS = 7;

/** The text that a browser signs. Its key must be bound to this origin, and the challenge works once. */
export const signInMessage = (challenge: string, origin: string): string =>
  `dot-mi sign-in\n${challenge}\n${origin}`;

/** The text the server signs (HMAC-SHA-256 with a page token, or the SHA-256 of a key in hex) to prove itself. See `GET /api/health`. */
export const proofMessage = (nonce: string, origin: string): string => `dot-mi server\n${nonce}\n${origin}`;

const pageToken = z.object({
  token: z.string().describe('Valid at this address until dot-mi ends. Send it as a bearer token.'),
});

const pageKey = z
  .object({
    id,
    name: z.string().describe('The name someone gave it, such as "Firefox on this laptop".'),
    origin: z.string().describe('The only address where it can sign in.'),
    createdAt,
    lastUsedAt: z.iso.datetime().nullable().describe('When it was last used. Null: never.'),
  })
  .meta({ id: 'PageKey' });

/** A browser that stays signed in. */
export type PageKey = z.infer<typeof pageKey>;

/** Exchanges a pasted token for one that is valid until the process ends. */
export const exchangeToken = defineEndpoint({
  id: 'signIn.exchange',
  method: 'POST',
  path: '/api/sign-in/token',
  summary: 'Exchange a token for a page token',
  description:
    'A page keeps this token instead of the operator token or API_TOKEN, which do not expire. It has the same rights.',
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
      challenge: z.string().describe('The text to sign. It works once.'),
      expiresInSeconds: z.int().describe('In how many seconds it stops working.'),
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
    'The signature is ECDSA over P-256 with SHA-256 (IEEE P1363, base64url). The signed text is "dot-mi sign-in", the challenge and the origin, each on its own line. It works only at the origin the key was created for.',
  access: 'open',
  body: z.strictObject({
    keyId,
    challenge: z.string().max(128).describe('The text to sign. It works once.'),
    signature: z.string().max(128).describe('The signature of the challenge, in base64url.'),
  }),
  success: { status: 200, body: pageToken },
  errors: ['page_key_not_found', 'sign_in_refused'],
});

/** Lists the browsers that stay signed in. */
export const listPageKeys = defineEndpoint({
  id: 'pageKeys.list',
  method: 'GET',
  path: '/api/page-keys',
  summary: 'List the browsers that stay signed in',
  access: 'operator',
  keys: 'none',
  success: { status: 200, body: z.object({ keys: z.array(pageKey).describe('The keys, newest first.') }) },
  errors: [],
});

/** Keeps a browser signed in. */
export const createPageKey = defineEndpoint({
  id: 'pageKeys.create',
  method: 'POST',
  path: '/api/page-keys',
  summary: 'Keep this browser signed in',
  description: `The browser keeps the private key where no script can read it, so the server stores no secret either. The key is bound to the origin of this request, and expires after ${PAGE_KEY_DAYS} days. The address in the printed link lasts for one run only, so a key is refused there.`,
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    name: z.string().trim().min(1).max(100).describe('A name for it, such as "Firefox on this laptop".'),
    publicKey: z
      .strictObject({
        kty: z.literal('EC').describe('Always "EC".'),
        crv: z.literal('P-256').describe('Always "P-256".'),
        x: z.string().max(64).describe('The x coordinate, in base64url.'),
        y: z.string().max(64).describe('The y coordinate, in base64url.'),
      })
      .describe('A JSON Web Key (RFC 7517).'),
  }),
  success: { status: 201, body: pageKey },
  errors: ['sign_in_refused'],
});

/** Signs a browser out. */
export const deletePageKey = defineEndpoint({
  id: 'pageKeys.delete',
  method: 'DELETE',
  path: '/api/page-keys/:keyId',
  summary: 'Sign a browser out',
  access: 'operator',
  keys: 'none',
  params: z.object({ keyId }),
  success: { status: 200, body: okBody },
  errors: ['page_key_not_found'],
});

/** Replaces the operator token. */
export const renewOperatorToken = defineEndpoint({
  id: 'operatorToken.renew',
  method: 'POST',
  path: '/api/operator-token/renew',
  summary: 'Replace the operator token',
  description:
    'The old token stops working immediately. Scripts read the new one from the file "operator-token" in the wallet directory. Pages that are signed in stay signed in.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({}),
  success: { status: 200, body: okBody },
  errors: [],
});
