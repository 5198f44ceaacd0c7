import type { EarningsSums } from '../../../shared/api/earnings.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns a local day's key in the API, such as `2026-11-23`. */
export const dayKey = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** Returns the known spending in sats. Null if there's no BTC price. */
export const spentOf = ({
  spentSatsRecorded,
  spentSatsEstimated,
}: Pick<EarningsSums, 'spentSatsRecorded' | 'spentSatsEstimated'>): number | null =>
  // Without any price, nothing is estimated. pi's recorded costs still count.
  spentSatsRecorded === null ? null : spentSatsRecorded + (spentSatsEstimated ?? 0);

/** Returns earnings minus spending. If some spending is unknown, it's an upper limit. Null if there's no BTC price. */
export const marginOf = (sums: EarningsSums): number | null => {
  const spent = spentOf(sums);
  return sums.marginSats ?? (spent === null ? null : sums.earnedSats - spent);
};

/** Returns whether some spending is unknown, so that spending is a minimum and the margin a maximum. */
export const isPartlyKnown = (sums: EarningsSums): boolean =>
  sums.marginSats === null && spentOf(sums) !== null;

/** Returns the local midnight that is `days - 1` days before today's, in milliseconds since 1970. */
export const firstDay = (todayMs: number, days: number): number => {
  const first = new Date(todayMs);
  // Don't subtract multiples of 24 hours, because some days are shorter or longer when clocks change.
  first.setDate(first.getDate() - days + 1);
  return first.getTime();
};
