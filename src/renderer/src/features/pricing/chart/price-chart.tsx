import { useRef, useState } from 'react';
import type uPlot from 'uplot';
import { formatBtcUsd } from '../../../money/format-price.ts';
import { exactTime } from '../../../ui/time-ago.tsx';
import { type ChartPlace, resolveColor, useDrawnChart } from '../../../ui/use-drawn-chart.ts';
import type { ChartColumns } from './price-history.ts';

/** A chart's colors, in the form that a canvas needs. */
interface ChartColors {
  readonly line: string;
  readonly area: string;
  readonly text: string;
  readonly grid: string;
}

/** Reads the current colors of the design tokens. */
const readColors = (place: HTMLElement): ChartColors => ({
  line: resolveColor(place, 'var(--accent)'),
  area: resolveColor(place, 'color-mix(in oklab, var(--accent) 10%, transparent)'),
  text: resolveColor(place, 'var(--muted)'),
  grid: resolveColor(place, 'var(--line)'),
});

interface ChartParts extends ChartPlace<ChartColors> {
  /** Called with the index of the point under the pointer, or null. */
  readonly onPoint: (index: number | null) => void;
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;

const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' });
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const TIME = new Intl.DateTimeFormat(undefined, CLOCK);
const EXACT_TIME = new Intl.DateTimeFormat(undefined, { ...CLOCK, second: '2-digit' });
const TIME_AND_DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', ...CLOCK });

/** The possible intervals between time labels, in seconds. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_SECONDS),
  ...[1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR_SECONDS),
];
const DAY_STEPS = [1, 2, 7].map((days) => days * DAY_SECONDS);

/** Returns the intervals that fit a time span. For two days or more, they're whole days, so labels don't repeat. */
const stepsFor = (spanSeconds: number): number[] =>
  spanSeconds >= 2 * DAY_SECONDS ? DAY_STEPS : [...TIME_STEPS, ...DAY_STEPS];

/** Returns a time axis's labels, without repeats. `times` are in seconds since 1970. */
export const timeLabels = (times: readonly number[], stepSeconds: number): string[] => {
  const format = stepSeconds >= DAY_SECONDS ? WEEKDAY : stepSeconds >= MINUTE_SECONDS ? TIME : EXACT_TIME;
  const seen = new Set<string>();
  return times.map((time) => {
    const label = format.format(time * 1000);
    if (!seen.has(label)) {
      seen.add(label);
      return label;
    }
    // Add the day, because the same time was already shown a day earlier.
    return TIME_AND_DAY.format(time * 1000);
  });
};

/** Returns the uPlot options for a line of prices. */
const chartOptions = (parts: ChartParts): uPlot.Options => {
  const { width, height, fontFamily, colors, onPoint } = parts;
  const axis = {
    stroke: () => colors().text,
    font: `11px ${fontFamily}`,
    ticks: { show: false },
  };
  const grid = { stroke: () => colors().grid, width: 1 };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    // Half of the last time's label is to the right of its point.
    padding: [8, 28, 0, 0],
    scales: { x: { time: true } },
    axes: [
      {
        ...axis,
        size: 24,
        grid: { show: false },
        incrs: (_chart, _axis, min, max) => stepsFor(max - min),
        space: 70,
        values: (_chart, splits, _axis, _space, step) => timeLabels(splits, step),
      },
      {
        ...axis,
        size: 62,
        grid,
        space: 32,
        values: (_chart, splits, _axis, _space, step) => {
          const digits = step >= 1 ? 0 : 2;
          const format = new Intl.NumberFormat('en', {
            style: 'currency',
            currency: 'USD',
            minimumFractionDigits: digits,
            maximumFractionDigits: digits,
          });
          return splits.map((usd) => format.format(usd));
        },
      },
    ],
    series: [{}, { stroke: () => colors().line, fill: () => colors().area, width: 1.5, points: { size: 4 } }],
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? null)] },
  };
};

const HEIGHT_PX = 160;

interface PriceChartProps {
  readonly columns: ChartColumns;
  /** The line in words, for screen readers. */
  readonly label: string;
}

/** A line of prices, with its container's width and the page's colors. Pointing at it shows a price. */
export const PriceChart = ({ columns, label }: PriceChartProps) => {
  const host = useRef<HTMLDivElement>(null);
  const [index, setIndex] = useState<number | null>(null);
  useDrawnChart(host, {
    heightPx: HEIGHT_PX,
    columns,
    readColors,
    options: (place) => chartOptions({ ...place, onPoint: setIndex }),
  });

  const [seconds, usd] = index === null ? [] : [columns[0][index], columns[1][index]];
  return (
    <div className="relative">
      <div ref={host} role="img" aria-label={label} className="h-40 w-full min-w-0 overflow-hidden" />
      {seconds !== undefined && usd != null && (
        <p
          aria-hidden="true"
          className="pointer-events-none absolute top-0 right-1 rounded bg-raised px-1.5 text-sm tabular-nums shadow-popup"
        >
          {formatBtcUsd(usd)} <span className="text-muted">{exactTime(seconds * 1000)}</span>
        </p>
      )}
    </div>
  );
};
