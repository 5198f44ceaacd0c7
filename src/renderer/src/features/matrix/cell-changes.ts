import {
  type CellState,
  decodeCells,
  isLinkedState,
  type LinkMatrix,
  stateOf,
} from '../../../../shared/api/links.ts';

/** The names to link and to unlink, by agent. */
export interface CellChanges {
  readonly link: ReadonlyMap<string, readonly string[]>;
  readonly unlink: ReadonlyMap<string, readonly string[]>;
}

/** A row of the matrix. */
export type MatrixRow = LinkMatrix['agents'][number];

/** Returns whether a link can be added to a cell in this state. A broken link is replaced if its entry exists. */
const canLink = (state: CellState, isMissing: boolean): boolean =>
  !isMissing && (state === 'none' || state === 'broken');

const canUnlink = (state: CellState): boolean => isLinkedState(state) || state === 'broken';

const NONE: ReadonlyMap<string, readonly string[]> = new Map();

/** Links or unlinks each of `columns` in each of `rows`. Omits cells that wouldn't change. */
export const changeBlock = (
  { names, missing }: LinkMatrix,
  rows: readonly MatrixRow[],
  columns: readonly number[],
  wanted: 'link' | 'unlink',
): CellChanges => {
  const firstMissing = names.length - missing;
  const changed = new Map<string, string[]>();
  for (const { id, cells } of rows) {
    const states = decodeCells(cells, names.length);
    const found = columns.flatMap((column) => {
      const state = stateOf(states, column);
      const isMissing = column >= firstMissing;
      const name = names[column];
      return name !== undefined && (wanted === 'link' ? canLink(state, isMissing) : canUnlink(state))
        ? [name]
        : [];
    });
    if (found.length > 0) changed.set(id, found);
  }
  return wanted === 'link' ? { link: changed, unlink: NONE } : { link: NONE, unlink: changed };
};

/**
 * Returns the change for clicking a cell: links an empty one, replaces a broken link, removes a link. Null for an
 * agent's own entry.
 */
export const toggleCell = (matrix: LinkMatrix, row: MatrixRow, column: number): CellChanges | null => {
  const state = stateOf(decodeCells(row.cells, matrix.names.length), column);
  if (state === 'local') return null;
  const isMissing = column >= matrix.names.length - matrix.missing;
  return changeBlock(matrix, [row], [column], canLink(state, isMissing) ? 'link' : 'unlink');
};

/** Gives `rows` the links of `source`. With `alsoUnlink`, also removes their other links. */
export const makeSame = (
  matrix: LinkMatrix,
  source: MatrixRow,
  rows: readonly MatrixRow[],
  alsoUnlink: boolean,
): CellChanges => {
  const wanted = decodeCells(source.cells, matrix.names.length);
  const columns = matrix.names.map((_, column) => column);
  const has = (column: number): boolean => isLinkedState(stateOf(wanted, column));
  const others = rows.filter(({ id }) => id !== source.id);
  // The source's own entry can't be linked, but other agents keep their links of the same name.
  const lacks = (column: number): boolean => stateOf(wanted, column) === 'none';
  return {
    link: changeBlock(matrix, others, columns.filter(has), 'link').link,
    unlink: alsoUnlink ? changeBlock(matrix, others, columns.filter(lacks), 'unlink').unlink : NONE,
  };
};

/** Counts the links on one side of the changes. */
export const countCells = (side: CellChanges['link']): number =>
  [...side.values()].reduce((sum, names) => sum + names.length, 0);
