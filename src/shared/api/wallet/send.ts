import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  fee,
  IDEMPOTENCY_ERRORS,
  idempotencyHeaders,
  memo,
  operationId,
  operationParams,
  replayFields,
  sats,
  simulatedField,
} from './fields.ts';

/** The length limit for a memo, in characters. */
export const MAX_MEMO = 1000;

/** Creates a token from the balance. */
export const sendToken = defineEndpoint({
  id: 'wallet.send',
  method: 'POST',
  path: '/api/wallet/send',
  summary: 'Send sats as a token',
  description:
    'The history keeps the token, so the operator can see it again, or reclaim it while it is unspent. The balance drops by `amount + fee`. ' +
    'An agent key with the scope `spend` can send up to its limit per day, including fees. ' +
    'With test money, the sats of the token aren’t real. ' +
    'If the fee is above a tenth of the amount or 100 sat, whichever is more, the error is `fee_too_high`. `maxFee` sets another limit.',
  task: 'Send sats, with scope spend (Idempotency-Key)',
  access: 'operator',
  keys: ['spend'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    amount: z.int().positive().describe('The amount to send, in sats.'),
    memo: memo.max(MAX_MEMO).optional(),
    maxFee: sats
      .optional()
      .describe(
        'The highest fee to accept, in sats. The fee never exceeds it, even if the mint raises its fees meanwhile. ' +
          'While the send is pending, `maxFee` counts toward the agent key’s limit.',
      ),
  }),
  success: {
    status: 201,
    body: z
      .object({
        token: z
          .string()
          .describe('The token, from "cashu" to its end. It is money, so keep it out of logs and arguments.'),
        amount: sats.describe('The face value of the token, in sats.'),
        fee: sats.describe('The mint’s fee, in addition to `amount`, in sats.'),
        operationId,
        ...simulatedField,
        ...replayFields,
      })
      .meta({ id: 'SentToken' }),
  },
  errors: [
    'wallet_locked',
    'insufficient_funds',
    'amount_below_fee',
    'fee_too_high',
    'spend_limit_reached',
    'already_spent',
    'token_too_large',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'send_pending',
    'wallet_busy',
    ...IDEMPOTENCY_ERRORS,
  ],
});

export type SentToken = z.infer<typeof sendToken.success.body>;

/** Reclaims the unspent part of a sent token. */
export const reclaimToken = defineEndpoint({
  id: 'wallet.reclaim',
  method: 'POST',
  path: '/api/wallet/operations/:operationId/reclaim',
  summary: 'Reclaim a sent token while it is unspent',
  access: 'operator',
  keys: 'none',
  params: operationParams,
  success: {
    status: 200,
    body: z.object({ amount: sats, fee, operationId, ...simulatedField }).meta({ id: 'Reclaimed' }),
  },
  errors: [
    'wallet_locked',
    'operation_not_found',
    'not_reclaimable',
    'already_spent',
    'token_in_progress',
    'amount_below_fee',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'redemption_pending',
    'send_pending',
    'seed_missing',
    'wallet_busy',
  ],
});

export type Reclaimed = z.infer<typeof reclaimToken.success.body>;

/** Gives up on an operation that stays pending because the mint misbehaves, so that no sats are trapped. */
export const releaseOperation = defineEndpoint({
  id: 'wallet.release',
  method: 'POST',
  path: '/api/wallet/operations/:operationId/release',
  summary: 'Release an operation that is stuck',
  description:
    'Use this for an operation that stays pending because the mint misbehaves. The wallet’s own sats return to its balance. The proofs of a received token ' +
    'are returned as a token, and a repeated request returns the same token. The wallet keeps checking in the background. If the mint completed the operation after all, the wallet credits its sats.',
  access: 'operator',
  keys: 'none',
  params: operationParams,
  success: {
    status: 200,
    body: z
      .object({
        operationId,
        token: z
          .string()
          .optional()
          .describe(
            'The returned token, from "cashu" to its end. It is money, so keep it out of logs and arguments. Absent if the proofs belong to this wallet.',
          ),
        amount: sats.describe('The face value of the proofs, in sats.'),
        inWallet: z
          .boolean()
          .describe('True if the proofs belong to this wallet, so they are back in the balance.'),
      })
      .meta({ id: 'ReleasedOperation' }),
  },
  errors: ['wallet_locked', 'dev_mode', 'operation_not_found', 'not_releasable'],
});

export type ReleasedOperation = z.infer<typeof releaseOperation.success.body>;
