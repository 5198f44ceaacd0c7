import { z } from 'zod';
import {
  CHANGE_ERRORS,
  CHARGE_ERRORS,
  change,
  modelTokens,
  prepaidBalanceId,
  prepaidKey,
  REQUEST_FIELDS,
  usedTokens,
} from './charge-fields.ts';
import { chargeState } from './charge-state.ts';
import { defineEndpoint } from './endpoint.ts';
import { createdAt, id, NEXT_CURSOR_HEADER, nextCursor, PAGE_FIELDS } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { modelPrice } from './pricing.ts';
import { mint, operationId, operationLabel, sats } from './wallet/fields.ts';
import { RECEIVE_ERRORS, tokenField } from './wallet/receive.ts';

/** How long a charge can be paid by default, in seconds. */
const DEFAULT_TTL_SECONDS = 600;

/** How long a paid charge waits for its work by default, in seconds. */
const DEFAULT_HOLD_SECONDS = 3_600;

/** A charge's period in seconds, from a minute to a day. */
const period = () => z.int().min(60).max(86_400);

/** The highest price of a charge, in sats. No piece of work costs more. */
const MAX_CHARGE_SATS = 1_000_000_000;

const NEW_CHARGE_FIELDS = {
  agent: agentIdSchema
    .optional()
    .describe('The agent that does the work. With an agent’s key, always that agent.'),
  label: operationLabel.optional(),
  amount: z
    .int()
    .positive()
    .max(MAX_CHARGE_SATS)
    .optional()
    .describe('The price, in sats. Send this, or `model` with `maxInputTokens` and `maxOutputTokens`.'),
  model: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe(
      'The model that does the work. With `amount`, dot-mi uses the model’s prices only to calculate what the work cost you.',
    ),
  maxInputTokens: modelTokens.optional().describe('The maximum number of input tokens.'),
  maxOutputTokens: modelTokens.optional().describe('The maximum number of output tokens.'),
  maxRequests: modelTokens
    .positive()
    .optional()
    .describe(
      'The maximum number of requests to the model’s provider, which can have a fee each. Default: 1.',
    ),
  marginPercent: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe('The margin that the customer pays above the model’s cost, in percent. Default: 0.'),
  requestHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'requestHash must be 64 hex digits in lower case, such as a SHA-256 hash.')
    .describe(
      'The seller’s hash of the request. It matches a request to its open charge, so a cheap charge can’t pay for an expensive request.',
    ),
  ttlSeconds: period()
    .default(DEFAULT_TTL_SECONDS)
    .describe('How long a customer can pay the charge, in seconds: 60 to 86,400.'),
  holdSeconds: period()
    .default(DEFAULT_HOLD_SECONDS)
    .describe(
      'How long a paid charge waits for its work before dot-mi refunds it, in seconds: 60 to 86,400.',
    ),
};

interface PricedFields {
  amount?: number | undefined;
  model?: string | undefined;
  maxInputTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
  maxRequests?: number | undefined;
  marginPercent?: number | undefined;
}

const hasOnePrice = ({
  amount,
  model,
  maxInputTokens,
  maxOutputTokens,
  maxRequests,
  marginPercent,
}: PricedFields) =>
  amount === undefined
    ? model !== undefined && maxInputTokens !== undefined && maxOutputTokens !== undefined
    : [maxInputTokens, maxOutputTokens, maxRequests, marginPercent].every((field) => field === undefined);

const ONE_PRICE = {
  message: 'Send either amount, or model with maxInputTokens and maxOutputTokens.',
  path: ['amount'],
};

const newCharge = z.strictObject(NEW_CHARGE_FIELDS).refine(hasOnePrice, ONE_PRICE);

/** The fields of a new charge. */
export type NewCharge = z.infer<typeof newCharge>;

const amount = sats
  .positive()
  .describe(
    'The price, in sats. This much must remain after the mint’s fee. A token worth `faceValue` can fall short by a tenth, rounded up.',
  );

const frozenPrice = modelPrice
  .extend({
    model: z.string().describe('The model that does the work.'),
    btc_price_usd: z.number().positive().describe('The price of one bitcoin, in US dollars.'),
    updated_at: z.iso
      .datetime()
      .describe('The time of the BTC price: its source’s own, or when dot-mi fetched it.'),
    marginPercent: z
      .int()
      .optional()
      .describe('The margin above the model’s cost, in percent. Absent for a flat price.'),
  })
  .describe(
    'The frozen prices of the charge. They stay the same when prices change. Absent for a flat price without a model.',
  );

/** The frozen prices of a charge. */
export type FrozenPrice = z.infer<typeof frozenPrice>;

const PRICE_FIELDS = {
  amount,
  unit: z.literal('sat').describe('The unit of the amounts.'),
  mints: z.array(mint).describe('The mints whose tokens can pay.'),
  agent: agentIdSchema.optional().describe('The agent that does the work. Absent if the seller named none.'),
  requestHash: z.string().describe('The `requestHash` that the seller sent.'),
  expiresAt: z.iso.datetime().describe('When the price expires if nobody pays.'),
  paymentRequest: z
    .string()
    .describe(
      'The payment request for the customer (NUT-18, `creqA…`), for the header X-Cashu. It asks for `faceValue`. Empty if a prepaid balance pays.',
    ),
  faceValue: sats.describe(
    '`amount` plus the mint’s fee, in sats. The fee is for a token with the fewest possible proofs.',
  ),
  price: frozenPrice.optional(),
};

const charge = z
  .object({
    id,
    state: chargeState,
    ...PRICE_FIELDS,
    label: operationLabel.optional(),
    createdAt,
    paid: sats
      .optional()
      .describe('The sats received after fees, or reserved from a prepaid balance. Absent until paid.'),
    charged: sats
      .optional()
      .describe(
        'The final price, in sats, or 0 after a refund. Absent until the charge is settled or refunded.',
      ),
    used: usedTokens.optional(),
    balanceId: prepaidBalanceId
      .optional()
      .describe(
        'The prepaid balance that pays the charge, or that the charge adds to. Absent if there is none.',
      ),
    operationId: operationId
      .optional()
      .describe('The id of the receive operation that paid the charge. Absent if there is none.'),
  })
  .meta({ id: 'Charge' });

/** A charge, as every route returns it. */
export type Charge = z.infer<typeof charge>;

const chargeQuote = z.object(PRICE_FIELDS).meta({ id: 'ChargeQuote' });

/** The price of a piece of work. It isn't stored. */
export type ChargeQuote = z.infer<typeof chargeQuote>;

const receipt = z
  .object({
    chargeId: z.string().describe('The id of the charge.'),
    charged: sats.describe('The final price, in sats, or 0 after a refund.'),
    paid: sats.describe('The sats that the customer paid, after the mint’s fee.'),
    capped: z
      .literal(true)
      .optional()
      .describe(
        'True if the work cost more than the customer paid. dot-mi charges only what they paid. Otherwise absent.',
      ),
    changeKept: sats
      .positive()
      .optional()
      .describe(
        'The change that the seller keeps, in sats, because it is worth less than its fee. Absent if there is none.',
      ),
    settledAt: z.iso.datetime().describe('When the charge was settled or refunded.'),
  })
  .meta({ id: 'ChargeReceipt' });

/** What a customer paid and was refunded, in sats. */
export type ChargeReceipt = z.infer<typeof receipt>;

const chargeParams = z.strictObject({ chargeId: z.string().max(64).describe('The id of the charge.') });

const PRICE_ERRORS = [
  'agent_not_found',
  'root_unavailable',
  'unknown_model',
  'pricing_config_invalid',
  'price_unavailable',
] as const;

/** Creates a charge for one piece of work. */
export const createCharge = defineEndpoint({
  id: 'charges.create',
  method: 'POST',
  path: '/api/charges',
  summary: 'Ask a customer to pay for one piece of work',
  description:
    'Freezes the price, rounded up to whole sats. Send `paymentRequest` to the customer and pay the charge with their token. Then do the work, and settle or release the charge. ' +
    'Only the agent key that created a charge can use it. A charge that was created without a key belongs to whoever knows its `id`, so keep that secret.',
  access: 'api',
  keys: ['charge'],
  body: newCharge,
  success: { status: 201, body: charge },
  errors: [...CHARGE_ERRORS, ...PRICE_ERRORS, 'too_many_charges', 'mint_error', 'mint_unreachable'],
});

/** Quotes the price of one piece of work. */
export const quoteCharge = defineEndpoint({
  id: 'charges.quote',
  method: 'POST',
  path: '/api/charges/quote',
  summary: 'Get the price of one piece of work, without a charge',
  description:
    'Returns the price and its payment request, and stores nothing, so strangers can ask as often as they like. Until `expiresAt`, the same request gets the same price, and `POST /api/charges/open-and-pay` accepts it, even if you quote another price meanwhile. ' +
    'dot-mi remembers the prices of the newest 2,000 requests of each key, until it quits. It calculates a forgotten price again. Without a key, it remembers none.',
  access: 'api',
  keys: ['charge'],
  body: newCharge,
  success: { status: 200, body: chargeQuote },
  errors: [...CHARGE_ERRORS, ...PRICE_ERRORS, 'mint_error', 'mint_unreachable'],
});

/** Pays a charge with a customer's token. */
export const payCharge = defineEndpoint({
  id: 'charges.pay',
  method: 'POST',
  path: '/api/charges/:chargeId/pay',
  summary: 'Pay a charge with a token',
  description:
    'Redeems the token if enough remains after the mint’s fee, and holds the sats. The same token returns the same response again. A refused token is still unspent, unless the error says that it is spent or pending.',
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
  summary: 'Create and pay a charge with one request',
  description:
    'Uses the lowest price that your key was quoted for this `requestHash` and agent while it holds, or else the current price. If dot-mi refuses the token, it creates no charge. The same token with the same `requestHash` returns the same response again. ' +
    'Without a key, it uses the current price, and returns each charge only once. ' +
    'With `prepaidKey` instead of `token`, dot-mi reserves the price from a prepaid balance, and settling returns no change. Use a different `requestHash` for each request with a `prepaidKey`.',
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
    'prepaid_balance_blocked',
    'prepaid_balance_not_found',
    'prepaid_balance_too_low',
    ...RECEIVE_ERRORS,
  ],
});

/** Settles a charge once its work is done. */
export const settleCharge = defineEndpoint({
  id: 'charges.settle',
  method: 'POST',
  path: '/api/charges/:chargeId/settle',
  summary: 'Settle a charge after the work, and get the change',
  description:
    'Send `amount`, the model tokens that the work used, or both. With both, `amount` is the price, and dot-mi keeps the model tokens only as a record. It never charges more than the customer paid. It stores the change before it responds, so the same request returns the same token. An amount of 0 refunds everything.',
  access: 'api',
  keys: ['charge'],
  params: chargeParams,
  body: z
    .strictObject({
      amount: sats.max(MAX_CHARGE_SATS).optional().describe('The price of the work, in sats.'),
      inputTokens: modelTokens
        .optional()
        .describe('The input tokens that the work used, without cached ones.'),
      outputTokens: modelTokens.optional().describe('The output tokens that the work used.'),
      cacheReadTokens: modelTokens
        .optional()
        .describe('The cached input tokens. `inputTokens` doesn’t include them.'),
      cacheWriteTokens: modelTokens
        .optional()
        .describe('The input tokens that the provider cached. `inputTokens` doesn’t include them.'),
      ...REQUEST_FIELDS,
    })
    .refine(
      ({ amount: flat, inputTokens, outputTokens, ...others }) =>
        inputTokens === undefined && outputTokens === undefined
          ? flat !== undefined && Object.values(others).every((other) => other === undefined)
          : inputTokens !== undefined && outputTokens !== undefined,
      { message: 'Send amount, or inputTokens and outputTokens, or all three.', path: ['amount'] },
    ),
  success: {
    status: 200,
    body: z
      .object({
        charged: sats.describe('The final price, in sats, or 0 after a refund.'),
        change: change
          .optional()
          .describe(
            'The change for the customer. Absent if nothing remains, or if the change is worth less than its fee.',
          ),
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

export type SettledCharge = z.infer<typeof settleCharge.success.body>;

export type ChargeUse = z.infer<typeof settleCharge.body>;

/** Refunds everything to the customer, because the work failed. */
export const releaseCharge = defineEndpoint({
  id: 'charges.release',
  method: 'POST',
  path: '/api/charges/:chargeId/release',
  summary: 'Refund a charge whose work failed',
  description:
    'A repeated request returns the same token. The body can be empty. dot-mi records the model tokens only to show what the work cost you.',
  access: 'api',
  keys: ['charge'],
  params: chargeParams,
  body: z.strictObject(usedTokens.partial().shape),
  success: {
    status: 200,
    body: z
      .object({
        state: z.literal('refunded').describe('Always `refunded`.'),
        refund: change.optional().describe('The refund. Absent if it is worth less than its fee.'),
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

export type ReleaseUse = z.infer<typeof releaseCharge.body>;

export type ReleasedCharge = z.infer<typeof releaseCharge.success.body>;

/** Returns the change or refund for a token that paid. */
export const refundToken = defineEndpoint({
  id: 'charges.refund',
  method: 'POST',
  path: '/api/charges/refund',
  summary: 'Get the change or refund for a token that paid a charge',
  description:
    'Use this for a customer who lost the response. dot-mi finds the payment by the token’s proofs, not by its text, and needs all of them. While the work is running, the error is `charge_held`.',
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

export type RefundedToken = z.infer<typeof refundToken.success.body>;

/** Lists the charges, newest first. */
export const listCharges = defineEndpoint({
  id: 'charges.list',
  method: 'GET',
  path: '/api/charges',
  summary: 'List the charges, newest first',
  description:
    'With an agent key, lists only the charges that this key created. The operator gets all. dot-mi deletes unpaid charges a day after they expire. For CSV, send `Accept: text/csv`.',
  access: 'operator',
  keys: ['charge'],
  query: z.object({
    agent: agentIdSchema.optional().describe('Only charges of this agent.'),
    state: chargeState.optional().describe('Only charges in this state.'),
    ...PAGE_FIELDS,
  }),
  success: {
    status: 200,
    body: z.object({
      charges: z.array(charge).describe('The charges, newest first.'),
      nextCursor,
    }),
    headers: NEXT_CURSOR_HEADER,
    csv: {
      columns: [
        'created_at',
        'charge',
        'state',
        'amount_sats',
        'paid_sats',
        'charged_sats',
        'agent',
        'label',
        'prepaid_balance',
        'operation',
      ],
      rows: ({ charges }: Charges) =>
        charges.map((each) => [
          each.createdAt,
          each.id,
          each.state,
          each.amount,
          each.paid ?? null,
          each.charged ?? null,
          each.agent ?? null,
          each.label ?? null,
          each.balanceId ?? null,
          each.operationId ?? null,
        ]),
    },
  },
  errors: CHARGE_ERRORS,
});

/** A page of charges. */
export interface Charges {
  charges: Charge[];
  nextCursor?: string | undefined;
}

export const getCharge = defineEndpoint({
  id: 'charges.get',
  method: 'GET',
  path: '/api/charges/:chargeId',
  summary: 'Get a charge',
  description:
    'Returns a charge that your key created. Without a key, returns one that was created without a key.',
  access: 'api',
  keys: ['charge'],
  params: chargeParams,
  success: { status: 200, body: charge },
  errors: [...CHARGE_ERRORS, 'charge_not_found'],
});
