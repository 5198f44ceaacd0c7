/** The number of sats in a bitcoin. */
export const SATS_PER_BTC = 100_000_000;
const TOKENS_PER_PRICE = 1_000_000;

/** Converts USD per million model tokens to USD per model token. */
export const usdPerToken = (usdPerMillion: number): number => usdPerMillion / TOKENS_PER_PRICE;

/** Converts USD per million model tokens to sats per million model tokens. */
export const satsPerMillion = (usdPerMillion: number, btcUsd: number): number =>
  (usdPerMillion * SATS_PER_BTC) / btcUsd;

/**
 * Converts USD per million model tokens to sats per model token: `(usd_per_million / 1,000,000) / btc_price_usd *
 * 100,000,000` (docs/api/prices.md, "Prices").
 *
 * The two constants combine to a factor of 100, so that 2.5 at 100000 is exactly 0.0025 and no price under- or
 * overflows.
 */
export const satsPerToken = (usdPerMillion: number, btcUsd: number): number =>
  (usdPerMillion * (SATS_PER_BTC / TOKENS_PER_PRICE)) / btcUsd;

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

/** A seller's prices for a model, in USD per million model tokens, and the margin in percent. */
export interface ChargedPrices {
  readonly input_usd_per_million: number;
  readonly output_usd_per_million: number;
  /** Undefined if cached input costs as much as other input. */
  readonly cache_read_usd_per_million?: number | undefined;
  /** Undefined if input that the provider caches costs as much as other input. */
  readonly cache_write_usd_per_million?: number | undefined;
  readonly btc_price_usd: number;
  readonly marginPercent: number;
}

/** Model tokens. `inputTokens` excludes those that the provider reads from its cache or writes to it. */
interface ChargedTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

/** Calculates a customer's price for model tokens in sats, rounded up. Includes the seller's margin. */
export const chargedSats = (
  {
    input_usd_per_million: input,
    output_usd_per_million: output,
    cache_read_usd_per_million: cached = input,
    cache_write_usd_per_million: written = input,
    btc_price_usd: btcUsd,
    marginPercent,
  }: ChargedPrices,
  tokens: ChargedTokens,
): number => {
  // Count hundredths of a token, so that nothing is rounded twice.
  const percent = 100 + marginPercent;
  const rows = [
    { tokens: tokens.inputTokens * percent, usdPerMillion: input },
    { tokens: tokens.outputTokens * percent, usdPerMillion: output },
    { tokens: (tokens.cacheReadTokens ?? 0) * percent, usdPerMillion: cached },
    { tokens: (tokens.cacheWriteTokens ?? 0) * percent, usdPerMillion: written },
  ];
  return Math.ceil(exactSats(rows, btcUsd).roundedUp / 100);
};

/**
 * Calculates the most that a customer pays for this many model tokens in sats, at least 1. A provider decides which input
 * it caches, and may charge more for that.
 */
export const mostSats = (
  prices: ChargedPrices,
  { maxInputTokens, maxOutputTokens }: { readonly maxInputTokens: number; readonly maxOutputTokens: number },
): number => {
  const input = Math.max(prices.input_usd_per_million, prices.cache_write_usd_per_million ?? 0);
  const tokens = { inputTokens: maxInputTokens, outputTokens: maxOutputTokens };
  return Math.max(1, chargedSats({ ...prices, input_usd_per_million: input }, tokens));
};

/** Calculates a customer's prices for one model token in sats, for display. Includes the seller's margin. */
export const chargedPerToken = ({
  input_usd_per_million: input,
  output_usd_per_million: output,
  cache_read_usd_per_million: cached = input,
  btc_price_usd: btcUsd,
  marginPercent,
}: ChargedPrices): { input: number; output: number; cachedInput: number } => {
  const priceOf = (usdPerMillion: number) =>
    (satsPerToken(usdPerMillion, btcUsd) * (100 + marginPercent)) / 100;
  return { input: priceOf(input), output: priceOf(output), cachedInput: priceOf(cached) };
};
