import { ChartLine } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { PricePoint } from '../../../../../shared/api/pricing.ts';
import { formatBtcUsd, formatChange, formatShare } from '../../../money/format-price.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Choice } from '../../../ui/choice.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { lazyView } from '../../../ui/lazy-view.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Section } from '../../../ui/section.tsx';
import { usePriceHistory } from '../use-pricing.ts';
import { type ChartPeriod, priceColumns, summarize } from './price-history.ts';

// Loaded lazily, because the chart's code is a third the size of the page's, and another view is usually open.
const PriceChart = lazyView(async () => (await import('./price-chart.tsx')).PriceChart, 'part');
const PERIODS: readonly ChartPeriod[] = ['day', 'week'];

/** The BTC price of the last day or week, as a chart and in words. */
export const PriceHistorySection = () => {
  const [period, setPeriod] = useState<ChartPeriod>('day');
  const history = usePriceHistory(period);
  return (
    <div className="min-w-0 flex-1">
      <Section
        heading={words.chart.heading}
        aside={
          <div className="ml-auto">
            <Choice
              label={words.chart.period}
              options={PERIODS}
              names={words.chart.periods}
              value={period}
              onChange={setPeriod}
            />
          </div>
        }
      >
        <div className="min-h-46">
          {history.status === 'loading' && <Loading />}
          {history.status === 'error' && <ErrorState error={history.error} onRetry={history.retry} />}
          {history.status === 'ready' && <ChartAndFigures points={history.points} period={period} />}
        </div>
      </Section>
    </div>
  );
};

interface FiguresProps {
  readonly points: readonly PricePoint[];
  readonly period: ChartPeriod;
}

const ChartAndFigures = ({ points, period }: FiguresProps) => {
  const columns = useMemo(() => priceColumns(points), [points]);
  const summary = useMemo(() => summarize(points), [points]);
  if (!summary) return <NoHistory />;
  const lowest = formatBtcUsd(summary.lowest);
  const highest = formatBtcUsd(summary.highest);
  const change = `${formatChange(summary.change)} (${formatShare(summary.changeShare)})`;
  return (
    <div className="flex flex-col gap-1">
      {/* As tall as the chart, so that nothing moves when it loads. */}
      <div className="h-40">
        <PriceChart
          columns={columns}
          label={words.chart.label({ over: words.chart.over[period], lowest, highest, change })}
        />
      </div>
      <dl className="flex flex-wrap gap-x-5 text-sm tabular-nums">
        <Figure term={words.chart.lowest}>{lowest}</Figure>
        <Figure term={words.chart.highest}>{highest}</Figure>
        <Figure term={words.chart.change}>{change}</Figure>
      </dl>
    </div>
  );
};

const Figure = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <div className="flex gap-1.5">
    <dt className="text-muted">{term}</dt>
    <dd>{children}</dd>
  </div>
);

const NoHistory = () => (
  <div className="flex h-46 flex-col items-center justify-center gap-1 text-center">
    <ChartLine aria-hidden="true" className="mb-1 size-5 text-muted" strokeWidth={1.5} />
    <p className="font-medium">{words.chart.none}</p>
    <p className="text-sm text-pretty text-muted">{words.chart.noneHint}</p>
  </div>
);
