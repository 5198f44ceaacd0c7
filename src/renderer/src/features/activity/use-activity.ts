import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Earnings, type EarningsGroup, getEarnings } from '../../../../shared/api/earnings.ts';
import { getUsage, type UsageGroup } from '../../../../shared/api/usage.ts';
import { type HistoryEntry, listHistory } from '../../../../shared/api/wallet.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';
import { dayKey, firstDay, spentOf } from '../../money/earnings.ts';

/** The chart's columns: seconds since 1970 at the start of each local day, sats earned, and sats spent. */
export type ActivityColumns = [seconds: number[], earned: number[], spent: (number | null)[]];

/** Returns every day of the period up to today, including days without amounts. */
export const activityColumns = (
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

const PAYMENTS = 20;
/** The refetch interval while session files are still being read. Events report everything else. */
const READING_INTERVAL_MS = 1_500;

/** The view's data about a period. */
interface Activity {
  readonly earnings: Earnings;
  readonly models: readonly UsageGroup[];
}

/** Returns an agent's earnings and spending since `fromMs`, by day and by model. */
export const useActivity = (agent: string, fromMs: number): ReadStatus<Activity> => {
  const from = new Date(fromMs).toISOString();
  return readStatus(
    useQuery(
      queryOptions({
        queryKey: [...keys.earnings, 'of', agent, from],
        queryFn: async ({ signal }): Promise<Activity> => {
          const [earnings, usage] = await Promise.all([
            call(getEarnings, { query: { agent, from, groupBy: 'day' } }, signal),
            call(getUsage, { query: { agent, from, groupBy: 'model' } }, signal),
          ]);
          return { earnings, models: usage.groups };
        },
        refetchInterval: ({ state }) => (state.data?.earnings.reading ? READING_INTERVAL_MS : false),
        placeholderData: (before) => before,
      }),
    ),
  );
};

/** The payments received for an agent. */
interface Payments {
  /** Excludes payments for sales, which the view shows with their costs. */
  readonly payments: readonly HistoryEntry[];
  readonly hasSales: boolean;
}

/** Returns the newest payments for an agent. Needs a signed-in page. */
export const usePayments = (agent: string): ReadStatus<Payments> =>
  readStatus(
    useQuery(
      queryOptions({
        queryKey: [...keys.wallet, 'payments', agent],
        queryFn: async ({ signal }): Promise<Payments> => {
          const { entries } = await call(listHistory, { query: { agent, limit: PAYMENTS } }, signal);
          const received = entries.filter(({ kind }) => kind === 'receive');
          const payments = received.filter(({ charge }) => charge === undefined);
          return { payments, hasSales: payments.length < received.length };
        },
      }),
    ),
  );
