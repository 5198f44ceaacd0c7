import { type ReactNode, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Page } from '../routes.ts';
import { strings } from '../strings.ts';
import { useFocusMain } from '../ui/use-focus-main.ts';
import { SeedBanner } from './banners.tsx';
import { Rail } from './rail.tsx';
import { useApiStatus } from './use-api-status.ts';

/** The DOM id of the main area: where the focus goes when what had it is gone. */
export const MAIN_ID = 'main';

interface ShellProps {
  readonly page: Page;
  /** Opens the command palette. */
  readonly onPalette: () => void;
  readonly children: ReactNode;
}

/** What is around every page: rail, main area. */
export const Shell = ({ page, onPalette, children }: ShellProps) => {
  const status = useApiStatus();
  const main = useRef<HTMLElement>(null);
  const [path] = useLocation();
  useFocusMain(main, path);
  return (
    <>
      <a
        href={`#${MAIN_ID}`}
        className="absolute top-1 left-1 z-20 rounded-md bg-raised px-3 py-1.5 shadow-popup not-focus:sr-only"
      >
        {strings.skipToMain}
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
