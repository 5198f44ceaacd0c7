import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { LinkKind } from '../../../../shared/api/names.ts';
import type { SharedItem } from '../../api/catalog-queries.ts';
import { paths } from '../../routes.ts';
import { catalog as words } from '../../strings/catalog.ts';
import { kindNames } from '../../strings/link-kinds.ts';
import { cx } from '../../ui/cx.ts';
import { matcher } from '../../ui/matches.ts';
import { ACTIVE_OPTION_CLASS, SearchList } from '../../ui/search-list.tsx';
import { useActiveOption } from '../../ui/use-active-option.ts';
import { CATALOG_LIST_ID, type ProblemCounts, type UsedBy } from './use-catalog.ts';

const ROW_HEIGHT_PX = 48;

const optionId = (index: number): string => `catalog-option-${index}`;

/** The filter for entries with errors. */
export interface ErrorFilter {
  /** The number of entries with errors. */
  readonly count: number;
  readonly isOn: boolean;
  readonly toggle: () => void;
}

interface CatalogListProps {
  readonly kind: LinkKind;
  /** Only the items that match the filter. */
  readonly items: readonly SharedItem[];
  readonly filter: ErrorFilter;
  readonly usage: UsedBy | undefined;
  /** Undefined until loaded. In the meantime, the catalog's own problems are counted. */
  readonly counts: ProblemCounts | undefined;
  readonly openedName: string | null;
}

const findItems = (items: readonly SharedItem[], text: string): readonly SharedItem[] => {
  const matches = matcher(text);
  return items.filter(({ name, description }) => matches(name, description));
};

/** The searchable entries of one kind. Arrow keys and Enter work in the search field and in the list. */
export const CatalogList = ({ kind, items, filter, usage, counts, openedName }: CatalogListProps) => {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const pathOf = (name: string): string => paths.catalogEntry(kind, name);
  const found = useMemo(() => findItems(items, query), [items, query]);
  const names = useMemo(() => found.map(({ name }) => name), [found]);
  const rows = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 10,
  });
  const option = useActiveOption(names, openedName, rows.scrollToIndex, (name) => navigate(pathOf(name)));
  const inSight = rows.getVirtualItems().map(({ index }) => index);
  // aria-activedescendant refers to the active option, so that option stays in the DOM.
  const shown = option.index < 0 || inSight.includes(option.index) ? inSight : [...inSight, option.index];

  const scrollTo = useEffectEvent((name: string) => {
    const index = names.indexOf(name);
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' });
  });
  // Scroll only when an entry opens.
  useEffect(() => {
    if (openedName !== null) scrollTo(openedName);
  }, [openedName]);

  const search = (text: string): void => {
    setQuery(text);
    rows.scrollToOffset(0);
    const first = text === '' ? undefined : findItems(items, text)[0];
    if (first) option.setId(first.name);
  };
  const active = option.index >= 0 && found.length > 0 ? optionId(option.index) : undefined;
  return (
    <SearchList
      id={CATALOG_LIST_ID}
      label={kindNames.many[kind]}
      searchLabel={words.search[kind]}
      query={query}
      onQuery={search}
      option={option}
      activeId={active}
      isEmpty={found.length === 0 && query !== ''}
      filters={<ErrorFilterBar {...filter} />}
      scroller={scroller}
    >
      <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map((index) => {
          const item = found[index];
          return (
            item && (
              <Link
                key={item.name}
                id={optionId(index)}
                href={pathOf(item.name)}
                role="option"
                tabIndex={-1}
                aria-selected={item.name === openedName}
                aria-setsize={found.length}
                aria-posinset={index + 1}
                // Keeps focus on the list or the search field, which handle the arrow keys.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => option.setId(item.name)}
                style={{ height: ROW_HEIGHT_PX, transform: `translateY(${index * ROW_HEIGHT_PX}px)` }}
                className={cx(
                  'absolute inset-x-0 top-0 flex flex-col justify-center rounded-md px-2.5 ring-accent ring-inset',
                  item.name === openedName ? 'bg-selected' : 'hover:bg-hover',
                  index === option.index && ACTIVE_OPTION_CLASS,
                )}
              >
                <Row item={item} users={usage?.get(item.name)?.length} problems={problemsOf(item, counts)} />
              </Link>
            )
          );
        })}
      </div>
    </SearchList>
  );
};

/** The error filter's button. Shown only if the filter matches an entry or is on. */
const ErrorFilterBar = ({ count, isOn, toggle }: ErrorFilter) =>
  (count > 0 || isOn) && (
    <div className="flex flex-col gap-1 px-3 pb-2">
      <button
        type="button"
        aria-pressed={isOn}
        onClick={toggle}
        className="flex h-5.5 items-center gap-1 self-start rounded-full border border-line px-2 text-xs text-muted transition-colors duration-100 hover:bg-hover hover:text-ink aria-pressed:border-transparent aria-pressed:bg-selected aria-pressed:text-ink"
      >
        {words.withErrors} <span className="tabular-nums">{count.toLocaleString('en')}</span>
      </button>
      {count === 0 && (
        <p role="status" className="px-1.5 text-muted">
          {words.noErrors}
        </p>
      )}
    </div>
  );

type Problems = Readonly<Record<'errors' | 'warnings', number>>;

/** Returns the number of findings. Until they're loaded, counts the catalog's own problems. */
export const problemsOf = (
  { name, diagnostics }: SharedItem,
  counts: ProblemCounts | undefined,
): Problems => {
  const counted = counts?.get(name);
  if (counted) return counted;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: diagnostics.length - errors };
};

interface RowProps {
  readonly item: SharedItem;
  readonly users: number | undefined;
  readonly problems: Problems;
}

const Row = ({ item, users, problems: { errors, warnings } }: RowProps) => (
  <>
    <span className="flex items-baseline gap-2">
      <span className="min-w-0 flex-1 truncate font-medium" data-details="">
        {item.name}
      </span>
      {errors + warnings > 0 ? (
        <span className={cx('shrink-0 text-xs', errors > 0 ? 'text-danger' : 'text-warn')}>
          {words.problems(errors, warnings)}
        </span>
      ) : (
        users !== undefined && (
          <span className="shrink-0 text-xs text-muted tabular-nums">{words.users(users)}</span>
        )
      )}
    </span>
    <span className="truncate text-sm text-muted">{item.description ?? words.noDescription}</span>
  </>
);
