// The figures of the chart, tested alone.
import type { EarningsGroup, EarningsSums } from '../../../../shared/api/earnings.ts';

/** The columns of the chart: seconds since 1970 at the start of each local day, sats earned, and sats spent. */
export type ActivityColumns = [seconds: number[], earned: number[], spent: (number | null)[]];

const two = (value: number): string => String(value).padStart(2, '0');

/** The key of a local day in the API, such as `2026-11-23`. */
export const dayKey = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** What was spent, in sats. Null if a part of it isn't known. */
export const spentOf = ({
  spentSatsRecorded,
  spentSatsEstimated,
  unpricedTokens,
}: Pick<EarningsSums, 'spentSatsRecorded' | 'spentSatsEstimated' | 'unpricedTokens'>): number | null =>
  spentSatsRecorded === null || spentSatsEstimated === null || unpricedTokens > 0
    ? null
    : spentSatsRecorded + spentSatsEstimated;

/** The local midnight that is `days - 1` days before today's, in milliseconds since 1970. */
export const firstDay = (todayMs: number, days: number): number => {
  const first = new Date(todayMs);
  // Not 24 hours at a time, because of days that clocks change on.
  first.setDate(first.getDate() - days + 1);
  return first.getTime();
};

/** Every day of the period up to today, also those without any amount. */
export const toColumns = (
  groups: readonly EarningsGroup[],
  todayMs: number,
  days: number,
): ActivityColumns => {
  const byDay = new Map(groups.map((group) => [group.key, group]));
  const columns: ActivityColumns = [[], [], []];
  const day = new Date(firstDay(todayMs, days));
  for (let count = 0; count < days; count++) {
    const group = byDay.get(dayKey(day));
    columns[0].push(day.getTime() / 1000);
    columns[1].push(group?.earnedSats ?? 0);
    columns[2].push(group ? spentOf(group) : 0);
    day.setDate(day.getDate() + 1);
  }
  return columns;
};
