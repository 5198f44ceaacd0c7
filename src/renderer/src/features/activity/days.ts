// The figures of the chart, tested alone.
import type { EarningsGroup } from '../../../../shared/api/earnings.ts';
import { dayKey, firstDay, spentOf } from '../../money/days.ts';

/** The columns of the chart: seconds since 1970 at the start of each local day, sats earned, and sats spent. */
export type ActivityColumns = [seconds: number[], earned: number[], spent: (number | null)[]];

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
