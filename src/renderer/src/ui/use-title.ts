import { useEffect } from 'react';
import { createStore } from 'zustand/vanilla';
import { common } from '../strings/common.ts';

/** What the page shows, for screen readers: they don't read a title that changes. */
export const pageTitle = createStore<string>(() => '');

/** Titles the window after its content, the most specific part first. */
export const useTitle = (...parts: readonly string[]): void => {
  const title = common.title(...parts);
  const shown = parts.join(', ');
  useEffect(() => {
    document.title = title;
    pageTitle.setState(shown, true);
  }, [title, shown]);
};
