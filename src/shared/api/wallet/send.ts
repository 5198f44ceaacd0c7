import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { IDEMPOTENCY_ERRORS, idempotencyHeaders, operationParams, sats } from './fields.ts';

/** Takes sats out of the wallet as a token. */
export const sendToken = defineEndpoint({
  id: 'wallet.send',
  method: 'POST',
  path: '/api/wallet/send',
  summary: 'Take sats out as a token',
  description:
    'The token stays in the history, where it can be shown again and reclaimed while it is unspent. The balance drops by `amount + fee`.',
  access: 'operator',
  headers: idempotencyHeaders,
  body: z.strictObject({ amount: z.int().positive(), memo: z.string().max(1000).optional() }),
  success: {
    status: 201,
    body: z
      .object({
        token: z.string(),
        amount: sats.describe("The token's face value."),
        fee: sats.describe('What the swap cost on top.'),
        operationId: z.string(),
      })
      .meta({ id: 'SentToken' }),
  },
  errors: [
    'dev_mode',
    'insufficient_funds',
    'already_spent',
    'token_too_large',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'send_pending',
    ...IDEMPOTENCY_ERRORS,
  ],
});

/** What {@link sendToken} answers. */
export type SentToken = z.infer<typeof sendToken.success.body>;

/** Takes the unspent part of a sent token back. */
export const reclaimToken = defineEndpoint({
  id: 'wallet.reclaim',
  method: 'POST',
  path: '/api/wallet/operations/:operationId/reclaim',
  summary: 'Take a sent token back while it is unspent',
  access: 'operator',
  params: operationParams,
  success: {
    status: 200,
    body: z.object({ amount: sats, fee: sats, operationId: z.string() }).meta({ id: 'Reclaimed' }),
  },
  errors: [
    'dev_mode',
    'operation_not_found',
    'not_reclaimable',
    'already_spent',
    'token_in_progress',
    'amount_below_fee',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'redemption_pending',
  ],
});

/** What {@link reclaimToken} answers. */
export type Reclaimed = z.infer<typeof reclaimToken.success.body>;
