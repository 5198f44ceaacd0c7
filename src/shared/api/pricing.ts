import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { btcPriceUsd, etag, ok, priceSource } from './fields.ts';
import { etagHeaderSchema } from './names.ts';

const usd = z.number().nonnegative();
/** The fields of every response that names a BTC price. */
export const btcPrice = {
  btc_price_usd: btcPriceUsd,
  updated_at: z.iso
    .datetime()
    .describe('The time of the BTC price: its source’s own, or when dot-mi fetched it.'),
};
const CACHE_READ =
  'The price of input that the provider reads from its cache. Absent if the models file has none.';
const CACHE_WRITE = 'The price of input that the provider caches. Absent if the models file has none.';
const inputTokensAbove = z
  .int()
  .nonnegative()
  .describe(
    'These prices apply to an entire request with more input tokens than this, including cached ones.',
  );
const REQUEST_FEE = 'The provider’s fee for each request. Absent if there is none.';
const TIERS = 'Other prices for long requests. Absent if there are none.';

/** True if the BTC price is stale. */
export const stale = z.boolean().describe('True if the BTC price is older than three refresh intervals.');
/** The host that a price came from. */
const sourceHost = z
  .string()
  .optional()
  .describe('The host of the source, if BTC_PRICE_SOURCES sets another address for it. Otherwise absent.');

/** The model in a query. If it's missing or empty, the error is `missing_model`. */
const modelParam = z
  .string()
  .default('')
  .refine((name) => name !== '', {
    message: 'model is missing. Add ?model=<name>, with a name from GET /api/pricing/models.',
    params: { code: 'missing_model' },
  })
  .describe('The name of the model, as used by a provider or pi.');

const tokenPrice = z
  .object({
    model: z.string().describe('The name of the model, as used by a provider or pi.'),
    input_sats_per_token: z.number().nonnegative().describe('The price of one input token, in sats.'),
    output_sats_per_token: z.number().nonnegative().describe('The price of one output token, in sats.'),
    cache_read_sats_per_token: z.number().nonnegative().optional().describe(CACHE_READ),
    cache_write_sats_per_token: z.number().nonnegative().optional().describe(CACHE_WRITE),
    request_sats: z.number().nonnegative().optional().describe(`${REQUEST_FEE} In sats.`),
    tiers: z
      .array(
        z.object({
          input_tokens_above: inputTokensAbove,
          input_sats_per_token: z.number().nonnegative().describe('The price of one input token, in sats.'),
          output_sats_per_token: z.number().nonnegative().describe('The price of one output token, in sats.'),
          cache_read_sats_per_token: z.number().nonnegative().optional().describe(CACHE_READ),
          cache_write_sats_per_token: z.number().nonnegative().optional().describe(CACHE_WRITE),
        }),
      )
      .optional()
      .describe(TIERS),
    ...btcPrice,
    btc_price_source: priceSource,
    btc_price_source_host: sourceHost,
    stale,
  })
  .meta({ id: 'TokenPrice' });

/** The response of {@link getTokenPrice}. */
export type TokenPrice = z.infer<typeof tokenPrice>;

/** Returns the current price of a model, in sats for one input and one output model token. */
export const getTokenPrice = defineEndpoint({
  id: 'pricing.tokens',
  method: 'GET',
  path: '/api/pricing/tokens',
  summary: 'Get a model’s price in sats per model token',
  description:
    'Calculates sats_per_token = (usd_per_million / 1,000,000) / btc_price_usd * 100,000,000. Reads the models file on every request.',
  access: 'api',
  keys: ['prices'],
  query: z.object({ model: modelParam }),
  success: { status: 200, body: tokenPrice },
  errors: ['missing_model', 'pricing_config_invalid', 'unknown_model', 'price_unavailable'],
});

const currentPrice = z
  .object({
    ...btcPrice,
    age_seconds: z.int().nonnegative().describe('The age of the BTC price, in seconds.'),
    source: priceSource,
    source_host: sourceHost,
    stale,
  })
  .meta({ id: 'BtcPrice' });

/** The response of {@link getBtcPrice}. */
export type BtcPrice = z.infer<typeof currentPrice>;

/** Returns the BTC price in use. */
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

const TOKEN_PRICES = {
  input_usd_per_million: usd.describe('The price of a million input tokens, in US dollars.'),
  output_usd_per_million: usd.describe('The price of a million output tokens, in US dollars.'),
  cache_read_usd_per_million: usd.optional().describe(CACHE_READ),
  cache_write_usd_per_million: usd.optional().describe(CACHE_WRITE),
};
export const modelPrice = z
  .object({
    ...TOKEN_PRICES,
    request_usd: usd.optional().describe(`${REQUEST_FEE} In US dollars.`),
    tiers: z
      .array(z.object({ input_tokens_above: inputTokensAbove, ...TOKEN_PRICES }))
      .optional()
      .describe(TIERS),
  })
  .meta({ id: 'ModelPrice' });

/** The USD prices of a model, per million model tokens. */
export type ModelPrice = z.infer<typeof modelPrice>;

const modelPrices = z.record(z.string(), modelPrice).describe('The models, each with its prices, by name.');

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
      .describe(
        'The error in the models file, with its line. Until you fix it, dot-mi uses the last good version. Absent if the file is valid.',
      ),
    etag: z.string().nullable().describe('The etag of the models file. Null if the file doesn’t exist.'),
  })
  .meta({ id: 'ModelPriceList' });

/** Lists the models and their USD prices. */
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
        description: 'The `etag` in the body, for If-Match. Absent if the file doesn’t exist.',
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
    // The service validates the models, because a zod record drops a model named __proto__.
    models: z
      .unknown()
      .meta({
        override: {
          type: 'object',
          additionalProperties: { $ref: '#/components/schemas/ModelPrice' },
        },
      })
      .describe('The models, each with its prices, by name.'),
  }),
  // The models file can be 8 MiB.
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
    success: z.literal(true).describe('Always true. Failures have an error status.'),
    ...btcPrice,
    source: priceSource,
    source_host: sourceHost,
  })
  .meta({ id: 'PriceRefresh' });

/** The response of {@link refreshPrice}. */
export type PriceRefresh = z.infer<typeof priceRefresh>;

/** Fetches the BTC price now. */
export const refreshPrice = defineEndpoint({
  id: 'pricing.refresh',
  method: 'POST',
  path: '/api/pricing/refresh',
  summary: 'Fetch the BTC price now',
  description:
    'dot-mi asks its sources at most every 5 s. Until then, the response is the same as that of the last refresh.',
  access: 'api',
  keys: ['prices'],
  success: {
    status: 200,
    body: priceRefresh,
  },
  errors: ['refresh_failed'],
});

/** The longest price history, in hours. */
const HISTORY_HOURS_MAX = 8 * 24;

const pricePoint = z.object({
  at: z.iso.datetime().describe('The time of this price, in UTC.'),
  btc_price_usd: btcPriceUsd,
  source: priceSource,
  source_host: sourceHost,
});

/** One price of the price history. */
export type PricePoint = z.infer<typeof pricePoint>;

/** Lists the BTC prices of recent hours, oldest first. */
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
      .describe('The length of the history, in hours.'),
  }),
  success: {
    status: 200,
    body: z.object({ points: z.array(pricePoint).describe('The prices, oldest first.') }),
  },
  errors: [],
});

/** The public price lists that can be imported. */
export const PRICE_LISTS = ['models.dev', 'litellm', 'openrouter'] as const;

export type PriceList = (typeof PRICE_LISTS)[number];

const priceChange = z.object({
  name: z.string().describe('The name of the model.'),
  before: modelPrice.nullable().describe('The current prices. Null if the model is new.'),
  after: modelPrice,
});

/** A model that an import would add or change. */
export type PriceChange = z.infer<typeof priceChange>;

const refusedPrice = z.object({
  name: z.string().describe('The name of the model.'),
  fields: z.array(z.string()).describe('The cost fields that dot-mi doesn’t understand.'),
});

/** A model in a price list with costs that dot-mi can't calculate. */
export type RefusedPrice = z.infer<typeof refusedPrice>;

/** Shows what an import would change. {@link writeModels} writes it. */
export const previewImport = defineEndpoint({
  id: 'pricing.preview-import',
  method: 'POST',
  path: '/api/pricing/import',
  summary: 'Show what importing a price list would change',
  description:
    'Send either `source` or `content`. This request saves nothing. To save prices, use PUT /api/pricing/models.',
  access: 'operator',
  keys: 'none',
  body: z
    .strictObject({
      source: z.enum(PRICE_LISTS).optional().describe('The public price list to fetch.'),
      content: z.string().optional().describe('The text of a price list.'),
    })
    .refine(({ source, content }) => (source === undefined) !== (content === undefined), {
      message: 'Send either source or content.',
    }),
  bodyLimitBytes: 13 * 1024 * 1024,
  success: {
    status: 200,
    body: z.object({
      format: z.string().describe('The detected format of the price list.'),
      changes: z.array(priceChange).describe('The models to add or change.'),
      unchanged: z.int().describe('The number of models whose prices are the same.'),
      skipped: z.int().describe('The number of models without usable prices.'),
      refused: z
        .array(refusedPrice)
        .optional()
        .describe(
          'The models that dot-mi can’t import, because some of their costs would be lost. Absent if there are none.',
        ),
    }),
  },
  errors: ['price_list_unavailable', 'price_list_invalid'],
});

export type ImportPreview = z.infer<typeof previewImport.success.body>;

const quotedCount = z.coerce.number().int().min(0).max(1_000_000_000).default(0);
const quotedTokens = {
  inputTokens: quotedCount.describe('Input tokens that the provider hasn’t cached.'),
  outputTokens: quotedCount.describe('Output tokens, including reasoning.'),
  cacheReadTokens: quotedCount.describe('Input tokens that the provider reads from its cache.'),
  cacheWriteTokens: quotedCount.describe('Input tokens that the provider caches.'),
};
const tokenKinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/** The number of model tokens of each kind. */
export type QuotedTokens = Readonly<Record<(typeof tokenKinds)[number], number>>;

const count = z.int().nonnegative();
const tokenQuote = z
  .object({
    model: z.string().describe('The model in the request.'),
    priced_as: z.string().describe('The model in the models file whose prices the quote uses.'),
    tokens: z
      .object({
        inputTokens: count.describe('Input tokens that the provider hasn’t cached.'),
        outputTokens: count.describe('Output tokens, including reasoning.'),
        cacheReadTokens: count.describe('Input tokens that the provider reads from its cache.'),
        cacheWriteTokens: count.describe('Input tokens that the provider caches.'),
      })
      .describe('The model tokens in the request, by kind.'),
    sats: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The cost in sats, not rounded. Null if any of these kinds of token has no price.'),
    // Not an int, because an absurdly high cost can exceed JSON's exact integers.
    sats_rounded_up: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The cost in sats, rounded up. Charge at least this. Null if `sats` is null.'),
    usd: z.number().nonnegative().nullable().describe('The cost in US dollars. Null if `sats` is null.'),
    unpriced: z
      .array(z.enum(tokenKinds))
      .optional()
      .describe('The kinds of tokens without a price. The amounts are then null. Absent if all have one.'),
    prices: modelPrice,
    ...btcPrice,
    btc_price_source: priceSource,
    btc_price_source_host: sourceHost,
    age_seconds: count.describe('The age of the BTC price, in seconds.'),
    stale,
  })
  .meta({ id: 'TokenQuote' });

/** The response of {@link quoteTokens}. */
export type TokenQuote = z.infer<typeof tokenQuote>;

/** Calculates a price for model tokens, in sats. */
export const quoteTokens = defineEndpoint({
  id: 'pricing.quote',
  method: 'GET',
  path: '/api/pricing/quote',
  summary: 'Calculate the price in sats of a number of model tokens',
  description:
    'Calculates tokens × price ÷ BTC price for one request, adds up exactly, and rounds up once. Use a model from GET /api/pricing/models, with or without its provider, such as `openai/gpt-5`. ' +
    'dot-mi never guesses a price.',
  task: 'Price model tokens in sats',
  access: 'api',
  keys: ['prices'],
  query: z
    .strictObject({
      model: modelParam,
      ...quotedTokens,
    })
    .refine((query) => tokenKinds.some((kind) => query[kind] > 0), {
      message: 'Send the number of tokens, such as inputTokens=1000&outputTokens=500.',
    }),
  success: { status: 200, body: tokenQuote },
  errors: ['missing_model', 'pricing_config_invalid', 'unknown_model', 'price_unavailable'],
});
