import { type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import { common } from '../strings/common.ts';
import { SearchField } from './search-field.tsx';
import type { ActiveOption } from './use-active-option.ts';

interface SearchListProps {
  readonly id: string;
  readonly label: string;
  readonly searchLabel: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly option: Pick<ActiveOption, 'index' | 'onKeyDown'>;
  /** The id of the active option's element. Undefined if there is none. */
  readonly activeId: string | undefined;
  readonly isEmpty: boolean;
  /** Filters, shown between the search field and the list. */
  readonly filters?: ReactNode;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The options, which mark the active one with {@link ACTIVE_OPTION_CLASS}. */
  readonly children: ReactNode;
}

/** Marks the active option, but only while someone uses the keyboard in the list. */
export const ACTIVE_OPTION_CLASS = 'group-focus-within/options:group-data-keys/options:ring-2';

/** A searchable list of links. Arrow keys and Enter work in the search field and in the list. */
export const SearchList = ({
  id,
  label,
  searchLabel,
  query,
  onQuery,
  option,
  activeId,
  isEmpty,
  filters,
  scroller,
  children,
}: SearchListProps) => {
  const [usesKeys, setUsesKeys] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const isText = event.currentTarget === search.current;
    if (isText && query !== '' && (event.key === 'Home' || event.key === 'End')) return;
    if (option.onKeyDown(event)) setUsesKeys(true);
    else if (!isText && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // Typing anywhere in the list filters it: the character goes to the search field.
      search.current?.focus();
    }
  };
  return (
    <div
      className="group/options flex min-h-0 flex-1 flex-col"
      data-keys={usesKeys || undefined}
      onPointerMove={() => setUsesKeys(false)}
    >
      <div className="px-3 pt-3 pb-2">
        <SearchField
          isMain
          ref={search}
          label={searchLabel}
          value={query}
          onValueChange={(text) => {
            onQuery(text);
            setUsesKeys(true);
          }}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={activeId}
        />
      </div>
      {filters}
      {isEmpty && <p className="px-4.5 py-2 break-words text-muted">{common.noMatch(query)}</p>}
      <div
        ref={scroller}
        id={id}
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={activeId}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 focus-visible:-outline-offset-2"
      >
        {children}
      </div>
    </div>
  );
};
