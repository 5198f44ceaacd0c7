import 'uplot/dist/uPlot.min.css';
import { type RefObject, useEffect, useRef } from 'react';
import uPlot from 'uplot';

/** Converts a design token's color for a canvas, which supports neither `var()` nor `light-dark()`. */
export const resolveColor = (place: HTMLElement, value: string): string => {
  place.style.color = value;
  const { color } = getComputedStyle(place);
  place.style.color = '';
  return color;
};

/** The size, font and colors with which a chart is drawn. */
export interface ChartPlace<Colors> {
  readonly width: number;
  readonly height: number;
  readonly fontFamily: string;
  /** Called for each drawing, so that a redraw is enough after the theme changes. */
  readonly colors: () => Colors;
}

/** The drawing's data. Only the columns can change later. */
interface DrawnChart<Colors> {
  readonly heightPx: number;
  readonly columns: uPlot.AlignedData;
  readonly readColors: (place: HTMLElement) => Colors;
  readonly options: (place: ChartPlace<Colors>) => uPlot.Options;
}

/** Draws a chart into an element, with the element's width and the page's colors. */
export const useDrawnChart = <Colors>(
  host: RefObject<HTMLElement | null>,
  { heightPx, columns, readColors, options }: DrawnChart<Colors>,
): void => {
  const chart = useRef<uPlot | null>(null);
  const first = useRef({ heightPx, columns, readColors, options });
  const latest = useRef(columns);

  useEffect(() => {
    const place = host.current;
    if (!place) return;
    const made = first.current;
    const height = made.heightPx;
    let colors = made.readColors(place);
    const { fontFamily } = getComputedStyle(place);
    const drawn = new uPlot(
      made.options({ width: place.clientWidth, height, fontFamily, colors: () => colors }),
      latest.current,
      place,
    );
    chart.current = drawn;

    const resized = new ResizeObserver(() => {
      if (place.clientWidth > 0) drawn.setSize({ width: place.clientWidth, height });
    });
    resized.observe(place);
    const repaint = (): void => {
      colors = made.readColors(place);
      drawn.redraw(false, true);
    };
    // The theme can change with the system's theme, or with the page's setting.
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
  }, [host]);

  useEffect(() => {
    if (latest.current === columns) return;
    latest.current = columns;
    chart.current?.setData(columns);
  }, [columns]);
};
