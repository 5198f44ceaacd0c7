import {
  type Earnings,
  type EarningsGrouping,
  type EarningsSums,
  getEarnings,
} from '../../shared/api/earnings.ts';
import { type Period, periodOf } from '../../shared/api/fields.ts';
import type { Usage, UsageSums } from '../../shared/api/usage.ts';
import type { Base, Feature } from '../feature.ts';
import { actingAgent, requireKeyOfRoot } from '../platform/caller.ts';
import { leavesOut, limitTo } from '../platform/completeness.ts';
import type { Wallet } from '../wallet/index.ts';

/** Dependencies of {@link createEarningsRoutes}. */
export interface EarningsDeps extends Pick<Base, 'config'> {
  wallet: Pick<Wallet, 'earned'>;
  usage(grouping: EarningsGrouping, period: Period, agent?: string): Promise<Usage>;
}

const NOTHING_SPENT = {
  calls: 0,
  unpricedTokens: 0,
  satsRecorded: 0,
  satsEstimated: 0,
} satisfies Partial<UsageSums>;

const NOTHING_EARNED = { sats: 0, payments: 0 };

const join = (
  { sats, payments }: typeof NOTHING_EARNED,
  {
    satsRecorded,
    satsEstimated,
    unpricedTokens,
    calls,
    coveredBySubscription,
  }: Pick<UsageSums, keyof typeof NOTHING_SPENT | 'coveredBySubscription'>,
  isCounted: boolean,
): EarningsSums => ({
  earnedSats: sats,
  payments,
  spentSatsRecorded: satsRecorded,
  spentSatsEstimated: satsEstimated,
  unpricedTokens,
  // Null if some costs are unknown, because the margin would be too high.
  marginSats:
    satsRecorded === null || satsEstimated === null || unpricedTokens > 0 || !isCounted
      ? null
      : sats - satsRecorded - satsEstimated,
  calls,
  ...(coveredBySubscription ? { coveredBySubscription } : {}),
});

/** Sorts payments without an agent last. */
const byKey = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;

/** The last result for each usage object. Every change creates a new object. */
const joined = new WeakMap<Usage, { readonly payments: string; readonly earnings: Earnings }>();

/**
 * Creates a function that joins agents' earnings with their spending. It returns the same frozen object until either
 * changes. Throws `root_unavailable` and `wallet_locked`.
 */
const createReader =
  ({ config, wallet, usage }: EarningsDeps) =>
  async (grouping: EarningsGrouping, period: Period, agent?: string): Promise<Earnings> => {
    const payments = wallet.earned(
      grouping,
      period.fromMs ?? 0,
      period.toMs ?? Number.MAX_SAFE_INTEGER,
      agent,
    );
    const spent = await usage(grouping, period, agent);
    const paid = JSON.stringify(payments);
    const known = joined.get(spent);
    if (known?.payments === paid) return known.earnings;
    const { groups, total, complete, reading, notCounted } = spent;
    const isCounted = (key: string | null) =>
      key === null || !leavesOut(grouping === 'agent' ? limitTo(spent, key) : spent);
    const earnedBy = new Map(payments.map((row) => [row.group, row]));
    const spentBy = new Map(groups.map((group) => [group.key as string | null, group]));
    const keys = [...new Set([...earnedBy.keys(), ...spentBy.keys()])].sort(byKey);
    const all = payments.reduce(
      (sum, row) => ({ sats: sum.sats + row.sats, payments: sum.payments + row.payments }),
      NOTHING_EARNED,
    );
    const earnings: Earnings = Object.freeze({
      groups: keys.map((key) => ({
        key,
        ...join(earnedBy.get(key) ?? NOTHING_EARNED, spentBy.get(key) ?? NOTHING_SPENT, isCounted(key)),
      })),
      total: join(all, total, !leavesOut(spent)),
      complete,
      reading,
      notCounted,
      ...(config.devMode ? { simulated: true as const } : {}),
    });
    joined.set(spent, { payments: paid, earnings });
    return earnings;
  };

/** Creates the route that lists agents' earnings, spending and margins. */
export const createEarningsRoutes = (deps: EarningsDeps): Feature['routes'] => {
  const read = createReader(deps);
  return (bind) =>
    bind(getEarnings, ({ query }, caller) => {
      requireKeyOfRoot(caller);
      return read(query.groupBy, periodOf(query), actingAgent(caller, query.agent));
    });
};
