import { type RefObject, useEffect } from 'react';
import { focusIsLost } from './focus-is-lost.ts';

/**
 * Gives the focus to the main area when what had it is gone, so that Tab goes on from there: when another page opens, and
 * when something else took its place, because of another program, say. What has a better place for the focus is sooner.
 */
export const useFocusMain = (main: RefObject<HTMLElement | null>, path: string): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another page opens, and only then
  useEffect(() => {
    const timer = setTimeout(() => {
      if (focusIsLost()) main.current?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, [main, path]);

  useEffect(() => {
    const area = main.current;
    if (!area) return;
    let last: EventTarget | null = null;
    const remember = ({ target }: FocusEvent): void => {
      last = target;
    };
    const isRemoved = (): boolean => last instanceof Element && !last.isConnected && focusIsLost();
    const changed = new MutationObserver(() => {
      if (!isRemoved()) return;
      // A question that was answered gives the focus back some frames later.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => isRemoved() && area.focus({ preventScroll: true })),
      );
    });
    document.addEventListener('focusin', remember);
    changed.observe(area, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', remember);
      changed.disconnect();
    };
  }, [main]);
};
