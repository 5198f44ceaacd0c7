import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId } from './fields.ts';
import { agentCompletenessFields, coveredSchema } from './usage.ts';

/** The units that a limit can have. */
export const BUDGET_UNITS = ['usd', 'sats'] as const;

/** The periods that a limit can apply to, in local time. */
export const BUDGET_PERIODS = ['day', 'month'] as const;

/** The percentages of a limit that dot-mi reports, each only once per period. */
export const BUDGET_MARKS = [80, 100] as const;

const usd = z.number().positive().max(1_000_000).nullable();
const sats = z.int().positive().max(2_100_000_000_000_000).nullable();

const limits = z.strictObject({
  usdPerDay: usd
    .optional()
    .describe('The most that the agent can spend in a day, in US dollars. Null removes the limit.'),
  satsPerDay: sats
    .optional()
    .describe('The most that the agent can spend in a day, in sats. Null removes the limit.'),
  usdPerMonth: usd
    .optional()
    .describe('The most that the agent can spend in a month, in US dollars. Null removes the limit.'),
  satsPerMonth: sats
    .optional()
    .describe('The most that the agent can spend in a month, in sats. Null removes the limit.'),
});

/** Limits to set for an agent. Null removes a limit, and absent limits stay the same. */
export type BudgetLimits = z.infer<typeof limits>;

/** The name of a limit: a unit and a period. */
export type LimitName = keyof BudgetLimits;

const budgetLimit = z
  .object({
    unit: z.enum(BUDGET_UNITS).describe('The unit of the amounts.'),
    period: z.enum(BUDGET_PERIODS).describe('The period: the current day or month, in local time.'),
    limit: z.number().positive().describe('The limit, in `unit`.'),
    used: z
      .number()
      .nonnegative()
      .nullable()
      .describe(
        'The recorded and estimated costs of this period, in `unit`. Null for sats while there is no BTC price.',
      ),
    left: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The limit minus `used`, at least 0. Null if `used` is null.'),
    exceeded: z.boolean().describe('True once `used` has reached the limit.'),
    resetsAt: z.iso.datetime().describe('When the next period begins.'),
  })
  .meta({ id: 'BudgetLimit' });

/** One of an agent's limits, and how much of it is used. */
export type BudgetLimit = z.infer<typeof budgetLimit>;

const agentBudget = z
  .object({
    agent: agentId,
    limits: z.array(budgetLimit).describe('The limits. Empty if the agent has none.'),
    exceeded: z
      .boolean()
      .describe('True if the agent has reached one of its limits. Don’t start a run then.'),
    unpricedTokens: z
      .int()
      .nonnegative()
      .describe('This month’s model tokens without a recorded cost or a price. `used` leaves them out.'),
    coveredBySubscription: coveredSchema
      .optional()
      .describe('This month’s calls that a subscription covers. Absent if there are none.'),
    ...agentCompletenessFields,
  })
  .meta({ id: 'AgentBudget' });

/** The limits of one agent. */
export type AgentBudget = z.infer<typeof agentBudget>;

/** Lists the agents that have limits. */
export const listBudgets = defineEndpoint({
  id: 'budgets.list',
  method: 'GET',
  path: '/api/budgets',
  summary: 'List the agents that have a budget',
  description: 'Leaves out deleted agents. dot-mi keeps their budgets, in case you restore them.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    body: z.object({ budgets: z.array(agentBudget).describe('The budgets, sorted by agent.') }),
  },
  errors: ['root_unavailable', 'budgets_damaged'],
});

/** Returns one agent's limits. */
export const getBudget = defineEndpoint({
  id: 'budgets.get',
  method: 'GET',
  path: '/api/agents/:id/budget',
  summary: 'Get an agent’s budget and how much of it is used',
  description:
    'Call this before each run. `setup.sh run` does, and won’t start an agent over budget. GET /api/usage describes how dot-mi calculates the cost. An agent that this one starts with pi’s `--no-session` leaves no session, so its calls count toward no budget.',
  task: 'See an agent’s budget',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  query: z.object({
    directory: z
      .string()
      .max(4_096)
      .optional()
      .describe(
        'The absolute path of the agent’s directory, with symlinks resolved. It identifies the root, because another root can have an agent with this id.',
      ),
  }),
  success: { status: 200, body: agentBudget },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_changed', 'root_unavailable', 'budgets_damaged'],
});

/** Sets one agent's limits. */
export const setBudget = defineEndpoint({
  id: 'budgets.set',
  method: 'PUT',
  path: '/api/agents/:id/budget',
  summary: 'Set an agent’s limits',
  description: 'Absent limits stay the same. Null removes a limit.',
  access: 'operator',
  keys: 'none',
  params: agentParams,
  body: limits,
  success: { status: 200, body: agentBudget },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable', 'budgets_damaged', 'disk_full'],
});
