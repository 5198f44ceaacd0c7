const TOKENS_PER_PRICE = 1_000_000;
const SATS_PER_BTC = 100_000_000;

/**
 * Satoshis per token: (usd_per_million / 1,000,000) / btc_price_usd * 100,000,000 (docs/api.md, "Prices").
 *
 * The two constants are one factor of 100: 2.5 at 100000 is then 0.0025 exactly, and no price under- or overflows on the way.
 */
export const satsPerToken = (usdPerMillion: number, btcPriceUsd: number): number =>
  (usdPerMillion * (SATS_PER_BTC / TOKENS_PER_PRICE)) / btcPriceUsd;
