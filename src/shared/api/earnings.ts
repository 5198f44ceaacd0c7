import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { periodQuery } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { completenessFields, coveredSchema } from './usage.ts';

const EARNINGS_GROUPINGS = ['agent', 'day'] as const;

export type EarningsGrouping = (typeof EARNINGS_GROUPINGS)[number];

const count = z.int().nonnegative();
const spent = z.number().nonnegative().nullable();

const earningsSums = z.object({
  earnedSats: z.int().nonnegative().describe('The sats of received tokens, after fees.'),
  payments: count.describe('The number of received tokens.'),
  spentSatsRecorded: spent.describe('The recorded cost, in sats. Null if there is no BTC price.'),
  spentSatsEstimated: spent.describe(
    'The estimated cost of calls without a recorded cost, in sats. Null if unknown.',
  ),
  unpricedTokens: count.describe('Model tokens without a recorded cost or a price. No amount includes them.'),
  marginSats: z
    .number()
    .nullable()
    .describe('Earned minus spent, in sats. Null if part of the spending isn’t known.'),
  calls: count.describe('The number of calls.'),
  coveredBySubscription: coveredSchema
    .optional()
    .describe('The calls that a subscription covers. Absent if there are none.'),
});

/** Totals for the sats earned, spent and left. */
export type EarningsSums = z.infer<typeof earningsSums>;

const earningsGroup = earningsSums
  .extend({
    key: z
      .string()
      .nullable()
      .describe(
        'The id of the agent, or the day in local time, such as `2026-11-23`. Null for payments that name no agent.',
      ),
  })
  .meta({ id: 'EarningsGroup' });

/** Totals for one agent, or for all agents on one day. */
export type EarningsGroup = z.infer<typeof earningsGroup>;

const earnings = z.object({
  groups: z.array(earningsGroup).describe('The rows, sorted by key.'),
  total: earningsSums.describe('The sum of all rows.'),
  ...completenessFields,
  simulated: z
    .literal(true)
    .optional()
    .describe('True with test money: the earned sats aren’t real, but the costs are. Otherwise absent.'),
});

/** The response of {@link getEarnings}. */
export type Earnings = z.infer<typeof earnings>;

/** Adds up what agents earned, spent and have left. */
export const getEarnings = defineEndpoint({
  id: 'earnings.get',
  method: 'GET',
  path: '/api/earnings',
  summary: 'Report what the agents earned and spent',
  description:
    'Combines received tokens with the cost of calls, in sats. Leaves out agents with neither. GET /api/usage describes how dot-mi calculates the cost. A key that is assigned to an agent gets only that agent’s row. For CSV, send `Accept: text/csv`.',
  task: 'See what agents earned and spent (from: 2026-11-01T00:00:00Z)',
  access: 'operator',
  keys: ['read-agents'],
  query: z.strictObject({
    ...periodQuery('payments and calls'),
    groupBy: z
      .enum(EARNINGS_GROUPINGS)
      .default('agent')
      .describe('Returns one row per agent, or one per day.'),
    agent: agentIdSchema.optional().describe('Only this agent’s payments and calls.'),
  }),
  success: {
    status: 200,
    body: earnings,
    csv: {
      columns: [
        'key',
        'earned_sats',
        'payments',
        'spent_sats_recorded',
        'spent_sats_estimated',
        'unpriced_tokens',
        'margin_sats',
        'calls',
      ],
      rows: ({ groups }: Earnings) =>
        groups.map((group) => [
          group.key,
          group.earnedSats,
          group.payments,
          group.spentSatsRecorded,
          group.spentSatsEstimated,
          group.unpricedTokens,
          group.marginSats,
          group.calls,
        ]),
    },
  },
  errors: ['root_unavailable', 'wallet_locked', 'invalid_agent_id', 'forbidden_agent'],
});
