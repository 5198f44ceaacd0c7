import type { EarningsSums } from '../../../shared/api/earnings.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** The key of a local day in the API, such as `2026-11-23`. */
export const dayKey = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** What was spent on priced tokens, in sats. With unpriced ones, it is at least this. Null without a BTC price. */
export const spentOf = ({
  spentSatsRecorded,
  spentSatsEstimated,
}: Pick<EarningsSums, 'spentSatsRecorded' | 'spentSatsEstimated'>): number | null =>
  spentSatsRecorded === null || spentSatsEstimated === null ? null : spentSatsRecorded + spentSatsEstimated;

/** The local midnight that is `days - 1` days before today's, in milliseconds since 1970. */
export const firstDay = (todayMs: number, days: number): number => {
  const first = new Date(todayMs);
  // Not 24 hours at a time, because of days that clocks change on.
  first.setDate(first.getDate() - days + 1);
  return first.getTime();
};
