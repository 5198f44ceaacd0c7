import 'uplot/dist/uPlot.min.css';

import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { formatBtcUsd } from '../../../format-price.ts';
import { exactTime } from '../../../ui/relative-time.ts';
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
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(columns);
  const [index, setIndex] = useState<number | null>(null);

  useEffect(() => {
    const place = host.current;
    if (!place) return;
    let colors = readColors(place);
    const options = chartOptions({
      width: place.clientWidth,
      height: HEIGHT_PX,
      fontFamily: getComputedStyle(place).fontFamily,
      colors: () => colors,
      onPoint: setIndex,
    });
    const drawn = new uPlot(options, latest.current, place);
    chart.current = drawn;

    const resized = new ResizeObserver(() => {
      if (place.clientWidth > 0) drawn.setSize({ width: place.clientWidth, height: HEIGHT_PX });
    });
    resized.observe(place);
    const repaint = (): void => {
      colors = readColors(place);
      drawn.redraw(false, true);
    };
    // The theme changes with the system's, or with the one set on the page.
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', repaint);
    const themed = new MutationObserver(repaint);
    themed.observe(document.documentElement, { attributeFilter: ['class', 'style', 'data-theme'] });
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', repaint);
      themed.disconnect();
      chart.current = null;
      drawn.destroy();
    };
  }, []);

  useEffect(() => {
    if (latest.current === columns) return;
    latest.current = columns;
    chart.current?.setData(columns);
  }, [columns]);

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
