// biome-ignore-all lint/a11y/useSemanticElements: a table can't scroll both ways with only its visible cells
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and refers to its active cell
import { memo, useMemo } from 'react';
import { type CellState, decodeCells, stateOf } from '../../../../shared/api/links.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { cx } from '../../ui/cx.ts';
import type { MatrixRow } from './cell-changes.ts';

/** The width and height of a cell, in px. */
export const CELL_PX = 28;
/** The width of the row headers, in px. */
export const ROW_HEAD_PX = 184;

/** The appearance of cells in a state. The sign ensures that color isn't the only difference. */
interface CellLook {
  readonly sign: string;
  readonly tone: string;
  /** The end of the sentence that describes the cell. */
  readonly said: string;
}

/** The appearance of cells in each state. */
export type CellLooks = Readonly<Record<CellState, CellLook>>;

/** The colors for entries that an agent uses, and for entries that it has, but not as the shared ones. */
export const TONES = { on: 'bg-accent-soft text-accent', changed: 'bg-accent-soft text-muted' } as const;

/** How links look. */
export const LINK_LOOKS: CellLooks = {
  none: { sign: '', tone: '', said: words.state.none },
  linked: { sign: '✓', tone: TONES.on, said: words.state.linked },
  shadowed: { sign: '~', tone: TONES.changed, said: words.state.shadowed },
  switchedOff: { sign: '×', tone: TONES.changed, said: words.state.switchedOff },
  local: { sign: '•', tone: 'text-muted', said: words.state.local },
  broken: { sign: '!', tone: 'bg-warn-soft text-warn', said: words.state.broken },
};

/** Cells are rendered in blocks of this many columns, so that scrolling sideways renders only new blocks. */
export const BLOCK = 8;

const LINES = {
  backgroundImage: `linear-gradient(to right, transparent ${CELL_PX - 1}px, var(--line) 0)`,
  backgroundSize: `${CELL_PX}px`,
  backgroundPositionX: ROW_HEAD_PX,
} as const;

/** Returns the id of a cell's element, for `aria-activedescendant`. */
export const cellId = (row: number, column: number): string => `matrix-${row}-${column}`;

interface MatrixRowProps {
  readonly row: MatrixRow;
  /** The index among the shown rows. */
  readonly index: number;
  readonly top: number;
  readonly names: readonly string[];
  /** The shown columns, as indexes in `names`. */
  readonly columns: readonly number[];
  /** The first and last block of columns to render. */
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** The active cell's index among the shown columns, or -1. */
  readonly active: number;
  readonly isSelected: boolean;
  readonly looks: CellLooks;
}

/** Returns the numbers from `first` to `last`. */
export const numbersBetween = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, nth) => first + nth);

/** One agent of the grid. Memoized, so that scrolling down renders only new rows. */
export const GridRow = memo((props: MatrixRowProps) => {
  const { row, index, top, names, columns, firstBlock, lastBlock, active, isSelected, looks } = props;
  const cells = useMemo(() => decodeCells(row.cells, names.length), [row.cells, names.length]);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={cx('absolute left-0 flex cursor-pointer border-b border-line', isSelected && 'bg-selected')}
      style={{ top, height: CELL_PX, width: ROW_HEAD_PX + columns.length * CELL_PX, ...LINES }}
    >
      <div
        role="rowheader"
        aria-colindex={1}
        data-row-head={index}
        data-details={row.problem?.message ?? ''}
        className={cx(
          'sticky left-0 z-1 flex cursor-pointer items-center border-r border-line px-3 hover:bg-hover',
          isSelected ? 'bg-selected font-medium' : 'bg-canvas',
          row.problem && 'text-danger',
        )}
        style={{ width: ROW_HEAD_PX }}
      >
        <span className="truncate">{row.id}</span>
      </div>
      {numbersBetween(firstBlock, lastBlock).map((block) => (
        <Cells
          key={block}
          id={row.id}
          index={index}
          cells={cells}
          names={names}
          columns={columns}
          block={block}
          looks={looks}
          problem={row.problem?.message}
          active={Math.floor(active / BLOCK) === block ? active : -1}
        />
      ))}
    </div>
  );
});

type CellsProps = Pick<MatrixRowProps, 'index' | 'names' | 'columns' | 'active' | 'looks'> & {
  readonly id: string;
  readonly cells: ReturnType<typeof decodeCells>;
  readonly block: number;
  /** Why the agent's entries can't be read. */
  readonly problem: string | undefined;
};

/** One {@link BLOCK} of a row's cells. */
const Cells = memo(({ id, index, cells, names, columns, block, active, problem, looks }: CellsProps) => {
  const from = block * BLOCK;
  return columns.slice(from, from + BLOCK).map((column, nth) => {
    const state = stateOf(cells, column);
    const position = from + nth;
    const isActive = active === position;
    // Most cells are empty. The row draws their borders, so that each frame adds only a few elements.
    if (state === 'none' && !isActive) return null;
    const label = words.cell(names[column] ?? '', id, looks[state].said);
    return (
      <div
        key={column}
        role="gridcell"
        id={cellId(index, position)}
        aria-colindex={position + 2}
        aria-label={label}
        // The headers can cut off both names, so the details show them.
        data-details={isActive ? (problem ?? label) : undefined}
        className={cx(
          'absolute flex items-center justify-center border-r border-line font-semibold hover:bg-hover',
          looks[state].tone,
          isActive && 'z-0 outline-2 -outline-offset-2 outline-accent',
        )}
        // Leave room for the line below the row, which a cell must not cover.
        style={{ left: ROW_HEAD_PX + position * CELL_PX, width: CELL_PX, height: CELL_PX - 1 }}
      >
        {looks[state].sign}
      </div>
    );
  });
});
