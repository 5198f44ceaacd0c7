import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { priceSource } from './fields.ts';
import { btcPrice, modelParam, modelPrice, sourceHost, stale } from './pricing.ts';

const quotedCount = z.coerce.number().int().min(0).max(1_000_000_000).default(0);
const quotedTokens = {
  inputTokens: quotedCount.describe('Input that the provider has not cached.'),
  outputTokens: quotedCount.describe('Output, including reasoning.'),
  cacheReadTokens: quotedCount.describe('Input that the provider reads from its cache.'),
  cacheWriteTokens: quotedCount.describe('Input that the provider caches in this call.'),
};
const tokenKinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/** How many model tokens of each kind to quote. */
export type QuotedTokens = Readonly<Record<(typeof tokenKinds)[number], number>>;

const count = z.int().nonnegative();
const tokenQuote = z
  .object({
    model: z.string().describe('As in the request.'),
    priced_as: z.string().describe('The name in the models file whose prices were used.'),
    tokens: z
      .object({
        inputTokens: count.describe('Model tokens of the input.'),
        outputTokens: count.describe('Model tokens of the output.'),
        cacheReadTokens: count.describe('Model tokens read from the cache of the provider.'),
        cacheWriteTokens: count.describe('Model tokens written to the cache of the provider.'),
      })
      .describe('The model tokens of the request, by kind.'),
    sats: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The cost in sats, not rounded. Null if one of these kinds of tokens has no price.'),
    // Not an int: what nobody can pay may be more than a JSON number holds exactly.
    sats_rounded_up: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The cost in whole sats, which is the least to ask for.'),
    usd: z.number().nonnegative().nullable().describe('US dollars.'),
    unpriced: z
      .array(z.enum(tokenKinds))
      .optional()
      .describe('The kinds of tokens without a price, if there are any. The amounts are then null.'),
    prices: modelPrice,
    ...btcPrice,
    btc_price_source: priceSource,
    btc_price_source_host: sourceHost,
    age_seconds: count.describe('How old the BTC price is.'),
    stale,
  })
  .meta({ id: 'TokenQuote' });

/** The answer of {@link quoteTokens}. */
export type TokenQuote = z.infer<typeof tokenQuote>;

/** What a number of model tokens costs in sats. */
export const quoteTokens = defineEndpoint({
  id: 'pricing.quote',
  method: 'GET',
  path: '/api/pricing/quote',
  summary: 'Quote what a number of model tokens costs in sats',
  description:
    'cost = tokens × price ÷ BTC price, added up exactly and rounded up once. Takes the names of GET /api/pricing/models, with or without a provider before them, such as `openai/gpt-5`. ' +
    'Tokens without a price have no cost, and nothing is guessed.',
  task: 'Quote a price in sats',
  access: 'api',
  keys: ['prices'],
  query: z
    .strictObject({
      model: modelParam,
      ...quotedTokens,
    })
    .refine((query) => tokenKinds.some((kind) => query[kind] > 0), {
      message: 'Say how many tokens to quote, such as inputTokens=1000&outputTokens=500.',
    }),
  success: { status: 200, body: tokenQuote },
  errors: ['missing_model', 'pricing_config_invalid', 'unknown_model', 'price_unavailable'],
});
