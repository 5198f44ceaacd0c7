import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId } from './fields.ts';

/** The units of a limit. */
export const BUDGET_UNITS = ['usd', 'sats'] as const;

/** The periods of a limit, in local time. */
export const BUDGET_PERIODS = ['day', 'month'] as const;

/** The shares of a limit that are reported once in each period, in percent. */
export const BUDGET_MARKS = [80, 100] as const;

const usd = z.number().positive().max(1_000_000).nullable();
const sats = z.int().positive().max(2_100_000_000_000_000).nullable();

const limits = z.strictObject({
  usdPerDay: usd.optional().describe('The most US dollars in a day. Null removes the limit.'),
  satsPerDay: sats.optional().describe('The most sats in a day. Null removes the limit.'),
  usdPerMonth: usd.optional().describe('The most US dollars in a month. Null removes the limit.'),
  satsPerMonth: sats.optional().describe('The most sats in a month. Null removes the limit.'),
});

/** The limits of an agent to set. Null removes one, and a missing one stays. */
export type BudgetLimits = z.infer<typeof limits>;

/** The name of a limit. */
export type LimitName = keyof BudgetLimits;

const budgetLimit = z
  .object({
    unit: z.enum(BUDGET_UNITS).describe('The unit of the amounts.'),
    period: z.enum(BUDGET_PERIODS).describe('The current day or month in local time.'),
    limit: z.number().positive().describe('The limit in `unit`.'),
    used: z
      .number()
      .nonnegative()
      .nullable()
      .describe('Recorded and estimated cost of the period so far. Null for sats without a BTC price.'),
    left: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The limit minus `used`, at least 0. Null if `used` is.'),
    exceeded: z.boolean().describe('True once `used` has reached the limit.'),
    resetsAt: z.iso.datetime().describe('When the next period begins.'),
  })
  .meta({ id: 'BudgetLimit' });

/** One limit of an agent, and what is used of it. */
export type BudgetLimit = z.infer<typeof budgetLimit>;

const agentBudget = z
  .object({
    agent: agentId,
    limits: z.array(budgetLimit).describe('Empty if the agent has no limit.'),
    exceeded: z.boolean().describe('True if any limit is reached. The agent should not run then.'),
    unpricedTokens: z
      .int()
      .nonnegative()
      .describe('Tokens of the month that have neither a recorded cost nor a price. `used` leaves them out.'),
    complete: z
      .boolean()
      .describe('False while session files are still being read. `used` can grow, so ask again.'),
    notCounted: z
      .boolean()
      .describe(
        'True if settings.json of the agent has a `sessionDir` that dot-mi does not read. `used` leaves out the calls there, so the budget may not stop the agent. ' +
          'The operator can add the directory to the setting `sessionDirectories`.',
      ),
  })
  .meta({ id: 'AgentBudget' });

/** The limits of one agent. */
export type AgentBudget = z.infer<typeof agentBudget>;

/** The agents that have limits. */
export const listBudgets = defineEndpoint({
  id: 'budgets.list',
  method: 'GET',
  path: '/api/budgets',
  summary: 'List the agents that have a budget',
  description: 'An agent that was deleted keeps its budget, but is not listed.',
  access: 'api',
  keys: ['read-agents'],
  success: { status: 200, body: z.object({ budgets: z.array(agentBudget).describe('Sorted by agent.') }) },
  errors: ['root_unavailable', 'budgets_damaged'],
});

/** The limits of one agent. */
export const getBudget = defineEndpoint({
  id: 'budgets.get',
  method: 'GET',
  path: '/api/agents/:id/budget',
  summary: "Get an agent's budget and what is used of it",
  description:
    "Read this before each run. `setup.sh run` does, and won't start an agent over budget. GET /api/usage explains the cost.",
  task: "See an agent's budget",
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  query: z.object({
    directory: z
      .string()
      .max(4_096)
      .optional()
      .describe(
        "The absolute path of the agent's directory, without symlinks. A launcher gives it, because another root can have an agent of the same id.",
      ),
  }),
  success: { status: 200, body: agentBudget },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_changed', 'root_unavailable', 'budgets_damaged'],
});

/** Sets the limits of one agent. */
export const setBudget = defineEndpoint({
  id: 'budgets.set',
  method: 'PUT',
  path: '/api/agents/:id/budget',
  summary: "Set an agent's limits",
  description: 'A limit that the body leaves out stays. Null removes it.',
  access: 'operator',
  keys: 'none',
  params: agentParams,
  body: limits,
  success: { status: 200, body: agentBudget },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable', 'budgets_damaged', 'disk_full'],
});
