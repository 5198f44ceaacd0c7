import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** The rows in sight, and the height of those before and after them in px. */
export interface RowWindow<T> {
  /** The index of the first of `rows`. */
  readonly first: number;
  readonly rows: readonly T[];
  readonly before: number;
  readonly after: number;
}

/** The window onto rows of one height in a body that lies somewhere in what scrolls. */
export const useRowWindow = <T>(
  scroller: RefObject<HTMLElement | null>,
  body: RefObject<HTMLElement | null>,
  items: readonly T[],
  rowHeight: number,
): RowWindow<T> => {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const scrolled = scroller.current;
    if (!scrolled) return;
    const measure = (): void => {
      const inside = body.current?.getBoundingClientRect().top ?? 0;
      setTop(Math.round(inside - scrolled.getBoundingClientRect().top + scrolled.scrollTop));
    };
    measure();
    // What stands above the rows may grow and shrink.
    const resized = new ResizeObserver(measure);
    for (const child of scrolled.children) resized.observe(child);
    return () => resized.disconnect();
  }, [scroller, body]);

  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  const visible = virtual.getVirtualItems();
  const first = visible[0]?.index ?? 0;
  const rows = items.slice(first, first + visible.length);
  return {
    first,
    rows,
    before: first * rowHeight,
    after: Math.max(0, items.length - first - rows.length) * rowHeight,
  };
};
