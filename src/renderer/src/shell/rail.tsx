import { useQuery } from '@tanstack/react-query';
import {
  Bot,
  Braces,
  ChartLine,
  House,
  Library,
  type LucideIcon,
  Search,
  Settings,
  Trash2,
  Wallet,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { lastRead } from '../api/read-status.ts';
import { balanceQuery } from '../api/wallet-queries.ts';
import { useAttention } from '../attention.ts';
import { useUnsavedFiles } from '../drafts/use-drafts.ts';
import { type PageRoute, paths } from '../routes.ts';
import { common, rail as railWords } from '../strings/common.ts';
import { draftWords } from '../strings/files.ts';
import { shell as words } from '../strings/shell.ts';
import { cx } from '../ui/cx.ts';
import { Hint } from '../ui/hint.tsx';
import { Menu, MenuItem, MenuTrigger } from '../ui/menu.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { UnsavedDot } from '../ui/unsaved-dot.tsx';
import { type ApiStatus, ApiStatusButton } from './api-status.tsx';
import { RootSwitcher } from './root-switcher.tsx';
import { ariaKeys, keyCaps, SHORTCUTS } from './shortcuts.ts';

/** Shows how many files have unsaved text, and lists them. Empty if there are none. */
const UnsavedFiles = () => {
  const files = useUnsavedFiles();
  const [, navigate] = useLocation();
  if (files.length === 0) return null;
  const label = draftWords.unsavedFiles(files.length);
  return (
    <Menu
      side="right"
      className="max-h-96 min-w-56"
      trigger={
        <Tooltip label={label} side="right" className="icons:hidden">
          <MenuTrigger className="mb-1 flex h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-left text-sm text-muted hover:bg-hover hover:text-ink max-icons:h-9 max-icons:justify-center max-icons:px-0">
            <span aria-hidden="true" className="flex w-4 shrink-0 justify-center">
              <UnsavedDot />
            </span>
            <span className="truncate max-icons:sr-only">{label}</span>
          </MenuTrigger>
        </Tooltip>
      }
    >
      {files.map(({ id, file }) => (
        <MenuItem
          key={`${id}/${file}`}
          onClick={() => navigate(paths.agent(id, { kind: 'files', file }))}
          className="items-baseline"
        >
          <span className="truncate">{id}</span>
          <span className="ml-auto font-mono text-sm text-muted">{file}</span>
        </MenuItem>
      ))}
    </Menu>
  );
};

type View = 'overview' | 'agents' | 'catalog' | 'wallet' | 'pricing' | 'api' | 'trash' | 'settings';

interface Entry {
  readonly view: View;
  readonly icon: LucideIcon;
  readonly pages: readonly PageRoute['name'][];
}

const VIEWS: readonly Entry[] = [
  { view: 'overview', icon: House, pages: ['overview'] },
  { view: 'agents', icon: Bot, pages: ['agents', 'agent'] },
  { view: 'catalog', icon: Library, pages: ['catalog', 'matrix'] },
  { view: 'wallet', icon: Wallet, pages: ['wallet'] },
  { view: 'pricing', icon: ChartLine, pages: ['pricing'] },
  { view: 'api', icon: Braces, pages: ['api'] },
];

const TOOLS: readonly Entry[] = [
  { view: 'trash', icon: Trash2, pages: ['trash'] },
  { view: 'settings', icon: Settings, pages: ['settings'] },
];

interface RailProps {
  readonly page: PageRoute;
  readonly status: ApiStatus;
  readonly onPalette: () => void;
}

/** The navigation between views, and the API's status at its bottom. Narrow windows show only the icons. */
export const Rail = ({ page, status, onPalette }: RailProps) => {
  const attention = useAttention({ asksAll: false });
  const dotted = new Set(attention.map(({ view }) => view as string));
  const asItem = ({ view, icon, pages }: Entry) => (
    <RailLink key={view} view={view} icon={icon} isOpen={pages.includes(page.name)}>
      {view === 'wallet' && <RailBalance />}
      {dotted.has(view) && <AttentionDot />}
    </RailLink>
  );
  return (
    <div className="flex w-12 shrink-0 flex-col overflow-y-auto border-r border-line bg-sunken p-2 max-icons:px-1.5 icons:w-48">
      <header className="flex h-8 shrink-0 items-center justify-between gap-2 px-2.5 max-icons:mb-1.5 max-icons:h-auto max-icons:justify-center max-icons:px-0">
        <p aria-hidden="true" className="font-semibold max-icons:hidden">
          {common.appName}
        </p>
        {status.health?.devMode && <TestMoneyPill />}
      </header>
      <PaletteButton onClick={onPalette} />
      <nav aria-label={railWords.label} className="flex flex-1 flex-col gap-0.5">
        {VIEWS.map(asItem)}
        <span aria-hidden="true" className="min-h-2 flex-1" />
        {TOOLS.map(asItem)}
      </nav>
      <UnsavedFiles />
      {status.health?.dotMiRoot !== undefined && <RootSwitcher root={status.health.dotMiRoot} />}
      <ApiStatusButton status={status} />
    </div>
  );
};

interface RailLinkProps {
  readonly view: View;
  readonly icon: LucideIcon;
  readonly isOpen: boolean;
  /** An amount at the link's end, or a dot on the icon's corner. */
  readonly children: ReactNode;
}

const RailLink = ({ view, icon: Icon, isOpen, children }: RailLinkProps) => (
  <Tooltip label={railWords.views[view]} side="right" className="icons:hidden">
    <Link
      href={paths[view]}
      aria-current={isOpen ? 'page' : undefined}
      className={cx(
        'relative flex h-8 shrink-0 items-center gap-2.5 rounded-md px-2.5 max-icons:h-9 max-icons:justify-center max-icons:px-0',
        isOpen ? 'bg-selected font-medium' : 'text-muted hover:bg-hover hover:text-ink',
      )}
    >
      <Icon
        aria-hidden="true"
        className={cx('size-4 shrink-0', isOpen && 'text-accent')}
        strokeWidth={1.75}
      />
      <span className="flex-1 max-icons:sr-only">{railWords.views[view]}</span>
      {children}
    </Link>
  </Tooltip>
);

// A dot goes on the icon's corner, where it doesn't shift a lone icon or a balance.
const ON_CORNER = 'absolute top-1.5 left-5.5 max-icons:right-1.5 max-icons:left-auto';

const AttentionDot = () => (
  <span className={ON_CORNER}>
    <span aria-hidden="true" className="block size-1.5 rounded-full bg-warn" />
    <span className="sr-only">{railWords.needsAttention}</span>
  </span>
);

const PaletteButton = ({ onClick }: { readonly onClick: () => void }) => {
  const keys = keyCaps(SHORTCUTS.search.keys[0]).join(' ');
  return (
    <Tooltip label={`${words.palette} (${keys})`} side="right" className="icons:hidden">
      <button
        type="button"
        onClick={onClick}
        aria-keyshortcuts={ariaKeys('search')}
        className="relative mb-2 flex h-7.5 shrink-0 items-center gap-2 rounded-md border border-line bg-canvas px-2 text-left text-muted hover:bg-hover hover:text-ink max-icons:h-9 max-icons:justify-center max-icons:px-0"
      >
        <Search aria-hidden="true" className="size-3.5 shrink-0" />
        <span className="sr-only">{words.palette}</span>
        <span aria-hidden="true" className="flex-1 truncate max-icons:hidden">
          {words.paletteShort}
        </span>
        <span aria-hidden="true" className="text-xs max-icons:hidden">
          {keys}
        </span>
      </button>
    </Tooltip>
  );
};

const exact = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
/** The largest balance that fits next to the wallet's name. */
const MOST_EXACT = 999_999;

/** Shows the balance next to the wallet's name, except in narrow windows, which have no room. */
const RailBalance = () => {
  const balance = lastRead(useQuery(balanceQuery()))?.balance;
  if (balance === undefined) return null;
  return (
    <span
      data-details={balance > MOST_EXACT ? railWords.sats(exact.format(balance)) : ''}
      className="text-sm font-normal whitespace-nowrap text-muted tabular-nums max-icons:hidden"
    >
      {railWords.sats((balance > MOST_EXACT ? compact : exact).format(balance))}
    </span>
  );
};

/** Says on every page that the money isn't real. */
const TestMoneyPill = () => (
  <Hint
    label={railWords.testMoneyHint}
    side="right"
    className="rounded-full border border-warn-line bg-warn-soft px-1.5 text-xs font-medium text-warn"
  >
    <span className="icons:hidden" aria-hidden="true">
      {railWords.testMoneyShort}
    </span>
    <span className="max-icons:sr-only">{railWords.testMoney}</span>
  </Hint>
);
