import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, memo, useRef } from 'react';
import { overview as words } from '../../strings/overview.ts';
import { cx } from '../../ui/cx.ts';
import { useRows } from '../../ui/use-rows.ts';
import type { AgentMoney, OverviewRow } from './agent-rows.ts';
import { type AgentSorting, COLUMNS, type ColumnId, columns, nextAgentSorting } from './columns.tsx';

const ROW_HEIGHT_PX = 36;

interface AgentsTableProps {
  readonly rows: readonly OverviewRow[];
  /** Money that belongs to no agent. Null if there's none. */
  readonly noAgent: AgentMoney | null;
  readonly sorting: AgentSorting;
  readonly onSort: (sorting: AgentSorting) => void;
  readonly scroller: HTMLElement | null;
}

/** The agents' table. Only visible rows are in the DOM, and blank ones fill the rest. */
export const AgentsTable = ({ rows, noAgent, sorting, onSort, scroller }: AgentsTableProps) => {
  const body = useRef<HTMLTableSectionElement>(null);
  const visible = useRows(rows.length, ROW_HEIGHT_PX, { scroller, body }).rows;
  const last = visible.at(-1)?.index ?? -1;
  return (
    <table aria-rowcount={rows.length + (noAgent ? 2 : 1)} className="w-full table-fixed">
      <caption className="sr-only">{words.agents.caption}</caption>
      <thead className="sticky top-0 z-2 bg-canvas text-sm shadow-[inset_0_-1px_0_var(--line)]">
        <tr aria-rowindex={1}>
          {columns.map(([id]) => (
            <Head key={id} column={id} sorting={sorting} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {visible.map(({ index }, nth) => {
          const row = rows[index];
          return (
            row && (
              <Fragment key={row.id}>
                <Blank rows={index - 1 - (visible[nth - 1]?.index ?? -1)} />
                <Row row={row} index={index} />
              </Fragment>
            )
          );
        })}
        <Blank rows={rows.length - 1 - last} />
      </tbody>
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

interface HeadProps {
  readonly column: ColumnId;
  readonly sorting: AgentSorting;
  readonly onSort: (sorting: AgentSorting) => void;
}

const Head = ({ column, sorting, onSort }: HeadProps) => {
  const { heading, place } = COLUMNS[column];
  const isSorted = sorting.column === column;
  const Arrow = sorting.direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={isSorted ? sorting.direction : 'none'} className={cx('h-8', place)}>
      <button
        type="button"
        onClick={() => onSort(nextAgentSorting(sorting, column))}
        className={cx(
          '-mx-1 inline-flex h-6 items-center gap-1 rounded px-1 hover:bg-hover hover:text-ink',
          isSorted ? 'font-medium text-ink' : 'font-normal text-muted',
          place.includes('text-right') && 'flex-row-reverse',
        )}
      >
        {heading}
        {isSorted && <Arrow aria-hidden="true" className="size-3 shrink-0" />}
      </button>
    </th>
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

/** Fills the space of offscreen rows, in the one column that is always visible. */
const Blank = ({ rows }: { readonly rows: number }) =>
  rows > 0 && (
    <tr>
      <td style={{ height: rows * ROW_HEIGHT_PX }} className="p-0" />
    </tr>
  );
