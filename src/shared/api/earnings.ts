import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { periodQuery } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { notCountedSchema } from './usage.ts';

/** What earnings can be grouped by. */
const EARNINGS_GROUPINGS = ['agent', 'day'] as const;

/** One of {@link EARNINGS_GROUPINGS}. */
export type EarningsGrouping = (typeof EARNINGS_GROUPINGS)[number];

const count = z.int().nonnegative();
const spent = z.number().nonnegative().nullable();

const earningsSums = z.object({
  earnedSats: z.int().nonnegative().describe('Sats of received tokens, after fees.'),
  payments: count.describe('The number of received tokens.'),
  spentSatsRecorded: spent.describe('The cost that pi recorded. Null without a BTC price.'),
  spentSatsEstimated: spent.describe('The estimated cost of all other tokens. Null if it is not known.'),
  unpricedTokens: count.describe('Tokens of models that have no price. No amount includes them.'),
  marginSats: z
    .number()
    .nullable()
    .describe('Earned minus spent. Null if not everything that was spent is known.'),
  calls: count.describe('How many model calls there were.'),
});

/** What was earned, spent and left. */
export type EarningsSums = z.infer<typeof earningsSums>;

const earningsGroup = earningsSums
  .extend({
    key: z
      .string()
      .nullable()
      .describe(
        'The id of the agent, or the day in local time as `2026-11-23`. Null for payments to no agent.',
      ),
  })
  .meta({ id: 'EarningsGroup' });

/** What one agent earned and spent, or what all did on one day. */
export type EarningsGroup = z.infer<typeof earningsGroup>;

const earnings = z.object({
  groups: z.array(earningsGroup).describe('Sorted by key.'),
  total: earningsSums.describe('The sum of all rows.'),
  complete: z.boolean().describe('False while session files are still being read. The costs then grow.'),
  notCounted: notCountedSchema,
  simulated: z
    .literal(true)
    .optional()
    .describe('Present in DEV_MODE: the earned sats are not real, but the costs are.'),
});

/** The response of {@link getEarnings}. */
export type Earnings = z.infer<typeof earnings>;

/** What agents earned, spent and have left. */
export const getEarnings = defineEndpoint({
  id: 'earnings.get',
  method: 'GET',
  path: '/api/earnings',
  summary: 'Get what the agents earned and spent',
  description:
    'Joins received tokens with the cost of model calls, in sats. Agents without any are left out. GET /api/usage explains the cost. Ask for `text/csv` in `Accept` to get a table.',
  task: 'See what agents earned and spent (from: as 2026-11-01T00:00:00Z)',
  access: 'api',
  keys: ['read-agents'],
  query: z.strictObject({
    ...periodQuery('payments and calls'),
    groupBy: z.enum(EARNINGS_GROUPINGS).default('agent').describe('The meaning of each row of the response.'),
    agent: agentIdSchema.optional().describe('Only payments to this agent, and its calls.'),
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
  errors: ['root_unavailable', 'wallet_locked', 'invalid_agent_id'],
});
