import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** The rendered rows of a long list. */
export interface Rows {
  /** The `ref` of the scrolling element, if `within` isn't given. Put `data-index` on each row. */
  readonly setScroller: (element: HTMLElement | null) => void;
  /** The height of all rows together, in px. */
  readonly height: number;
  /** The rows in order, possibly with gaps. `start` is in px from the top of the first row. */
  readonly rows: readonly { readonly index: number; readonly start: number }[];
}

/** The scrolling element and the rows' element, for rows that are only part of the scrolling content. */
interface RowsWithin {
  readonly scroller: HTMLElement | null;
  readonly body: RefObject<HTMLElement | null>;
}

/**
 * Renders the visible part of a list of focusable rows with equal height. The focused row and its neighbors stay
 * rendered no matter how far the list scrolls, so that focus isn't lost, and Tab and the arrow keys continue there.
 */
export const useRows = (count: number, rowHeight: number, within?: RowsWithin): Rows => {
  // State, not a ref, because in a dialog the scrolling element appears later.
  const [own, setScroller] = useState<HTMLElement | null>(null);
  const scroller = within ? within.scroller : own;
  const top = useTop(within);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: top,
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      const focused = focusedIndex(scroller);
      if (focused < 0) return inSight;
      const kept = [focused - 1, focused, focused + 1].filter((index) => index >= 0 && index < count);
      return [...new Set([...inSight, ...kept])].sort((a, b) => a - b);
    },
  });
  return {
    setScroller,
    height: virtual.getTotalSize(),
    rows: virtual.getVirtualItems().map(({ index, start }) => ({ index, start: start - top })),
  };
};

/** How far the first row is below the top of the scrolling content, in px. */
const useTop = (within: RowsWithin | undefined): number => {
  const [top, setTop] = useState(0);
  const scroller = within?.scroller;
  const body = within?.body;
  useLayoutEffect(() => {
    if (!scroller) return;
    const measure = (): void => {
      const inside = body?.current?.getBoundingClientRect().top ?? 0;
      setTop(Math.round(inside - scroller.getBoundingClientRect().top + scroller.scrollTop));
    };
    measure();
    // The content above the rows may grow and shrink.
    const resized = new ResizeObserver(measure);
    for (const child of scroller.children) resized.observe(child);
    return () => resized.disconnect();
  }, [scroller, body]);
  return top;
};

/** Returns the index of the focused row, or -1. */
const focusedIndex = (scroller: HTMLElement | null): number => {
  const { activeElement } = document;
  if (!activeElement || !scroller?.contains(activeElement)) return -1;
  return Number(activeElement.closest('[data-index]')?.getAttribute('data-index') ?? -1);
};
