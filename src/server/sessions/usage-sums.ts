import { findPrice } from '../../pi/typed-prices.ts';
import type { ModelPrice } from '../../shared/api/pricing.ts';
import type { CoveredCost, UsageGroup, UsageSums } from '../../shared/api/usage.ts';
import { pricesAt } from '../../shared/price-math.ts';
import { SATS_PER_BTC, usdPerToken } from '../../shared/sats.ts';
import { type AgentTerms, NO_TERMS } from './agent-terms.ts';
import type { RequestCounts, SessionModel, TokenCounts } from './session-line.ts';
import type { UsageRow } from './usage-rows.ts';

/** The prices for estimates. */
export interface UsagePrices {
  /** Prices in USD per million tokens, by model name or `provider/model`. */
  readonly models: ReadonlyMap<string, ModelPrice>;
  /** The current BTC price in USD, if known. */
  readonly btcUsd: number | undefined;
  /** True if calls that a subscription covers count like others. */
  readonly countsSubscriptions: boolean;
}

/** Providers charge this many times the input price for a one-hour cache write. pi assumes the same. */
const HOUR_WRITE_FACTOR = 2;

/** Returns the price of a model that an agent with these terms called. */
const priceOf = (
  { models }: UsagePrices,
  { typed }: AgentTerms,
  { provider, model }: SessionModel,
): ModelPrice | undefined =>
  findPrice(provider === '' ? { id: model } : { provider, id: model }, models, typed)?.prices;

/** The tokens of requests that all have more input tokens than `inputAbove`, and reach no other tier of prices. */
type LongRequests = RequestCounts & { readonly inputAbove: number };

/** Returns the cost of requests in USD. It scales linearly with the counts. */
const costAt = (prices: ModelPrice, inputAbove: number, counts: RequestCounts): number => {
  const {
    input_usd_per_million: input,
    output_usd_per_million: output,
    cache_read_usd_per_million: cacheRead = input,
    cache_write_usd_per_million: cacheWrite = input,
  } = pricesAt(prices, inputAbove + 1);
  const tokens = usdPerToken(
    counts.input * input +
      counts.output * output +
      counts.cacheRead * cacheRead +
      (counts.cacheWrite - counts.cacheWrite1h) * cacheWrite +
      counts.cacheWrite1h * input * HOUR_WRITE_FACTOR,
  );
  return tokens + counts.requests * (prices.request_usd ?? 0);
};

/** Returns the cost of requests in USD. */
export const costOf = (prices: ModelPrice, requests: LongRequests): number =>
  costAt(prices, requests.inputAbove, requests);

/** Returns the sum of all counts. */
const tokensOf = ({ input, output, cacheRead, cacheWrite }: TokenCounts): number =>
  input + output + cacheRead + cacheWrite;

/** Creates the estimate for tokens without a recorded cost. */
export const createEstimate = (prices: UsagePrices) => {
  let hasPricedTokens = false;
  let unpricedTokens = 0;
  return {
    /** Adds a model's tokens, which an agent with these terms used. Returns the price for their estimate, if any. */
    add(tokens: SessionModel & TokenCounts, terms: AgentTerms): ModelPrice | undefined {
      const price = priceOf(prices, terms, tokens);
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
  terms: AgentTerms,
): { usd: number | null; estimated: boolean } => {
  if (line.usd > 0 || tokensOf(line) === 0) return { usd: line.usd, estimated: false };
  const price = priceOf(prices, terms, line);
  if (!price) return { usd: null, estimated: false };
  const inputTokens = line.input + line.cacheRead + line.cacheWrite;
  return { usd: costAt(price, inputTokens - 1, { ...line, requests: 1 }), estimated: true };
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

/** Rows of the index, and what their costs depend on. */
interface PricedRows {
  readonly rows: readonly UsageRow[];
  readonly prices: UsagePrices;
  /** The agents' terms by number. */
  readonly terms: readonly AgentTerms[];
}

const termsOf = ({ terms }: Pick<PricedRows, 'terms'>, row: UsageRow): AgentTerms =>
  terms[row.terms] ?? NO_TERMS;

const amountsIn = ({ rows, prices, ...more }: PricedRows) => {
  const recorded = nothing();
  const estimated = nothing();
  const estimate = createEstimate(prices);
  const add = (to: Amount, { hasBtcPrice }: UsageRow, usd: number, sats: number) => {
    to.usd += usd;
    if (hasBtcPrice) to.sats += sats;
    else to.usdWithoutBtcPrice += usd;
  };
  for (const row of rows) {
    if (row.isRecorded) {
      add(recorded, row, row.usd, row.sats);
      continue;
    }
    const price = estimate.add(row, termsOf(more, row));
    if (!price) continue;
    const { inputAbove, weighted } = row;
    add(estimated, row, costAt(price, inputAbove, row), costAt(price, inputAbove, weighted));
  }
  const isUnknown = estimate.isUnknown();
  return {
    usdRecorded: recorded.usd,
    usdEstimated: isUnknown ? null : estimated.usd,
    unpricedTokens: estimate.unpricedTokens(),
    satsRecorded: toSats(recorded, prices.btcUsd),
    satsEstimated: isUnknown ? null : toSats(estimated, prices.btcUsd),
    usdAtCurrentPrice: recorded.usdWithoutBtcPrice + estimated.usdWithoutBtcPrice,
  };
};

/** Returns what rows that a subscription covers would cost. Undefined if there are no calls in them. */
const coveredCost = (covered: PricedRows): CoveredCost | undefined => {
  const calls = covered.rows.reduce((sum, row) => sum + row.calls, 0);
  if (calls === 0) return undefined;
  const { usdRecorded, usdEstimated, satsRecorded, satsEstimated } = amountsIn(covered);
  const isKnown = usdEstimated !== null || usdRecorded > 0;
  return {
    calls,
    usd: isKnown ? usdRecorded + (usdEstimated ?? 0) : null,
    sats: isKnown && satsRecorded !== null ? satsRecorded + (satsEstimated ?? 0) : null,
    counted: covered.prices.countsSubscriptions,
  };
};

/** Adds up rows of the index. */
const addUp = (all: PricedRows): UsageSums => {
  const { rows, prices } = all;
  const sums = { calls: 0, errors: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const covered: UsageRow[] = [];
  const billed: UsageRow[] = [];
  for (const row of rows) {
    for (const name of ['calls', 'errors', 'input', 'output', 'cacheRead', 'cacheWrite'] as const)
      sums[name] += row[name];
    (termsOf(all, row).subscriptions.has(row.provider) ? covered : billed).push(row);
  }
  const coveredBySubscription = coveredCost({ ...all, rows: covered });
  return {
    ...sums,
    ...amountsIn(prices.countsSubscriptions ? all : { ...all, rows: billed }),
    ...(coveredBySubscription ? { coveredBySubscription } : {}),
  };
};

/** Adds up rows, which are sorted by group, for each group and in total. `terms` has the agents' terms by number. */
export const addUpUsage = (
  rows: readonly UsageRow[],
  prices: UsagePrices,
  terms: readonly AgentTerms[],
): { groups: UsageGroup[]; total: UsageSums } => {
  const byGroup = Map.groupBy(rows, ({ group }) => group);
  return {
    groups: [...byGroup].map(([key, own]) => ({ key, ...addUp({ rows: own, prices, terms }) })),
    total: addUp({ rows, prices, terms }),
  };
};
