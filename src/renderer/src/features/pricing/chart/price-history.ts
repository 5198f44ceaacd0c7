import type { PricePoint } from '../../../../../shared/api/pricing.ts';

/** The periods of the chart. */
export type ChartPeriod = 'day' | 'week';

/** The length of each period. */
export const PERIOD_HOURS: Readonly<Record<ChartPeriod, number>> = { day: 24, week: 7 * 24 };

/** A price history in words. Prices in USD. `changeShare` is relative to the first price. */
interface PriceSummary {
  readonly lowest: number;
  readonly highest: number;
  readonly change: number;
  readonly changeShare: number;
}

/** Summarizes a price history. Null for fewer than two prices. */
export const summarize = (points: readonly PricePoint[]): PriceSummary | null => {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return null;
  let lowest = first.btc_price_usd;
  let highest = lowest;
  for (const { btc_price_usd: price } of points) {
    lowest = Math.min(lowest, price);
    highest = Math.max(highest, price);
  }
  const change = last.btc_price_usd - first.btc_price_usd;
  return { lowest, highest, change, changeShare: change / first.btc_price_usd };
};

/** A chart's columns: seconds since 1970, and USD. Null breaks the line. */
export type ChartColumns = [seconds: number[], usd: (number | null)[]];

const LEAST_GAP_SECONDS = 15 * 60;
const GAP_INTERVALS = 4;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Returns a price history's columns. An unusually long gap without prices breaks the line. */
export const priceColumns = (points: readonly PricePoint[]): ChartColumns => {
  const times = points.map(({ at }) => Date.parse(at) / 1000);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const gap = Math.max(LEAST_GAP_SECONDS, GAP_INTERVALS * median(steps));
  const columns: ChartColumns = [[], []];
  points.forEach((point, index) => {
    const time = times[index] ?? 0;
    const before = times[index - 1];
    if (before !== undefined && time - before > gap) {
      columns[0].push((before + time) / 2);
      columns[1].push(null);
    }
    columns[0].push(time);
    columns[1].push(point.btc_price_usd);
  });
  return columns;
};
