import { z } from 'zod';
import { CHANGE_ERRORS, CHARGE_ERRORS, change, prepaidBalanceId, prepaidKey } from './charge-fields.ts';
import { defineEndpoint } from './endpoint.ts';
import { createdAt } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { operationLabel, sats } from './wallet/fields.ts';
import { RECEIVE_ERRORS, tokenField } from './wallet/receive.ts';

const prepaidBalance = z
  .object({
    id: prepaidBalanceId,
    agent: agentIdSchema
      .optional()
      .describe('The agent that the balance is for. Absent if it is for any agent.'),
    available: sats.describe('The sats that new requests can use.'),
    reserved: sats.describe('The most that the running requests can cost, in sats.'),
    spent: sats.describe('The sats that all requests have used so far.'),
    createdAt,
    blocked: z
      .literal(true)
      .optional()
      .describe(
        'True if the operator blocked the balance. It can only be read and refunded. Otherwise absent.',
      ),
  })
  .meta({ id: 'PrepaidBalance' });

/** A customer's prepaid sats. */
export type PrepaidBalance = z.infer<typeof prepaidBalance>;

const keyBody = z.strictObject({ prepaidKey });

/** Creates a prepaid balance from a token. */
export const openPrepaidBalance = defineEndpoint({
  id: 'prepaid-balances.open',
  method: 'POST',
  path: '/api/prepaid-balances',
  summary: 'Turn a token into a prepaid balance',
  description:
    'Redeems the token and returns a key, which open-and-pay accepts instead of a token. dot-mi stores only a hash of the key. The key works only with the agent key that created the balance. A balance that was created without an agent key works only without one. If you lose the response, send the same token again to get a new key. This works until somebody uses the first key. The sats belong to the customer until requests use them.',
  access: 'api',
  keys: ['charge'],
  body: z.strictObject({
    token: tokenField,
    agent: agentIdSchema
      .optional()
      .describe('The agent that the balance is for. With an agent’s key, always that agent.'),
    label: operationLabel.optional(),
  }),
  success: {
    status: 201,
    body: z.object({ prepaidKey, balance: prepaidBalance }).meta({ id: 'OpenedPrepaidBalance' }),
  },
  errors: [
    ...CHARGE_ERRORS,
    'agent_not_found',
    'root_unavailable',
    'charge_is_deposit',
    'amount_too_low',
    ...RECEIVE_ERRORS,
  ],
});

export type OpenedPrepaidBalance = z.infer<typeof openPrepaidBalance.success.body>;

/** Returns what is left of a prepaid balance. */
export const readPrepaidBalance = defineEndpoint({
  id: 'prepaid-balances.read',
  method: 'POST',
  path: '/api/prepaid-balances/read',
  summary: 'Get a prepaid balance by its key',
  description: 'Uses POST, because a key in a URL could appear in logs.',
  access: 'api',
  keys: ['charge'],
  body: keyBody,
  success: { status: 200, body: prepaidBalance },
  errors: [...CHARGE_ERRORS, 'prepaid_balance_not_found'],
});

/** Adds a token to a prepaid balance. */
export const topUpPrepaidBalance = defineEndpoint({
  id: 'prepaid-balances.top-up',
  method: 'POST',
  path: '/api/prepaid-balances/top-up',
  summary: 'Add a token to a prepaid balance',
  description: 'The same token with the same key returns the same response again.',
  access: 'api',
  keys: ['charge'],
  body: z.strictObject({ prepaidKey, token: tokenField }),
  success: {
    status: 200,
    body: z
      .object({
        added: sats.describe('The sats added, after the mint’s fee.'),
        balance: prepaidBalance,
      })
      .meta({ id: 'ToppedUpPrepaidBalance' }),
  },
  errors: [
    ...CHARGE_ERRORS,
    'prepaid_balance_blocked',
    'prepaid_balance_not_found',
    'amount_too_low',
    ...RECEIVE_ERRORS,
  ],
});

export type ToppedUpPrepaidBalance = z.infer<typeof topUpPrepaidBalance.success.body>;

/** Refunds what is left of a prepaid balance. */
export const refundPrepaidBalance = defineEndpoint({
  id: 'prepaid-balances.refund',
  method: 'POST',
  path: '/api/prepaid-balances/refund',
  summary: 'Refund what is left of a prepaid balance',
  description:
    'While a request is running, or the mint is processing an earlier refund, the error is `charge_held`. The key stays valid. A repeated request returns the same token until somebody adds to the balance.',
  access: 'api',
  keys: ['charge'],
  body: keyBody,
  success: {
    status: 200,
    body: z.object({ refund: change, balance: prepaidBalance }).meta({ id: 'RefundedPrepaidBalance' }),
  },
  errors: [
    ...CHARGE_ERRORS,
    'prepaid_balance_not_found',
    'charge_held',
    'nothing_to_refund',
    ...CHANGE_ERRORS,
  ],
});

export type RefundedPrepaidBalance = z.infer<typeof refundPrepaidBalance.success.body>;

/** Blocks a prepaid balance, or unblocks it. */
export const blockPrepaidBalance = defineEndpoint({
  id: 'prepaid-balances.block',
  method: 'PUT',
  path: '/api/prepaid-balances/:balanceId/blocked',
  summary: 'Block or unblock a prepaid balance',
  description:
    'A blocked balance can’t pay for work or be topped up. Its customer can still read it and get the rest refunded. Running requests finish.',
  access: 'operator',
  keys: 'none',
  params: z.strictObject({ balanceId: prepaidBalanceId.max(64) }),
  body: z.strictObject({ blocked: z.boolean().describe('True to block the balance, false to unblock it.') }),
  success: { status: 200, body: prepaidBalance },
  errors: ['wallet_locked', 'prepaid_balance_not_found'],
});
