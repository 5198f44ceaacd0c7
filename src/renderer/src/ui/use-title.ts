import { useEffect } from 'react';
import { createStore } from 'zustand/vanilla';
import { common } from '../strings/common.ts';

/** The page's title, for screen readers, which don't announce a title that changes. */
export const pageTitle = createStore<string>(() => '');

/** Sets the window's title, the most specific part first. */
export const useTitle = (...parts: readonly string[]): void => {
  const title = common.title(...parts);
  const shown = parts.join(', ');
  useEffect(() => {
    document.title = title;
    pageTitle.setState(shown, true);
  }, [title, shown]);
};
