import { useQuery } from '@tanstack/react-query';
import { FolderDot, Link2, Link2Off, Plus, SquareArrowOutUpRight } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import { isOfKind, type LinkKind } from '../../../../shared/api/names.ts';
import { entryTextQuery, hasText } from '../../api/catalog-queries.ts';
import type { LinkActions } from '../../changes/link-changes.ts';
import { common } from '../../strings/common.ts';
import { linkWords as words } from '../../strings/links.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Diagnostics } from '../../ui/diagnostics.tsx';
import { LinkArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Problem } from '../../ui/failures.tsx';
import { matches } from '../../ui/matches.ts';
import { PathText } from '../../ui/path-text.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import type { DragSource, LinkDrag } from './use-link-drag.ts';
import { linkLabel, linkState, type Offer, type SharedEntry } from './use-links.ts';

/** An entry's name, which opens its sheet. */
const EntryName = ({ name, onOpen }: { readonly name: string; readonly onOpen: () => void }) => (
  <button
    type="button"
    data-row-action="open"
    data-shows-row
    aria-haspopup="dialog"
    onClick={(event) => {
      // The surrounding row opens the entry too.
      event.stopPropagation();
      onOpen();
    }}
    className="w-fit max-w-full min-w-0 rounded text-left font-medium break-words hover:underline"
  >
    {name}
  </button>
);

const ICONS = {
  shared: Link2,
  elsewhere: SquareArrowOutUpRight,
  broken: Link2Off,
  local: FolderDot,
} as const;
const TONES = { shared: 'neutral', elsewhere: 'neutral', broken: 'warn', local: 'neutral' } as const;

interface LinkedRowProps {
  readonly entry: LinkEntry;
  readonly shared: SharedEntry | undefined;
  readonly busy: boolean;
  readonly drag: DragSource;
  /** The agent's id, for a local entry's description. */
  readonly id: string;
  readonly kind: LinkKind;
  readonly onOpen: () => void;
  readonly onUnlink: () => void;
  readonly onRepair: () => void;
}

/** One of the agent's entries: its state, its description, and buttons to unlink or repair a link. */
const LinkedRow = (props: LinkedRowProps) => {
  const { entry, shared, busy, drag, onUnlink, onRepair } = props;
  const state = linkState(entry);
  const Icon = ICONS[state];
  const broken = state === 'broken';
  return (
    <li data-details-row {...(state === 'local' ? {} : drag)} className="flex items-start gap-2.5 px-4 py-2">
      {/* Muted, because the badge marks a broken link. */}
      <Icon aria-hidden="true" className="mt-0.75 size-3.5 shrink-0 text-muted" />
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a larger target for the mouse. The name is the button, and Firefox can't drag a button over the entire row */}
      <div className="flex min-w-0 flex-1 cursor-pointer flex-col gap-1" onClick={props.onOpen}>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <EntryName name={entry.name} onOpen={props.onOpen} />
          <Badge tone={TONES[state]}>{linkLabel(entry)}</Badge>
          {entry.junction && <Badge>{words.junction}</Badge>}
        </div>
        {entry.switchedOff && <p className="text-sm text-warn">{words.switchedOffBy}</p>}
        <Explanation {...props} />
        {entry.junction && (
          <p className="text-sm text-muted">{broken ? words.junctionBroken : words.junctionHint}</p>
        )}
        {state === 'shared' && shared && <Diagnostics items={shared.diagnostics} />}
      </div>
      {broken && shared && (
        <Button
          data-row-action="link"
          size="small"
          disabled={busy}
          aria-label={words.repairLabel(entry.name)}
          onClick={onRepair}
        >
          {words.repair}
        </Button>
      )}
      {state !== 'local' && (
        <Button
          data-row-action="link"
          size="small"
          disabled={busy}
          aria-label={broken ? words.removeLabel(entry.name) : words.unlinkLabel(entry.name)}
          onClick={onUnlink}
        >
          {broken ? words.remove : words.unlink}
        </Button>
      )}
    </li>
  );
};

const Explanation = ({ entry, shared, id, kind }: LinkedRowProps) => {
  const target = entry.linkTarget ?? '';
  if (entry.problem) return <Problem>{entry.problem.message}</Problem>;
  switch (linkState(entry)) {
    case 'shared':
      return (
        shared?.description && (
          <p className="line-clamp-2 text-sm text-muted" data-details="">
            {shared.description}
          </p>
        )
      );
    case 'broken':
      return (
        <p className="text-sm">
          {words.targetNotFound} <PathText path={target} className="font-mono" />
        </p>
      );
    case 'local':
      return hasText(kind) && isOfKind(kind, entry.name, entry.kind === 'directory' ? 'dir' : 'file') ? (
        <LocalText id={id} kind={kind} name={entry.name} />
      ) : (
        <p className="text-sm text-muted">{words.onlyHere}</p>
      );
    case 'elsewhere':
      return (
        <p className="text-sm text-muted">
          {words.pointsTo} <PathText path={target} className="font-mono" />
        </p>
      );
  }
};

interface LocalTextProps {
  readonly id: string;
  readonly kind: LinkKind;
  readonly name: string;
}

/** The description of an entry that only this agent has, read from its text. */
const LocalText = ({ id, kind, name }: LocalTextProps) => {
  const { data } = useQuery(entryTextQuery(kind, name, id));
  return (
    <>
      {data?.description && (
        <p className="line-clamp-2 text-sm text-muted" data-details="">
          {data.description}
        </p>
      )}
      <p className="text-sm text-muted">{words.onlyHere}</p>
      {data && <Diagnostics items={data.diagnostics} />}
    </>
  );
};

interface LinkedListProps {
  readonly id: string;
  readonly kind: LinkKind;
  readonly entries: readonly LinkEntry[];
  readonly catalog: ReadonlyMap<string, SharedEntry>;
  readonly actions: LinkActions;
  readonly drag: LinkDrag;
  readonly onOpen: (entry: LinkEntry) => void;
  readonly onUnlink: (entry: LinkEntry) => void;
}

/** All of the agent's entries of this kind. */
export const LinkedList = (props: LinkedListProps) => {
  const { id, kind, entries, catalog, actions, drag, onOpen, onUnlink } = props;
  const list = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(list);
  return (
    <div ref={list} tabIndex={-1} className="h-full outline-none">
      {entries.length === 0 && (
        <EmptyState level={3} art={<LinkArt />} title={words.none[kind]} hint={words.noneHint} />
      )}
      <ul aria-label={words.linkedLabel[kind]} className="divide-y divide-line">
        {entries.map((entry) => (
          <LinkedRow
            key={entry.name}
            entry={entry}
            shared={catalog.get(entry.name)}
            busy={actions.busy === entry.name}
            drag={drag.source({ from: 'agent', entry })}
            id={id}
            kind={kind}
            onOpen={() => onOpen(entry)}
            onUnlink={() => onUnlink(entry)}
            onRepair={() => actions.repair(entry.name)}
          />
        ))}
      </ul>
    </div>
  );
};

interface OfferListProps {
  readonly kind: LinkKind;
  readonly offers: readonly Offer<SharedEntry>[];
  /** True if the catalog has no entries at all, linked or not. */
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
  const nothing = catalogIsEmpty
    ? words.noShared[kind]
    : offers.length === 0
      ? words.allLinked[kind]
      : common.noMatch(query);
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
            // The browser skips offscreen rows, so even thousands of entries don't need a virtual list.
            className="flex items-start gap-2.5 px-4 py-2 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]"
          >
            {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a larger target for the mouse. The name is the button, and Firefox can't drag a button over the entire row */}
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
