import { useEffect } from 'react';
import { strings } from '../strings.ts';

/** Names the window after what it shows, the most particular part first. */
export const useTitle = (...parts: readonly string[]): void => {
  const title = strings.title(...parts);
  useEffect(() => {
    document.title = title;
  }, [title]);
};
