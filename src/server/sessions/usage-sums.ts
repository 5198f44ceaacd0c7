import type { ModelPrice } from '../../shared/api/pricing.ts';
import type { UsageGroup, UsageSums } from '../../shared/api/usage.ts';
import { SATS_PER_BTC, usdPerToken } from '../../shared/price-math.ts';
import type { SessionModel, TokenCounts } from './session-line.ts';
import type { UsageRow } from './usage-rows.ts';

/** The prices for estimates. */
export interface UsagePrices {
  /** Prices in USD per million tokens, by model name or `provider/model`. */
  readonly models: ReadonlyMap<string, ModelPrice>;
  /** The current BTC price in USD, if known. */
  readonly btcUsd: number | undefined;
}

/** Providers charge this many times the input price for a one-hour cache write. pi assumes the same. */
const HOUR_WRITE_FACTOR = 2;

/** Returns a model's price, by its name with or without provider. */
const priceOf = ({ models }: UsagePrices, { provider, model }: SessionModel): ModelPrice | undefined =>
  models.get(`${provider}/${model}`) ?? models.get(model);

/** Returns the cost of tokens in USD. It scales linearly with the counts. */
export const costOf = (price: ModelPrice, counts: TokenCounts): number => {
  const {
    input_usd_per_million: input,
    output_usd_per_million: output,
    cache_read_usd_per_million: cacheRead = input,
    cache_write_usd_per_million: cacheWrite = input,
  } = price;
  return usdPerToken(
    counts.input * input +
      counts.output * output +
      counts.cacheRead * cacheRead +
      (counts.cacheWrite - counts.cacheWrite1h) * cacheWrite +
      counts.cacheWrite1h * input * HOUR_WRITE_FACTOR,
  );
};

/** Returns the sum of all counts. */
const tokensOf = ({ input, output, cacheRead, cacheWrite }: TokenCounts): number =>
  input + output + cacheRead + cacheWrite;

/** Creates the estimate for tokens without a recorded cost. */
export const createEstimate = (prices: UsagePrices) => {
  let hasPricedTokens = false;
  let unpricedTokens = 0;
  return {
    /** Adds a model's tokens. Returns the price for their estimate, if any. */
    add(tokens: SessionModel & TokenCounts): ModelPrice | undefined {
      const price = priceOf(prices, tokens);
      if (price) hasPricedTokens ||= tokensOf(tokens) > 0;
      else unpricedTokens += tokensOf(tokens);
      return price;
    },
    unpricedTokens: () => unpricedTokens,
    /** Returns whether there are tokens but none has a price. If so, their cost is unknown, not 0. */
    isUnknown: () => !hasPricedTokens && unpricedTokens > 0,
  };
};

/** Returns one line's cost in USD, recorded or estimated. Null if it's unknown. */
export const costOfLine = (
  line: SessionModel & TokenCounts & { readonly usd: number },
  prices: UsagePrices,
): { usd: number | null; estimated: boolean } => {
  if (line.usd > 0 || tokensOf(line) === 0) return { usd: line.usd, estimated: false };
  const price = priceOf(prices, line);
  return price ? { usd: costOf(price, line), estimated: true } : { usd: null, estimated: false };
};

/** An amount in USD, the part of it without a BTC price, and the rest in sats. */
interface Amount {
  usd: number;
  usdWithoutBtcPrice: number;
  sats: number;
}

const nothing = (): Amount => ({ usd: 0, usdWithoutBtcPrice: 0, sats: 0 });

const toSats = ({ usdWithoutBtcPrice, sats }: Amount, btcUsd: number | undefined): number | null => {
  if (usdWithoutBtcPrice === 0) return sats;
  return btcUsd === undefined ? null : sats + (usdWithoutBtcPrice * SATS_PER_BTC) / btcUsd;
};

/** Adds up rows of the index. */
const addUp = (rows: readonly UsageRow[], prices: UsagePrices): UsageSums => {
  const sums = { calls: 0, errors: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const recorded = nothing();
  const estimated = nothing();
  const estimate = createEstimate(prices);
  const add = (to: Amount, { hasBtcPrice }: UsageRow, usd: number, sats: number) => {
    to.usd += usd;
    if (hasBtcPrice) to.sats += sats;
    else to.usdWithoutBtcPrice += usd;
  };
  for (const row of rows) {
    for (const name of ['calls', 'errors', 'input', 'output', 'cacheRead', 'cacheWrite'] as const)
      sums[name] += row[name];
    if (row.isRecorded) {
      add(recorded, row, row.usd, row.sats);
      continue;
    }
    const price = estimate.add(row);
    if (price) add(estimated, row, costOf(price, row), costOf(price, row.weighted));
  }
  const isUnknown = estimate.isUnknown();
  return {
    ...sums,
    usdRecorded: recorded.usd,
    usdEstimated: isUnknown ? null : estimated.usd,
    unpricedTokens: estimate.unpricedTokens(),
    satsRecorded: toSats(recorded, prices.btcUsd),
    satsEstimated: isUnknown ? null : toSats(estimated, prices.btcUsd),
    usdAtCurrentPrice: recorded.usdWithoutBtcPrice + estimated.usdWithoutBtcPrice,
  };
};

/** Adds up rows, which are sorted by group, for each group and in total. */
export const addUpUsage = (
  rows: readonly UsageRow[],
  prices: UsagePrices,
): { groups: UsageGroup[]; total: UsageSums } => {
  const byGroup = Map.groupBy(rows, ({ group }) => group);
  return {
    groups: [...byGroup].map(([key, own]) => ({ key, ...addUp(own, prices) })),
    total: addUp(rows, prices),
  };
};
