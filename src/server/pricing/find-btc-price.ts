import { type Source, SourceError } from './btc-sources.ts';

/** A price that a source reported. */
export interface ReportedPrice {
  source: string;
  /** The host that responded, if it isn't the source's default. */
  host?: string | undefined;
  price: number;
  /** The source's own time, or when dot-mi fetched the price, in milliseconds since 1970. */
  at: number;
}

/** The result of querying the sources. `failures` contains the reason why each named source returned nothing. */
type PriceSearch = { failures: Readonly<Record<string, string>> } & (
  | { kind: 'found'; reported: ReportedPrice }
  /** The price moved a lot, and no other source responded. */
  | { kind: 'unconfirmed'; reported: ReportedPrice }
  /** Sources reported only old prices. This is the newest of them. */
  | { kind: 'old'; reported: ReportedPrice }
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
export const findBtcPrice = async (
  sources: readonly Source[],
  oldPrice: number | undefined,
  oldestMs: number,
  fetchPrice: (source: Source) => Promise<Pick<ReportedPrice, 'price' | 'at'>>,
): Promise<PriceSearch> => {
  const failures: Record<string, string> = {};
  let newestOld: ReportedPrice | undefined;
  let first: ReportedPrice | undefined;
  let seconds = 0;
  for (const source of sources) {
    let reported: ReportedPrice;
    try {
      const { name, host } = source;
      reported = { source: name, ...(host === undefined ? {} : { host }), ...(await fetchPrice(source)) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failures[source.name] = error.message;
      continue;
    }
    if (reported.at < oldestMs) {
      failures[source.name] = `the price is from ${new Date(reported.at).toISOString()}`;
      if (!newestOld || reported.at > newestOld.at) newestOld = reported;
      continue;
    }
    if (oldPrice === undefined || isNearOld(reported.price, oldPrice))
      return { kind: 'found', reported, failures };
    if (!first) {
      first = reported;
      continue;
    }
    if (isNear(reported.price, first.price, NEAR_EACH_OTHER))
      return { kind: 'found', reported: first, failures };
    seconds += 1;
  }
  if (first && seconds === 0) return { kind: 'unconfirmed', reported: first, failures };
  if (!first && newestOld) return { kind: 'old', reported: newestOld, failures };
  return { kind: 'nothing', failures };
};
