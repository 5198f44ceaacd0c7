import { Fragment, useMemo, useRef, useState } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { pricing as texts } from '../../../strings/pricing.ts';
import { Choice } from '../../../ui/choice.tsx';
import { cx } from '../../../ui/cx.ts';
import { useFocusAfterRemoval } from '../../../ui/use-focus-after-removal.ts';
import { useRows } from '../../../ui/use-rows.ts';
import type { Edits } from '../editing/use-edits.ts';
import { cellClass, columnClass, headClass, PERS, type Per } from './measure-columns.ts';
import { ModelRow, ROW_HEIGHT_PX, type RowActions } from './model-row.tsx';
import { SortHead } from './sort-head.tsx';
import { MEASURES, SIDES, type Sorting } from './sort-models.ts';
import type { CellActions, CellDraft } from './use-cell-editor.ts';

const words = texts.models;
/** The rows of the header, which `aria-rowindex` counts too. */
const HEAD_ROWS = 2;

interface ModelsTableProps {
  readonly models: readonly PricedModel[];
  readonly btcUsd: number | null;
  readonly sorting: Sorting;
  readonly onSort: (sorting: Sorting) => void;
  readonly scroller: HTMLElement | null;
  readonly edits: Edits;
  /** The typed text in a cell. */
  readonly draft: CellDraft | null;
  readonly cells: CellActions;
  readonly onEdit: (model: PricedModel) => void;
}

/** The models as a table of any length. Only visible rows are in the DOM, and blank ones fill the rest. */
export const ModelsTable = (props: ModelsTableProps) => {
  const { models, btcUsd, sorting, onSort, scroller, edits, draft, cells, onEdit } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  useFocusAfterRemoval(body);
  const [per, setPer] = useState<Per>('million');
  const latest = useRef({ edits, onEdit });
  latest.current = { edits, onEdit };
  const actions = useMemo<RowActions>(
    () => ({
      edit: (model) => latest.current.onEdit(model),
      remove: (name) => latest.current.edits.run({ kind: 'remove', name }, latest.current.edits.etag),
    }),
    [],
  );
  const { rows } = useRows(models.length, ROW_HEIGHT_PX, { scroller, body });
  const last = rows.at(-1)?.index ?? -1;
  return (
    <table
      aria-rowcount={models.length + HEAD_ROWS}
      className="w-full min-w-140 table-fixed text-right tabular-nums"
    >
      <caption className="sr-only">{words.caption}</caption>
      <colgroup>
        <col />
        {MEASURES.flatMap((measure) =>
          SIDES.map((side) => <col key={`${measure} ${side}`} className={columnClass(measure, per)} />),
        )}
      </colgroup>
      <thead className="sticky top-12 z-2 bg-canvas text-sm shadow-[inset_0_-1px_0_var(--line)]">
        <tr aria-rowindex={1}>
          <td className="pl-6">
            <div className="wide:hidden">
              <Choice label={words.per} options={PERS} names={words.pers} value={per} onChange={setPer} />
            </div>
          </td>
          {MEASURES.map((measure) => (
            <th
              key={measure}
              scope="colgroup"
              colSpan={2}
              className={cx('pt-1 font-medium text-muted', cellClass(measure, 'output', per))}
            >
              {words.groups[measure]}
            </th>
          ))}
        </tr>
        <tr aria-rowindex={2}>
          <SortHead
            column="name"
            label={words.model}
            sorting={sorting}
            onSort={onSort}
            className="pr-1 pl-5 text-left"
          />
          {MEASURES.flatMap((measure) =>
            SIDES.map((side) => (
              <SortHead
                key={`${measure} ${side}`}
                column={`${measure} ${side}`}
                label={words.sides[side]}
                group={words.groups[measure]}
                sorting={sorting}
                onSort={onSort}
                className={headClass(measure, side, per)}
              />
            )),
          )}
        </tr>
      </thead>
      <tbody ref={body} tabIndex={-1} className="outline-none">
        {rows.map(({ index }, nth) => {
          const model = models[index];
          return (
            model && (
              <Fragment key={model.name}>
                <Blank rows={index - 1 - (rows[nth - 1]?.index ?? -1)} />
                <ModelRow
                  model={model}
                  btcUsd={btcUsd}
                  per={per}
                  index={index}
                  rowIndex={index + 1 + HEAD_ROWS}
                  draft={draft?.model.name === model.name ? draft : null}
                  cells={cells}
                  actions={actions}
                />
              </Fragment>
            )
          );
        })}
        <Blank rows={models.length - 1 - last} />
      </tbody>
    </table>
  );
};

/** Fills the space of rows out of sight, in the one column that is always visible. */
const Blank = ({ rows }: { readonly rows: number }) =>
  rows > 0 && (
    <tr>
      <td style={{ height: rows * ROW_HEIGHT_PX }} className="p-0" />
    </tr>
  );
