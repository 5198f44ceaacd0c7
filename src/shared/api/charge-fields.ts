// The charge and prepaid balance routes share these fields.
import { z } from 'zod';
import { sats } from './wallet/fields.ts';

/** The limit for each model token count in a charge. */
const MAX_TOKENS = 1_000_000_000;

/** How many model tokens a piece of work used. */
export const modelTokens = z.int().nonnegative().max(MAX_TOKENS);

/** How many requests the work made, and the largest of them, for prices that depend on it. */
export const REQUEST_FIELDS = {
  requests: modelTokens
    .optional()
    .describe('The number of requests to the model’s provider, which can have a fee each. Default: 1.'),
  largestInputTokens: modelTokens
    .optional()
    .describe(
      'The most input tokens of one request, including cached ones. Some models cost more above a number of them. Default: all input tokens.',
    ),
};

export const usedTokens = z
  .object({
    inputTokens: modelTokens.describe('The input tokens that the work used, without cached ones.'),
    outputTokens: modelTokens.describe('The output tokens that the work used.'),
    cacheReadTokens: modelTokens
      .optional()
      .describe('The input tokens that the provider read from its cache.'),
    cacheWriteTokens: modelTokens
      .optional()
      .describe('The input tokens that the provider wrote to its cache.'),
    ...REQUEST_FIELDS,
  })
  .describe('The model tokens that the work used. Absent if the seller didn’t send them.');

/** The model tokens that a piece of work used. `inputTokens` doesn't include cached ones. */
export type UsedTokens = z.infer<typeof usedTokens>;

/** The id of a prepaid balance. */
export const prepaidBalanceId = z
  .string()
  .describe('The id of a prepaid balance. It isn’t the balance’s key.');

/** The secret with which a customer pays from a prepaid balance. */
export const prepaidKey = z
  .string()
  .regex(/^sk-[0-9a-f]{64}$/, 'prepaidKey must be sk- and 64 hex digits.')
  .describe('The key of a prepaid balance. It is like money, so keep it out of logs.');

/** A token that refunds a customer. */
export const change = z
  .object({
    token: z
      .string()
      .describe('A token for the customer, without DLEQ proofs. It is money, so keep it out of logs.'),
    amount: sats.describe('The face value of the token, in sats.'),
    fee: sats.describe('The fee for creating the token, in sats. The customer pays it.'),
  })
  .meta({ id: 'ChargeChange' });

/** Change or a refund. `paid` equals `charged` plus `amount` and `fee`, in sats. */
export type ChargeChange = z.infer<typeof change>;

/** The errors that every charge route can return. */
export const CHARGE_ERRORS = ['wallet_locked', 'forbidden_agent'] as const;

/** The errors of routes that create change or a refund. */
export const CHANGE_ERRORS = [
  'mint_error',
  'mint_unreachable',
  'mint_refused',
  'send_pending',
  'wallet_busy',
  'insufficient_funds',
  'token_too_large',
  'refund_swept',
] as const;
