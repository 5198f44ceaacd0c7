import { ArrowRight } from 'lucide-react';
import type { ModelPrice, PriceChange } from '../../../../../shared/api/pricing.ts';
import { formatUsd } from '../../../format-price.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Badge } from '../../../ui/badge.tsx';
import { useRows } from '../../../ui/use-rows.ts';

const ROW_HEIGHT_PX = 44;

interface ChangeListProps {
  readonly changes: readonly PriceChange[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (names: readonly string[], isSelected: boolean) => void;
}

/** The changes of an import, each with a checkbox. Only visible rows are in the DOM. */
export const ChangeList = ({ changes, selected, onSelect }: ChangeListProps) => {
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

const Change = ({ change: { name, before, after } }: { readonly change: PriceChange }) => (
  <>
    <bdi className="min-w-0 flex-1 truncate" data-details="">
      {name}
    </bdi>
    {before === null && <Badge>{words.import.added}</Badge>}
    {before !== null && changesCache(before, after) && <Badge>{words.import.cache}</Badge>}
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
