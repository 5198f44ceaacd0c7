// What the routes of charges and of prepaid balances share.
import { z } from 'zod';
import { sats } from './wallet/fields.ts';

/** The most model tokens of a charge. */
const MAX_TOKENS = 1_000_000_000;

/** How many model tokens a piece of work uses. */
export const modelTokens = z.int().nonnegative().max(MAX_TOKENS);

/** What {@link UsedTokens} are. */
export const usedTokens = z
  .object({
    inputTokens: modelTokens.describe('The input tokens that the work used, without cached ones.'),
    outputTokens: modelTokens.describe('The output tokens that the work used.'),
    cacheReadTokens: modelTokens.optional().describe('The input tokens that the provider had cached.'),
  })
  .describe('The model tokens of the work, if the seller sent them.');

/** The model tokens of a piece of work. Cached ones are not part of `inputTokens`. */
export type UsedTokens = z.infer<typeof usedTokens>;

/** The id of a prepaid balance. */
export const prepaidBalanceId = z.string().describe('The id of a prepaid balance. It is not its key.');

/** What a customer shows to pay from a prepaid balance. */
export const prepaidKey = z
  .string()
  .regex(/^sk-[0-9a-f]{64}$/, 'A key of a prepaid balance is sk- and 64 hex digits.')
  .describe('The key of a prepaid balance. It is as good as money, so keep it out of logs.');

/** A token that a customer gets back. */
export const change = z
  .object({
    token: z
      .string()
      .describe('A token for the customer, without DLEQ proofs. It is money, so keep it out of logs.'),
    amount: sats.describe('Its face value.'),
    fee: sats.describe('The cost of making it, which was taken from it.'),
  })
  .meta({ id: 'ChargeChange' });

/** A token that a customer gets back. `paid` is `charged`, `amount` and `fee` together. Amounts in sat. */
export type ChargeChange = z.infer<typeof change>;

/** The errors of all routes of charges. */
export const CHARGE_ERRORS = ['wallet_locked', 'dev_mode', 'forbidden_agent'] as const;

/** The errors of routes that make change. */
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
