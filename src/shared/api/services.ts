import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId, createdAt, okBody } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { LABEL_MAX, sats } from './wallet/fields.ts';

/**
 * The states of a service.
 *
 * - `starting`: its process has started and doesn't respond yet.
 * - `running`: customers can buy.
 * - `stopped`: it is switched off, and keeps its settings.
 * - `failed`: its process ended on its own. `problem` says why.
 */
export const SERVICE_STATES = ['starting', 'running', 'stopped', 'failed'] as const;

/** The port that a service gets by default. The next one gets the next free port. */
export const SERVICE_PORT = 8402;

const SETTINGS = {
  port: z
    .int()
    .min(1024)
    .max(65_535)
    .optional()
    .describe(`The port on 127.0.0.1. Default: the first free one from ${SERVICE_PORT}.`),
  priceSats: z
    .int()
    .positive()
    .max(1_000_000)
    .optional()
    .describe(
      "A flat price for a request, in sat. Without it, the price is made of the model's cost and the margin.",
    ),
  marginPercent: z
    .int()
    .min(0)
    .max(10_000)
    .default(30)
    .describe("The customer pays this much above the model's cost, in percent. A flat price ignores it."),
  maxOutputTokens: z
    .int()
    .positive()
    .max(1_000_000)
    .default(2_000)
    .describe('The most output tokens of an answer that a customer can ask and pay for.'),
  parallel: z.int().min(1).max(32).default(2).describe('How many requests the agent handles at once.'),
  timeoutSeconds: z
    .int()
    .min(10)
    .max(3_600)
    .default(300)
    .describe('How long the agent may take for a request, in seconds.'),
  description: z
    .string()
    .trim()
    .min(1)
    .max(LABEL_MAX)
    .optional()
    .describe('A sentence for customers. Default: the id of the agent.'),
  startsWithApp: z.boolean().default(false).describe('True if it starts whenever dot-mi starts.'),
};

const newService = z.strictObject({
  agent: agentIdSchema,
  ...SETTINGS,
  acceptTools: z
    .boolean()
    .default(false)
    .describe('True if you accept what a stranger could do with the tools of this agent.'),
});

/** What is sold, and how. */
export type NewService = z.infer<typeof newService>;

const estimate = z
  .object({
    model: z.string().nullable().describe('The model that the agent starts with. Null if no file names one.'),
    promptTokens: z.int().nonnegative().describe("The tokens of the agent's own prompt."),
    sats: sats.describe('A customer pays this in advance for a prompt of 500 characters.'),
    usualSats: sats.describe('The cost of an answer of 300 output tokens, after the change.'),
    highestSats: sats.describe('A customer pays this in advance for the longest prompt.'),
    tools: z
      .array(z.string())
      .describe('The tools that a stranger could use through this agent. Empty if it has none.'),
  })
  .meta({ id: 'ServiceEstimate' });

/** What a customer of a service pays. */
export type ServiceEstimate = z.infer<typeof estimate>;

const service = z
  .object({
    agent: agentId,
    state: z.enum(SERVICE_STATES).describe('The state: starting, running, stopped or failed.'),
    problem: z.string().optional().describe('The reason for which it failed.'),
    url: z.string().describe('The address for customers on this computer.'),
    port: z.int().describe('The port on 127.0.0.1.'),
    priceSats: z.int().nullable().describe('The flat price. Null if the price depends on the model.'),
    marginPercent: z.int().describe("The margin above the model's cost, in percent."),
    maxOutputTokens: z.int().describe('The most output tokens of an answer.'),
    parallel: z.int().describe('How many requests it handles at once.'),
    timeoutSeconds: z.int().describe('How long the agent may take for a request, in seconds.'),
    description: z.string().nullable().describe('A sentence for customers.'),
    startsWithApp: z.boolean().describe('True if it starts whenever dot-mi starts.'),
    acceptTools: z
      .boolean()
      .describe('True if the operator accepts what a stranger could do with its tools.'),
    createdAt,
  })
  .meta({ id: 'Service' });

/** An agent that is for sale. */
export type Service = z.infer<typeof service>;

const sale = z
  .object({
    at: z.iso.datetime().describe('When it ended.'),
    outcome: z
      .enum(['sold', 'refunded'])
      .describe('sold: the work was done. refunded: it failed, and the customer got everything back.'),
    chargeId: z.string().describe('The charge that was paid.'),
    charged: sats.nullable().describe('The cost to the customer. Null while it is not settled.'),
    inputTokens: z.int().describe('The input tokens that the model used, cached ones included.'),
    outputTokens: z.int().describe('The output tokens that the model used.'),
    durationMs: z.int().describe('How long it took, in milliseconds.'),
    status: z.int().describe('The HTTP status that the customer got.'),
    message: z
      .string()
      .nullable()
      .describe('The sentence that the customer got in place of work. Null for a sale.'),
    detail: z.string().nullable().describe('More about a failure, for the operator alone.'),
  })
  .meta({ id: 'Sale' });

/** A paid request of a customer. */
export type Sale = z.infer<typeof sale>;

/** The most sales that a service remembers. The charges have all that were paid. */
export const SALES_KEPT = 200;

const serviceParams = z.strictObject({ agent: agentIdSchema });

const START_ERRORS = [
  'agent_not_found',
  'root_unavailable',
  'root_not_trusted',
  'wallet_locked',
  'dev_mode',
  'port_in_use',
  'tools_not_accepted',
  'agent_not_priced',
  'pricing_config_invalid',
  'price_unavailable',
  'too_many_keys',
  'service_failed',
] as const;

/** The agents that are for sale. */
export const listServices = defineEndpoint({
  id: 'services.list',
  method: 'GET',
  path: '/api/services',
  summary: 'List the agents that are for sale',
  access: 'operator',
  keys: 'none',
  success: {
    status: 200,
    body: z.object({ services: z.array(service).describe('Sorted by agent.') }),
  },
  errors: [],
});

/** The response of {@link listServices}. */
export type Services = z.infer<typeof listServices.success.body>;

/** Says what a customer of a service would pay. */
export const previewService = defineEndpoint({
  id: 'services.preview',
  method: 'POST',
  path: '/api/services/preview',
  summary: 'See what a customer would pay for an agent',
  description: 'Starts nothing. The price is made of the prompt of the agent, its model, and the margin.',
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

/** Puts an agent up for sale. */
export const startService = defineEndpoint({
  id: 'services.start',
  method: 'POST',
  path: '/api/services',
  summary: 'Sell an agent',
  description:
    'Starts a process that sells the work of the agent at an address of its own, with an agent key of its own. The settings of a service that exists are replaced. ' +
    'A stranger writes the prompts, so an agent with tools needs `acceptTools`.',
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
  description: 'Requests in progress are finished or refunded. The settings stay.',
  access: 'operator',
  keys: 'none',
  params: serviceParams,
  body: z.strictObject({}),
  success: { status: 200, body: okBody },
  errors: ['service_not_found'],
});

/** The last requests of customers. */
export const listSales = defineEndpoint({
  id: 'services.sales',
  method: 'GET',
  path: '/api/services/:agent/sales',
  summary: 'List the last paid requests of customers',
  description: `The last ${SALES_KEPT} since the service started. The charges have all that were paid.`,
  access: 'operator',
  keys: 'none',
  params: serviceParams,
  success: {
    status: 200,
    body: z.object({ sales: z.array(sale).describe('Newest first.') }),
  },
  errors: ['service_not_found'],
});

/** The response of {@link listSales}. */
export type Sales = z.infer<typeof listSales.success.body>;
