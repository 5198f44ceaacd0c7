import type { PriceList } from '../../shared/api/pricing.ts';
import { AppError } from '../platform/app-error.ts';
import { checkRows, isPrice, type Models, withoutBom } from './parse-models.ts';

interface ReadPriceList {
  /** The detected format: the name of a public list, or `models` for our own models file. */
  format: PriceList | 'models';
  models: Models;
  /** The number of entries without usable prices. */
  skipped: number;
}

/** The addresses of the public price lists. */
export const PRICE_LIST_URLS: Readonly<Record<PriceList, string>> = {
  'models.dev': 'https://models.dev/api.json',
  litellm: 'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
  openrouter: 'https://openrouter.ai/api/v1/models',
};

/** A list's prices for a model, in USD per million. */
type Row = [name: string, input: unknown, output: unknown, cacheRead?: unknown, cacheWrite?: unknown];
type Json = Record<string, unknown>;

const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const TOKENS = 1_000_000;

/**
 * Converts USD per model token to USD per million. Rounds to 12 digits, because 0.0000025 × 1e6 is 2.4999999999999996
 * in binary.
 */
const perMillion = (perToken: unknown): unknown =>
  typeof perToken === 'number' ? Number((perToken * TOKENS).toPrecision(12)) : undefined;

/** Providers on models.dev that make the models they sell. */
const MAKERS: readonly string[] = [
  'anthropic',
  'openai',
  'google',
  'mistral',
  'deepseek',
  'xai',
  'cohere',
  'moonshotai',
  'zai',
  'minimax',
  'alibaba',
  'llama',
  'xiaomi',
];

/** Ranks a model's prices: the maker's first, then any that aren't free. Subscriptions list prices as free. */
const rankOf = (provider: string, [, input, output]: Row): number => {
  if (typeof input !== 'number' || typeof output !== 'number') return 3;
  if (MAKERS.includes(provider)) return 0;
  return input + output > 0 ? 1 : 2;
};

/**
 * Reads `{ provider: { models: { id: { cost: { input, output, cache_read?, cache_write? } } } } }`, USD per million,
 * in any order.
 */
const readModelsDev = (list: Json): Row[] =>
  Object.entries(list)
    .flatMap(([provider, about]) =>
      Object.entries(asObject(asObject(about).models)).map(([id, model]) => {
        const { input, output, cache_read, cache_write } = asObject(asObject(model).cost);
        const row: Row = [id, input, output, cache_read, cache_write];
        return { row, rank: rankOf(provider, row) };
      }),
    )
    .sort((a, b) => a.rank - b.rank)
    .map(({ row }) => row);

/**
 * Reads `{ model: { input_cost_per_token, output_cost_per_token, cache_read_input_token_cost?,
 * cache_creation_input_token_cost? } }`, USD per token.
 */
const readLitellm = (list: Json): Row[] =>
  Object.entries(list)
    .filter(([name]) => name !== 'sample_spec')
    .map(([name, model]) => {
      const prices = asObject(model);
      return [
        name,
        perMillion(prices.input_cost_per_token),
        perMillion(prices.output_cost_per_token),
        perMillion(prices.cache_read_input_token_cost),
        perMillion(prices.cache_creation_input_token_cost),
      ];
    });

const decimal = (text: unknown): unknown =>
  typeof text === 'string' && /^\d{1,9}(\.\d{1,18})?$/.test(text) ? Number(text) : undefined;

/**
 * Reads `{ data: [{ id, pricing: { prompt, completion, input_cache_read?, input_cache_write? } }] }`, decimal strings
 * of USD per token.
 */
const readOpenrouter = (list: Json): Row[] =>
  (Array.isArray(list.data) ? list.data : []).map((model): Row => {
    const { id, pricing } = asObject(model);
    const prices = asObject(pricing);
    const usd = (name: string) => perMillion(decimal(prices[name]));
    // A model without a name is unusable, like one with an empty name.
    return [
      typeof id === 'string' ? id : '',
      usd('prompt'),
      usd('completion'),
      usd('input_cache_read'),
      usd('input_cache_write'),
    ];
  });

const READERS: Readonly<Record<PriceList, (list: Json) => Row[]>> = {
  'models.dev': readModelsDev,
  litellm: readLitellm,
  openrouter: readOpenrouter,
};

/** Detects which public list a JSON object is. */
const recognise = (list: Json): PriceList => {
  if (Array.isArray(list.data)) return 'openrouter';
  const hasCosts = Object.values(list).some((model) => 'input_cost_per_token' in asObject(model));
  return hasCosts ? 'litellm' : 'models.dev';
};

const invalid = (message: string) => new AppError('price_list_invalid', message);

/** Converts rows to models. If a name is repeated, its first row wins. */
const toModels = (rows: readonly Row[]) => {
  const byName = new Map<string, Row>();
  for (const row of rows) if (!byName.has(row[0])) byName.set(row[0], row);
  // `Object.fromEntries` treats `__proto__` as an ordinary name.
  const { models, problems } = checkRows(
    Object.fromEntries(
      [...byName].map(([name, [, input, output, cacheRead, cacheWrite]]) => [
        name,
        {
          input_usd_per_million: input,
          output_usd_per_million: output,
          // An unusable cache price doesn't invalidate the others.
          ...(isPrice(cacheRead) ? { cache_read_usd_per_million: cacheRead } : {}),
          ...(isPrice(cacheWrite) ? { cache_write_usd_per_million: cacheWrite } : {}),
        },
      ]),
    ),
  );
  return { models, skipped: problems.size };
};

/** Parses a list's JSON. Throws `price_list_invalid`. */
export const parseListText = (text: string): unknown => {
  try {
    return JSON.parse(withoutBom(text));
  } catch {
    throw invalid('This is not a price list, because it is not valid JSON.');
  }
};

/** Reads our own models file, which contains rows for models, not providers. */
const readOwn = (list: Json): ReadPriceList | undefined => {
  const { models, problems } = checkRows(asObject(list.models));
  return models.size === 0 ? undefined : { format: 'models', models, skipped: problems.size };
};

/**
 * Reads a price list: the named public one, our own models file, or the public one it looks like.
 *
 * Throws `price_list_invalid` if it's none of them, or has no model with prices.
 */
export const readPriceList = (json: unknown, named?: PriceList): ReadPriceList => {
  const list = asObject(json);
  const own = named === undefined && 'models' in list ? readOwn(list) : undefined;
  if (own) return own;
  const format = named ?? recognise(list);
  const { models, skipped } = toModels(READERS[format](list));
  if (models.size === 0) {
    throw invalid(
      'This is not a known price list, because no model in it has prices. Use a list from models.dev, litellm or openrouter.',
    );
  }
  return { format, models, skipped };
};
