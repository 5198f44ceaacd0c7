// Separate from the index, which would otherwise be too long.
/** A BTC price and its time. */
export interface BtcPriceAt {
  readonly atMs: number;
  readonly usd: number;
}

/** A BTC price applies to entries up to this long before or after it. */
export const BTC_PRICE_REACH_MS = 6 * 60 * 60 * 1000;

/** Creates a list of BTC prices that finds the one nearest to a time. */
export const createBtcPrices = () => {
  let prices: readonly BtcPriceAt[] = [];
  return {
    add(added: readonly BtcPriceAt[]): void {
      prices = [...prices, ...added].sort((a, b) => a.atMs - b.atMs);
    },
    /** Returns the price in USD. Undefined if none is near. */
    usdAt(atMs: number): number | undefined {
      let low = 0;
      let high = prices.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((prices[middle]?.atMs ?? 0) < atMs) low = middle + 1;
        else high = middle;
      }
      const [before, after] = [prices[low - 1], prices[low]];
      const distance = (price: BtcPriceAt | undefined) =>
        price ? Math.abs(price.atMs - atMs) : Number.POSITIVE_INFINITY;
      const nearest = distance(before) <= distance(after) ? before : after;
      return distance(nearest) <= BTC_PRICE_REACH_MS ? nearest?.usd : undefined;
    },
  };
};
