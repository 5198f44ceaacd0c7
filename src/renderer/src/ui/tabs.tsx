import { Tabs } from '@base-ui/react/tabs';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { number } from '../strings/words.ts';
import { cx } from './cx.ts';
import { Menu, MenuItem, MenuTrigger } from './menu.tsx';

const BAR = 'flex min-w-0 gap-0.5 overflow-x-auto border-b border-line px-4';
/** Makes tabs next to a list smaller, because space is tight there. */
const TIGHT = 'max-icons:px-1 max-icons:text-sm';
const TAB =
  'relative flex h-9 shrink-0 items-center gap-1.5 px-2.5 whitespace-nowrap transition-colors duration-100 ' +
  'focus-visible:-outline-offset-3 after:absolute after:inset-x-2 after:bottom-0 after:h-0.5 after:rounded-full';
const OPEN = 'font-medium text-ink after:bg-accent';
const OTHER = 'text-muted hover:text-ink';

/** Shows the number of a tab's items next to its name. */
const Count = ({ count, className }: { readonly count: number | undefined; readonly className?: string }) =>
  count !== undefined && (
    <span className={cx('text-xs font-normal text-muted tabular-nums', className)}>
      {number.format(count)}
    </span>
  );

/** A tab that has its own path. */
interface LinkTab {
  readonly label: string;
  readonly href: string;
  readonly isOpen: boolean;
  /** The number of the tab's items. Undefined while unknown. */
  readonly count?: number | undefined;
}

interface LinkTabsProps {
  readonly label: string;
  readonly tabs: readonly LinkTab[];
  /** The name of the menu of tabs that don't fit. */
  readonly more: string;
  /** True if the tabs are next to a list. */
  readonly isTight?: boolean;
}

/** The width of the menu button for the other tabs, in px. */
const MORE_PX = 112;

/** Returns how many of a row's tabs fit, from the first. All of them stay in the row, to be measured. */
const useFitting = (row: RefObject<HTMLElement | null>, count: number): number => {
  const [fitting, setFitting] = useState(count);
  useLayoutEffect(() => {
    const nav = row.current;
    if (!nav) return;
    const measure = (): void => {
      const ends = [...nav.querySelectorAll<HTMLElement>(':scope > a')].map(
        (tab) => tab.offsetLeft + tab.offsetWidth - nav.offsetLeft,
      );
      const room = nav.clientWidth;
      const isEnough = (ends.at(-1) ?? 0) <= room;
      setFitting(isEnough ? count : Math.max(1, ends.filter((end) => end <= room - MORE_PX).length));
    };
    measure();
    // Measure again when the counts arrive, because they load after the names.
    const resized = new ResizeObserver(measure);
    for (const element of [nav, ...nav.children]) resized.observe(element);
    return () => resized.disconnect();
  }, [row, count]);
  return fitting;
};

/** Returns the tabs, with the path's tab open even before its content is rendered. */
const useOpening = (tabs: readonly LinkTab[]): readonly LinkTab[] => {
  const [path] = useLocation();
  const isKnown = tabs.some(({ href }) => href === path);
  return isKnown ? tabs.map((tab) => ({ ...tab, isOpen: tab.href === path })) : tabs;
};

/**
 * Tabs with their own paths, so they're links: they can be bookmarked, and Back returns to them. Tabs that don't fit
 * are in a menu, which has the open tab's name if it contains that tab. In a narrow window, tabs have no counts.
 */
export const LinkTabs = ({ label, tabs: given, more, isTight = false }: LinkTabsProps) => {
  const tabs = useOpening(given);
  const row = useRef<HTMLElement>(null);
  const fitting = useFitting(row, tabs.length);
  const others = tabs.slice(fitting);
  const open = others.find(({ isOpen }) => isOpen);
  return (
    <div className={cx('relative flex min-w-0 border-b border-line px-4', isTight && 'max-icons:px-3')}>
      <nav ref={row} aria-label={label} className="flex min-w-0 flex-1 gap-0.5 overflow-hidden">
        {tabs.map((tab, index) => (
          <Link
            key={tab.label}
            href={tab.href}
            aria-current={tab.isOpen ? 'page' : undefined}
            className={cx(TAB, isTight && TIGHT, tab.isOpen ? OPEN : OTHER, index >= fitting && 'invisible')}
          >
            {/* The space separates name and count for assistive technology. */}
            {tab.label} <Count count={tab.count} className="max-icons:hidden" />
          </Link>
        ))}
      </nav>
      {others.length > 0 && (
        <Menu
          className="min-w-40"
          trigger={
            <MenuTrigger
              className={cx(TAB, isTight && TIGHT, open ? OPEN : OTHER, 'absolute right-2 bg-canvas')}
              aria-label={open && `${more}: ${open.label}`}
            >
              {open?.label ?? more}
              <ChevronDown aria-hidden="true" className="size-3.5" />
            </MenuTrigger>
          }
        >
          {others.map(({ label: name, href, isOpen, count }) => (
            <MenuItem
              key={name}
              render={<Link href={href} aria-current={isOpen ? 'page' : undefined} />}
              className={cx('items-center justify-between', isOpen && 'font-medium')}
            >
              {name} <Count count={count} />
            </MenuItem>
          ))}
        </Menu>
      )}
    </div>
  );
};

/** The row of tabs inside Base UI's `Tabs.Root`. Arrow keys switch tabs at once. */
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
  /** The number of the tab's items. Undefined while unknown. */
  readonly count?: number | undefined;
}) => (
  <Tabs.Tab
    value={value}
    className={cx(TAB, OTHER, 'data-active:font-medium data-active:text-ink data-active:after:bg-accent')}
  >
    {label} <Count count={count} />
  </Tabs.Tab>
);
