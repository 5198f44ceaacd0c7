// biome-ignore-all lint/a11y/useSemanticElements: a table can't scroll both ways with only its visible cells
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and refers to its active cell
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, memo, useMemo, useRef, useState } from 'react';
import type { LinkMatrix } from '../../../../shared/api/links.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { cx } from '../../ui/cx.ts';
import type { MatrixRow } from './cell-changes.ts';
import {
  BLOCK,
  CELL_PX,
  type CellLooks,
  cellId,
  GridRow,
  numbersBetween,
  ROW_HEAD_PX,
} from './matrix-row.tsx';

/** A cell, by its indexes among the shown rows and columns. */
interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** A grid's size. `page` is the number of visible rows. */
interface GridSize {
  readonly rows: number;
  readonly columns: number;
  readonly page: number;
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>;

/** Returns the cell that a key of the WAI-ARIA grid pattern moves to. Undefined for other keys. */
export const moveCell = (
  { row, column }: CellPlace,
  { key, ctrlKey, metaKey }: Key,
  { rows, columns, page }: GridSize,
): CellPlace | undefined => {
  const isFar = ctrlKey || metaKey;
  const at = (nextRow: number, nextColumn: number): CellPlace => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  switch (key) {
    case 'ArrowUp':
      return at(isFar ? 0 : row - 1, column);
    case 'ArrowDown':
      return at(isFar ? rows : row + 1, column);
    case 'ArrowLeft':
      return at(row, isFar ? 0 : column - 1);
    case 'ArrowRight':
      return at(row, isFar ? columns : column + 1);
    case 'Home':
      return at(isFar ? 0 : row, 0);
    case 'End':
      return at(isFar ? rows : row, columns);
    case 'PageUp':
      return at(row - page, column);
    case 'PageDown':
      return at(row + page, column);
    default:
      return undefined;
  }
};

/** The height of the column headers, in px. */
const HEAD_PX = 132;

/** A grid's content and appearance. */
export interface GridView {
  readonly label: string;
  /** Describes the keys that the grid handles. */
  readonly keys: string;
  readonly looks: CellLooks;
}

/** The names of the columns. The last `missing` ones don't exist. */
export type GridNames = Pick<LinkMatrix, 'names' | 'missing'>;

interface MatrixGridProps extends GridView {
  readonly matrix: GridNames;
  readonly rows: readonly MatrixRow[];
  /** The shown columns, as indexes in the names. */
  readonly columns: readonly number[];
  readonly selectedRows: ReadonlySet<string>;
  /** The names of the selected columns. */
  readonly selectedColumns: ReadonlySet<string>;
  readonly onSelectRow: (id: string) => void;
  readonly onSelectColumn: (name: string) => void;
  readonly onToggle: (row: MatrixRow, column: number) => void;
}

/** The active cell: the names of its agent and its column, and where it was when it became active. */
interface ActiveCell {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly place: CellPlace;
}

/** Returns where the active cell is now. If its agent or column is gone, the one in its place is active. */
export const placeOf = (
  { id, name, place }: ActiveCell,
  rows: readonly Pick<MatrixRow, 'id'>[],
  columns: readonly number[],
  names: readonly string[],
): CellPlace => {
  const row = rows.findIndex((one) => one.id === id);
  const column = columns.findIndex((one) => names[one] === name);
  return {
    row: row < 0 ? Math.min(place.row, rows.length - 1) : row,
    column: column < 0 ? Math.min(place.column, columns.length - 1) : column,
  };
};

/**
 * The grid. Only its visible part and the active cell are in the DOM. The grid itself has focus, and refers to the
 * active cell.
 */
export const MatrixGrid = (props: MatrixGridProps) => {
  const { matrix, rows, columns, selectedRows, selectedColumns, onSelectRow, onSelectColumn, onToggle } =
    props;
  const scroller = useRef<HTMLDivElement>(null);
  const [cell, setCell] = useState<ActiveCell>({
    id: undefined,
    name: undefined,
    place: { row: 0, column: 0 },
  });
  const active = useMemo(
    () => placeOf(cell, rows, columns, matrix.names),
    [cell, rows, columns, matrix.names],
  );
  const setPlace = (place: CellPlace): void => {
    const column = columns[place.column];
    const name = column === undefined ? undefined : matrix.names[column];
    setCell({ id: rows[place.row]?.id, name, place });
  };
  const vertical = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CELL_PX,
    overscan: 6,
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  });
  const horizontal = useVirtualizer({
    horizontal: true,
    count: Math.ceil(columns.length / BLOCK),
    getScrollElement: () => scroller.current,
    estimateSize: () => CELL_PX * BLOCK,
    overscan: 1,
    paddingStart: ROW_HEAD_PX,
    scrollPaddingStart: ROW_HEAD_PX,
  });
  const items = vertical.getVirtualItems();
  const blocks = horizontal.getVirtualItems();
  const firstBlock = blocks[0]?.index ?? 0;
  const lastBlock = blocks.at(-1)?.index ?? 0;
  const from = firstBlock * BLOCK;
  const to = Math.min(columns.length, (lastBlock + 1) * BLOCK);

  /** Moves to a cell, and scrolls just enough to show it next to the headers. */
  const goTo = (next: CellPlace): void => {
    setPlace(next);
    const element = scroller.current;
    if (!element) return;
    const left = next.column * CELL_PX;
    const width = element.clientWidth - ROW_HEAD_PX;
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (left + CELL_PX > element.scrollLeft + width) element.scrollLeft = left + CELL_PX - width;
    const top = next.row * CELL_PX;
    const height = element.clientHeight - HEAD_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + CELL_PX > element.scrollTop + height) element.scrollTop = top + CELL_PX - height;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[active.row];
    const column = columns[active.column];
    const height = (scroller.current?.clientHeight ?? 0) - HEAD_PX;
    const page = Math.max(1, Math.floor(height / CELL_PX) - 1);
    const next = moveCell(active, event, { rows: rows.length, columns: columns.length, page });
    if (next) goTo(next);
    else if (event.key === ' ' || event.key === 'Enter') {
      if (!row || column === undefined) return;
      if (event.key === ' ' && event.shiftKey) onSelectRow(row.id);
      else if (event.key === ' ' && event.ctrlKey) onSelectColumn(matrix.names[column] ?? '');
      else onToggle(row, column);
    } else return;
    event.preventDefault();
  };

  /** Returns the cell under the pointer. Undefined over the headers and outside. Empty cells have no element. */
  const cellAt = ({ clientX, clientY }: MouseEvent): CellPlace | undefined => {
    const element = scroller.current;
    if (!element) return undefined;
    const { left, top } = element.getBoundingClientRect();
    const [x, y] = [clientX - left - ROW_HEAD_PX, clientY - top - HEAD_PX];
    const row = Math.floor((y + element.scrollTop) / CELL_PX);
    const column = Math.floor((x + element.scrollLeft) / CELL_PX);
    return x >= 0 && y >= 0 && row < rows.length && column < columns.length ? { row, column } : undefined;
  };

  const onClick = (event: MouseEvent): void => {
    if (!(event.target instanceof Element)) return;
    const { rowHead, columnHead } =
      event.target.closest<HTMLElement>('[data-row-head],[data-column-head]')?.dataset ?? {};
    const next = cellAt(event);
    const row = rows[Number(rowHead ?? next?.row)];
    const column = columns[Number(columnHead ?? next?.column)];
    if (rowHead !== undefined && row) onSelectRow(row.id);
    else if (columnHead !== undefined && column !== undefined) onSelectColumn(matrix.names[column] ?? '');
    else if (next && row && column !== undefined) {
      setPlace(next);
      onToggle(row, column);
    }
  };

  // The highlight moves without a render, because the pointer moves often.
  const hovered = useRef<HTMLDivElement>(null);
  const onPointerMove = (event: MouseEvent): void => {
    const next = cellAt(event);
    const style = hovered.current?.style;
    if (!style) return;
    style.display = next ? '' : 'none';
    if (next) style.translate = `${ROW_HEAD_PX + next.column * CELL_PX}px ${HEAD_PX + next.row * CELL_PX}px`;
  };

  // Scrolling may have moved the active cell offscreen.
  const isRendered =
    active.column >= from && active.column < to && items.some(({ index }) => index === active.row);
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={props.label}
      aria-description={props.keys}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-activedescendant={isRendered ? cellId(active.row, active.column) : undefined}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onPointerMove={onPointerMove}
      onPointerLeave={() => hovered.current?.style.setProperty('display', 'none')}
      className="relative min-h-72 flex-1 overflow-auto text-sm focus-visible:-outline-offset-2"
    >
      <div
        role="presentation"
        className="relative min-w-full"
        style={{ height: vertical.getTotalSize(), width: ROW_HEAD_PX + columns.length * CELL_PX }}
      >
        <div
          role="row"
          aria-rowindex={1}
          className="sticky top-0 z-2 border-b border-line bg-canvas"
          style={{ height: HEAD_PX }}
        >
          <div
            role="columnheader"
            aria-colindex={1}
            className="sticky left-0 z-1 flex h-full items-end border-r border-line bg-canvas px-3 pb-2 text-muted"
            style={{ width: ROW_HEAD_PX }}
          >
            {words.corner}
          </div>
          {numbersBetween(firstBlock, lastBlock).map((block) => (
            <ColumnHeads
              key={block}
              matrix={matrix}
              columns={columns}
              selectedColumns={selectedColumns}
              block={block}
            />
          ))}
        </div>
        <div
          ref={hovered}
          aria-hidden="true"
          className="pointer-events-none absolute top-0 left-0 bg-hover"
          style={{ width: CELL_PX, height: CELL_PX - 1, display: 'none' }}
        />
        {columns
          .slice(from, to)
          .map(
            (column, nth) =>
              selectedColumns.has(matrix.names[column] ?? '') && (
                <div
                  key={column}
                  aria-hidden="true"
                  className="pointer-events-none absolute bottom-0 bg-selected"
                  style={{ top: HEAD_PX, left: ROW_HEAD_PX + (from + nth) * CELL_PX, width: CELL_PX }}
                />
              ),
          )}
        {items.map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              <GridRow
                key={row.id}
                row={row}
                index={index}
                top={start}
                names={matrix.names}
                columns={columns}
                firstBlock={firstBlock}
                lastBlock={lastBlock}
                active={index === active.row ? active.column : -1}
                isSelected={selectedRows.has(row.id)}
                looks={props.looks}
              />
            )
          );
        })}
      </div>
    </div>
  );
};

type ColumnHeadsProps = Pick<MatrixGridProps, 'matrix' | 'columns' | 'selectedColumns'> & {
  readonly block: number;
};

/** The headers of a block of columns. Memoized, so that scrolling down doesn't rerender them. */
const ColumnHeads = memo(({ matrix, columns, selectedColumns, block }: ColumnHeadsProps) => {
  const firstMissing = matrix.names.length - matrix.missing;
  const from = block * BLOCK;
  return columns.slice(from, from + BLOCK).map((column, nth) => {
    const name = matrix.names[column] ?? '';
    const isMissing = column >= firstMissing;
    return (
      <div
        key={column}
        role="columnheader"
        aria-colindex={from + nth + 2}
        aria-selected={selectedColumns.has(name)}
        data-column-head={from + nth}
        data-details={isMissing ? `${name} (${words.isMissing})` : ''}
        className={cx(
          'absolute top-0 flex h-full cursor-pointer items-center justify-end border-r border-line pb-2 [writing-mode:vertical-rl] hover:bg-hover',
          selectedColumns.has(name) && 'bg-selected font-medium',
          isMissing && 'text-warn',
        )}
        style={{ left: ROW_HEAD_PX + (from + nth) * CELL_PX, width: CELL_PX }}
      >
        <span className="max-h-full rotate-180 truncate pt-1">{name}</span>
      </div>
    );
  });
});
