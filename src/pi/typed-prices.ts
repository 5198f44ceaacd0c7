import { isPrice, type TokenPrices } from '../shared/price-math.ts';
import { type AgentModel, modelName, priceNames } from './agent-model.ts';

/** A `cost` in models.json, in USD per million model tokens. pi's schema allows any number. */
interface TypedCost {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly tiers?: readonly (Omit<TypedCost, 'tiers'> & { readonly inputTokensAbove: number })[];
}

/** The part of a provider in a valid models.json that has prices. */
export interface PricedProvider {
  readonly models?: readonly { readonly id: string; readonly cost?: TypedCost }[];
  readonly modelOverrides?: Readonly<Record<string, { readonly cost?: TypedCost }>>;
}

const tokenPricesOf = ({ input, output, cacheRead, cacheWrite }: TypedCost): TokenPrices | undefined => {
  if (!isPrice(input) || !isPrice(output)) return undefined;
  if (![cacheRead, cacheWrite].every((price) => price === undefined || isPrice(price))) return undefined;
  return {
    input_usd_per_million: input,
    output_usd_per_million: output,
    ...(cacheRead === undefined ? {} : { cache_read_usd_per_million: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_write_usd_per_million: cacheWrite }),
  };
};

/** The prices of a model in models.json. */
interface TypedPrice extends TokenPrices {
  tiers?: ({ readonly input_tokens_above: number } & TokenPrices)[] | undefined;
}

/** The most tiers of a price. Providers have one or two. SECURITY: each length takes time in sums of what agents spent. */
const MOST_TIERS = 8;

/**
 * Returns undefined if part of a cost isn't a price, because without it, work would be too cheap, or if there are too many
 * tiers.
 */
const pricesOf = ({ tiers = [], ...cost }: TypedCost): TypedPrice | undefined => {
  if (tiers.length > MOST_TIERS) return undefined;
  const prices = tokenPricesOf(cost);
  const typed = tiers.flatMap(({ inputTokensAbove, ...tier }) => {
    const own = tokenPricesOf(tier);
    return own && Number.isSafeInteger(inputTokensAbove) && inputTokensAbove >= 0
      ? { input_tokens_above: inputTokensAbove, ...own }
      : [];
  });
  if (!prices || typed.length < tiers.length) return undefined;
  return typed.length === 0 ? prices : { ...prices, tiers: typed };
};

/** The prices in an agent's models.json, by full model name. */
export type TypedPrices = ReadonlyMap<string, TypedPrice>;

/**
 * Returns the prices in a valid models.json. pi completes an override with its own prices, which dot-mi doesn't have, so
 * an override needs the prices of input and output.
 */
export const typedPricesIn = (providers: ReadonlyMap<string, PricedProvider>): TypedPrices => {
  const costs = new Map<string, TypedCost>();
  for (const [provider, { models = [], modelOverrides = {} }] of providers) {
    for (const { id, cost } of models) if (cost) costs.set(modelName({ provider, id }), cost);
    for (const [id, { cost }] of Object.entries(modelOverrides)) {
      const name = modelName({ provider, id });
      // Like pi, apply an override to a model of the same file too.
      if (cost) costs.set(name, { ...costs.get(name), ...cost });
    }
  }
  const found = new Map<string, TypedPrice>();
  for (const [name, cost] of costs) {
    const prices = pricesOf(cost);
    if (prices) found.set(name, prices);
  }
  return found;
};

/** Where a price is: in dot-mi's models file, or in the agent's models.json. */
export type PricedIn = 'models_file' | 'models_json';

/** A model's prices, and the name that they have. */
interface FoundPrice<Price> {
  readonly name: string;
  readonly prices: Price;
  readonly pricedIn: PricedIn;
}

/** Returns the price that an agent's models.json has for a model. Without a provider, the first model with its id counts. */
const findTyped = ({ provider, id }: Pick<AgentModel, 'provider' | 'id'>, typed: TypedPrices) => {
  const isMeant = (name: string) => name.slice(name.indexOf('/') + 1) === id;
  const name = provider === undefined ? [...typed.keys()].find(isMeant) : modelName({ provider, id });
  const prices = name === undefined ? undefined : typed.get(name);
  return name !== undefined && prices ? { name, prices } : undefined;
};

/** Returns a model's price in the models file, or else in the models.json of the agent that uses it. */
export const findPrice = <Price>(
  model: Pick<AgentModel, 'provider' | 'id'>,
  file: ReadonlyMap<string, Price>,
  typed: TypedPrices,
): FoundPrice<Price | TypedPrice> | undefined => {
  for (const name of priceNames(model)) {
    const prices = file.get(name);
    if (prices) return { name, prices, pricedIn: 'models_file' };
  }
  const own = findTyped(model, typed);
  return own && { ...own, pricedIn: 'models_json' };
};

/** The prices of an agent without any in its models.json. */
export const NO_TYPED_PRICES: TypedPrices = new Map();
