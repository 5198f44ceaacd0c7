import { parseModelName } from '../../pi/agent-model.ts';
import { findPrice, NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import type { ModelPrice, QuotedTokens, TokenQuote } from '../../shared/api/pricing.ts';
import { costRows, exactSats, pricesAt } from '../../shared/price-math.ts';
import { usdPerToken } from '../../shared/sats.ts';
import { unknownModel } from '../platform/unknown-model.ts';
import type { Models } from './parse-models.ts';

/** The kinds of model tokens, each with its price in the models file. */
const KINDS = [
  ['inputTokens', 'input_usd_per_million'],
  ['outputTokens', 'output_usd_per_million'],
  ['cacheReadTokens', 'cache_read_usd_per_million'],
  ['cacheWriteTokens', 'cache_write_usd_per_million'],
] as const satisfies readonly (readonly [keyof QuotedTokens, keyof ModelPrice])[];

type QuotedCost = Pick<TokenQuote, 'sats' | 'sats_rounded_up' | 'usd' | 'unpriced'>;

/** Finds a model's prices and their name in the models file, or else in an agent's models.json. Throws `unknown_model`. */
export const findPrices = (
  model: string,
  models: Models,
  typed: TypedPrices = NO_TYPED_PRICES,
): { priced_as: string; prices: ModelPrice } => {
  const found = findPrice(parseModelName(model), models, typed);
  if (!found) throw unknownModel(model, models.keys());
  return { priced_as: found.name, prices: found.prices };
};

/**
 * Calculates the cost of one request with these model tokens. If a kind of tokens has no price, the amounts are null,
 * because a guess could be wrong either way.
 */
export const costOfTokens = (tokens: QuotedTokens, prices: ModelPrice, btcUsd: number): QuotedCost => {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  const tier = pricesAt(prices, inputTokens + cacheReadTokens + cacheWriteTokens);
  const unpriced = KINDS.flatMap(([kind, price]) =>
    tokens[kind] > 0 && tier[price] === undefined ? [kind] : [],
  );
  if (unpriced.length > 0) return { sats: null, sats_rounded_up: null, usd: null, unpriced };
  const rows = costRows(prices, tokens);
  const { sats, roundedUp } = exactSats(rows, btcUsd);
  return {
    sats,
    sats_rounded_up: roundedUp,
    usd: rows.reduce((sum, row) => sum + row.tokens * usdPerToken(row.usdPerMillion), 0),
  };
};
