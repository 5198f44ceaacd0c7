import type { PriceList, RefusedPrice } from '../../shared/api/pricing.ts';
import { type JsonObject, jsonObjectOf } from '../../shared/json-object.ts';
import { isPrice } from '../../shared/price-math.ts';
import { AppError } from '../platform/app-error.ts';
import { checkRows, type Models, withoutBom } from './parse-models.ts';

interface ReadPriceList {
  /** The detected format: the name of a public list, `pi` for pi's own, or `models` for our own models file. */
  format: PriceList | 'pi' | 'models';
  models: Models;
  /** The number of entries without usable prices. */
  skipped: number;
  /** The models with costs that dot-mi can't calculate. Without those costs, work would be too cheap. */
  refused: RefusedPrice[];
}

/** The addresses of the public price lists. */
export const PRICE_LIST_URLS: Readonly<Record<PriceList, string>> = {
  'models.dev': 'https://models.dev/api.json',
  litellm: 'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
  openrouter: 'https://openrouter.ai/api/v1/models',
};

/** A list's prices for one length of requests, in USD per million. */
interface Rates {
  readonly input: unknown;
  readonly output: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
}

/** A list's prices for a model. */
interface Row extends Rates {
  readonly name: string;
  readonly requestUsd?: unknown;
  /** A rate that a tier lacks is that of short requests. */
  readonly tiers?: readonly ({ readonly above: unknown } & Partial<Rates>)[];
  /** The fields with costs that dot-mi can't calculate. */
  readonly unknown: readonly string[];
}

const asObject = (value: unknown): JsonObject => jsonObjectOf(value) ?? {};

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
const rankOf = (provider: string, { input, output }: Row): number => {
  if (typeof input !== 'number' || typeof output !== 'number') return 3;
  if (MAKERS.includes(provider)) return 0;
  return input + output > 0 ? 1 : 2;
};

const byRank = (rows: readonly { readonly provider: string; readonly row: Row }[]): Row[] =>
  rows
    .map(({ provider, row }) => ({ row, rank: rankOf(provider, row) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ row }) => row);

/** Returns whether a field states a cost. 0 and null don't. */
const isCost = (value: unknown): boolean => value !== undefined && value !== null && Number(value) !== 0;

/** Returns the fields that state a cost and aren't known. */
const unknownCosts = (fields: JsonObject, known: readonly string[]): string[] =>
  Object.keys(fields).filter((key) => !known.includes(key) && isCost(fields[key]));

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const MODELS_DEV_RATES = ['input', 'output', 'cache_read', 'cache_write'];
/** Costs of sounds, which agents don't send. */
const MODELS_DEV_OTHERS = ['input_audio', 'output_audio'];

const modelsDevRates = ({ input, output, cache_read, cache_write }: JsonObject): Rates => ({
  input,
  output,
  cacheRead: cache_read,
  cacheWrite: cache_write,
});

const modelsDevRow = (name: string, cost: JsonObject): Row => {
  const { tiers, context_over_200k: over200k, reasoning, ...rates } = cost;
  const listed = asList(tiers).map(asObject);
  // Newer lists have both, and `tiers` has the exact length.
  const long =
    tiers === undefined ? [{ ...asObject(over200k), tier: { type: 'context', size: 200_000 } }] : listed;
  const found = isCost(tiers ?? over200k) ? long : [];
  const isKnownTier = ({ tier, ...own }: JsonObject) =>
    asObject(tier).type === 'context' &&
    unknownCosts(own, [...MODELS_DEV_RATES, ...MODELS_DEV_OTHERS]).length === 0;
  return {
    name,
    ...modelsDevRates(rates),
    tiers: found.map((each) => ({ above: asObject(asObject(each).tier).size, ...modelsDevRates(each) })),
    unknown: [
      ...unknownCosts(rates, [...MODELS_DEV_RATES, ...MODELS_DEV_OTHERS]),
      ...(found.every(isKnownTier) ? [] : [tiers === undefined ? 'context_over_200k' : 'tiers']),
      // Reasoning is part of the output.
      ...(isCost(reasoning) && reasoning !== rates.output ? ['reasoning'] : []),
    ],
  };
};

/**
 * Reads `{ provider: { models: { id: { cost: { input, output, cache_read?, cache_write?, context_over_200k?, tiers? } } }
 * } }`, USD per million, in any order.
 */
const readModelsDev = (list: JsonObject): Row[] =>
  byRank(
    Object.entries(list).flatMap(([provider, about]) =>
      Object.entries(asObject(asObject(about).models)).map(([id, model]) => ({
        provider,
        row: modelsDevRow(id, asObject(asObject(model).cost)),
      })),
    ),
  );

/** pi writes 0 for a cache price that it doesn't know. */
const cachePrice = (price: unknown, input: unknown): unknown =>
  price === 0 && input !== 0 ? undefined : price;

const PI_RATES = ['input', 'output', 'cacheRead', 'cacheWrite'];

const piRates = ({ input, output, cacheRead, cacheWrite }: JsonObject): Rates => ({
  input,
  output,
  cacheRead: cachePrice(cacheRead, input),
  cacheWrite: cachePrice(cacheWrite, input),
});

const piRow = (name: string, { tiers, ...rates }: JsonObject): Row => {
  const listed = asList(tiers).map(asObject);
  return {
    name,
    ...piRates(rates),
    tiers: listed.map((tier) => ({ above: tier.inputTokensAbove, ...piRates(tier) })),
    unknown: [
      ...unknownCosts(rates, PI_RATES),
      ...(listed.some((tier) => unknownCosts(tier, [...PI_RATES, 'inputTokensAbove']).length > 0)
        ? ['tiers']
        : []),
    ],
  };
};

/** pi's data names a model by its type and id. Only chats are billed by token. */
const PI_CHAT = 'chat:';

/**
 * Reads `{ provider: { api: { "chat:<id>": { cost: { input, output, cacheRead, cacheWrite, tiers? } } } } }`, USD per
 * million: the files in pi's own package, by their names.
 */
const readPi = (list: JsonObject): Row[] =>
  byRank(
    Object.entries(list).flatMap(([provider, apis]) =>
      Object.values(asObject(apis)).flatMap((models) =>
        Object.entries(asObject(models))
          .filter(([key]) => key.startsWith(PI_CHAT))
          .map(([key, model]) => ({
            provider,
            row: piRow(key.slice(PI_CHAT.length), asObject(asObject(model).cost)),
          })),
      ),
    ),
  );

const LITELLM_RATES = [
  ['input', 'input_cost_per_token'],
  ['output', 'output_cost_per_token'],
  ['cacheRead', 'cache_read_input_token_cost'],
  ['cacheWrite', 'cache_creation_input_token_cost'],
] as const;
const LITELLM_COST = /cost|pric|fee/i;
const LITELLM_TIER = /^(.+)_above_(\d+)k_tokens$/;
/** Costs of services that agents don't use, and the same costs in another unit. */
const LITELLM_OTHERS =
  /audio|image|video|pixel|ocr|search|vector_store|code_interpreter|computer_use|dbu|_(batches|flex|priority)(_|$)/;
/** A cache write that lasts an hour costs twice the input at most. dot-mi calculates with that. */
const LITELLM_HOUR = /^cache_creation_input_token_cost_above_1hr(_above_\d+k_tokens)?$/;

const litellmRow = (name: string, model: JsonObject): Row => {
  const ratesIn = (suffix: string): Partial<Rates> =>
    Object.fromEntries(LITELLM_RATES.map(([rate, field]) => [rate, perMillion(model[`${field}${suffix}`])]));
  const known: readonly string[] = LITELLM_RATES.map(([, field]) => field);
  const thousands = new Set<number>();
  const isKnown = (field: string): boolean => {
    const [, base = '', above = ''] = LITELLM_TIER.exec(field) ?? [];
    if (known.includes(base)) thousands.add(Number(above));
    if (LITELLM_HOUR.test(field)) {
      const suffix = LITELLM_HOUR.exec(field)?.[1] ?? '';
      const input = Number(model[`input_cost_per_token${suffix}`] ?? model.input_cost_per_token);
      return Number(model[field]) <= input * 2 * (1 + Number.EPSILON);
    }
    // Reasoning is part of the output.
    if (field === 'output_cost_per_reasoning_token') return model[field] === model.output_cost_per_token;
    return (
      known.includes(field) ||
      known.includes(base) ||
      (field === 'input_cost_per_request' && typeof model[field] === 'number') ||
      LITELLM_OTHERS.test(field)
    );
  };
  const costs = Object.keys(model).filter((field) => LITELLM_COST.test(field) && isCost(model[field]));
  const unknown = costs.filter((field) => !isKnown(field));
  return {
    name,
    ...(ratesIn('') as Rates),
    requestUsd: model.input_cost_per_request,
    tiers: [...thousands].map((above) => ({ above: above * 1_000, ...ratesIn(`_above_${above}k_tokens`) })),
    unknown,
  };
};

/**
 * Reads `{ model: { input_cost_per_token, output_cost_per_token, cache_read_input_token_cost?,
 * cache_creation_input_token_cost?, <each>_above_<n>k_tokens?, input_cost_per_request? } }`, USD per token.
 */
const readLitellm = (list: JsonObject): Row[] =>
  Object.entries(list)
    .filter(([name]) => name !== 'sample_spec')
    .map(([name, model]) => litellmRow(name, asObject(model)));

const decimal = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,9}(\.\d{1,18})?$/.test(text) ? Number(text) : undefined;

const OPENROUTER_RATES = ['prompt', 'completion', 'input_cache_read', 'input_cache_write'];
/** Costs of services that agents don't use, and a discount that the prices include. */
const OPENROUTER_OTHERS = /image|audio|web_search|discount/;

const openrouterRates = (prices: JsonObject): Rates => ({
  input: perMillion(decimal(prices.prompt)),
  output: perMillion(decimal(prices.completion)),
  cacheRead: perMillion(decimal(prices.input_cache_read)),
  cacheWrite: perMillion(decimal(prices.input_cache_write)),
});

const openrouterRow = (name: string, pricing: JsonObject): Row => {
  const { overrides, request, internal_reasoning: reasoning, ...prices } = pricing;
  const long = asList(overrides).map(asObject);
  const unknownIn = (costs: JsonObject, known: readonly string[]) =>
    unknownCosts(costs, known).filter((field) => !OPENROUTER_OTHERS.test(field));
  const isKnown = (override: JsonObject) =>
    unknownIn(override, [...OPENROUTER_RATES, 'min_prompt_tokens']).length === 0 &&
    override.min_prompt_tokens !== undefined;
  return {
    name,
    ...openrouterRates(prices),
    requestUsd: decimal(request),
    tiers: long.map((override) => ({ above: override.min_prompt_tokens, ...openrouterRates(override) })),
    unknown: [
      ...unknownIn(prices, OPENROUTER_RATES),
      ...(isCost(request) && decimal(request) === undefined ? ['request'] : []),
      ...(long.every(isKnown) ? [] : ['overrides']),
      ...(isCost(reasoning) && reasoning !== prices.completion ? ['internal_reasoning'] : []),
    ],
  };
};

/**
 * Reads `{ data: [{ id, pricing: { prompt, completion, input_cache_read?, input_cache_write?, request?, overrides? } }] }`,
 * decimal strings of USD per token.
 */
const readOpenrouter = (list: JsonObject): Row[] =>
  asList(list.data).map((model): Row => {
    const { id, pricing } = asObject(model);
    // A model without a name is unusable, like one with an empty name.
    return openrouterRow(typeof id === 'string' ? id : '', asObject(pricing));
  });

const READERS: Readonly<Record<PriceList | 'pi', (list: JsonObject) => Row[]>> = {
  pi: readPi,
  'models.dev': readModelsDev,
  litellm: readLitellm,
  openrouter: readOpenrouter,
};

/** Detects which list a JSON object is. */
const recognise = (list: JsonObject): PriceList | 'pi' => {
  if (Array.isArray(list.data)) return 'openrouter';
  const values = Object.values(list).map(asObject);
  if (values.some((model) => 'input_cost_per_token' in model)) return 'litellm';
  return values.some((provider) => 'models' in provider) ? 'models.dev' : 'pi';
};

const invalid = (message: string) => new AppError('price_list_invalid', message);

const priceFields = ({ input, output, cacheRead, cacheWrite }: Rates) => ({
  input_usd_per_million: input,
  output_usd_per_million: output,
  // An unusable cache price doesn't invalidate the others.
  ...(isPrice(cacheRead) ? { cache_read_usd_per_million: cacheRead } : {}),
  ...(isPrice(cacheWrite) ? { cache_write_usd_per_million: cacheWrite } : {}),
});

const toPrice = ({ name: _name, unknown: _unknown, requestUsd, tiers = [], ...base }: Row) => ({
  ...priceFields(base),
  ...(isCost(requestUsd) ? { request_usd: requestUsd } : {}),
  ...(tiers.length === 0
    ? {}
    : {
        tiers: tiers.map(({ above, ...rates }) => ({
          input_tokens_above: above,
          ...priceFields({
            input: rates.input ?? base.input,
            output: rates.output ?? base.output,
            cacheRead: rates.cacheRead ?? base.cacheRead,
            cacheWrite: rates.cacheWrite ?? base.cacheWrite,
          }),
        })),
      }),
});

/** Converts rows to models. If a name is repeated, its first row wins. */
const toModels = (rows: readonly Row[]) => {
  const byName = new Map<string, Row>();
  for (const row of rows) if (!byName.has(row.name)) byName.set(row.name, row);
  const listed = [...byName.values()];
  // `Object.fromEntries` treats `__proto__` as an ordinary name.
  const check = (wanted: readonly Row[], convert: (row: Row) => object) =>
    checkRows(Object.fromEntries(wanted.map((row) => [row.name, convert(row)])));
  // A model without usable prices can't be imported anyway, whatever else it costs.
  const usable = check(listed, priceFields).models;
  const { models, problems } = check(
    listed.filter(({ name, unknown }) => usable.has(name) && unknown.length === 0),
    toPrice,
  );
  const refused = listed.flatMap(({ name, unknown }) => {
    if (!usable.has(name) || models.has(name)) return [];
    return [{ name, fields: unknown.length > 0 ? [...unknown] : [problems.get(name)?.field ?? ''] }];
  });
  return { models, skipped: listed.length - usable.size, refused };
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
const readOwn = (list: JsonObject): ReadPriceList | undefined => {
  const { models, problems } = checkRows(asObject(list.models));
  const refused = [...problems].flatMap(([name, { field }]) =>
    field === undefined ? [] : [{ name, fields: [field] }],
  );
  return models.size === 0
    ? undefined
    : { format: 'models', models, skipped: problems.size - refused.length, refused };
};

/**
 * Reads a price list: the named one, our own models file, or the one it looks like.
 *
 * Throws `price_list_invalid` if it's none of them, or has no model with prices.
 */
export const readPriceList = (json: unknown, named?: PriceList | 'pi'): ReadPriceList => {
  const list = asObject(json);
  const own = named === undefined && 'models' in list ? readOwn(list) : undefined;
  if (own) return own;
  const format = named ?? recognise(list);
  const { models, skipped, refused } = toModels(READERS[format](list));
  if (models.size === 0 && refused.length === 0) {
    throw invalid(
      'This is not a known price list, because no model in it has prices. Use a list from models.dev, litellm or openrouter.',
    );
  }
  return { format, models, skipped, refused };
};
