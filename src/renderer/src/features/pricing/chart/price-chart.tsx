import { useRef, useState } from 'react';
import { formatBtcUsd } from '../../../format-price.ts';
import { exactTime } from '../../../ui/relative-time.ts';
import { useDrawnChart } from '../../../ui/use-drawn-chart.ts';
import { chartOptions, readColors } from './chart-options.ts';
import type { ChartColumns } from './price-history.ts';

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
