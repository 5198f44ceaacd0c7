import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { PageRoute } from '../routes.ts';
import { common } from '../strings/common.ts';
import { focusIsLost } from '../ui/use-focus-after-removal.ts';
import { useApiStatus } from './api-status.tsx';
import { SeedBanner } from './banners.tsx';
import { Rail } from './rail.tsx';

/**
 * Moves focus to the main area when the focused element is gone, so that Tab continues from there. It may be gone
 * because another page opened, or because something replaced it, such as another program's change. Code that knows a
 * better place for focus runs sooner.
 */
const useFocusMain = (main: RefObject<HTMLElement | null>, path: string): void => {
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
      // A dialog returns focus a few frames after it closes.
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

/** The DOM id of the main area, which gets focus when the focused element is gone. */
export const MAIN_ID = 'main';

interface ShellProps {
  /** The page that is open, or about to be shown. */
  readonly page: PageRoute;
  /** The path of the main area's content. */
  readonly shownPath: string;
  readonly onPalette: () => void;
  readonly children: ReactNode;
}

/** The frame around every page: rail and main area. */
export const Shell = ({ page, shownPath, onPalette, children }: ShellProps) => {
  const status = useApiStatus();
  const main = useRef<HTMLElement>(null);
  useFocusMain(main, shownPath);
  return (
    <>
      <a
        href={`#${MAIN_ID}`}
        className="absolute top-1 left-1 z-20 rounded-md bg-raised px-3 py-1.5 shadow-popup not-focus:sr-only"
      >
        {common.skipToMain}
      </a>
      <SeedBanner />
      <div className="flex min-h-0 flex-1">
        <Rail page={page} status={status} onPalette={onPalette} />
        <main ref={main} id={MAIN_ID} tabIndex={-1} className="min-w-0 flex-1 outline-none">
          {children}
        </main>
      </div>
    </>
  );
};
