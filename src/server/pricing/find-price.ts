import { type Source, SourceError } from './btc-sources.ts';

/** A price that a source told. */
export interface Quote {
  source: string;
  price: number;
}

/** What asking the sources came to; `failures` says by name why a source gave nothing. */
export type Finding = { failures: Readonly<Record<string, string>> } & (
  | { kind: 'found'; quote: Quote }
  /** It moved far, and no other source could be asked. */
  | { kind: 'unconfirmed'; quote: Quote }
  /** It moved far, and the others say something else; or nobody told anything. */
  | { kind: 'nothing' }
);

/** A move beyond this wants a second source. */
const NEAR_OLD = 0.1;
/** Two sources that are this near say the same. */
const NEAR_EACH_OTHER = 0.02;

/** A billionth, for what binary makes of decimals: 11219.34 is 10 % above 10199.4, not more. */
const ROUNDING = 1 + 1e-9;

/** Whether a price lies within a fraction of another. */
export const isNear = (price: number, other: number, fraction: number): boolean =>
  Math.abs(price - other) <= other * fraction * ROUNDING;

/** Whether a price can be believed without asking a second source. */
export const isNearOld = (price: number, old: number): boolean => isNear(price, old, NEAR_OLD);

/**
 * Asks the sources in their order until one price can be believed.
 *
 * The first sane one, if it moved 10 % at most; else the first that a second source confirms within 2 %, or a second source's that
 * is near the old one.
 */
export const findPrice = async (
  sources: readonly Source[],
  oldPrice: number | undefined,
  ask: (source: Source) => Promise<number>,
): Promise<Finding> => {
  const failures: Record<string, string> = {};
  let first: Quote | undefined;
  let seconds = 0;
  for (const source of sources) {
    let quote: Quote;
    try {
      quote = { source: source.name, price: await ask(source) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failures[source.name] = error.message;
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
  return { kind: 'nothing', failures };
};
