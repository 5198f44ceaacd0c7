import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { number } from '../strings/words.ts';
import { cx } from './cx.ts';

const BAR = 'flex min-w-0 gap-0.5 overflow-x-auto border-b border-line px-4';
/** Where the list is next to them, six tabs need every pixel. */
const NARROW = 'max-[46rem]:px-1 max-[46rem]:text-sm';
const TAB =
  'relative flex h-9 shrink-0 items-center gap-1.5 px-2.5 whitespace-nowrap transition-colors duration-100 ' +
  'focus-visible:-outline-offset-3 after:absolute after:inset-x-2 after:bottom-0 after:h-0.5 after:rounded-full';
const OPEN = 'font-medium text-ink after:bg-accent';
const OTHER = 'text-muted hover:text-ink';

/** The number of items behind a tab, next to its name. */
const Count = ({ count, className }: { readonly count: number | undefined; readonly className?: string }) =>
  count !== undefined && (
    <span className={cx('text-xs font-normal text-muted tabular-nums', className)}>
      {number.format(count)}
    </span>
  );

/** A tab that has a path of its own. */
export interface LinkTab {
  readonly label: string;
  readonly href: string;
  readonly isOpen: boolean;
  /** How many items it shows. Undefined while unknown. */
  readonly count?: number | undefined;
}

/**
 * Tabs with paths of their own, so they are links: they can be bookmarked, and Back returns to them. In a narrow
 * place they are close together, without their counts.
 */
export const LinkTabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly LinkTab[] }) => (
  <nav aria-label={label} className={cx(BAR, 'max-[46rem]:px-2')}>
    {tabs.map((tab) => (
      <Link
        key={tab.label}
        href={tab.href}
        aria-current={tab.isOpen ? 'page' : undefined}
        className={cx(TAB, NARROW, tab.isOpen ? OPEN : OTHER)}
      >
        {/* The space separates them for assistive technology. */}
        {tab.label} <Count count={tab.count} className="max-[46rem]:hidden" />
      </Link>
    ))}
  </nav>
);

/** The row of tabs inside a `Tabs.Root` of Base UI. The arrow keys switch at once. */
export const TabList = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Tabs.List activateOnFocus aria-label={label} className={BAR}>
    {children}
  </Tabs.List>
);

/** One tab of a {@link TabList}. */
export const Tab = ({
  value,
  label,
  count,
}: {
  readonly value: string;
  readonly label: string;
  /** How many items it shows. Undefined while unknown. */
  readonly count?: number | undefined;
}) => (
  <Tabs.Tab
    value={value}
    className={cx(TAB, OTHER, 'data-active:font-medium data-active:text-ink data-active:after:bg-accent')}
  >
    {label} <Count count={count} />
  </Tabs.Tab>
);
