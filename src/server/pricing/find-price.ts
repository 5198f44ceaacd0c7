import { type Source, SourceError } from './btc-sources.ts';

/** A price that a source reported. */
export interface Quote {
  source: string;
  /** The host that responded, if it isn't the source's default. */
  host?: string | undefined;
  price: number;
  /** The source's own time, or when dot-mi fetched the price, in milliseconds since 1970. */
  at: number;
}

/** The result of querying the sources. `failures` contains the reason why each named source returned nothing. */
type PriceSearch = { failures: Readonly<Record<string, string>> } & (
  | { kind: 'found'; quote: Quote }
  /** The price moved a lot, and no other source responded. */
  | { kind: 'unconfirmed'; quote: Quote }
  /** Sources reported only old prices. This is the newest of them. */
  | { kind: 'old'; quote: Quote }
  /** The price moved a lot and the others disagree, or no source responded. */
  | { kind: 'nothing' }
);

/** How far the price can move without confirmation by a second source. */
const NEAR_OLD = 0.1;
/** How close two sources have to be to agree. */
const NEAR_EACH_OTHER = 0.02;

/** Allows for binary rounding of decimals: 11219.34 is 10% above 10199.4, not more. */
const ROUNDING = 1 + 1e-9;

/** Returns whether a price is within a fraction of another. */
const isNear = (price: number, other: number, fraction: number): boolean =>
  Math.abs(price - other) <= other * fraction * ROUNDING;

/** Returns whether a price is plausible without a second source. */
export const isNearOld = (price: number, old: number): boolean => isNear(price, old, NEAR_OLD);

/**
 * Queries the sources in their order until one price is plausible.
 *
 * The first price is plausible if it moved by at most 10%. Otherwise, returns it if another source confirms
 * it within 2%, or another source's price if that's close to the old one. Skips prices from before `oldestMs`.
 */
export const findPrice = async (
  sources: readonly Source[],
  oldPrice: number | undefined,
  oldestMs: number,
  fetchPrice: (source: Source) => Promise<Pick<Quote, 'price' | 'at'>>,
): Promise<PriceSearch> => {
  const failures: Record<string, string> = {};
  let newestOld: Quote | undefined;
  let first: Quote | undefined;
  let seconds = 0;
  for (const source of sources) {
    let quote: Quote;
    try {
      const { name, host } = source;
      quote = { source: name, ...(host === undefined ? {} : { host }), ...(await fetchPrice(source)) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failures[source.name] = error.message;
      continue;
    }
    if (quote.at < oldestMs) {
      failures[source.name] = `the price is from ${new Date(quote.at).toISOString()}`;
      if (!newestOld || quote.at > newestOld.at) newestOld = quote;
      continue;
    }
    if (oldPrice === undefined || isNearOld(quote.price, oldPrice)) return { kind: 'found', quote, failures };
    if (!first) {
      first = quote;
      continue;
    }
    if (isNear(quote.price, first.price, NEAR_EACH_OTHER)) return { kind: 'found', quote: first, failures };
    seconds += 1;
  }
  if (first && seconds === 0) return { kind: 'unconfirmed', quote: first, failures };
  if (!first && newestOld) return { kind: 'old', quote: newestOld, failures };
  return { kind: 'nothing', failures };
};
