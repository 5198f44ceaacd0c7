import { z } from 'zod';
import { OTHER_PAYMENTS } from '../../other-payment.ts';
import { defineEndpoint } from '../endpoint.ts';
import type { ErrorCode } from '../errors.ts';
import {
  agentOfOperation,
  IDEMPOTENCY_ERRORS,
  idempotencyHeaders,
  memo,
  mint,
  operationId,
  operationLabel,
  replayFields,
  sats,
  simulatedField,
} from './fields.ts';

/** A token in a request. */
export const tokenField = z
  .string()
  .refine((text) => text.trim() !== '', 'token can’t be empty.')
  .describe('A Cashu token (`cashuA…` or `cashuB…`), with or without other text around it.');

/** The values of `reason` in a validation: why dot-mi refuses a token. */
export const INVALID_REASONS = [
  'malformed',
  'not_a_token',
  'wrong_mint',
  'wrong_unit',
  'spent',
  'pending',
  'locked',
  'invalid_signature',
  'unsupported',
  'unknown_keyset',
  'too_large',
  'below_fee',
] as const;

export type InvalidReason = (typeof INVALID_REASONS)[number];

/** The error code of a receive that dot-mi refuses for the same reason. */
export const REASON_CODES = {
  malformed: 'malformed_token',
  not_a_token: 'malformed_token',
  wrong_mint: 'wrong_mint',
  wrong_unit: 'wrong_unit',
  spent: 'token_spent',
  pending: 'token_in_progress',
  locked: 'token_locked',
  invalid_signature: 'invalid_signature',
  unsupported: 'token_unsupported',
  unknown_keyset: 'unknown_keyset',
  too_large: 'token_too_large',
  below_fee: 'amount_below_fee',
} as const satisfies Readonly<Record<InvalidReason, ErrorCode>>;

const validation = z
  .object({
    valid: z.boolean().describe('True if the wallet can receive this token.'),
    amount: sats.describe(
      'The face value of the token, in sats. 0 if dot-mi can’t read the text as a token.',
    ),
    mint: z
      .string()
      .describe('The URL of the mint that issued it. Empty if dot-mi can’t read the text as a token.'),
    reason: z
      .enum(INVALID_REASONS)
      .optional()
      .describe(
        'Why the token isn’t valid. `not_a_token`: see `looksLike`. `malformed`: any other text. Absent if the token is valid.',
      ),
    message: z
      .string()
      .optional()
      .describe(
        'A sentence for the person who sent the token: its value, or why dot-mi refuses it and what to do.',
      ),
    net: sats
      .optional()
      .describe(
        'The sats that a receive credits: `amount` minus `fee`. Absent without `fee`, and for a spent token.',
      ),
    acceptedMints: z
      .array(z.string())
      .optional()
      .describe(
        'For a token from another mint: the mints whose tokens this wallet accepts. Otherwise absent.',
      ),
    signaturesChecked: z
      .boolean()
      .optional()
      .describe(
        'True if the wallet could check all signatures. False for a token without DLEQ proofs. The mint then reports the token’s proofs as unspent even if ' +
          'they are forged. It refuses forged proofs only when you receive them.',
      ),
    unit: z.string().optional().describe('The unit of the amounts.'),
    memo: memo.optional(),
    proofs: z.int().optional().describe('The number of proofs in the token.'),
    fee: sats
      .optional()
      .describe('The mint’s fee for receiving it, in sats. Absent if the keyset is unknown.'),
    operationId: z
      .string()
      .optional()
      .describe(
        'For a spent or pending token that this wallet received: the id of the operation that received it. Otherwise absent.',
      ),
    receivedAt: z.iso
      .datetime()
      .optional()
      .describe('When that operation started. Absent without `operationId`.'),
    receivedAmount: sats
      .optional()
      .describe('The sats that the operation credited or will credit. Absent without `operationId`.'),
    looksLike: z
      .enum(OTHER_PAYMENTS)
      .optional()
      .describe(
        'For `not_a_token`: the kind of payment text that it is instead. Absent if dot-mi doesn’t know it.',
      ),
  })
  .meta({ id: 'TokenValidation' });

/** The response of {@link validateToken}. */
export type TokenValidation = z.infer<typeof validation>;

/** Checks a token without redeeming it. Nothing changes, here or at the mint. */
export const validateToken = defineEndpoint({
  id: 'wallet.validate',
  method: 'POST',
  path: '/api/wallet/validate',
  summary: 'Check a token without redeeming it',
  description:
    'A token is valid if it decodes, is in sats, and comes from the wallet’s mint. The mint must also report every proof as unspent. ' +
    'If the token has DLEQ proofs, its signatures must be correct (see `signaturesChecked`). With test money, every token is valid, except test money that was received before.',
  task: 'Check a token',
  access: 'api',
  keys: ['receive'],
  body: z.strictObject({ token: tokenField }),
  success: { status: 200, body: validation },
  errors: ['wallet_locked', 'mint_unreachable', 'mint_error'],
});

const receipt = z
  .object({
    success: z.literal(true).describe('Always true. Failures have an error status.'),
    amount: sats.describe('The credited amount, in sats: the face value minus the fee.'),
    mint,
    fee: sats.describe('The mint’s fee, in sats.'),
    operationId,
    ...simulatedField,
    ...replayFields,
  })
  .meta({ id: 'Receipt' });

/** The response of {@link receiveToken}. */
export type Receipt = z.infer<typeof receipt>;

/** The errors of receiving a token from the wallet's mint. */
export const REDEEM_ERRORS = [
  'token_spent',
  'token_in_progress',
  'token_locked',
  'invalid_signature',
  'token_unsupported',
  'unknown_keyset',
  'amount_below_fee',
  'token_too_large',
  'mint_refused',
  'mint_error',
  'mint_unreachable',
  'redemption_pending',
  'seed_missing',
  'wallet_busy',
] as const;

/** The errors of receiving any text. */
export const RECEIVE_ERRORS = ['malformed_token', 'wrong_mint', 'wrong_unit', ...REDEEM_ERRORS] as const;

/** Redeems a token into the wallet. A token pays once. */
export const receiveToken = defineEndpoint({
  id: 'wallet.receive',
  method: 'POST',
  path: '/api/wallet/receive',
  summary: 'Receive a token into the wallet',
  description:
    'A token pays only once. The error `redemption_pending` has an `operationId`: the mint may have redeemed the token, and the wallet keeps ' +
    'checking. Get that operation, or retry with the same Idempotency-Key. With an agent’s key, `agent` is always that agent.',
  task: 'Redeem a token (Idempotency-Key: a new value for each order)',
  access: 'api',
  keys: ['receive'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    token: tokenField,
    agent: agentOfOperation.optional(),
    label: operationLabel.optional(),
  }),
  success: { status: 200, body: receipt },
  errors: ['wallet_locked', ...RECEIVE_ERRORS, 'forbidden_agent', ...IDEMPOTENCY_ERRORS],
});
