import { Bot, ChartLine, Library, type LucideIcon, Search, Settings, Trash2, Wallet } from 'lucide-react';
import { Link } from 'wouter';
import { ariaKeys, keyCaps, SHORTCUTS } from '../commands/shortcuts.ts';
import { useUnsavedSettings } from '../drafts/use-typed-settings.ts';
import { type Page, paths } from '../routes.ts';
import { strings } from '../strings.ts';
import { cx } from '../ui/cx.ts';
import { UnsavedDot } from '../ui/unsaved-dot.tsx';
import { ApiStatusButton } from './api-status.tsx';
import type { ApiStatus } from './use-api-status.ts';

interface Entry {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly pages: readonly Page['name'][];
}

const ENTRIES: readonly Entry[] = [
  { path: paths.agents, label: strings.rail.agents, icon: Bot, pages: ['agents', 'agent'] },
  { path: paths.catalog, label: strings.rail.catalog, icon: Library, pages: ['catalog'] },
  { path: paths.wallet, label: strings.rail.wallet, icon: Wallet, pages: ['wallet'] },
  { path: paths.pricing, label: strings.rail.pricing, icon: ChartLine, pages: ['pricing'] },
  { path: paths.trash, label: strings.rail.trash, icon: Trash2, pages: ['trash'] },
  { path: paths.settings, label: strings.shell.settings, icon: Settings, pages: ['settings'] },
];

interface RailProps {
  readonly page: Page;
  readonly status: ApiStatus;
  readonly onPalette: () => void;
}

/** The navigation between pages, and the state of the API at its foot. Narrow windows show only the icons. */
export const Rail = ({ page, status, onPalette }: RailProps) => (
  <div className="flex w-12 shrink-0 flex-col border-r border-line bg-sunken p-2 max-icons:px-1.5 icons:w-46">
    <p aria-hidden="true" className="flex h-8 items-center px-2.5 font-semibold max-icons:hidden">
      {strings.appName}
    </p>
    <PaletteButton onClick={onPalette} />
    <nav aria-label={strings.rail.label} className="flex flex-1 flex-col gap-0.5">
      {ENTRIES.map(({ path, label, icon: Icon, pages }) => {
        const isOpen = pages.includes(page.name);
        return (
          <Link
            key={path}
            href={path}
            aria-current={isOpen ? 'page' : undefined}
            title={label}
            className={cx(
              'relative flex h-8 items-center gap-2.5 rounded-md px-2.5 max-icons:h-9 max-icons:justify-center max-icons:px-0',
              isOpen ? 'bg-selected font-medium' : 'text-muted hover:bg-hover hover:text-ink',
            )}
          >
            <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.75} />
            <span className="max-icons:sr-only">{label}</span>
            {path === paths.settings && <UnsavedSettings />}
          </Link>
        );
      })}
    </nav>
    <ApiStatusButton status={status} />
  </div>
);

/** Shows on every page that the settings have unsaved text. */
const UnsavedSettings = () =>
  useUnsavedSettings().length > 0 && (
    // The dot sits on a lone icon's corner, so that the icon stays in line with the others.
    <span className="max-icons:absolute max-icons:top-1.5 max-icons:right-1.5">
      <UnsavedDot />
    </span>
  );

const PaletteButton = ({ onClick }: { readonly onClick: () => void }) => {
  const keys = keyCaps(SHORTCUTS.palette.keys[0]).join(' ');
  return (
    <button
      type="button"
      onClick={onClick}
      aria-keyshortcuts={ariaKeys('palette')}
      title={`${strings.shell.palette} (${keys})`}
      className="relative mb-2 flex h-7.5 items-center gap-2 rounded-md border border-line bg-canvas px-2 text-left text-muted hover:bg-hover hover:text-ink max-icons:h-9 max-icons:justify-center max-icons:px-0"
    >
      <Search aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="sr-only">{strings.shell.palette}</span>
      <span aria-hidden="true" className="flex-1 truncate max-icons:hidden">
        {strings.shell.paletteShort}
      </span>
      <span aria-hidden="true" className="text-xs max-icons:hidden">
        {keys}
      </span>
    </button>
  );
};
