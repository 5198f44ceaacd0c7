import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, okBody } from '../fields.ts';
import { fee, memo, operationId, sats } from './fields.ts';
import { REDEEM_ERRORS } from './receive.ts';

const testToken = z.object({
  id,
  amount: sats,
  memo: memo.optional(),
  receivedAt: z.iso.datetime().describe('When the wallet received the token.'),
});

/** The token in a path. */
const testTokenParams = z.strictObject({ tokenId: z.string().describe('The id of a test token.') });

/** The highest amount of a test token, in sats: one bitcoin. */
const TEST_SATS_MAX = 100_000_000;

/** Creates a token of test money. */
export const createTestToken = defineEndpoint({
  id: 'wallet.createTestToken',
  method: 'POST',
  path: '/api/wallet/test-tokens',
  summary: 'Create a token of test money',
  description:
    'Works only with test money (DEV_MODE). The token is like any other, but its mint is in this dot-mi. Receive it to get its sats, or pay a charge with it. ' +
    'Like a real token, it pays only once.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    amount: z.int().positive().max(TEST_SATS_MAX).describe('The amount of the token, in sats.'),
  }),
  success: {
    status: 201,
    body: z
      .object({ token: z.string().describe('The new token.'), amount: sats })
      .meta({ id: 'NewTestToken' }),
  },
  errors: ['wallet_locked', 'real_money'],
});

/** Lists tokens that were received in DEV_MODE and may be real. */
export const listTestTokens = defineEndpoint({
  id: 'wallet.testTokens',
  method: 'GET',
  path: '/api/wallet/test-tokens',
  summary: 'List the tokens that test money accepted but that may be real',
  description: 'Lists only tokens from the mint in MINT_URL. Empty while test money is on.',
  access: 'operator',
  keys: 'none',
  success: {
    status: 200,
    body: z.object({ tokens: z.array(testToken).describe('The tokens that may be real.') }),
  },
  errors: ['wallet_locked'],
});

/** The response of {@link listTestTokens}. */
export type TestTokens = z.infer<typeof listTestTokens.success.body>;

/** Redeems one token that was received in DEV_MODE. */
export const redeemTestToken = defineEndpoint({
  id: 'wallet.redeemTestToken',
  method: 'POST',
  path: '/api/wallet/test-tokens/:tokenId/redeem',
  summary: 'Redeem one of the tokens that test money accepted',
  description:
    'Once the token is redeemed, or the mint reports that it never can be, dot-mi removes it from the list.',
  access: 'operator',
  keys: 'none',
  params: testTokenParams,
  success: { status: 200, body: z.object({ amount: sats, fee, operationId }) },
  errors: ['wallet_locked', 'dev_mode', 'test_token_not_found', ...REDEEM_ERRORS],
});

/** Drops one token that was received in DEV_MODE. */
export const dropTestToken = defineEndpoint({
  id: 'wallet.dropTestToken',
  method: 'DELETE',
  path: '/api/wallet/test-tokens/:tokenId',
  summary: 'Delete one of the tokens that test money accepted',
  access: 'operator',
  keys: 'none',
  params: testTokenParams,
  success: { status: 200, body: okBody },
  errors: ['wallet_locked', 'dev_mode', 'test_token_not_found'],
});
