import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, useMemo, useRef, useState } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Choice } from '../../../ui/choice.tsx';
import { cx } from '../../../ui/cx.ts';
import { lazyView } from '../../../ui/lazy-view.tsx';
import { useFocusAfterRemoval } from '../../../ui/use-focus-after-removal.ts';
import { useRows } from '../../../ui/use-rows.ts';
import type { Edits } from '../editing/use-edits.ts';
import type { ModelUsers } from '../use-pricing.ts';
import {
  cellClass,
  columnClass,
  headClass,
  type Measure,
  PERS,
  type Per,
  SHOWN_MEASURES,
  SIDES,
} from './measures.ts';
import { ModelRow, ROW_HEIGHT_PX, type RowActions } from './model-row.tsx';
import { type ModelSorting, nextModelSorting, type SortColumn, type TableItem } from './order-models.ts';
import type { CellActions, CellDraft } from './use-cell-editor.ts';

const UsedByDialog = lazyView(async () => (await import('../../../ui/used-by-dialog.tsx')).UsedByDialog);

interface SortHeadProps {
  readonly column: SortColumn;
  readonly label: string;
  /** The label's group, for screen readers. */
  readonly group?: string;
  readonly sorting: ModelSorting;
  readonly onSort: (sorting: ModelSorting) => void;
  readonly className: string;
}

/** A column's header. Clicking it sorts by the column, and clicking it again reverses the order. */
const SortHead = ({ column, label, group, sorting, onSort, className }: SortHeadProps) => {
  const isSorted = sorting.column === column;
  const isName = column === 'name';
  const Arrow = sorting.direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? sorting.direction : 'none'}
      className={cx('pb-1 align-bottom', className)}
    >
      <button
        type="button"
        aria-label={group && `${label}, ${group}`}
        onClick={() => onSort(nextModelSorting(sorting, column))}
        className={cx(
          'inline-flex h-6 items-center gap-1 rounded px-1 hover:bg-hover hover:text-ink',
          isSorted ? 'font-medium text-ink' : 'font-normal text-muted',
          !isName && 'flex-row-reverse',
        )}
      >
        {label}
        {isSorted && <Arrow aria-hidden="true" className="size-3 shrink-0" />}
      </button>
    </th>
  );
};

/** The header's rows, which `aria-rowindex` counts too. */
const HEAD_ROWS = 2;

interface ModelsTableProps {
  readonly items: readonly TableItem[];
  readonly btcUsd: number | null;
  readonly sorting: ModelSorting;
  readonly onSort: (sorting: ModelSorting) => void;
  readonly scroller: HTMLElement | null;
  readonly edits: Edits;
  /** The typed text, if a cell is being edited. */
  readonly draft: CellDraft | null;
  readonly cells: CellActions;
  readonly users: ModelUsers;
  readonly onEdit: (model: PricedModel) => void;
}

/** Returns the sort column's counterpart in the shown unit. Both sort the models the same way. */
const shownColumn = (column: SortColumn, per: Per): string =>
  column.replace(/Million|Token/, per === 'token' ? 'Token' : 'Million');

const cacheGroup = (measure: Measure): string =>
  measure.startsWith('usd')
    ? words.models.cacheGroups.usdPerMillion
    : words.models.cacheGroups.satsPerMillion;

/** Shows the models in a table. Only visible rows are in the DOM. Blank rows fill the remaining space. */
export const ModelsTable = (props: ModelsTableProps) => {
  const { items, btcUsd, sorting, onSort, scroller, edits, draft, cells, users, onEdit } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  useFocusAfterRemoval(body);
  const [per, setPer] = useState<Per>('million');
  /** The model whose users the dialog lists. It stays set while the dialog closes. */
  const [shown, setShown] = useState<{ readonly name: string; readonly isOpen: boolean }>();
  const latest = useRef({ edits, onEdit });
  latest.current = { edits, onEdit };
  const actions = useMemo<RowActions>(
    () => ({
      edit: (model) => latest.current.onEdit(model),
      showUsers: (name) => setShown({ name, isOpen: true }),
      remove: (name) => latest.current.edits.run({ kind: 'remove', name }, latest.current.edits.etag),
    }),
    [],
  );
  const measures = SHOWN_MEASURES[per];
  const sortedAs = { ...sorting, column: shownColumn(sorting.column, per) as SortColumn };
  const { rows } = useRows(items.length, ROW_HEIGHT_PX, { scroller, body });
  const last = rows.at(-1)?.index ?? -1;
  return (
    <>
      <table
        aria-rowcount={items.length + HEAD_ROWS}
        className="w-full min-w-140 table-fixed text-right tabular-nums"
      >
        <caption className="sr-only">{words.models.caption}</caption>
        <colgroup>
          <col />
          {measures.flatMap((measure) =>
            SIDES.map((side) => <col key={`${measure} ${side}`} className={columnClass(measure)} />),
          )}
        </colgroup>
        <thead className="sticky top-12 z-2 bg-canvas text-sm shadow-[inset_0_-1px_0_var(--line)]">
          <tr aria-rowindex={1}>
            <td className="pl-6">
              <Choice
                label={words.models.per}
                options={PERS}
                names={words.models.pers}
                value={per}
                onChange={setPer}
              />
            </td>
            {measures.map((measure) => (
              <th
                key={measure}
                scope="colgroup"
                colSpan={2}
                className={cx('pt-1 font-medium text-muted', cellClass(measure, 'output'))}
              >
                {per === 'cache' ? cacheGroup(measure) : words.models.groups[measure]}
              </th>
            ))}
          </tr>
          <tr aria-rowindex={2}>
            <SortHead
              column="name"
              label={words.models.model}
              sorting={sortedAs}
              onSort={onSort}
              className="pr-1 pl-5 text-left"
            />
            {measures.flatMap((measure) =>
              SIDES.map((side) =>
                per === 'cache' ? (
                  <th
                    key={`${measure} ${side}`}
                    scope="col"
                    className={cx('pb-1 align-bottom font-normal text-muted', cellClass(measure, side))}
                  >
                    {words.models.cacheSides[side]}
                  </th>
                ) : (
                  <SortHead
                    key={`${measure} ${side}`}
                    column={`${measure} ${side}`}
                    label={words.models.sides[side]}
                    group={words.models.groups[measure]}
                    sorting={sortedAs}
                    onSort={onSort}
                    className={headClass(measure, side)}
                  />
                ),
              ),
            )}
          </tr>
        </thead>
        <tbody ref={body} tabIndex={-1} className="outline-none">
          {rows.map(({ index }, nth) => {
            const item = items[index];
            if (!item) return null;
            const rowIndex = index + 1 + HEAD_ROWS;
            return (
              <Fragment key={item.kind === 'model' ? item.model.name : `provider ${item.provider}`}>
                <Blank rows={index - 1 - (rows[nth - 1]?.index ?? -1)} />
                {item.kind === 'provider' ? (
                  <ProviderRow {...item} rowIndex={rowIndex} />
                ) : (
                  <ModelRow
                    model={item.model}
                    btcUsd={btcUsd}
                    per={per}
                    index={index}
                    rowIndex={rowIndex}
                    users={users.get(item.model.name)?.length ?? 0}
                    draft={draft?.model.name === item.model.name ? draft : null}
                    cells={cells}
                    actions={actions}
                  />
                )}
              </Fragment>
            );
          })}
          <Blank rows={items.length - 1 - last} />
        </tbody>
      </table>
      {shown && (
        <UsedByDialog
          name={shown.name}
          agents={users.get(shown.name) ?? []}
          open={shown.isOpen}
          onOpenChange={(isOpen) => setShown({ ...shown, isOpen })}
        />
      )}
    </>
  );
};

interface ProviderRowProps {
  readonly provider: string;
  readonly count: number;
  readonly rowIndex: number;
}

/** The heading above a provider's models, as tall as a row. */
const ProviderRow = ({ provider, count, rowIndex }: ProviderRowProps) => (
  <tr aria-rowindex={rowIndex} className="h-8 border-b border-line bg-sunken">
    <td colSpan={5} className="py-0 pl-6 text-left text-sm">
      <bdi className="font-semibold">{provider}</bdi> <span className="text-muted">{count}</span>
    </td>
  </tr>
);

/** Fills the space of offscreen rows, in the only column that is always visible. */
const Blank = ({ rows }: { readonly rows: number }) =>
  rows > 0 && (
    <tr>
      <td style={{ height: rows * ROW_HEIGHT_PX }} className="p-0" />
    </tr>
  );
