import { ArrowRight, ListChecks } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ModelPrice, PriceChange } from '../../../../../shared/api/pricing.ts';
import { formatUsd } from '../../../money/format-price.ts';
import { common } from '../../../strings/common.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { CheckboxField } from '../../../ui/field.tsx';
import { matches } from '../../../ui/matches.ts';
import { scrollsByKey } from '../../../ui/scrolls-by-key.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import { useRows } from '../../../ui/use-rows.ts';
import type { ImportState } from './use-import.ts';

const ROW_HEIGHT_PX = 44;

interface ChangeListProps {
  readonly changes: readonly PriceChange[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (names: readonly string[], isSelected: boolean) => void;
}

/** The changes of an import, each with a checkbox. Only visible rows are in the DOM. */
const ChangeList = ({ changes, selected, onSelect }: ChangeListProps) => {
  const { setScroller, height, rows } = useRows(changes.length, ROW_HEIGHT_PX);
  return (
    <div ref={setScroller} className="max-h-[40dvh] min-h-24 overflow-y-auto rounded-md border border-line">
      <ul aria-label={words.import.listLabel} className="relative" style={{ height }}>
        {rows.map(({ index, start }) => {
          const change = changes[index];
          return (
            change && (
              <li
                key={change.name}
                data-index={index}
                data-details-row
                aria-setsize={changes.length}
                aria-posinset={index + 1}
                style={{ height: ROW_HEIGHT_PX, transform: `translateY(${start}px)` }}
                className="absolute inset-x-0 top-0 border-b border-line"
              >
                <label className="flex h-full items-center gap-2.5 px-3 hover:bg-hover">
                  <input
                    type="checkbox"
                    data-shows-row
                    checked={selected.has(change.name)}
                    onChange={(event) => onSelect([change.name], event.target.checked)}
                    className="size-4 shrink-0 accent-accent"
                  />
                  <Change change={change} />
                </label>
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
};

const changesCache = (before: ModelPrice, after: ModelPrice): boolean =>
  before.cache_read_usd_per_million !== after.cache_read_usd_per_million ||
  before.cache_write_usd_per_million !== after.cache_write_usd_per_million;

const changesVaried = (before: ModelPrice, after: ModelPrice): boolean =>
  JSON.stringify([before.request_usd, before.tiers]) !== JSON.stringify([after.request_usd, after.tiers]);

const Change = ({ change: { name, before, after } }: { readonly change: PriceChange }) => (
  <>
    <bdi className="min-w-0 flex-1 truncate" data-details="">
      {name}
    </bdi>
    {before === null && <Badge>{words.import.added}</Badge>}
    {before !== null && changesCache(before, after) && <Badge>{words.import.cache}</Badge>}
    {before !== null && changesVaried(before, after) && <Badge>{words.import.varied}</Badge>}
    <span className="flex w-44 shrink-0 flex-col text-sm tabular-nums">
      <Side
        label={words.import.input}
        before={before?.input_usd_per_million}
        after={after.input_usd_per_million}
      />
      <Side
        label={words.import.output}
        before={before?.output_usd_per_million}
        after={after.output_usd_per_million}
      />
    </span>
  </>
);

interface SideProps {
  readonly label: string;
  readonly before: number | undefined;
  readonly after: number;
}

const Side = ({ label, before, after }: SideProps) => (
  <span className="flex items-center gap-1.5">
    <span className="w-6 text-muted">{label}</span>
    {before !== undefined && before !== after && (
      <>
        <span className="text-muted">{formatUsd(before)}</span>
        <ArrowRight role="img" aria-label={words.import.becomes} className="size-3 shrink-0 text-muted" />
      </>
    )}
    <span className={before === after ? 'text-muted' : 'font-medium'}>{formatUsd(after)}</span>
  </span>
);

/** The names of price list formats. A newer server may know more. */
const NAMES: Readonly<Record<string, string>> = words.listNames;

type Selecting = Extract<ImportState, { step: 'selecting' }>;

/** The second step of an import: choose among the changes. */
export const ImportChanges = ({ state }: { readonly state: Selecting }) => {
  const { preview, selected, select, isWriting } = state;
  const { changes } = preview.list;
  const [showsNew, setShowsNew] = useState(false);
  const [query, setQuery] = useState('');
  const added = useMemo(
    () => changes.filter(({ before }) => before === null).map(({ name }) => name),
    [changes],
  );
  const shown = useMemo(
    () => changes.filter(({ name, before }) => (showsNew || before !== null) && matches(query, name)),
    [changes, showsNew, query],
  );
  return (
    <div className="flex min-h-0 flex-col gap-3">
      <Remarks state={state} />
      {added.length > 0 && (
        <CheckboxField
          label={words.import.showNew(added.length)}
          checked={showsNew}
          disabled={isWriting}
          onCheckedChange={(next) => {
            setShowsNew(next);
            // Deselect hidden changes, so that they aren't written.
            if (!next) select(added, false);
          }}
        />
      )}
      {changes.length === added.length && !showsNew ? (
        <EmptyState
          level={3}
          icon={ListChecks}
          title={words.import.nothing}
          hint={words.import.nothingHint}
        />
      ) : (
        <fieldset disabled={isWriting} className="contents">
          <Picking shown={shown} query={query} onQuery={setQuery} select={select} />
          {shown.length === 0 ? (
            <p className="break-words text-muted">{common.noMatch(query)}</p>
          ) : (
            <ChangeList changes={shown} selected={selected} onSelect={select} />
          )}
        </fieldset>
      )}
      <DialogActions>
        <Button disabled={isWriting} onClick={state.back}>
          {words.import.back}
        </Button>
        <Button variant="primary" disabled={isWriting || selected.size === 0} onClick={state.write}>
          {isWriting ? words.import.writing : words.import.write(selected.size)}
        </Button>
      </DialogActions>
    </div>
  );
};

/** How many refused models are named. */
const MOST_REFUSED = 20;

const Remarks = ({ state }: { readonly state: Selecting }) => {
  const { preview, hasChanged, error } = state;
  const { format, unchanged, skipped, refused = [] } = preview.list;
  const { configError } = preview.file;
  const read = useRef<HTMLParagraphElement>(null);
  // The clicked button is gone, so focus the start of this step.
  useEffect(() => read.current?.focus(), []);
  return (
    <>
      {hasChanged && (
        <Callout tone="warn" title={words.import.changed} announce="alert">
          <p>{words.import.changedHint}</p>
        </Callout>
      )}
      {error && <Failure title={words.import.writeFailed} message={error.message} />}
      {configError && (
        <Callout tone="warn" title={words.models.problem}>
          <p>{configError}</p>
          <p>{words.import.configError}</p>
        </Callout>
      )}
      {refused.length > 0 && (
        <Callout tone="warn" title={words.import.refused}>
          <p>{words.import.refusedHint}</p>
          <ul ref={scrollsByKey} className="max-h-24 overflow-y-auto break-words">
            {refused.slice(0, MOST_REFUSED).map(({ name, fields }) => (
              <li key={name}>{words.import.refusedModel(name, fields)}</li>
            ))}
          </ul>
          {refused.length > MOST_REFUSED && <p>{words.import.refusedMore(refused.length - MOST_REFUSED)}</p>}
        </Callout>
      )}
      <p ref={read} tabIndex={-1} className="text-sm text-muted outline-none">
        {words.import.read(NAMES[format] ?? format)} {words.import.unchanged(unchanged)}
        {skipped > 0 && words.import.skipped(skipped)}
      </p>
    </>
  );
};

interface PickingProps {
  readonly shown: readonly PriceChange[];
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly select: Selecting['select'];
}

const Picking = ({ shown, query, onQuery, select }: PickingProps) => {
  const selectShown = (isSelected: boolean): void =>
    select(
      shown.map(({ name }) => name),
      isSelected,
    );
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="min-w-40 flex-1">
        <SearchField label={words.import.search} value={query} onValueChange={onQuery} />
      </div>
      <Button onClick={() => selectShown(true)}>{words.import.selectAll}</Button>
      <Button onClick={() => selectShown(false)}>{words.import.selectNone}</Button>
    </div>
  );
};
