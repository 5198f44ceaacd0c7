import { z } from 'zod';
import { isOwnVariable } from '../../pi/environment.ts';
import { agentParams } from './agents.ts';
import { prepaidBalanceId } from './charge-fields.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, createdAt, NEXT_CURSOR_HEADER, nextCursor, okBody, PAGE_FIELDS } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { LABEL_MAX, sats } from './wallet/fields.ts';

/**
 * The states of a service.
 *
 * - `starting`: its process has started and doesn't respond yet.
 * - `running`: customers can buy.
 * - `stopped`: the operator stopped it. It keeps its settings.
 * - `closed`: customers can't buy, although it should be open. `problem` says why, and dot-mi keeps trying.
 */
export const SERVICE_STATES = ['starting', 'running', 'stopped', 'closed'] as const;

/** How many environment variables a service can have. */
const MAX_VARIABLES = 50;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/** Returns whether a service can have environment variables of these names. */
export const areVariables = (names: readonly string[]): boolean =>
  names.length <= MAX_VARIABLES && names.every((name) => VARIABLE.test(name) && !isOwnVariable(name));

const variable = z
  .string()
  .regex(VARIABLE, 'A variable’s name has only letters, digits and "_".')
  .refine((name) => !isOwnVariable(name), 'No agent gets dot-mi’s own variables. Remove this name.');

/** The default port of the first service. Each later one uses the next free port. */
export const SERVICE_PORT = 8402;

/** The limits of a service's numbers, and their defaults. */
export const SERVICE_LIMITS = {
  port: { least: 1024, most: 65_535 },
  priceSats: { least: 1, most: 1_000_000 },
  marginPercent: { least: 0, most: 10_000, preset: 30 },
  maxOutputTokens: { least: 1, most: 1_000_000, preset: 2_000 },
  parallel: { least: 1, most: 32, preset: 2 },
  timeoutSeconds: { least: 10, most: 3_600, preset: 300 },
  lossLimitSats: { least: 0, most: 1_000_000_000, preset: 1_000 },
} as const;

const LIMITS = SERVICE_LIMITS;

const SETTINGS = {
  port: z
    .int()
    .min(LIMITS.port.least)
    .max(LIMITS.port.most)
    .optional()
    .describe(`The port on 127.0.0.1. Default: the first free port, starting at ${SERVICE_PORT}.`),
  priceSats: z
    .int()
    .positive()
    .max(LIMITS.priceSats.most)
    .optional()
    .describe('A flat price for each request, in sats. Default: the model’s cost plus the margin.'),
  marginPercent: z
    .int()
    .min(LIMITS.marginPercent.least)
    .max(LIMITS.marginPercent.most)
    .default(LIMITS.marginPercent.preset)
    .describe('The margin above the model’s cost, in percent. Ignored with a flat price.'),
  maxOutputTokens: z
    .int()
    .positive()
    .max(LIMITS.maxOutputTokens.most)
    .default(LIMITS.maxOutputTokens.preset)
    .describe('The maximum number of output tokens that a customer can request.'),
  parallel: z
    .int()
    .min(LIMITS.parallel.least)
    .max(LIMITS.parallel.most)
    .default(LIMITS.parallel.preset)
    .describe(
      'How many requests the agent handles at once. Four times as many customers can pay and wait. A prepaid key can have as many requests at once as run.',
    ),
  timeoutSeconds: z
    .int()
    .min(LIMITS.timeoutSeconds.least)
    .max(LIMITS.timeoutSeconds.most)
    .default(LIMITS.timeoutSeconds.preset)
    .describe('How long the agent can work on a request, in seconds.'),
  lossLimitSats: z
    .int()
    .min(LIMITS.lossLimitSats.least)
    .max(LIMITS.lossLimitSats.most)
    .default(LIMITS.lossLimitSats.preset)
    .describe(
      'How much failed requests can cost you in 24 hours, in sats. Their customers are refunded, but your provider isn’t. Beyond that, the service closes.',
    ),
  description: z
    .string()
    .trim()
    .min(1)
    .max(LABEL_MAX)
    .optional()
    .describe('A sentence for customers. Default: the agent’s id.'),
  variables: z
    .array(variable)
    .max(MAX_VARIABLES)
    .default([])
    .describe(
      'The names of the environment variables that the agent gets, such as `ANTHROPIC_API_KEY`. It gets no other variables that could contain secrets.',
    ),
  startsWithApp: z.boolean().default(false).describe('True if the service starts whenever dot-mi starts.'),
};

const newService = z.strictObject({
  agent: agentIdSchema,
  ...SETTINGS,
  accepts: z
    .array(z.string().max(5_000))
    .max(1_000)
    .default([])
    .describe(
      'The `tools` and `loads` of an error `tools_not_accepted` that you accept. An agent with others is refused again.',
    ),
});

/** The agent to sell, with the service's settings. */
export type NewService = z.infer<typeof newService>;

const estimate = z
  .object({
    model: z.string().nullable().describe('The model that the agent starts with. Null if no file names one.'),
    promptTokens: z.int().nonnegative().describe('The model tokens of the agent’s own prompt.'),
    sats: sats.describe('The price that a customer pays in advance for a prompt of 500 characters, in sats.'),
    usualSats: sats.describe('The final price of a 500-character prompt with 300 output tokens, in sats.'),
    highestSats: sats.describe('The price that a customer pays in advance for the longest prompt, in sats.'),
    cost: z
      .object({
        usualSats: sats.describe('The cost of the request of `usualSats`, rounded up.'),
        mostSats: sats.describe(
          'The highest cost of a request, with the longest prompt and the longest answer, rounded up.',
        ),
      })
      .optional()
      .describe('Your own cost of the model, in sats. Absent if the model has no price.'),
    tools: z
      .array(z.string())
      .describe('The tools that customers could make this agent use. Empty if it has none.'),
  })
  .meta({ id: 'ServiceEstimate' });

/** What a service's customers pay. */
export type ServiceEstimate = z.infer<typeof estimate>;

const service = z
  .object({
    agent: agentId,
    state: z
      .enum(SERVICE_STATES)
      .describe(
        '`starting`: it doesn’t respond yet. `running`: customers can buy. `stopped`: the operator stopped it. `closed`: customers can’t buy, and dot-mi keeps trying.',
      ),
    problem: z.string().optional().describe('Why customers can’t buy. Absent unless the service is closed.'),
    closedSince: z.iso
      .datetime()
      .optional()
      .describe('Since when customers can’t buy. Absent unless the service is closed.'),
    retryAt: z.iso
      .datetime()
      .optional()
      .describe(
        'When dot-mi tries again at the latest. Absent unless the service is closed, or if only selling the agent again helps.',
      ),
    url: z.string().describe('The URL for customers on this computer.'),
    port: z.int().describe('The port on 127.0.0.1.'),
    priceSats: z
      .int()
      .nullable()
      .describe('The flat price, in sats. Null if the price depends on the model.'),
    marginPercent: z.int().describe('The margin above the model’s cost, in percent.'),
    maxOutputTokens: z.int().describe('The maximum number of output tokens that a customer can request.'),
    parallel: z.int().describe('How many requests the agent handles at once.'),
    timeoutSeconds: z.int().describe('How long the agent can work on a request, in seconds.'),
    lossLimitSats: z.int().describe('How much failed requests can cost you in 24 hours, in sats.'),
    description: z.string().nullable().describe('A sentence for customers. Null if the service has none.'),
    variables: z.array(z.string()).describe('The names of the environment variables that the agent gets.'),
    startsWithApp: z.boolean().describe('True if the service starts whenever dot-mi starts.'),
    accepts: z.array(z.string()).describe('The tools and loaded things that the operator accepted.'),
    copiedAt: z.iso
      .datetime()
      .describe('When dot-mi copied the agent for its customers. They buy from this copy.'),
    createdAt,
  })
  .meta({ id: 'Service' });

/** An agent for sale. */
export type Service = z.infer<typeof service>;

const sale = z
  .object({
    at: z.iso.datetime().describe('When the request ended.'),
    outcome: z
      .enum(['sold', 'refunded'])
      .describe('`sold`: the work was done. `refunded`: the work failed, and the customer was refunded.'),
    chargeId: z.string().describe('The id of the charge that the customer paid.'),
    charged: sats.nullable().describe('The final price, in sats. Null until the charge is settled.'),
    paid: sats.describe('The sats that the customer paid or reserved in advance.'),
    costSats: z
      .number()
      .nullable()
      .describe('The model’s cost at the prices of that time, in sats. Null if dot-mi doesn’t know it.'),
    inputTokens: z.int().describe('The input tokens that the model used, including cached ones.'),
    outputTokens: z.int().describe('The output tokens that the model used.'),
    isEstimated: z
      .boolean()
      .describe('True if dot-mi estimated tokens, because the provider didn’t report them.'),
    durationMs: z
      .int()
      .nullable()
      .describe('How long the work took, in milliseconds. Null if the service ended before it could report.'),
    status: z
      .int()
      .nullable()
      .describe(
        'The HTTP status that the customer received. Null if the service ended before it could report.',
      ),
    message: z
      .string()
      .nullable()
      .describe('The error that the customer received. Null if the work was done.'),
    detail: z
      .string()
      .nullable()
      .describe(
        'More about a recent failure, only for the operator. dot-mi forgets it when it quits. Null if there is nothing more.',
      ),
    balanceId: prepaidBalanceId.optional().describe('The prepaid balance that paid. Absent if a token paid.'),
    blocked: z
      .boolean()
      .optional()
      .describe('True if you blocked that prepaid balance. Absent if a token paid.'),
  })
  .meta({ id: 'Sale' });

/** A customer's paid request. */
export type Sale = z.infer<typeof sale>;

const saleTotals = z
  .object({
    sold: z.int().describe('The number of requests whose work was done.'),
    refunded: z.int().describe('The number of requests that were refunded.'),
    earnedSats: sats.describe('The sum of the final prices, in sats.'),
    refundedSats: sats.describe('The sum of the payments for refunded requests, in sats.'),
    costSats: z.number().describe('The sum of the known model costs, in sats.'),
    unknownCosts: z.int().describe('The number of requests whose cost dot-mi doesn’t know.'),
  })
  .meta({ id: 'SaleTotals' });

/** The sums over all paid requests of an agent's customers. */
export type SaleTotals = z.infer<typeof saleTotals>;

const serviceParams = z.strictObject({ agent: agentIdSchema });

const START_ERRORS = [
  'agent_not_found',
  'root_unavailable',
  'root_not_trusted',
  'wallet_locked',
  'port_in_use',
  'tools_not_accepted',
  'agent_not_priced',
  'pricing_config_invalid',
  'price_unavailable',
  'too_many_keys',
  'service_failed',
] as const;

/** Lists the agents for sale. */
export const listServices = defineEndpoint({
  id: 'services.list',
  method: 'GET',
  path: '/api/services',
  summary: 'List the agents that are for sale',
  access: 'operator',
  keys: 'none',
  success: {
    status: 200,
    body: z.object({ services: z.array(service).describe('The services, sorted by agent.') }),
  },
  errors: [],
});

export type Services = z.infer<typeof listServices.success.body>;

/** Says whether an agent can be sold now. */
export const checkService = defineEndpoint({
  id: 'services.check',
  method: 'GET',
  path: '/api/agents/:id/services/check',
  summary: 'Check whether customers can buy from an agent now',
  description: 'For the process of the service, which asks before it takes a payment and before each run.',
  access: 'operator',
  keys: ['charge'],
  ownAgent: true,
  params: agentParams,
  success: {
    status: 200,
    body: z
      .object({
        problem: z.string().nullable().describe('Why customers can’t buy now. Null if they can.'),
      })
      .meta({ id: 'ServiceCheck' }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable', 'service_not_found'],
});

const soldChange = z.object({
  path: z.string().describe('The path of the file, such as `agents/scout/SYSTEM.md`.'),
  change: z
    .enum(['added', 'changed', 'removed'])
    .describe('The file was added, changed or removed in the root.'),
  before: z.string().nullable().describe('The text that customers buy from. Null if there is none.'),
  after: z.string().nullable().describe('The text in the root. Null if there is none.'),
});

/** Compares an agent with what its customers buy from. */
export const listSoldChanges = defineEndpoint({
  id: 'services.changes',
  method: 'GET',
  path: '/api/services/:agent/changes',
  summary: 'List what changed in an agent since it was put up for sale',
  description:
    'Customers buy from a private copy of the agent. To sell what the agent is now, send its settings to `POST /api/services` again.',
  access: 'operator',
  keys: 'none',
  params: serviceParams,
  success: {
    status: 200,
    body: z
      .object({
        copiedAt: z.iso.datetime().describe('When dot-mi copied the agent for its customers.'),
        changes: z
          .array(soldChange)
          .describe('The files that differ, sorted by path, at most 200. A text over 64 KiB is null.'),
      })
      .meta({ id: 'SoldChanges' }),
  },
  errors: ['service_not_found', 'agent_not_found', 'root_unavailable', 'service_failed'],
});

export type SoldChanges = z.infer<typeof listSoldChanges.success.body>;

/** Estimates what a service's customers would pay. */
export const previewService = defineEndpoint({
  id: 'services.preview',
  method: 'POST',
  path: '/api/services/preview',
  summary: 'Estimate what customers would pay for an agent',
  description: 'Starts nothing. The price depends on the agent’s prompt, its model, and the margin.',
  access: 'operator',
  keys: 'none',
  body: newService,
  success: { status: 200, body: estimate },
  errors: [
    'agent_not_found',
    'root_unavailable',
    'agent_not_priced',
    'pricing_config_invalid',
    'price_unavailable',
  ],
});

/** Starts selling an agent. */
export const startService = defineEndpoint({
  id: 'services.start',
  method: 'POST',
  path: '/api/services',
  summary: 'Sell an agent',
  description:
    'Starts a process that sells the agent’s work at its own address, with its own agent key. If the service already exists, replaces its settings. ' +
    'Strangers write the prompts, so what the agent could use needs `accepts`. With test money, any token pays.',
  access: 'operator',
  keys: 'none',
  body: newService,
  success: { status: 201, body: service },
  errors: START_ERRORS,
});

/** Stops selling an agent. */
export const stopService = defineEndpoint({
  id: 'services.stop',
  method: 'POST',
  path: '/api/services/:agent/stop',
  summary: 'Stop selling an agent',
  description: 'Running requests finish or are refunded. The settings stay.',
  access: 'operator',
  keys: 'none',
  params: serviceParams,
  body: z.strictObject({}),
  success: { status: 200, body: okBody },
  errors: ['service_not_found'],
});

const purchase = z
  .object({
    answer: z.string().nullable().describe('The text that a customer gets. Null if the work failed.'),
    refusal: z
      .string()
      .nullable()
      .describe('The sentence that a customer reads instead. Null if the work was done.'),
    paidSats: sats.describe('The sats of the token that paid.'),
    backSats: sats
      .nullable()
      .describe(
        'The sats that came back as change or a refund, after the mint’s fee. Null if that isn’t known yet: the history of the wallet shows it.',
      ),
    operationId: z
      .string()
      .optional()
      .describe('The id of the send that paid. Absent with test money, which is made for the purchase.'),
  })
  .meta({ id: 'Purchase' });

/** The outcome of a purchase from an own service. */
export type Purchase = z.infer<typeof purchase>;

/** Buys from an own service. */
export const buyFromService = defineEndpoint({
  id: 'services.buy',
  method: 'POST',
  path: '/api/services/:agent/buy',
  summary: 'Buy from an agent that is for sale, as a customer does',
  description:
    'Asks the service for its price, pays it with sats of this wallet, and takes back the change. The response comes when the work is done, which can take minutes.',
  access: 'operator',
  keys: 'none',
  params: serviceParams,
  body: z.strictObject({
    prompt: z.string().min(1).max(10_000).describe('The request of the customer.'),
  }),
  success: { status: 200, body: purchase },
  errors: ['service_not_found', 'service_failed', 'insufficient_funds'],
});

/** Lists customers' paid requests. */
export const listSales = defineEndpoint({
  id: 'services.sales',
  method: 'GET',
  path: '/api/services/:agent/sales',
  summary: 'List the paid requests of customers, newest first',
  description:
    'Returns each paid request that has ended, and sums over all of them. dot-mi keeps them for good, without any text of a customer. For CSV, send `Accept: text/csv`.',
  access: 'operator',
  keys: 'none',
  params: serviceParams,
  query: z.strictObject(PAGE_FIELDS),
  success: {
    status: 200,
    body: z.object({
      sales: z.array(sale).describe('The paid requests, newest first.'),
      totals: saleTotals,
      nextCursor,
    }),
    headers: NEXT_CURSOR_HEADER,
    csv: {
      columns: [
        'at',
        'charge',
        'outcome',
        'charged_sats',
        'paid_sats',
        'cost_sats',
        'input_tokens',
        'output_tokens',
        'duration_ms',
        'status',
        'prepaid_balance',
        'message',
      ],
      rows: ({ sales }: Sales) =>
        sales.map((each) => [
          each.at,
          each.chargeId,
          each.outcome,
          each.charged,
          each.paid,
          each.costSats,
          each.inputTokens,
          each.outputTokens,
          each.durationMs,
          each.status,
          each.balanceId ?? null,
          each.message,
        ]),
    },
  },
  errors: ['service_not_found', 'wallet_locked'],
});

/** A page of paid requests. */
export interface Sales {
  sales: Sale[];
  totals: SaleTotals;
  nextCursor?: string | undefined;
}
