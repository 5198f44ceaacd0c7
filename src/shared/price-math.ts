import { SATS_PER_BTC, satsPerToken, TOKENS_PER_PRICE } from './sats.ts';

/** A decimal number: its digits as a whole number, and how many of them are decimals. */
interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/** Reads the shortest decimal form of a finite number that isn't negative, such as 1.5e-7. */
const toDecimal = (value: number): Decimal => {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 };
};

/**
 * Calculates the price of model tokens in sats, from prices in USD per million. Avoids the rounding errors of binary
 * fractions, so that exactly 3 sats never become 4.
 */
export const exactSats = (
  rows: readonly { readonly tokens: number; readonly usdPerMillion: number }[],
  btcUsd: number,
): { sats: number; roundedUp: number } => {
  const btc = toDecimal(btcUsd);
  const prices = rows.map(({ tokens, usdPerMillion }) => ({
    tokens: BigInt(tokens),
    price: toDecimal(usdPerMillion),
  }));
  const decimals = Math.max(0, ...prices.map(({ price }) => price.decimals));
  const usd = prices.reduce(
    (sum, { tokens, price }) => sum + tokens * price.digits * 10n ** BigInt(decimals - price.decimals),
    0n,
  );
  const above = usd * BigInt(SATS_PER_BTC / TOKENS_PER_PRICE) * 10n ** BigInt(btc.decimals);
  const below = btc.digits * 10n ** BigInt(decimals);
  const whole = above / below;
  const rest = above % below;
  return {
    sats: Number(whole) + Number(rest) / Number(below),
    roundedUp: Number(rest === 0n ? whole : whole + 1n),
  };
};

/**
 * The highest price, in USD per million model tokens. A higher one has the wrong unit, and could make a price
 * infinite.
 */
export const MOST_USD_PER_MILLION = 1e9;

/** Returns whether a value is a price in USD per million. */
export const isPrice = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= MOST_USD_PER_MILLION;

/** Prices in USD per million model tokens. */
export interface TokenPrices {
  readonly input_usd_per_million: number;
  readonly output_usd_per_million: number;
  /** Undefined if cached input costs as much as other input. */
  readonly cache_read_usd_per_million?: number | undefined;
  /** Undefined if input that the provider caches costs as much as other input. */
  readonly cache_write_usd_per_million?: number | undefined;
}

/** A model's prices. They can depend on how long a request is, and each request can have a fee. */
interface RequestPrices extends TokenPrices {
  /** The provider's fee for each request, in USD. */
  readonly request_usd?: number | undefined;
  /** The prices for an entire request with more input tokens than this. */
  readonly tiers?: readonly ({ readonly input_tokens_above: number } & TokenPrices)[] | undefined;
}

/**
 * Returns the prices for a request with so many input tokens, including cached ones. As in pi, the highest tier that it
 * reaches applies to all of it.
 */
export const pricesAt = (prices: RequestPrices, inputTokens: number): TokenPrices => {
  let found: TokenPrices = prices;
  let above = -1;
  for (const tier of prices.tiers ?? []) {
    if (inputTokens <= tier.input_tokens_above || tier.input_tokens_above <= above) continue;
    found = tier;
    above = tier.input_tokens_above;
  }
  return found;
};

/** Returns the highest price of each kind of token that requests with at most this many input tokens can have. */
const highestPrices = (prices: RequestPrices, maxInputTokens: number): TokenPrices => {
  const reached = (prices.tiers ?? []).filter((tier) => tier.input_tokens_above < maxInputTokens);
  const all = [prices, ...reached];
  const highest = (priceOf: (prices: TokenPrices) => number) => Math.max(...all.map(priceOf));
  return {
    input_usd_per_million: highest((each) => each.input_usd_per_million),
    output_usd_per_million: highest((each) => each.output_usd_per_million),
    cache_read_usd_per_million: highest(
      (each) => each.cache_read_usd_per_million ?? each.input_usd_per_million,
    ),
    cache_write_usd_per_million: highest(
      (each) => each.cache_write_usd_per_million ?? each.input_usd_per_million,
    ),
  };
};

/** A seller's prices for a model, and the margin in percent. */
export interface ChargedPrices extends RequestPrices {
  readonly btc_price_usd: number;
  readonly marginPercent: number;
}

/** Model tokens. `inputTokens` excludes those that the provider reads from its cache or writes to it. */
interface WorkTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  /** The number of requests to the provider. Default: 1. */
  readonly requests?: number | undefined;
  /** The most input tokens of one request, including cached ones. Default: all of them. */
  readonly largestInputTokens?: number | undefined;
}

/** Returns what each kind of token costs, and the fees, for {@link exactSats}. */
export const costRows = (prices: RequestPrices, work: WorkTokens) => {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, requests = 1 } = work;
  const all = inputTokens + cacheReadTokens + cacheWriteTokens;
  const {
    input_usd_per_million: input,
    output_usd_per_million: output,
    cache_read_usd_per_million: cached = input,
    cache_write_usd_per_million: written = input,
  } = pricesAt(prices, Math.min(all, work.largestInputTokens ?? all));
  return [
    { tokens: inputTokens, usdPerMillion: input },
    { tokens: outputTokens, usdPerMillion: output },
    { tokens: cacheReadTokens, usdPerMillion: cached },
    { tokens: cacheWriteTokens, usdPerMillion: written },
    // A fee in USD is the price of a million tokens in USD per million.
    { tokens: requests * TOKENS_PER_PRICE, usdPerMillion: prices.request_usd ?? 0 },
  ];
};

/** Calculates what work costs the seller in sats, not rounded. */
export const workSats = (
  prices: RequestPrices & Pick<ChargedPrices, 'btc_price_usd'>,
  work: WorkTokens,
): number => exactSats(costRows(prices, work), prices.btc_price_usd).sats;

/** Calculates a customer's price for work in sats, rounded up. Includes the seller's margin. */
export const chargedSats = (prices: ChargedPrices, work: WorkTokens): number => {
  // Count hundredths of a token, so that nothing is rounded twice.
  const percent = 100 + prices.marginPercent;
  const rows = costRows(prices, work).map((row) => ({ ...row, tokens: row.tokens * percent }));
  return Math.ceil(exactSats(rows, prices.btc_price_usd).roundedUp / 100);
};

/** The most that work can use. */
interface WorkLimits {
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  /** Default: 1. */
  readonly maxRequests?: number | undefined;
}

/**
 * Calculates the most that a customer pays for this much work in sats, at least 1. A provider decides which input it
 * caches, and may charge more for that. The requests can reach each tier below `maxInputTokens`.
 */
export const mostSats = (
  prices: ChargedPrices,
  { maxInputTokens, maxOutputTokens, maxRequests }: WorkLimits,
): number => {
  const highest = highestPrices(prices, maxInputTokens);
  const input = Math.max(
    highest.input_usd_per_million,
    highest.cache_read_usd_per_million ?? 0,
    highest.cache_write_usd_per_million ?? 0,
  );
  const flat = { ...prices, ...highest, input_usd_per_million: input, tiers: undefined };
  const work = { inputTokens: maxInputTokens, outputTokens: maxOutputTokens, requests: maxRequests };
  return Math.max(1, chargedSats(flat, work));
};

/**
 * Calculates a customer's prices for one model token in sats, and the fee for each request, for display. Includes the
 * seller's margin. Requests have at most `maxInputTokens`.
 */
export const chargedPerToken = (
  { btc_price_usd: btcUsd, marginPercent, ...prices }: ChargedPrices,
  maxInputTokens: number,
): { input: number; output: number; cachedInput: number; request: number } => {
  const highest = highestPrices(prices, maxInputTokens);
  const input = highest.input_usd_per_million;
  const priceOf = (usdPerMillion: number) =>
    (satsPerToken(usdPerMillion, btcUsd) * (100 + marginPercent)) / 100;
  return {
    input: priceOf(input),
    output: priceOf(highest.output_usd_per_million),
    cachedInput: priceOf(highest.cache_read_usd_per_million ?? input),
    request: priceOf((prices.request_usd ?? 0) * TOKENS_PER_PRICE),
  };
};
