import { z } from 'zod';
import {
  CHANGE_ERRORS,
  CHARGE_ERRORS,
  change,
  modelTokens,
  prepaidBalanceId,
  prepaidKey,
  usedTokens,
} from './charge-fields.ts';
import { chargeState } from './charge-state.ts';
import { defineEndpoint } from './endpoint.ts';
import { createdAt, id, limit } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { modelPrice } from './pricing.ts';
import { mint, operationId, operationLabel, sats } from './wallet/fields.ts';
import { RECEIVE_ERRORS, tokenField } from './wallet/receive.ts';

/** How long a charge can be paid by default, in seconds. */
const DEFAULT_TTL_SECONDS = 600;

/** How long a paid charge waits for its work by default, in seconds. */
const DEFAULT_HOLD_SECONDS = 3_600;

/** A charge's periods are from a minute to a day. */
const period = () => z.int().min(60).max(86_400);

/** The most that a charge can ask for, in sat: 21 million bitcoin would be more, but no single piece of work is. */
const MAX_CHARGE_SATS = 1_000_000_000;

const NEW_CHARGE_FIELDS = {
  agent: agentIdSchema
    .optional()
    .describe('The agent that does the work. With the key of an agent, it is that agent.'),
  label: operationLabel.optional(),
  amount: z
    .int()
    .positive()
    .max(MAX_CHARGE_SATS)
    .optional()
    .describe('The price in sat. Send this, or `model` with `maxInputTokens` and `maxOutputTokens`.'),
  model: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe(
      'The model that does the work. With `amount`, its prices are only kept to tell what the work cost you.',
    ),
  maxInputTokens: modelTokens.optional().describe('The most input tokens of the work.'),
  maxOutputTokens: modelTokens.optional().describe('The most output tokens of the work.'),
  marginPercent: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe("The customer pays this much above the model's cost, in percent. Default: 0."),
  requestHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'requestHash must be 64 hex digits in lower case, such as a SHA-256.')
    .describe(
      "The seller's hash of what is sold. It matches a request to its open charge, so a cheap charge can't pay for an expensive request.",
    ),
  ttlSeconds: period()
    .default(DEFAULT_TTL_SECONDS)
    .describe('How long it can be paid, in seconds: 60 to 86,400.'),
  holdSeconds: period()
    .default(DEFAULT_HOLD_SECONDS)
    .describe('How long a payment waits for its work before it is refunded, in seconds: 60 to 86,400.'),
};

interface PricedFields {
  amount?: number | undefined;
  model?: string | undefined;
  maxInputTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
  marginPercent?: number | undefined;
}

const hasOnePrice = ({ amount, model, maxInputTokens, maxOutputTokens, marginPercent }: PricedFields) =>
  amount === undefined
    ? model !== undefined && maxInputTokens !== undefined && maxOutputTokens !== undefined
    : [maxInputTokens, maxOutputTokens, marginPercent].every((field) => field === undefined);

const ONE_PRICE = {
  message: 'Send either amount, or model with maxInputTokens and maxOutputTokens.',
  path: ['amount'],
};

const newCharge = z.strictObject(NEW_CHARGE_FIELDS).refine(hasOnePrice, ONE_PRICE);

/** What a charge is made of. */
export type NewCharge = z.infer<typeof newCharge>;

const amount = sats.positive().describe('The price in sat. This much must arrive after the mint’s fee.');

const frozenPrice = modelPrice
  .omit({ cache_write_usd_per_million: true })
  .extend({
    model: z.string().describe('The model that does the work.'),
    btc_price_usd: z.number().positive().describe('The price of one bitcoin in US dollars.'),
    updated_at: z.iso.datetime().describe('When the BTC price was fetched.'),
    marginPercent: z
      .int()
      .optional()
      .describe(
        "The customer pays this much above the model's cost, in percent. Absent if `amount` is a flat price.",
      ),
  })
  .describe('The prices that the charge keeps, whatever they become.');

/** The prices that a charge keeps. */
export type FrozenPrice = z.infer<typeof frozenPrice>;

const charge = z
  .object({
    id,
    state: chargeState,
    amount,
    unit: z.literal('sat').describe('The unit of the amounts.'),
    mints: z.array(mint).describe('The mints whose tokens can pay it.'),
    agent: agentIdSchema.optional().describe('The agent that does the work.'),
    label: operationLabel.optional(),
    requestHash: z.string().describe('As the seller sent it.'),
    createdAt,
    expiresAt: z.iso.datetime().describe('Until when it can be paid.'),
    paymentRequest: z
      .string()
      .describe(
        'The request for a customer (NUT-18, `creqA…`), for the header X-Cashu. It asks for `faceValue`. Empty if a prepaid balance pays.',
      ),
    faceValue: sats.describe('`amount` with the fee of a token that has one proof for each power of two.'),
    price: frozenPrice.optional(),
    paid: sats
      .optional()
      .describe("The sats that arrived after the mint's fee, or that are reserved of a prepaid balance."),
    charged: sats.optional().describe('The cost of the work. Present once settled or refunded.'),
    used: usedTokens.optional(),
    balanceId: prepaidBalanceId
      .optional()
      .describe('The prepaid balance that it is paid from, or that it is a deposit of.'),
    operationId: operationId.optional().describe('The receive that paid it.'),
  })
  .meta({ id: 'Charge' });

/** A charge, as every route shows it. */
export type Charge = z.infer<typeof charge>;

const receipt = z
  .object({
    chargeId: z.string().describe('The charge.'),
    charged: sats.describe('The cost of the work to the customer.'),
    paid: sats.describe("The sats that the customer paid, after the mint's fee."),
    capped: z
      .literal(true)
      .optional()
      .describe('Present if the work cost more than was paid. Only what was paid is charged.'),
    changeKept: sats
      .positive()
      .optional()
      .describe('Change that is less than the fee of making it. The seller keeps it.'),
    settledAt: z.iso.datetime().describe('When it was settled or refunded.'),
  })
  .meta({ id: 'ChargeReceipt' });

/** What a customer paid and got back, in sat. */
export type ChargeReceipt = z.infer<typeof receipt>;

const chargeParams = z.strictObject({ chargeId: z.string().max(64).describe('The id of the charge.') });

const PRICE_ERRORS = [
  'agent_not_found',
  'root_unavailable',
  'unknown_model',
  'pricing_config_invalid',
  'price_unavailable',
] as const;

/** Quotes one piece of work. */
export const createCharge = defineEndpoint({
  id: 'charges.create',
  method: 'POST',
  path: '/api/charges',
  summary: 'Ask a customer to pay for one piece of work',
  description:
    'Freezes the price, rounded up to whole sats. Give `paymentRequest` to the customer, pay the charge with their token, do the work, then settle or release it.',
  access: 'api',
  keys: ['charge'],
  body: newCharge,
  success: { status: 201, body: charge },
  errors: [...CHARGE_ERRORS, ...PRICE_ERRORS, 'too_many_charges', 'mint_error', 'mint_unreachable'],
});

/** Pays a charge with a customer's token. */
export const payCharge = defineEndpoint({
  id: 'charges.pay',
  method: 'POST',
  path: '/api/charges/:chargeId/pay',
  summary: 'Pay a charge with a token',
  description:
    'Redeems the token if what arrives after the mint’s fee is enough, and holds the sats. The same token gets the same response again. A refused token is untouched, unless the error says that it is spent or pending.',
  access: 'api',
  keys: ['charge'],
  params: chargeParams,
  body: z.strictObject({ token: tokenField }),
  success: { status: 200, body: charge },
  errors: [
    ...CHARGE_ERRORS,
    'charge_not_found',
    'charge_expired',
    'already_paid',
    'amount_too_low',
    ...RECEIVE_ERRORS,
  ],
});

/** Creates a charge and pays it, or does neither. */
export const openAndPayCharge = defineEndpoint({
  id: 'charges.open-and-pay',
  method: 'POST',
  path: '/api/charges/open-and-pay',
  summary: 'Charge for a request that brings its token',
  description:
    'Pays the open charge with this `requestHash` and agent at its frozen price, or creates one and pays it. If the token is refused, no charge is left. The same token with the same `requestHash` gets the same response again. With `prepaidKey` in place of `token`, the price is reserved of a prepaid balance, and settling makes no change: put something into `requestHash` that no other request has.',
  access: 'api',
  keys: ['charge'],
  body: z
    .strictObject({
      ...NEW_CHARGE_FIELDS,
      token: tokenField.optional(),
      prepaidKey: prepaidKey.optional(),
    })
    .refine(hasOnePrice, ONE_PRICE)
    .refine(({ token, prepaidKey: key }) => (token === undefined) !== (key === undefined), {
      message: 'Send either token or prepaidKey.',
      path: ['token'],
    }),
  success: { status: 200, body: charge },
  errors: [
    ...CHARGE_ERRORS,
    ...PRICE_ERRORS,
    'already_paid',
    'amount_too_low',
    'prepaid_balance_not_found',
    'prepaid_balance_too_low',
    ...RECEIVE_ERRORS,
  ],
});

/** Charges for work that is done. */
export const settleCharge = defineEndpoint({
  id: 'charges.settle',
  method: 'POST',
  path: '/api/charges/:chargeId/settle',
  summary: 'Settle a charge after the work, and get the change',
  description:
    'Send `amount`, what the model used, or both. With both, the tokens are only recorded. Never charges more than was paid. The change is on disk before the response, and the same call returns the same token. An amount of 0 refunds everything.',
  access: 'api',
  keys: ['charge'],
  params: chargeParams,
  body: z
    .strictObject({
      amount: sats.max(MAX_CHARGE_SATS).optional().describe('The cost of the work, in sat.'),
      inputTokens: modelTokens.optional().describe('The input tokens that the work used.'),
      outputTokens: modelTokens.optional().describe('The output tokens that the work used.'),
      cacheReadTokens: modelTokens
        .optional()
        .describe('The input tokens that the provider had cached. They are not part of `inputTokens`.'),
    })
    .refine(
      ({ amount: flat, inputTokens, outputTokens, cacheReadTokens }) =>
        inputTokens === undefined && outputTokens === undefined
          ? flat !== undefined && cacheReadTokens === undefined
          : inputTokens !== undefined && outputTokens !== undefined,
      { message: 'Send amount, or inputTokens and outputTokens, or all three.', path: ['amount'] },
    ),
  success: {
    status: 200,
    body: z
      .object({
        charged: sats.describe('The cost to the customer.'),
        change: change.optional().describe('Absent if nothing is left, or less than its fee.'),
        receipt,
      })
      .meta({ id: 'SettledCharge' }),
  },
  errors: [
    ...CHARGE_ERRORS,
    'charge_not_found',
    'charge_open',
    'charge_not_priced',
    'charge_is_deposit',
    'already_settled',
    'already_refunded',
    ...CHANGE_ERRORS,
  ],
});

/** The response of {@link settleCharge}. */
export type SettledCharge = z.infer<typeof settleCharge.success.body>;

/** What the work used, as {@link settleCharge} takes it. */
export type ChargeUse = z.infer<typeof settleCharge.body>;

/** Gives a customer everything back, because the work failed. */
export const releaseCharge = defineEndpoint({
  id: 'charges.release',
  method: 'POST',
  path: '/api/charges/:chargeId/release',
  summary: 'Refund a charge whose work failed',
  description:
    'The same call returns the same token. Model tokens are only recorded, to show what the work cost you.',
  access: 'api',
  keys: ['charge'],
  params: chargeParams,
  body: z.strictObject(usedTokens.partial().shape),
  success: {
    status: 200,
    body: z
      .object({
        state: z.literal('refunded').describe('Always refunded.'),
        refund: change.optional().describe('Absent if what was paid is less than the fee of a refund.'),
        receipt,
      })
      .meta({ id: 'ReleasedCharge' }),
  },
  errors: [
    ...CHARGE_ERRORS,
    'charge_not_found',
    'charge_open',
    'charge_is_deposit',
    'already_settled',
    ...CHANGE_ERRORS,
  ],
});

/** What failed work used, as {@link releaseCharge} takes it. */
export type ReleaseUse = z.infer<typeof releaseCharge.body>;

/** The response of {@link releaseCharge}. */
export type ReleasedCharge = z.infer<typeof releaseCharge.success.body>;

/** Finds what a customer gets back for a token. */
export const refundToken = defineEndpoint({
  id: 'charges.refund',
  method: 'POST',
  path: '/api/charges/refund',
  summary: 'Get the change or refund of a token that paid',
  description:
    'For a customer who lost the response. Finds the payment by the proofs of the token, not by its text. While the work is running, it is `charge_held`.',
  access: 'api',
  keys: ['charge'],
  body: z.strictObject({ token: tokenField }),
  success: {
    status: 200,
    body: z
      .object({
        state: chargeState,
        refund: change,
      })
      .meta({ id: 'RefundedToken' }),
  },
  errors: [
    ...CHARGE_ERRORS,
    'malformed_token',
    'charge_not_found',
    'charge_held',
    'charge_is_deposit',
    'nothing_to_refund',
    ...CHANGE_ERRORS,
  ],
});

/** The response of {@link refundToken}. */
export type RefundedToken = z.infer<typeof refundToken.success.body>;

/** The charges, newest first. */
export const listCharges = defineEndpoint({
  id: 'charges.list',
  method: 'GET',
  path: '/api/charges',
  summary: 'List the charges, newest first',
  description:
    'With the key of an agent, only those of that agent. dot-mi deletes unpaid charges a day after they expire.',
  access: 'api',
  keys: ['charge'],
  query: z.object({
    agent: agentIdSchema.optional().describe('Only charges of this agent.'),
    state: chargeState.optional().describe('Only charges in this state.'),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'cursor must be a nextCursor that this route returned.')
      .optional()
      .describe('The nextCursor of the previous response, to continue there.'),
    limit: limit(200, 50),
  }),
  success: {
    status: 200,
    body: z.object({
      charges: z.array(charge).describe('The charges of this page of the list.'),
      nextCursor: z
        .string()
        .optional()
        .describe('Send it as cursor to get the next page. Absent on the last page.'),
    }),
  },
  errors: CHARGE_ERRORS,
});

/** The response of {@link listCharges}. */
export type Charges = z.infer<typeof listCharges.success.body>;

/** One charge. */
export const getCharge = defineEndpoint({
  id: 'charges.get',
  method: 'GET',
  path: '/api/charges/:chargeId',
  summary: 'Get a charge',
  access: 'api',
  keys: ['charge'],
  params: chargeParams,
  success: { status: 200, body: charge },
  errors: [...CHARGE_ERRORS, 'charge_not_found'],
});
