import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { btcPriceUsd, priceSource } from './fields.ts';

// Here, because the first view needs this file and not the prompt's.
/** The schema of the tokenizer that counted a prompt. */
export const tokenizerSchema = z
  .object({
    name: z.string().describe('The name of the tokenizer.'),
    approximate: z.boolean().describe("True unless the agent's model is known to use this tokenizer."),
  })
  .meta({ id: 'Tokenizer' });

/** The schema of the files that a predicted prompt lacks. */
export const unreadableFilesSchema = z
  .array(z.string())
  .describe(
    'The files that dot-mi could not read, each with the reason, such as "SYSTEM.md is larger than 2 MiB". No count includes them.',
  );

const amount = z
  .object({
    usd: z.number().nonnegative().describe('US dollars.'),
    sats: z.number().nonnegative().nullable().describe('Null while there is no BTC price. Not rounded.'),
  })
  .meta({ id: 'CostAmount' });

/** An amount in USD and in sats. */
export type CostAmount = z.infer<typeof amount>;

const modelCost = z
  .object({
    model: z.string().describe('The name in the models file.'),
    prompt: amount.describe('The prompt alone, as input.'),
    promptCached: amount
      .nullable()
      .describe('The prompt alone, read from the cache. Null without a cache price.'),
    outputPerThousand: amount.describe('1,000 output tokens.'),
    call: amount.describe('The prompt and `outputTokens`.'),
  })
  .meta({ id: 'ModelCost' });

/** The cost of a call with one model. */
export type ModelCost = z.infer<typeof modelCost>;

/** The files that can name an agent's model. */
const MODEL_SOURCES = ['pi-args', 'AGENT.md', 'settings.json', 'request'] as const;

const agentCost = z
  .object({
    promptTokens: z.int().nonnegative().describe('The tokens of the predicted prompt.'),
    complete: z.boolean().describe('False if the predicted prompt lacks something that pi would send.'),
    unreadable: unreadableFilesSchema,
    tokenizer: tokenizerSchema,
    outputTokens: z.int().nonnegative().describe('Model tokens of the output.'),
    model: z
      .object({
        name: z.string().describe('The name of the model.'),
        source: z.enum(MODEL_SOURCES).describe('The file that names the model, or the request.'),
        priced: z.boolean().describe('False if the models file has no price for it.'),
      })
      .nullable()
      .describe(
        'The model of the request, or the one that the agent starts with. Null if no file names one.',
      ),
    cost: modelCost.nullable().describe('The cost with that model. Null without a price.'),
    models: z.array(modelCost).describe('The cost with every model in the models file, in its order.'),
    btc: z
      .object({
        btc_price_usd: btcPriceUsd,
        source: priceSource,
        source_host: z.string().optional().describe('As in GET /api/pricing/btc.'),
        updated_at: z.iso
          .datetime()
          .describe('When dot-mi fetched the BTC price. It is not the time of the request.'),
        stale: z.boolean().describe('True if the price is older than three refresh intervals.'),
      })
      .nullable()
      .describe('The BTC price used. Null if there has never been one.'),
  })
  .meta({ id: 'AgentCost' });

/** The response of {@link getCost}. */
export type AgentCost = z.infer<typeof agentCost>;

/** The cost of one call with an agent's prompt. */
export const getCost = defineEndpoint({
  id: 'cost.get',
  method: 'GET',
  path: '/api/agents/:id/cost',
  summary: "Estimate what one call with an agent's prompt costs",
  description:
    'cost = tokens × price ÷ BTC price. Counts the predicted prompt (`GET /api/agents/:id/prompt`) and `outputTokens`. Messages, tool definitions and tool results cost extra. ' +
    'A model without a price has no cost, and nothing is guessed.',
  task: 'Estimate what a call costs (outputTokens: 0 unless sent)',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  query: z.strictObject({
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("A model to use in place of the agent's own, with or without its provider."),
    outputTokens: z.coerce
      .number()
      .int()
      .min(0)
      .max(10_000_000)
      .default(0)
      .describe('The output tokens that you expect. Without it, a call is the prompt alone.'),
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
