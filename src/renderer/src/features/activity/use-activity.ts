// The only place of this view that asks the API.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Earnings, getEarnings } from '../../../../shared/api/earnings.ts';
import { getUsage, type UsageGroup } from '../../../../shared/api/usage.ts';
import { type HistoryEntry, listHistory } from '../../../../shared/api/wallet.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';

const PAYMENTS = 20;
/** While session files are still being read. Events report everything else. */
const READING_INTERVAL_MS = 1_500;

/** What the view shows of a period. */
export interface Activity {
  readonly earnings: Earnings;
  readonly models: readonly UsageGroup[];
}

/** What an agent earned and spent since a day, by day and by model. */
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
        refetchInterval: ({ state }) =>
          state.data?.earnings.complete === false ? READING_INTERVAL_MS : false,
        placeholderData: (before) => before,
      }),
    ),
  );
};

/** The newest payments for an agent. Needs a page that is signed in. */
export const usePayments = (agent: string): ReadStatus<readonly HistoryEntry[]> =>
  readStatus(
    useQuery(
      queryOptions({
        queryKey: [...keys.wallet, 'payments', agent],
        queryFn: async ({ signal }) =>
          (await call(listHistory, { query: { agent, limit: PAYMENTS } }, signal)).entries,
      }),
    ),
  );
