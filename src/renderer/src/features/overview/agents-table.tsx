import { memo } from 'react';
import { overview as words } from '../../strings/overview.ts';
import { cx } from '../../ui/cx.ts';
import { LongTableBody, nextSorting, SortHead } from '../../ui/long-table.tsx';
import type { AgentMoney, OverviewRow } from './agent-rows.ts';
import { type AgentSorting, COLUMNS, type ColumnId, columns } from './columns.tsx';

const ROW_HEIGHT_PX = 36;

interface AgentsTableProps {
  readonly rows: readonly OverviewRow[];
  /** Money that belongs to no agent. Null if there's none. */
  readonly noAgent: AgentMoney | null;
  readonly sorting: AgentSorting;
  readonly onSort: (sorting: AgentSorting) => void;
  readonly scroller: HTMLElement | null;
}

/** The agents' table. */
export const AgentsTable = ({ rows, noAgent, sorting, onSort, scroller }: AgentsTableProps) => {
  return (
    <table aria-rowcount={rows.length + (noAgent ? 2 : 1)} className="w-full table-fixed">
      <caption className="sr-only">{words.agents.caption}</caption>
      <thead className="sticky top-0 z-2 bg-canvas text-sm shadow-[inset_0_-1px_0_var(--line)]">
        <tr aria-rowindex={1}>
          {columns.map(([id, { heading, place, first }]) => (
            <SortHead
              key={id}
              label={heading}
              direction={sorting.column === id ? sorting.direction : undefined}
              isRight={place.includes('text-right')}
              onSort={() => onSort(nextSorting(sorting, id, first))}
              className={cx('h-8', place)}
            />
          ))}
        </tr>
      </thead>
      <LongTableBody
        count={rows.length}
        rowHeight={ROW_HEIGHT_PX}
        scroller={scroller}
        row={(index) => rows[index] && <Row key={rows[index].id} row={rows[index]} index={index} />}
      />
      {noAgent && (
        <tfoot>
          <tr
            aria-rowindex={rows.length + 2}
            style={{ height: ROW_HEIGHT_PX }}
            className="relative hover:bg-hover"
          >
            {columns.map(([id, { footer }]) => (
              <Cell key={id} column={id} {...footer?.(noAgent)} />
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
};

type CellProps = { readonly column: ColumnId } & ReturnType<(typeof columns)[number][1]['cell']>;

const Cell = ({ column, className, ...rest }: CellProps) => {
  const { place } = COLUMNS[column];
  return column === 'name' ? (
    <th {...rest} scope="row" className={cx('font-normal', place)} />
  ) : (
    <td {...rest} className={cx(place, className)} />
  );
};

interface RowProps {
  readonly row: OverviewRow;
  readonly index: number;
}

/** Memoized, so that scrolling renders only new rows. Clicking anywhere in the row opens its agent. */
const Row = memo(({ row, index }: RowProps) => (
  <tr
    data-index={index}
    data-details-row
    aria-rowindex={index + 2}
    style={{ height: ROW_HEIGHT_PX }}
    className="relative border-b border-line hover:bg-hover"
  >
    {columns.map(([id, { cell }]) => (
      <Cell key={id} column={id} {...cell(row)} />
    ))}
  </tr>
));
