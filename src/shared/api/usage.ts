import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId, periodQuery } from './fields.ts';
import { agentIdSchema } from './names.ts';

/** What usage can be grouped by. */
const USAGE_GROUPINGS = ['agent', 'model', 'day', 'session'] as const;

/** One of {@link USAGE_GROUPINGS}. */
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

const usageSums = z.object({
  calls: count.describe('Answers of models that used tokens.'),
  errors: count.describe('Calls that failed.'),
  input: count.describe('Input tokens, without those from the cache.'),
  output: count.describe('Output tokens, including reasoning.'),
  cacheRead: count.describe('Model tokens read from the cache of the provider.'),
  cacheWrite: count.describe('Model tokens written to the cache of the provider.'),
  usdRecorded: amount.describe('The cost that pi recorded.'),
  usdEstimated: amount
    .nullable()
    .describe(
      'The cost of all other tokens at the prices of the models file. Null when none of their models has a price there.',
    ),
  unpricedTokens: count.describe(
    'Tokens that have neither a recorded cost nor a price. No amount includes them.',
  ),
  satsRecorded: amount.nullable().describe('`usdRecorded` in sats. Null without a BTC price.'),
  satsEstimated: amount
    .nullable()
    .describe('`usdEstimated` in sats. Null if that is, or without a BTC price.'),
  usdAtCurrentPrice: amount.describe(
    'The part of both USD amounts that has no BTC price within 6 hours of its time. It was converted at the current one.',
  ),
});

/** Sums of tokens and their cost. */
export type UsageSums = z.infer<typeof usageSums>;

const usageGroup = usageSums
  .extend({
    key: z
      .string()
      .describe(
        'The id of the agent or the session, `provider/model`, or the day in local time as `2026-11-23`.',
      ),
  })
  .meta({ id: 'UsageGroup' });

/** The usage of one agent, model, day or session. */
export type UsageGroup = z.infer<typeof usageGroup>;

/** The agents of which dot-mi can't see all sessions. */
export const notCountedSchema = z
  .array(z.string())
  .describe(
    'Agents whose settings.json has a `sessionDir` that dot-mi does not read, because it is outside the root or relative to the directory of each run. ' +
      'Their calls there are in no figure. The operator can add the directory to the setting `sessionDirectories`. Sorted.',
  );

const usage = z.object({
  groups: z.array(usageGroup).describe('Sorted by key.'),
  total: usageSums.describe('The sum of all rows.'),
  complete: z.boolean().describe('False while session files are still being read. The figures then grow.'),
  notCounted: notCountedSchema,
  problems: z
    .array(
      z.object({
        path: z.string().describe('Relative to the root. Absolute if it is outside.'),
        problem: z.string().describe('Why this entry can not be used.'),
      }),
    )
    .describe('Up to 20 session files and directories that could not be counted.'),
});

/** The response of {@link getUsage}. */
export type Usage = z.infer<typeof usage>;

/** What the agents spent on models. */
export const getUsage = defineEndpoint({
  id: 'usage.get',
  method: 'GET',
  path: '/api/usage',
  summary: 'Get what the agents spent on models',
  description:
    'Adds up the session files of pi in the root. A call that forks and copies of sessions repeat counts once, and one that was counted still counts after its file is deleted. ' +
    'The cost is the one that pi recorded. Where pi recorded none, it is estimated with the prices of the models file: tokens written to the cache or read from it cost as much as input tokens if the file has no price for them. ' +
    'Amounts in sats use the BTC price at the time of each call.',
  task: 'See what agents spent, by model or session',
  access: 'api',
  keys: ['read-agents'],
  query: z.strictObject({
    ...periodQuery('calls'),
    groupBy: z.enum(USAGE_GROUPINGS).default('agent').describe('The meaning of each row of the response.'),
    agent: agentIdSchema.optional().describe('Only calls of this agent.'),
  }),
  success: { status: 200, body: usage },
  errors: ['root_unavailable', 'invalid_agent_id'],
});

const lastRuns = z.object({
  agents: z
    .array(z.object({ id: agentId, lastRunAt: z.iso.datetime().describe('The time of its last call.') }))
    .describe('Sorted by id. Leaves out agents that never ran, and has those that are gone.'),
  complete: z.boolean().describe('False while session files are still being read. Times can then be older.'),
});

/** The response of {@link listLastRuns}. */
export type LastRuns = z.infer<typeof lastRuns>;

/** When each agent ran last. */
export const listLastRuns = defineEndpoint({
  id: 'usage.lastRuns',
  method: 'GET',
  path: '/api/usage/last-runs',
  summary: 'List when each agent ran last',
  description: 'Comes from the same session files as GET /api/usage, whenever the run was.',
  task: 'See when each agent ran last',
  access: 'api',
  keys: ['read-agents'],
  success: { status: 200, body: lastRuns },
  errors: ['root_unavailable'],
});
