import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { paths } from '../../routes.ts';
import { catalog as catalogTexts } from '../../strings/catalog.ts';
import { strings } from '../../strings.ts';
import { cx } from '../../ui/cx.ts';
import { matcher } from '../../ui/matches.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { useActiveOption } from '../../ui/use-active-option.ts';
import type { ProblemCounts, SharedItem, Usage } from './use-catalog.ts';

const words = catalogTexts;

/** The id of the list, so that the page can focus it. */
export const CATALOG_LIST_ID = 'catalog-list';
const ROW_HEIGHT_PX = 48;

const optionId = (index: number): string => `catalog-option-${index}`;

interface CatalogListProps {
  readonly kind: LinkKind;
  readonly items: readonly SharedItem[];
  readonly usage: Usage | undefined;
  /** Undefined until loaded. Then the catalog's own diagnostics are counted. */
  readonly counts: ProblemCounts | undefined;
  readonly openedName: string | null;
}

const findItems = (items: readonly SharedItem[], text: string): readonly SharedItem[] => {
  const matches = matcher(text);
  return items.filter(({ name, description }) => matches(name, description));
};

/** The searchable entries of one kind. Arrow keys and Enter work in the search field and in the list. */
export const CatalogList = ({ kind, items, usage, counts, openedName }: CatalogListProps) => {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [usesKeys, setUsesKeys] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
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
  // aria-activedescendant names the active option, so it stays in the DOM.
  const shown = option.index < 0 || inSight.includes(option.index) ? inSight : [...inSight, option.index];

  const scrollTo = useEffectEvent((name: string) => {
    const index = names.indexOf(name);
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' });
  });
  // Once, when an entry opens.
  useEffect(() => {
    if (openedName !== null) scrollTo(openedName);
  }, [openedName]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const isText = event.currentTarget === search.current;
    if (isText && query !== '' && (event.key === 'Home' || event.key === 'End')) return;
    if (option.onKeyDown(event)) setUsesKeys(true);
    else if (!isText && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // Type to filter: the character lands in the search field.
      search.current?.focus();
    }
  };
  const filter = (text: string): void => {
    setQuery(text);
    rows.scrollToOffset(0);
    const first = text === '' ? undefined : findItems(items, text)[0];
    if (first) option.setId(first.name);
    setUsesKeys(true);
  };
  const active = option.index >= 0 && found.length > 0 ? optionId(option.index) : undefined;
  return (
    <div
      className="group/catalog flex min-h-0 flex-1 flex-col"
      data-keys={usesKeys || undefined}
      onPointerMove={() => setUsesKeys(false)}
    >
      <div className="px-3 pt-3 pb-2">
        <SearchField
          ref={search}
          label={words.search[kind]}
          value={query}
          onValueChange={filter}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded="true"
          aria-controls={CATALOG_LIST_ID}
          aria-autocomplete="list"
          aria-activedescendant={active}
        />
      </div>
      {found.length === 0 && (
        <p className="px-4.5 py-2 break-words text-muted">{strings.common.noMatch(query)}</p>
      )}
      <div
        ref={scroller}
        id={CATALOG_LIST_ID}
        role="listbox"
        tabIndex={0}
        aria-label={words[kind]}
        aria-activedescendant={active}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 focus-visible:-outline-offset-2"
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
                  // Keeps the focus on the list or the search field, which handle the arrow keys.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => option.setId(item.name)}
                  style={{ height: ROW_HEIGHT_PX, transform: `translateY(${index * ROW_HEIGHT_PX}px)` }}
                  className={cx(
                    'absolute inset-x-0 top-0 flex flex-col justify-center rounded-md px-2.5 ring-accent ring-inset',
                    item.name === openedName ? 'bg-selected' : 'hover:bg-hover',
                    index === option.index && 'group-focus-within/catalog:group-data-keys/catalog:ring-2',
                  )}
                >
                  <Row
                    item={item}
                    users={usage?.get(item.name)?.length}
                    problems={counts?.get(item.name) ?? problemsOf(item)}
                  />
                </Link>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
};

/** How many errors and warnings an entry has. */
type Problems = Readonly<Record<'errors' | 'warnings', number>>;

const problemsOf = ({ diagnostics }: SharedItem): Problems => {
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
