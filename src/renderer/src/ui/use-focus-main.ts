import { type RefObject, useEffect } from 'react';

/** Gives the focus to the main area when another page opens and what had it is gone, so that Tab goes on from there. */
export const useFocusMain = (main: RefObject<HTMLElement | null>, path: string): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another page opens, and only then
  useEffect(() => {
    const timer = setTimeout(() => {
      if (document.activeElement === null || document.activeElement === document.body) {
        main.current?.focus({ preventScroll: true });
      }
    });
    return () => clearTimeout(timer);
  }, [main, path]);
};
