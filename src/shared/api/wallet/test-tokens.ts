import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, okBody } from '../fields.ts';
import { fee, memo, operationId, sats } from './fields.ts';
import { REDEEM_ERRORS } from './receive.ts';

const testToken = z.object({
  id,
  amount: sats,
  memo: memo.optional(),
  receivedAt: z.iso.datetime().describe('When it was received.'),
});

/** The token in a path. */
const testTokenParams = z.strictObject({ tokenId: z.string().describe('The id of a test token.') });

/** The most sats of one test token: a bitcoin. */
const TEST_SATS_MAX = 100_000_000;

/** Makes a token of test money. */
export const createTestToken = defineEndpoint({
  id: 'wallet.createTestToken',
  method: 'POST',
  path: '/api/wallet/test-tokens',
  summary: 'Make a token of test sats',
  description:
    'Only with test money (DEV_MODE). The token is like any other, but no mint signed it. Receive it to get its sats. ' +
    'Like a real token, it pays once.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({ amount: z.int().positive().max(TEST_SATS_MAX).describe('An amount in sats.') }),
  success: {
    status: 201,
    body: z.object({ token: z.string().describe('The token.'), amount: sats }).meta({ id: 'NewTestToken' }),
  },
  errors: ['wallet_locked', 'real_money'],
});

/** Lists tokens that were received in DEV_MODE and may be real. */
export const listTestTokens = defineEndpoint({
  id: 'wallet.testTokens',
  method: 'GET',
  path: '/api/wallet/test-tokens',
  summary: 'List tokens accepted in DEV_MODE that may be real',
  description: 'Lists only tokens from the mint that MINT_URL names. Empty while DEV_MODE is on.',
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
  summary: 'Receive a token that was accepted in DEV_MODE',
  description:
    'The token leaves the list when it is redeemed, or when the mint reports that it never can be.',
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
  summary: 'Delete a token that was accepted in DEV_MODE',
  access: 'operator',
  keys: 'none',
  params: testTokenParams,
  success: { status: 200, body: okBody },
  errors: ['wallet_locked', 'dev_mode', 'test_token_not_found'],
});
