import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId, periodQuery } from './fields.ts';
import { agentIdSchema } from './names.ts';

const USAGE_GROUPINGS = ['agent', 'model', 'day', 'session'] as const;

export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

/** What calls that a subscription covers would cost. */
export const coveredSchema = z
  .object({
    calls: count.describe('The number of those calls.'),
    usd: amount
      .nullable()
      .describe(
        'The amount that those calls would cost, in US dollars. Null if pi recorded no cost and they have no price.',
      ),
    sats: amount.nullable().describe('`usd` in sats. Null if `usd` is null or there is no BTC price.'),
    counted: z
      .boolean()
      .describe(
        'True if the other amounts include them. Budgets always do, and spending and margins only if the operator chose that.',
      ),
  })
  .meta({
    id: 'CoveredCost',
    description:
      'Calls that a subscription covers, so they aren’t billed. dot-mi goes by how the agent is signed in to the provider now.',
  });

/** The calls that a subscription covers. */
export type CoveredCost = z.infer<typeof coveredSchema>;

const usageSums = z.object({
  calls: count.describe('The number of calls that used model tokens.'),
  errors: count.describe('The number of failed calls.'),
  input: count.describe('Input tokens, without those that the provider read from its cache.'),
  output: count.describe('Output tokens, including reasoning.'),
  cacheRead: count.describe('Input tokens that the provider read from its cache.'),
  cacheWrite: count.describe('Input tokens that the provider cached.'),
  usdRecorded: amount.describe('The recorded cost, in US dollars.'),
  usdEstimated: amount
    .nullable()
    .describe(
      'The estimated cost of calls without a recorded cost, in US dollars. Null if none of them has a price.',
    ),
  unpricedTokens: count.describe('Model tokens without a recorded cost or a price. No amount includes them.'),
  satsRecorded: amount.nullable().describe('`usdRecorded` in sats. Null if there is no BTC price.'),
  satsEstimated: amount
    .nullable()
    .describe('`usdEstimated` in sats. Null if `usdEstimated` is null or there is no BTC price.'),
  usdAtCurrentPrice: amount.describe(
    'The part of the sum of both USD amounts that dot-mi converted at the current BTC price. It has no BTC price within 6 hours of those calls.',
  ),
  coveredBySubscription: coveredSchema
    .optional()
    .describe('The calls that a subscription covers. Absent if there are none.'),
});

/** Totals for model tokens and their cost. */
export type UsageSums = z.infer<typeof usageSums>;

const usageGroup = usageSums
  .extend({
    key: z
      .string()
      .describe(
        'The id of the agent or session, the model as `provider/model`, or the day in local time, such as `2026-11-23`.',
      ),
  })
  .meta({ id: 'UsageGroup' });

/** The usage of one agent, model, day or session. */
export type UsageGroup = z.infer<typeof usageGroup>;

/**
 * What each response with figures from session files says about what they leave out. Branded, so that only
 * `src/server/platform/completeness.ts` creates it: a view that doesn't pass it on doesn't compile.
 */
export const completenessFields = {
  complete: z
    .boolean()
    .brand<'complete'>()
    .describe(
      'True if the figures include every call in the session files. False while `reading` is true, and while `notCounted` says that some aren’t counted.',
    ),
  reading: z
    .boolean()
    .brand<'reading'>()
    .describe('True while dot-mi is still reading session files. Repeat the request until it’s false.'),
  notCounted: z
    .array(z.string())
    .brand<'notCounted'>()
    .describe(
      'The ids, sorted, of agents with sessions that dot-mi can’t count: a file, line or directory that it can’t read, or a place outside the root, such as a link, the `sessionDir` in settings.json or the `--session-dir` in pi-args. ' +
        'For the operator, `problems` in GET /api/usage names the first ones. To include a directory, the operator can add it to the setting `sessionDirectories`.',
    ),
};

/** Like {@link completenessFields}, for one agent. */
export const agentCompletenessFields = {
  complete: completenessFields.complete,
  reading: completenessFields.reading,
  notCounted: z
    .boolean()
    .brand<'notCounted'>()
    .describe(
      'True if dot-mi can’t count some of the agent’s sessions, so it can have spent more. GET /api/usage describes the reasons.',
    ),
};

const usage = z.object({
  groups: z.array(usageGroup).describe('The rows, sorted by key.'),
  total: usageSums.describe('The sum of all rows.'),
  ...completenessFields,
  problems: z
    .array(
      z.object({
        path: z.string().describe('The path, relative to the root. Absolute if it is outside the root.'),
        problem: z.string().describe('Why dot-mi can’t count it.'),
      }),
    )
    .describe(
      'Session files, lines and directories that dot-mi couldn’t count, at most 20. Only the operator gets them.',
    ),
});

/** The response of {@link getUsage}. */
export type Usage = z.infer<typeof usage>;

/** Adds up what the agents spent on models. */
export const getUsage = defineEndpoint({
  id: 'usage.get',
  method: 'GET',
  path: '/api/usage',
  summary: 'Report what the agents spent on models',
  description:
    'Adds up the calls in pi’s session files in the root. Each call counts once, even if forks or copies of a session repeat it. It still counts after its file is deleted. ' +
    'The cost is the one that pi recorded. If pi recorded none, dot-mi estimates it with the prices in the models file, or else with those in the calling agent’s models.json. Without a cache price there, cached tokens cost as much as other input. ' +
    'Amounts in sats use the BTC price at the time of each call.',
  task: 'See what agents spent, by model or day',
  access: 'api',
  keys: ['read-agents'],
  query: z.strictObject({
    ...periodQuery('calls'),
    groupBy: z
      .enum(USAGE_GROUPINGS)
      .default('agent')
      .describe(
        'Returns one row for each agent, model, day or session. Only the operator can use `session`.',
      ),
    agent: agentIdSchema.optional().describe('Only calls of this agent.'),
  }),
  success: { status: 200, body: usage },
  errors: ['root_unavailable', 'invalid_agent_id', 'operator_required'],
});

const lastRuns = z.object({
  agents: z
    .array(
      z.object({ id: agentId, lastRunAt: z.iso.datetime().describe('The time of the agent’s last call.') }),
    )
    .describe('The agents that have run, sorted by id. Includes deleted agents.'),
  ...completenessFields,
});

/** The response of {@link listLastRuns}. */
export type LastRuns = z.infer<typeof lastRuns>;

/** Lists when each agent last ran. */
export const listLastRuns = defineEndpoint({
  id: 'usage.lastRuns',
  method: 'GET',
  path: '/api/usage/last-runs',
  summary: 'Show when each agent last ran',
  description:
    'Uses the same session files as GET /api/usage, with no time limit. Times can be too early while `complete` is false.',
  task: 'See when each agent last ran',
  access: 'api',
  keys: ['read-agents'],
  success: { status: 200, body: lastRuns },
  errors: ['root_unavailable'],
});
