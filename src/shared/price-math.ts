/** Sats in a bitcoin. */
export const SATS_PER_BTC = 100_000_000;
const TOKENS_PER_PRICE = 1_000_000;

/** Converts USD per million model tokens to USD per model token. */
export const usdPerToken = (usdPerMillion: number): number => usdPerMillion / TOKENS_PER_PRICE;

/** Converts USD per million model tokens to sats per million model tokens. */
export const satsPerMillion = (usdPerMillion: number, btcUsd: number): number =>
  (usdPerMillion * SATS_PER_BTC) / btcUsd;

/**
 * Sats per model token: `(usd_per_million / 1,000,000) / btc_price_usd * 100,000,000` (docs/api.md,
 * "Prices").
 *
 * The two constants are one factor of 100, so that 2.5 at 100000 is exactly 0.0025 and no price under- or
 * overflows.
 */
export const satsPerToken = (usdPerMillion: number, btcUsd: number): number =>
  (usdPerMillion * (SATS_PER_BTC / TOKENS_PER_PRICE)) / btcUsd;
