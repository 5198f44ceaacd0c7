import type { EarningsSums } from '../../shared/api/earnings.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** The key of a local day in the API, such as `2026-11-23`. */
export const dayKey = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** What was spent as far as it is known, in sats. Null without a BTC price. */
export const spentOf = ({
  spentSatsRecorded,
  spentSatsEstimated,
}: Pick<EarningsSums, 'spentSatsRecorded' | 'spentSatsEstimated'>): number | null =>
  // Without any price, nothing is estimated. What pi recorded still counts.
  spentSatsRecorded === null ? null : spentSatsRecorded + (spentSatsEstimated ?? 0);

/** Earned minus spent. If not everything that was spent is known, it is at most this. Null without a BTC price. */
export const marginOf = (sums: EarningsSums): number | null => {
  const spent = spentOf(sums);
  return sums.marginSats ?? (spent === null ? null : sums.earnedSats - spent);
};

/** Whether more was spent than is known, so that spending is at least, and the margin at most, what is shown. */
export const isPartlyKnown = (sums: EarningsSums): boolean =>
  sums.marginSats === null && spentOf(sums) !== null;

/** The local midnight that is `days - 1` days before today's, in milliseconds since 1970. */
export const firstDay = (todayMs: number, days: number): number => {
  const first = new Date(todayMs);
  // Not 24 hours at a time, because of days that clocks change on.
  first.setDate(first.getDate() - days + 1);
  return first.getTime();
};
