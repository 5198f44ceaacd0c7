import type { ReactNode, Ref } from 'react';
import { useTitle } from './use-title.ts';

/** The style of every page's title. */
export const PAGE_TITLE = 'text-lg font-semibold wrap-anywhere';

interface PageProps {
  readonly title: string;
  /** The shown part of the page, for the window's title. */
  readonly part?: string | undefined;
  readonly description?: string;
  /** Stays above the scrolling part. */
  readonly toolbar?: ReactNode;
  /** The scrolling element, for a virtual list. */
  readonly scroller?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
}

/** A page of the main area with its own heading. */
export const Page = ({ title, part, description, toolbar, scroller, children }: PageProps) => {
  useTitle(...(part === undefined ? [] : [part]), title);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex flex-wrap items-end gap-x-6 gap-y-3 border-b border-line px-6 pt-4 pb-3">
        <div className="mr-auto">
          <h1 className={PAGE_TITLE}>{title}</h1>
          {description && <p className="text-muted">{description}</p>}
        </div>
        {toolbar}
      </header>
      <div ref={scroller} className="relative min-h-0 flex-1 overflow-y-auto">
        {children}
      </div>
    </div>
  );
};
