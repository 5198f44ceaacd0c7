import { useEffect } from 'react';
import { strings } from '../strings.ts';

/** Titles the window after its content, the most specific part first. */
export const useTitle = (...parts: readonly string[]): void => {
  const title = strings.title(...parts);
  useEffect(() => {
    document.title = title;
  }, [title]);
};
