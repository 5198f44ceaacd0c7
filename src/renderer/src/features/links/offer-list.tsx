import { Plus } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { LinkKind } from '../../../../shared/api/names.ts';
import type { LinkActions } from '../../link-changes.ts';
import { links as linkTexts } from '../../strings/links.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Diagnostics } from '../../ui/diagnostics.tsx';
import { matches } from '../../ui/matches.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { EntryName } from './entry-name.tsx';
import type { Offer } from './link-state.ts';
import type { LinkDrag } from './use-link-drag.ts';
import type { SharedEntry } from './use-links.ts';

interface OfferListProps {
  readonly kind: LinkKind;
  readonly offers: readonly Offer<SharedEntry>[];
  /** Whether the catalog has no entries at all, linked or not. */
  readonly catalogIsEmpty: boolean;
  readonly actions: LinkActions;
  readonly drag: LinkDrag;
  readonly onOpen: (shared: SharedEntry) => void;
}

/** The shared entries that the agent doesn't link to yet, with search. */
export const OfferList = ({ kind, offers, catalogIsEmpty, actions, drag, onOpen }: OfferListProps) => {
  const [query, setQuery] = useState('');
  const list = useRef<HTMLUListElement>(null);
  useFocusAfterRemoval(list);
  const found = useMemo(
    () => offers.filter(({ shared }) => matches(query, shared.name, shared.description)),
    [offers, query],
  );
  const words = linkTexts;
  const nothing = catalogIsEmpty
    ? words.noShared[kind]
    : offers.length === 0
      ? words.allLinked[kind]
      : strings.common.noMatch(query);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {offers.length > 0 && (
        <div className="px-4 pb-2">
          <SearchField label={words.search[kind]} value={query} onValueChange={setQuery} />
        </div>
      )}
      {found.length === 0 && <p className="px-4 py-2 text-muted">{nothing}</p>}
      <ul
        ref={list}
        tabIndex={-1}
        aria-label={words.sharedLabel[kind]}
        className="min-h-0 flex-1 divide-y divide-line overflow-y-auto outline-none"
      >
        {found.map(({ shared, takenBy }) => (
          <li
            key={shared.name}
            data-details-row
            {...(takenBy ? {} : drag.source({ from: 'catalog', name: shared.name }))}
            // Rows out of sight cost nothing, so a catalog of thousands needs no virtual list.
            className="flex items-start gap-2.5 px-4 py-2 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]"
          >
            {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: more room for the mouse. The name is the button, and one over the whole row can’t be dragged in Firefox */}
            <div className="flex min-w-0 flex-1 cursor-pointer flex-col gap-1" onClick={() => onOpen(shared)}>
              <EntryName name={shared.name} onOpen={() => onOpen(shared)} />
              {shared.description && (
                <p className="line-clamp-3 text-sm text-muted" data-details="">
                  {shared.description}
                </p>
              )}
              <Diagnostics items={shared.diagnostics} />
              {takenBy && <p className="text-sm text-warn">{words.taken[takenBy]}</p>}
            </div>
            {!takenBy && (
              <Button
                data-row-action="link"
                size="small"
                disabled={actions.busy === shared.name}
                aria-label={words.linkLabel(shared.name)}
                onClick={() => actions.link(shared.name)}
              >
                <Plus aria-hidden="true" className="size-3.5" />
                {words.link}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
};
