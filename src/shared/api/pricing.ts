import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { btcPriceUsd, etag, ok, priceSource } from './fields.ts';
import { etagHeaderSchema } from './names.ts';

const usd = z.number().nonnegative();
/** The fields of every response that names a BTC price. */
export const btcPrice = {
  btc_price_usd: btcPriceUsd,
  updated_at: z.iso.datetime().describe('When this BTC price was fetched, not the time of the request.'),
};
const CACHE_READ = 'For input that the provider has cached. Absent if the models file has no such price.';
const CACHE_WRITE =
  'For input that the provider caches in this call. Absent if the models file has no such price.';
/** Whether a BTC price is old. */
export const stale = z.boolean().describe('True when the price is older than three refresh intervals.');
/** The host behind a source. */
export const sourceHost = z
  .string()
  .optional()
  .describe('The host that responded, if BTC_PRICE_SOURCES names another address for this source.');

/** A model in a query. Missing or empty: `missing_model`. */
export const modelParam = z
  .string()
  .default('')
  .refine((name) => name !== '', {
    message: 'model is missing. Add ?model=<name>, with a name from GET /api/pricing/models.',
    params: { code: 'missing_model' },
  })
  .describe('The model, as a provider or pi names it.');

const tokenPrice = z
  .object({
    model: z.string().describe('The model, as a provider or pi names it.'),
    input_sats_per_token: z.number().nonnegative().describe('The price of one input token in sats.'),
    output_sats_per_token: z.number().nonnegative().describe('The price of one output token in sats.'),
    cache_read_sats_per_token: z.number().nonnegative().optional().describe(CACHE_READ),
    cache_write_sats_per_token: z.number().nonnegative().optional().describe(CACHE_WRITE),
    ...btcPrice,
    btc_price_source: priceSource,
    btc_price_source_host: sourceHost,
    stale,
  })
  .meta({ id: 'TokenPrice' });

/** The response of {@link getTokenPrice}. */
export type TokenPrice = z.infer<typeof tokenPrice>;

/** The current price of a model, in sats for one input and one output model token. */
export const getTokenPrice = defineEndpoint({
  id: 'pricing.tokens',
  method: 'GET',
  path: '/api/pricing/tokens',
  summary: "Get a model's price in sats per token",
  description:
    'sats_per_token = (usd_per_million / 1,000,000) / btc_price_usd * 100,000,000. The models file is read on every request.',
  access: 'api',
  keys: ['prices'],
  query: z.object({ model: modelParam }),
  success: { status: 200, body: tokenPrice },
  errors: ['missing_model', 'pricing_config_invalid', 'unknown_model', 'price_unavailable'],
});

const currentPrice = z
  .object({
    ...btcPrice,
    age_seconds: z.int().nonnegative().describe('How old the BTC price is.'),
    source: priceSource,
    source_host: sourceHost,
    stale,
  })
  .meta({ id: 'BtcPrice' });

/** The response of {@link getBtcPrice}. */
export type BtcPrice = z.infer<typeof currentPrice>;

/** The BTC price in use. */
export const getBtcPrice = defineEndpoint({
  id: 'pricing.btc',
  method: 'GET',
  path: '/api/pricing/btc',
  summary: 'Get the BTC price in USD',
  task: 'Get the BTC price',
  access: 'api',
  keys: ['prices'],
  success: { status: 200, body: currentPrice },
  errors: ['price_unavailable'],
});

/** The schema of {@link ModelPrice}. */
export const modelPrice = z
  .object({
    input_usd_per_million: usd.describe('The price of a million input tokens in US dollars.'),
    output_usd_per_million: usd.describe('The price of a million output tokens in US dollars.'),
    cache_read_usd_per_million: usd.optional().describe(CACHE_READ),
    cache_write_usd_per_million: usd.optional().describe(CACHE_WRITE),
  })
  .meta({ id: 'ModelPrice' });

/** The USD prices of a model, per million model tokens. */
export type ModelPrice = z.infer<typeof modelPrice>;

const modelPrices = z.record(z.string(), modelPrice).describe('The models by name, each with its prices.');

/** The response of {@link listModels}. */
export interface ModelPriceList {
  models: Record<string, ModelPrice>;
  configError?: string | undefined;
  etag: string | null;
}

const modelPriceList = z
  .object({
    models: modelPrices,
    configError: z
      .string()
      .optional()
      .describe('The problem in the file and its line. dot-mi uses the last good version until it is fixed.'),
    etag: z.string().nullable().describe('The etag of the file on disk. Null when the file does not exist.'),
  })
  .meta({ id: 'ModelPriceList' });

/** The models and their USD prices. */
export const listModels = defineEndpoint({
  id: 'pricing.models',
  method: 'GET',
  path: '/api/pricing/models',
  summary: 'List the models and their prices in USD',
  task: 'List priced models',
  access: 'api',
  keys: ['prices'],
  success: {
    status: 200,
    body: modelPriceList,
    headers: {
      ETag: {
        description: 'The `etag` of the body, for If-Match.',
        from: (body: { etag?: string | null }) => body.etag ?? undefined,
      },
    },
  },
  errors: ['pricing_config_invalid'],
});

/** Writes the models file. */
export const writeModels = defineEndpoint({
  id: 'pricing.write-models',
  method: 'PUT',
  path: '/api/pricing/models',
  summary: 'Write the models and their prices in USD',
  access: 'operator',
  keys: 'none',
  headers: z.object({
    'if-match': etagHeaderSchema.describe('Write only if the file still has one of these etags.'),
  }),
  body: z.strictObject({
    // The service checks it, because a zod record would drop a model named __proto__.
    models: z
      .unknown()
      .meta({
        override: {
          type: 'object',
          additionalProperties: { $ref: '#/components/schemas/ModelPrice' },
        },
      })
      .describe('The models by name, each with its prices.'),
  }),
  // The file may be 8 MiB.
  bodyLimitBytes: 13 * 1024 * 1024,
  success: {
    status: 200,
    body: z.object({ ok, etag }),
    headers: {
      ETag: { description: 'The etag of the written file.', from: (body: { etag: string }) => body.etag },
    },
  },
  errors: ['file_changed', 'not_a_file'],
});

const priceRefresh = z
  .object({
    success: z.literal(true).describe('True if it succeeded. A failure has an error status.'),
    ...btcPrice,
    source: priceSource,
    source_host: sourceHost,
  })
  .meta({ id: 'PriceRefresh' });

/** The response of {@link refreshPrice}. */
export type PriceRefresh = z.infer<typeof priceRefresh>;

/** Asks the sources for the BTC price now. */
export const refreshPrice = defineEndpoint({
  id: 'pricing.refresh',
  method: 'POST',
  path: '/api/pricing/refresh',
  summary: 'Fetch the BTC price now',
  access: 'api',
  keys: ['prices'],
  success: {
    status: 200,
    body: priceRefresh,
  },
  errors: ['refresh_failed'],
});

/** How far back the price history goes, in hours. */
const HISTORY_HOURS_MAX = 8 * 24;

const pricePoint = z.object({
  at: z.iso.datetime().describe('The time, in UTC.'),
  btc_price_usd: btcPriceUsd,
  source: priceSource,
  source_host: sourceHost,
});

/** One price of the price history. */
export type PricePoint = z.infer<typeof pricePoint>;

/** The BTC prices of the last hours, oldest first. */
export const listPriceHistory = defineEndpoint({
  id: 'pricing.history',
  method: 'GET',
  path: '/api/pricing/history',
  summary: 'List recent BTC prices, oldest first',
  access: 'api',
  keys: ['prices'],
  query: z.object({
    hours: z.coerce
      .number()
      .positive()
      .max(HISTORY_HOURS_MAX)
      .default(24)
      .describe('How many hours to look back.'),
  }),
  success: {
    status: 200,
    body: z.object({ points: z.array(pricePoint).describe('The points, oldest first.') }),
  },
  errors: [],
});

/** The public price lists that can be imported. */
export const PRICE_LISTS = ['models.dev', 'litellm', 'openrouter'] as const;

/** One of {@link PRICE_LISTS}. */
export type PriceList = (typeof PRICE_LISTS)[number];

const priceChange = z.object({
  name: z.string().describe('The name of the model.'),
  before: modelPrice.nullable().describe('The value until now. Null if there is none.'),
  after: modelPrice,
});

/** A model that an import would add or change. */
export type PriceChange = z.infer<typeof priceChange>;

/** Shows what an import would change. {@link writeModels} writes it. */
export const previewImport = defineEndpoint({
  id: 'pricing.preview-import',
  method: 'POST',
  path: '/api/pricing/import',
  summary: 'Show what importing a price list would change',
  description:
    'Writes nothing. To save prices, send them with PUT /api/pricing/models. `source` names a public list to fetch, and `content` is the text of one.',
  access: 'operator',
  keys: 'none',
  body: z
    .strictObject({
      source: z.enum(PRICE_LISTS).optional().describe('The public price list to fetch.'),
      content: z.string().optional().describe('The text of a price list.'),
    })
    .refine(({ source, content }) => (source === undefined) !== (content === undefined), {
      message: 'Send either source or content, not both.',
    }),
  bodyLimitBytes: 13 * 1024 * 1024,
  success: {
    status: 200,
    body: z.object({
      format: z.string().describe('The detected format of the list.'),
      changes: z.array(priceChange).describe('The differences, by model.'),
      unchanged: z.int().describe('How many models have the same prices.'),
      skipped: z.int().describe('The number of entries without usable prices.'),
    }),
  },
  errors: ['price_list_unavailable', 'price_list_invalid'],
});

/** The response of {@link previewImport}. */
export type ImportPreview = z.infer<typeof previewImport.success.body>;

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
      .describe('The cost in whole sats, rounded up. Charge at least this much.'),
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

/** The response of {@link quoteTokens}. */
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
