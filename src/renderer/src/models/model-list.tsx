import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, Star } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import type { ReadStatus } from '../api/read-status.ts';
import { models as words } from '../strings/models.ts';
import { buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Problem } from '../ui/failures.tsx';
import { Loading } from '../ui/loading.tsx';
import { ACTIVE_OPTION_CLASS, SearchList } from '../ui/search-list.tsx';
import { useActiveOption } from '../ui/use-active-option.ts';
import { toggleFavorite, useFavorites } from './favorites.ts';
import { choiceOf, type ModelChoice, type ModelRow, modelRows, priceText } from './model-rows.ts';
import type { PricedChoices } from './use-model-choices.ts';

const ROW_HEIGHT_PX = 32;

const NONE: readonly ModelChoice[] = [];

interface ModelListProps {
  readonly read: ReadStatus<PricedChoices>;
  /** The name of the model in use, without a thinking level. */
  readonly current: string | undefined;
  /** Called with the name for pi-args, which can differ from the name in the list. */
  readonly onPick: (name: string) => void;
}

/** The searchable models with their prices. Arrow keys and Enter work in the search field and in the list. */
export const ModelList = ({ read, current, onPick }: ModelListProps) => {
  const listId = useId();
  const box = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const favorites = useFavorites();
  // A new favorite moves to the top only when the list reopens, so that nothing moves under the pointer.
  const [firstNames] = useState(favorites);
  const isReady = read.status === 'ready';
  const choices = isReady ? read.data.choices : NONE;
  const inUse = useMemo(
    () => (current === undefined ? undefined : (choiceOf(choices, current)?.name ?? current)),
    [choices, current],
  );
  const rowsFor = (text: string): readonly ModelRow[] =>
    isReady ? modelRows({ choices, query: text, favorites: firstNames, current: inUse }) : [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rowsFor` reads nothing else
  const rows = useMemo(() => rowsFor(query), [choices, query, firstNames, inUse]);
  const options = useMemo(
    () => rows.flatMap((row, index) => (row.kind === 'heading' ? [] : [{ row, index }])),
    [rows],
  );
  const names = useMemo(() => options.map(({ row }) => row.choice.name), [options]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 8,
  });
  const scrollTo = (index: number): void => {
    // For the first option, also scroll the heading above it into view.
    if (index === 0) virtual.scrollToOffset(0);
    else virtual.scrollToIndex(options[index]?.index ?? 0);
  };
  const pick = (name: string): void => {
    const picked = options.find(({ row }) => row.choice.name === name);
    if (picked) onPick(picked.row.picks);
  };
  const option = useActiveOption(names, inUse ?? null, scrollTo, pick);
  const active = options[option.index];
  const optionId = (index: number): string => `${listId}-${index}`;

  const showCurrent = useEffectEvent(() => {
    if (active) virtual.scrollToIndex(active.index, { align: 'center' });
  });
  useEffect(() => {
    if (isReady) showCurrent();
  }, [isReady]);
  // Set focus here, because this code may load after the popup has set focus.
  useEffect(() => box.current?.querySelector('input')?.focus(), []);

  const filter = (text: string): void => {
    setQuery(text);
    virtual.scrollToOffset(0);
    const first = rowsFor(text).find((row) => row.kind !== 'heading');
    if (first) option.setId(text === '' ? (inUse ?? first.choice.name) : first.choice.name);
  };
  const inSight = virtual.getVirtualItems().map(({ index }) => index);
  // aria-activedescendant refers to the active option, so that option stays in the DOM.
  const shown = !active || inSight.includes(active.index) ? inSight : [...inSight, active.index];
  return (
    <div ref={box} className="flex min-h-0 flex-1 flex-col">
      <SearchList
        id={listId}
        label={words.list}
        searchLabel={words.search}
        query={query}
        onQuery={filter}
        option={option}
        activeId={active && optionId(active.index)}
        isEmpty={isReady && options.length === 0 && query !== ''}
        scroller={scroller}
      >
        {read.status === 'loading' && <Loading />}
        {read.status === 'error' && <Problem announce>{read.error.message}</Problem>}
        {isReady && options.length === 0 && query === '' && (
          <p className="px-1.5 py-1 text-muted">{words.none}</p>
        )}
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {shown.map((index) => {
            const row = rows[index];
            const place = { height: ROW_HEIGHT_PX, transform: `translateY(${index * ROW_HEIGHT_PX}px)` };
            if (!row) return null;
            if (row.kind === 'heading')
              return (
                <div
                  key={`heading ${row.title}`}
                  role="presentation"
                  style={place}
                  className="absolute inset-x-0 top-0 flex items-end px-2 pb-1 text-xs font-medium text-muted"
                >
                  {row.title}
                </div>
              );
            const { name } = row.choice;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list and the search field handle the keys
              // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant refers to the active option
              <div
                key={name}
                id={optionId(index)}
                role="option"
                aria-selected={name === inUse}
                aria-setsize={options.length}
                aria-posinset={names.indexOf(name) + 1}
                // Keeps focus on the search field.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(name)}
                style={place}
                className={cx(
                  'group/row absolute inset-x-0 top-0 flex items-center gap-2 rounded-md px-2 ring-accent ring-inset',
                  index === active?.index ? 'bg-selected' : 'hover:bg-hover',
                  index === active?.index && ACTIVE_OPTION_CLASS,
                )}
              >
                <Row row={row} isCurrent={name === inUse} isFavorite={favorites.has(name)} />
              </div>
            );
          })}
        </div>
      </SearchList>
      <div className="flex min-h-9 items-center justify-between gap-2 border-t border-line px-3 py-1.5">
        <span className="text-sm text-muted">{isReady && read.data.caption}</span>
        {active?.row.kind === 'model' && (
          <FavoriteButton name={active.row.choice.name} isFavorite={favorites.has(active.row.choice.name)} />
        )}
      </div>
    </div>
  );
};

interface RowProps {
  readonly row: Exclude<ModelRow, { kind: 'heading' }>;
  readonly isCurrent: boolean;
  readonly isFavorite: boolean;
}

const Row = ({ row, isCurrent, isFavorite }: RowProps) => {
  const { name, price } = row.choice;
  return (
    <>
      <Check aria-hidden="true" className={cx('size-3.5 shrink-0', !isCurrent && 'invisible')} />
      <span className="min-w-0 flex-1 truncate">{row.kind === 'typed' ? words.use(name) : name}</span>
      <span className={cx('shrink-0 text-sm tabular-nums', !price && 'text-muted')}>{priceText(price)}</span>
      {row.kind === 'model' && (
        // An option can't contain a button. Keyboard users have a button below the list.
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        <span
          className={cx(
            'flex size-5 shrink-0 items-center justify-center rounded',
            isFavorite ? 'text-warn' : 'text-muted opacity-0 group-hover/row:opacity-100 hover:text-ink',
          )}
          onClick={(event) => {
            event.stopPropagation();
            toggleFavorite(name);
          }}
        >
          <Star aria-hidden="true" className={cx('size-3.5', isFavorite && 'fill-current')} />
          {isFavorite && <span className="sr-only">{words.favorite}</span>}
        </span>
      )}
    </>
  );
};

const FavoriteButton = ({ name, isFavorite }: { readonly name: string; readonly isFavorite: boolean }) => (
  <button
    type="button"
    aria-label={isFavorite ? words.removeFavorite(name) : words.addFavorite(name)}
    aria-pressed={isFavorite}
    onClick={() => toggleFavorite(name)}
    className={buttonClass('quiet', 'icon')}
  >
    <Star aria-hidden="true" className={cx('size-3.5', isFavorite && 'fill-current text-warn')} />
  </button>
);
