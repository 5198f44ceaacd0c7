import { useRef, useState } from 'react';
import uPlot from 'uplot';
import { formatSats } from '../../money/format-price.ts';
import { activity as words } from '../../strings/activity.ts';
import { type ChartPlace, resolveColor, useDrawnChart } from '../../ui/use-drawn-chart.ts';
import type { ActivityColumns } from './use-activity.ts';

const HEIGHT_PX = 180;
/** Extra space at both ends of the axis, because a day's bars extend to both sides of its center. */
const HALF_DAY_S = 12 * 60 * 60;
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

interface Colors {
  readonly earned: string;
  readonly spent: string;
  readonly text: string;
  readonly grid: string;
}

const readColors = (place: HTMLElement): Colors => ({
  earned: resolveColor(place, 'var(--ok)'),
  spent: resolveColor(place, 'var(--accent)'),
  text: resolveColor(place, 'var(--muted)'),
  grid: resolveColor(place, 'var(--line)'),
});

const optionsFor = (
  { width, height, fontFamily, colors }: ChartPlace<Colors>,
  onPoint: (index: number | null) => void,
): uPlot.Options => {
  const axis = { stroke: () => colors().text, font: `11px ${fontFamily}`, ticks: { show: false } };
  const bars = (align: -1 | 1, color: () => string): uPlot.Series => {
    // Each day has two bars, side by side.
    const paths = uPlot.paths.bars?.({ size: [0.38, 24], align });
    return { stroke: color, fill: color, width: 0, points: { show: false }, ...(paths && { paths }) };
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    padding: [8, 24, 0, 0],
    scales: {
      x: { range: (_chart, min, max) => [min - HALF_DAY_S, max + HALF_DAY_S] },
      y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        grid: { show: false },
        space: 60,
        incrs: [1, 2, 7, 14, 30].map((days) => days * 24 * 60 * 60),
        values: (_chart, splits) => splits.map((seconds) => DAY.format(seconds * 1000)),
      },
      {
        ...axis,
        size: 62,
        space: 32,
        grid: { stroke: () => colors().grid, width: 1 },
        values: (_chart, splits) => splits.map(formatSats),
      },
    ],
    series: [{}, bars(-1, () => colors().earned), bars(1, () => colors().spent)],
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? null)] },
  };
};

interface ActivityChartProps {
  readonly columns: ActivityColumns;
  /** Describes the bars for screen readers. */
  readonly label: string;
}

/** Shows two bars for each day, earned and spent. Pointing at a day shows its amounts. */
export const ActivityChart = ({ columns, label }: ActivityChartProps) => {
  const host = useRef<HTMLDivElement>(null);
  const [index, setIndex] = useState<number | null>(null);
  useDrawnChart(host, {
    heightPx: HEIGHT_PX,
    columns,
    readColors,
    options: (place) => optionsFor(place, setIndex),
  });
  const at = index === null ? undefined : columns[0][index];
  const spent = index === null ? undefined : columns[2][index];
  return (
    <div className="relative">
      <div ref={host} role="img" aria-label={label} className="h-45 w-full min-w-0 overflow-hidden" />
      {index !== null && at !== undefined && (
        <p
          aria-hidden="true"
          className="pointer-events-none absolute top-0 right-1 rounded bg-raised px-1.5 text-sm tabular-nums shadow-popup"
        >
          <span className="text-muted">{DAY.format(at * 1000)}</span> {words.earned}{' '}
          {words.sats(formatSats(columns[1][index] ?? 0))} · {words.spent}{' '}
          {spent == null ? words.unknown : words.sats(formatSats(spent))}
        </p>
      )}
    </div>
  );
};
