import { ChartNoAxesColumn } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Earnings } from '../../../../shared/api/earnings.ts';
import { needsSignIn } from '../../../../shared/api/errors.ts';
import type { UsageGroup } from '../../../../shared/api/usage.ts';
import { firstDay, isPartlyKnown, marginOf, spentOf } from '../../money/earnings.ts';
import { formatSats, formatUsd } from '../../money/format-price.ts';
import { GetTestSats } from '../../money/test-sats.tsx';
import { paths } from '../../routes.ts';
import { activity as words } from '../../strings/activity.ts';
import { covered } from '../../strings/covered.ts';
import { number } from '../../strings/words.ts';
import { Choice } from '../../ui/choice.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/section.tsx';
import { TimeAgo, useToday } from '../../ui/time-ago.tsx';
import { Amount } from './amount.tsx';
import { SalesSection } from './sales-section.tsx';
import { activityColumns, useActivity, usePayments } from './use-activity.ts';

// Loaded lazily, because the chart's code is large and another view is usually open.
const ActivityChart = lazyView(async () => (await import('./activity-chart.tsx')).ActivityChart, 'part');

const CELL = 'py-1 pl-3 text-right tabular-nums';

const tokensOf = ({ input, output, cacheRead, cacheWrite }: UsageGroup): number =>
  input + output + cacheRead + cacheWrite;

const costOf = (group: UsageGroup): number => group.usdRecorded + (group.usdEstimated ?? 0);

/** Returns a model's cost in USD and sats. Estimates are marked. An unknown cost is shown in words. */
const costText = (group: UsageGroup): string => {
  const { usdRecorded, usdEstimated, satsRecorded, satsEstimated } = group;
  if (usdEstimated === null && usdRecorded === 0) return words.unknown;
  const sats = satsRecorded === null || satsEstimated === null ? null : satsRecorded + satsEstimated;
  const usd = formatUsd(costOf(group));
  const text = sats === null ? usd : `${usd} · ${words.sats(formatSats(sats))}`;
  return (usdEstimated ?? 0) > 0 ? words.estimate(text) : text;
};

/** The models that an agent called, most expensive first. */
const ModelsTable = ({ models }: { readonly models: readonly UsageGroup[] }) => {
  if (models.length === 0) return <p className="text-muted">{words.noModels}</p>;
  return (
    <div className="overflow-x-auto">
      <table className="w-full">
        <thead className="text-sm text-muted">
          <tr>
            <th scope="col" className="py-1 text-left font-normal">
              {words.columns.model}
            </th>
            <th scope="col" className={`${CELL} font-normal`}>
              {words.columns.calls}
            </th>
            <th scope="col" className={`${CELL} font-normal`}>
              {words.columns.tokens}
            </th>
            <th scope="col" className={`${CELL} font-normal`}>
              {words.columns.cost}
            </th>
          </tr>
        </thead>
        <tbody>
          {models
            .toSorted((a, b) => costOf(b) - costOf(a) || tokensOf(b) - tokensOf(a))
            .map((group) => (
              <tr key={group.key} className="border-t border-line">
                <th scope="row" className="py-1 text-left font-medium wrap-anywhere">
                  <bdi>{group.key.replace(/^\//, '')}</bdi>
                </th>
                <td className={CELL}>{words.calls(group.calls)}</td>
                <td className={CELL}>{number.format(tokensOf(group))}</td>
                <td className={`${CELL} whitespace-nowrap`}>{costText(group)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
};

/** The newest payments for an agent. */
const Payments = ({ agent }: { readonly agent: string }) => {
  const read = usePayments(agent);
  if (read.status === 'loading') return null;
  if (read.status === 'error')
    return needsSignIn(read.error) ? (
      <p className="text-muted">{words.paymentsLocked}</p>
    ) : (
      <ErrorState error={read.error} onRetry={read.retry} />
    );
  const { payments, hasSales } = read.data;
  if (payments.length === 0)
    return <p className="text-muted">{hasSales ? words.onlySales : words.noPayments}</p>;
  return (
    <ul className="divide-y divide-line">
      {payments.map(({ id, amount, createdAt, label }) => (
        <li key={id} data-details-row className="flex items-baseline gap-3 py-1">
          <span className="font-medium whitespace-nowrap tabular-nums">
            {words.sats(number.format(amount ?? 0))}
          </span>
          <bdi className="min-w-0 flex-1 truncate text-muted" data-details="">
            {label}
          </bdi>
          <span className="shrink-0 text-sm text-muted">
            <TimeAgo at={createdAt} showsRow />
          </span>
        </li>
      ))}
    </ul>
  );
};

const PERIODS = ['week', 'month', 'quarter'] as const;
type Period = (typeof PERIODS)[number];
const DAYS: Readonly<Record<Period, number>> = { week: 7, month: 30, quarter: 90 };

/** An agent's earnings and spending: per day, its payments, and its models. */
export const ActivitySection = ({ id }: { readonly id: string }) => {
  const [period, setPeriod] = useState<Period>('month');
  const today = useToday();
  const days = DAYS[period];
  const read = useActivity(id, firstDay(today, days));
  if (read.status === 'loading') return <Loading />;
  if (read.status === 'error') return <ErrorState error={read.error} onRetry={read.retry} />;
  const { earnings, models } = read.data;
  const choice = (
    <Choice
      label={words.period}
      options={PERIODS}
      names={words.periods}
      value={period}
      onChange={setPeriod}
    />
  );
  return (
    <div className="@container flex flex-col">
      <Section
        heading={words.heading}
        aside={
          <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
            {earnings.simulated && <GetTestSats size="small" agent={id} />}
            {choice}
          </div>
        }
      >
        <Amounts earnings={earnings} />
        {earnings.groups.length === 0 ? (
          <EmptyState icon={ChartNoAxesColumn} level={3} title={words.none} hint={words.noneHint} />
        ) : (
          <PerDay earnings={earnings} today={today} days={days} />
        )}
        <Notes earnings={earnings} />
      </Section>
      <SalesSection agent={id} fromMs={firstDay(today, days)} />
      <div className="flex flex-col @3xl:flex-row">
        <div className="min-w-0 flex-1">
          <Section heading={words.models}>
            <ModelsTable models={models} />
          </Section>
        </div>
        <div className="min-w-0 @3xl:w-80">
          <Section heading={words.payments}>
            <Payments agent={id} />
          </Section>
        </div>
      </div>
    </div>
  );
};

const signed = (sats: number): string => `${sats < 0 ? '−' : ''}${formatSats(Math.abs(sats))}`;

/** The period's earnings, spending and margin. Estimates are marked. */
const Amounts = ({ earnings: { total } }: { readonly earnings: Earnings }) => {
  const isEstimate = total.spentSatsEstimated !== 0;
  const show = (sats: number | null, estimated: boolean): string => {
    if (sats === null) return words.unknown;
    const text = words.sats(signed(sats));
    return estimated ? words.estimate(text) : text;
  };
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-1">
      <Amount term={words.earned} swatch="bg-ok">
        {show(total.earnedSats, false)}
      </Amount>
      <Amount term={words.spent} swatch="bg-accent">
        {isPartlyKnown(total) ? words.atLeast(show(spentOf(total), false)) : show(spentOf(total), isEstimate)}
      </Amount>
      <Amount term={words.margin}>
        {isPartlyKnown(total)
          ? words.atMost(show(marginOf(total), false))
          : show(marginOf(total), isEstimate)}
      </Amount>
    </dl>
  );
};

interface PerDayProps {
  readonly earnings: Earnings;
  readonly today: number;
  readonly days: number;
}

const PerDay = ({ earnings, today, days }: PerDayProps) => {
  const columns = useMemo(
    () => activityColumns(earnings.groups, today, days),
    [earnings.groups, today, days],
  );
  const spent = spentOf(earnings.total);
  return (
    // As tall as the chart, so that nothing moves when it loads.
    <div className="h-45">
      <ActivityChart
        columns={columns}
        label={words.chart(
          days,
          words.sats(formatSats(earnings.total.earnedSats)),
          spent === null
            ? words.unknown
            : isPartlyKnown(earnings.total)
              ? words.atLeast(words.sats(formatSats(spent)))
              : words.sats(formatSats(spent)),
        )}
      />
    </div>
  );
};

const Notes = ({ earnings: { total, reading, notCounted, simulated } }: { readonly earnings: Earnings }) => {
  const notes = [
    reading ? words.reading : undefined,
    notCounted.length > 0 ? words.notCounted(notCounted) : undefined,
    total.spentSatsRecorded === null || (total.spentSatsEstimated === null && total.unpricedTokens === 0)
      ? words.noBtc
      : undefined,
    total.coveredBySubscription ? covered(total.coveredBySubscription) : undefined,
    simulated && total.payments > 0 ? words.testMoney : undefined,
  ].filter((note) => note !== undefined);
  const hasUnpriced = total.unpricedTokens > 0;
  return (
    (hasUnpriced || notes.length > 0) && (
      <p className="text-sm text-muted">
        {hasUnpriced && (
          <>
            {words.unpriced(total.unpricedTokens)}{' '}
            <Link href={paths.pricing} className="text-accent underline">
              {words.addPrices}
            </Link>{' '}
          </>
        )}
        {notes.join(' ')}
      </p>
    )
  );
};
