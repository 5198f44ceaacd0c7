import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { btcPriceUsd, priceSource } from './fields.ts';

// These schemas are here so that the first view doesn't load prompt.ts.
/** The tokenizer that counted a prompt. */
export const tokenizerSchema = z
  .object({
    name: z.string().describe('The name of the tokenizer.'),
    approximate: z.boolean().describe('False if the agent’s model is known to use this tokenizer.'),
  })
  .meta({ id: 'Tokenizer' });

/** The files missing from a predicted prompt. */
export const unreadableFilesSchema = z
  .array(z.string())
  .describe(
    'The files that dot-mi couldn’t read, each with the reason, such as "SYSTEM.md is not a regular file". The numbers in this response leave them out.',
  );

const amount = z
  .object({
    usd: z.number().nonnegative().describe('The amount in US dollars.'),
    sats: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The amount in sats, not rounded. Null while there is no BTC price.'),
  })
  .meta({ id: 'CostAmount' });

/** An amount in USD and in sats. */
export type CostAmount = z.infer<typeof amount>;

const modelCost = z
  .object({
    model: z.string().describe('The name of the model where its price is.'),
    pricedIn: z
      .enum(['models_file', 'models_json'])
      .describe(
        'The file that has the price. `models_file` is dot-mi’s models file, which applies to all agents. `models_json` is the agent’s own models.json, which applies only to this agent.',
      ),
    prompt: amount.describe('The cost of the prompt alone, as input.'),
    promptCached: amount
      .nullable()
      .describe('The cost of the prompt alone, read from the cache. Null if the model has no cache price.'),
    outputPerThousand: amount.describe('The cost of 1,000 output tokens.'),
    call: amount.describe(
      'The cost of the prompt and `outputTokens`, with the provider’s fee for a request.',
    ),
  })
  .meta({ id: 'ModelCost' });

/** A call's cost with one model. */
export type ModelCost = z.infer<typeof modelCost>;

/** The places that can name an agent's model. */
const MODEL_SOURCES = ['pi-args', 'AGENT.md', 'settings.json', 'request'] as const;

const agentCost = z
  .object({
    promptTokens: z.int().nonnegative().describe('The model tokens of the predicted prompt.'),
    complete: z.boolean().describe('False if the predicted prompt lacks something that pi would send.'),
    unreadable: unreadableFilesSchema,
    tokenizer: tokenizerSchema,
    outputTokens: z.int().nonnegative().describe('The output tokens in the request.'),
    model: z
      .object({
        name: z.string().describe('The name of the model.'),
        source: z
          .enum(MODEL_SOURCES)
          .describe('The source of the model: the file that names it, or the request.'),
        priced: z
          .boolean()
          .describe(
            'False if neither the models file nor the agent’s models.json has a price for the model.',
          ),
        coveredBySubscription: z
          .boolean()
          .describe(
            'True if the agent is signed in to the model’s provider with a subscription. Its calls then aren’t billed.',
          ),
      })
      .nullable()
      .describe(
        'The model in the request, or else the one that the agent starts with. Null if there is none.',
      ),
    cost: modelCost.nullable().describe('The cost with that model. Null if it has no price.'),
    models: z
      .array(modelCost)
      .describe(
        'The cost with each model in the models file, in the order of the file. For the operator, the models with a price only in the agent’s models.json follow. For others, only the agent’s own model does.',
      ),
    btc: z
      .object({
        btc_price_usd: btcPriceUsd,
        source: priceSource,
        source_host: z.string().optional().describe('The host of the source, as in GET /api/pricing/btc.'),
        updated_at: z.iso
          .datetime()
          .describe('The time of the BTC price: its source’s own, or when dot-mi fetched it.'),
        stale: z.boolean().describe('True if the BTC price is older than three refresh intervals.'),
      })
      .nullable()
      .describe('The BTC price used. Null if dot-mi never had one.'),
  })
  .meta({ id: 'AgentCost' });

/** The response of {@link getCost}. */
export type AgentCost = z.infer<typeof agentCost>;

/** Estimates what one call with an agent's prompt costs. */
export const getCost = defineEndpoint({
  id: 'cost.get',
  method: 'GET',
  path: '/api/agents/:id/cost',
  summary: 'Estimate the cost of one call with an agent’s prompt',
  description:
    'Calculates tokens × price ÷ BTC price. Counts the predicted prompt (`GET /api/agents/:id/prompt`) and `outputTokens`. Messages, tool definitions and tool results cost extra. ' +
    'A price in the models file counts. Without one, the `cost` in the agent’s models.json does. dot-mi never guesses a price, so a model without one has no cost.',
  task: 'Estimate the cost of a call (outputTokens: 0 by default)',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  query: z.strictObject({
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The model, with or without its provider. Default: the agent’s own model.'),
    outputTokens: z.coerce
      .number()
      .int()
      .min(0)
      .max(10_000_000)
      .default(0)
      .describe('The number of output tokens that you expect.'),
  }),
  success: { status: 200, body: agentCost },
  errors: [
    'invalid_agent_id',
    'agent_not_found',
    'unknown_model',
    'pricing_config_invalid',
    'root_unavailable',
  ],
});
