import type uPlot from 'uplot';
import type { Period } from './price-history.ts';

/** The colors of a chart, in the form that a canvas needs. */
export interface ChartColors {
  readonly line: string;
  readonly area: string;
  readonly text: string;
  readonly grid: string;
}

/** Reads the current colors of the design tokens. A canvas knows neither `var()` nor `light-dark()`. */
export const readColors = (place: HTMLElement): ChartColors => {
  const resolve = (value: string): string => {
    place.style.color = value;
    const { color } = getComputedStyle(place);
    place.style.color = '';
    return color;
  };
  return {
    line: resolve('var(--accent)'),
    area: resolve('color-mix(in oklab, var(--accent) 10%, transparent)'),
    text: resolve('var(--muted)'),
    grid: resolve('var(--line)'),
  };
};

interface ChartParts {
  readonly period: Period;
  readonly width: number;
  readonly height: number;
  readonly fontFamily: string;
  /** Called for each drawing, so that a redraw is enough after a change of theme. */
  readonly colors: () => ChartColors;
  /** Called with the index of the point under the pointer, or null. */
  readonly onPoint: (index: number | null) => void;
}

const TIMES: Readonly<Record<Period, Intl.DateTimeFormat>> = {
  day: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }),
  week: new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' }),
};
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** The uPlot options for a line of prices. */
export const chartOptions = (parts: ChartParts): uPlot.Options => {
  const { period, width, height, fontFamily, colors, onPoint } = parts;
  const times = TIMES[period];
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
        // Show each weekday once, however few days there are.
        ...(period === 'week' ? { incrs: [1, 2, 7].map((days) => days * DAY_SECONDS) } : {}),
        space: 70,
        values: (_chart, splits) => splits.map((seconds) => times.format(seconds * 1000)),
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
