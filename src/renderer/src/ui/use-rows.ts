import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useState } from 'react';

/** The rows of a long list that are in the page. */
export interface Rows {
  /** The `ref` of what scrolls; put `data-index` on each row. */
  readonly setScroller: (element: HTMLElement | null) => void;
  /** Of all rows together, in px. */
  readonly height: number;
  readonly rows: readonly { readonly index: number; readonly start: number }[];
}

/**
 * The window onto a list of rows of one height that can have the focus. The row with the focus stays in the page however
 * far the list is scrolled, so that the focus is not lost and Tab goes on from there.
 */
export const useRows = (count: number, rowHeight: number): Rows => {
  // State, not a ref: in a dialog what scrolls is there later than this.
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 8,
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      const kept = focusedIndex(scroller);
      if (kept < 0 || kept >= count || inSight.includes(kept)) return inSight;
      return [...inSight, kept].sort((a, b) => a - b);
    },
  });
  return {
    setScroller,
    height: virtual.getTotalSize(),
    rows: virtual.getVirtualItems(),
  };
};

/** The index of the row that has the focus, -1 where none has. */
const focusedIndex = (scroller: HTMLElement | null): number => {
  const { activeElement } = document;
  if (!activeElement || !scroller?.contains(activeElement)) return -1;
  return Number(activeElement.closest('[data-index]')?.getAttribute('data-index') ?? -1);
};
