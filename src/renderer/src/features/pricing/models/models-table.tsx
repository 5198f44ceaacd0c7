import { useMemo, useRef, useState } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Choice } from '../../../ui/choice.tsx';
import { cx } from '../../../ui/cx.ts';
import { lazyView } from '../../../ui/lazy-view.tsx';
import { LongTableBody, nextSorting, SortHead } from '../../../ui/long-table.tsx';
import { useFocusAfterRemoval } from '../../../ui/use-focus-after-removal.ts';
import type { Edits } from '../editing/use-edits.ts';
import type { ModelUsers } from '../use-pricing.ts';
import { cellClass, columnClass, type Measure, PERS, type Per, SHOWN_MEASURES, SIDES } from './measures.ts';
import { ModelRow, ROW_HEIGHT_PX, type RowActions } from './model-row.tsx';
import type { ModelSorting, SortColumn, TableItem } from './order-models.ts';
import type { CellActions, CellDraft } from './use-cell-editor.ts';

const UsedByDialog = lazyView(async () => (await import('../../../ui/used-by-dialog.tsx')).UsedByDialog);

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
const shownColumn = (column: SortColumn, per: Per): SortColumn =>
  column.replace(/Million|Token/, per === 'token' ? 'Token' : 'Million') as SortColumn;

const cacheGroup = (measure: Measure): string =>
  measure.startsWith('usd')
    ? words.models.cacheGroups.usdPerMillion
    : words.models.cacheGroups.satsPerMillion;

/** Shows the models in a table. */
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
  const sortedColumn = shownColumn(sorting.column, per);
  const sortHead = (column: SortColumn, label: string, className: string, group?: string) => (
    <SortHead
      key={column}
      label={label}
      group={group}
      direction={sortedColumn === column ? sorting.direction : undefined}
      isRight={column !== 'name'}
      onSort={() => onSort(nextSorting({ ...sorting, column: sortedColumn }, column))}
      className={cx('pb-1 align-bottom', className)}
    />
  );
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
            {sortHead('name', words.models.model, 'pr-2 pl-6 text-left')}
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
                  sortHead(
                    `${measure} ${side}`,
                    words.models.sides[side],
                    cellClass(measure, side),
                    words.models.groups[measure],
                  )
                ),
              ),
            )}
          </tr>
        </thead>
        <LongTableBody
          count={items.length}
          rowHeight={ROW_HEIGHT_PX}
          scroller={scroller}
          body={body}
          tabIndex={-1}
          className="outline-none"
          row={(index) => {
            const item = items[index];
            const rowIndex = index + 1 + HEAD_ROWS;
            if (item?.kind === 'provider')
              return <ProviderRow key={`provider ${item.provider}`} {...item} rowIndex={rowIndex} />;
            return (
              item && (
                <ModelRow
                  key={item.model.name}
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
              )
            );
          }}
        />
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
