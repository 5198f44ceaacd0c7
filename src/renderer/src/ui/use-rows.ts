import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** The rows of a long list that are in the page. */
export interface Rows {
  /** The `ref` of what scrolls, where that is not given; put `data-index` on each row. */
  readonly setScroller: (element: HTMLElement | null) => void;
  /** Of all rows together, in px. */
  readonly height: number;
  /** In their order, not always without a gap; `start` in px from the first row of all. */
  readonly rows: readonly { readonly index: number; readonly start: number }[];
}

/** Where the rows are only a part of what scrolls: all of that, and the element that holds the rows. */
export interface RowsWithin {
  readonly scroller: HTMLElement | null;
  readonly body: RefObject<HTMLElement | null>;
}

/**
 * The window onto a list of rows of one height that can have the focus. The row with the focus and those beside it stay
 * in the page however far the list is scrolled, so that the focus is not lost and Tab and the arrow keys go on from there.
 */
export const useRows = (count: number, rowHeight: number, within?: RowsWithin): Rows => {
  // State, not a ref: in a dialog what scrolls is there later than this.
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

/** How far below the top of what scrolls the first row is, in px. */
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
    // What stands above the rows may grow and shrink.
    const resized = new ResizeObserver(measure);
    for (const child of scroller.children) resized.observe(child);
    return () => resized.disconnect();
  }, [scroller, body]);
  return top;
};

/** The index of the row that has the focus, -1 where none has. */
const focusedIndex = (scroller: HTMLElement | null): number => {
  const { activeElement } = document;
  if (!activeElement || !scroller?.contains(activeElement)) return -1;
  return Number(activeElement.closest('[data-index]')?.getAttribute('data-index') ?? -1);
};
