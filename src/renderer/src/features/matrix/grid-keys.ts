/** A cell, by its positions among the shown rows and columns. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** The size of a grid. `page` is how many rows are visible. */
interface GridSize {
  readonly rows: number;
  readonly columns: number;
  readonly page: number;
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>;

/** Where a key of the WAI-ARIA grid pattern leads, or undefined if it doesn't move. */
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
