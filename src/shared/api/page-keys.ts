import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { createdAt, id, keyId, okBody } from './fields.ts';

/** How long a browser stays signed in. */
export const PAGE_KEY_DAYS = 7;

const pageKey = z
  .object({
    id,
    name: z.string().describe('The name of the browser, such as "Firefox on this laptop".'),
    origin: z.string().describe('The only address where the browser can sign in.'),
    createdAt,
    lastUsedAt: z.iso.datetime().nullable().describe('When the key was last used. Null if never.'),
  })
  .meta({ id: 'PageKey' });

/** A browser that stays signed in. */
export type PageKey = z.infer<typeof pageKey>;

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
  description: `The browser stores the private key where no script can read it. The server stores only the public key, so it holds no secret. The key works only at the origin of this request, and expires after ${PAGE_KEY_DAYS} days. dot-mi refuses a key for the address in the printed link, because that address changes with each start.`,
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .describe('A name for the browser, such as "Firefox on this laptop".'),
    publicKey: z
      .strictObject({
        kty: z.literal('EC').describe('Always "EC".'),
        crv: z.literal('P-256').describe('Always "P-256".'),
        x: z.string().max(64).describe('The x coordinate, in base64url.'),
        y: z.string().max(64).describe('The y coordinate, in base64url.'),
      })
      .describe('The public key, as a JSON Web Key (RFC 7517).'),
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
