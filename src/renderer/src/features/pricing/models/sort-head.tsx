import { ArrowDown, ArrowUp } from 'lucide-react';
import { cx } from '../../../ui/cx.ts';
import { type SortColumn, type Sorting, sortedBy } from './sort-models.ts';

interface SortHeadProps {
  readonly column: SortColumn;
  readonly label: string;
  /** The group of the label, for screen readers. */
  readonly group?: string;
  readonly sorting: Sorting;
  readonly onSort: (sorting: Sorting) => void;
  readonly className: string;
}

/** The header of a column. Pressing it sorts by the column, and pressing it again reverses the order. */
export const SortHead = ({ column, label, group, sorting, onSort, className }: SortHeadProps) => {
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
        onClick={() => onSort(sortedBy(sorting, column))}
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
