/** The number of sats in a bitcoin. */
export const SATS_PER_BTC = 100_000_000;

/** The model tokens that a price in USD per million is for. */
export const TOKENS_PER_PRICE = 1_000_000;

/** Converts USD per million model tokens to USD per model token. */
export const usdPerToken = (usdPerMillion: number): number => usdPerMillion / TOKENS_PER_PRICE;

/** Converts USD to sats. */
export const satsOf = (usd: number, btcUsd: number): number => (usd * SATS_PER_BTC) / btcUsd;

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
