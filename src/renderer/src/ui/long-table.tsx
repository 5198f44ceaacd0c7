import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type ComponentProps,
  Fragment,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useRef,
} from 'react';
import { cx } from './cx.ts';
import { useRows } from './use-rows.ts';

/** How a table is sorted. */
export interface Sorting<Column extends string> {
  readonly column: Column;
  readonly direction: 'ascending' | 'descending';
}

/** Returns the sorting after a click on a column's heading. The same column reverses its order. */
export const nextSorting = <Column extends string>(
  sorting: Sorting<Column>,
  column: Column,
  first: Sorting<Column>['direction'] = 'ascending',
): Sorting<Column> => {
  if (sorting.column !== column) return { column, direction: first };
  return { column, direction: sorting.direction === 'ascending' ? 'descending' : 'ascending' };
};

interface SortHeadProps {
  readonly label: string;
  /** The label's group, for screen readers. */
  readonly group?: string | undefined;
  /** The order, if the table is sorted by this column. */
  readonly direction: Sorting<string>['direction'] | undefined;
  readonly isRight: boolean;
  readonly onSort: () => void;
  readonly className: string;
}

/** A column's heading. Clicking it sorts by the column. */
export const SortHead = ({ label, group, direction, isRight, onSort, className }: SortHeadProps) => {
  const Arrow = direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={direction ?? 'none'} className={className}>
      <button
        type="button"
        aria-label={group && `${label}, ${group}`}
        onClick={onSort}
        className={cx(
          '-mx-1 inline-flex h-6 items-center gap-1 rounded px-1 hover:bg-hover hover:text-ink',
          direction ? 'font-medium text-ink' : 'font-normal text-muted',
          isRight && 'flex-row-reverse',
        )}
      >
        {label}
        {direction && <Arrow aria-hidden="true" className="size-3 shrink-0" />}
      </button>
    </th>
  );
};

interface LongTableBodyProps extends Omit<ComponentProps<'tbody'>, 'children' | 'ref'> {
  readonly count: number;
  readonly rowHeight: number;
  readonly scroller: HTMLElement | null;
  readonly body?: RefObject<HTMLTableSectionElement | null>;
  /** Returns a keyed row of this height, with `data-index`. */
  readonly row: (index: number) => ReactElement | null | undefined;
  /** More rows, after the last one. */
  readonly children?: ReactNode;
}

/** The body of a table of any length. Only visible rows are in the DOM, and blank ones fill the rest. */
export const LongTableBody = ({
  count,
  rowHeight,
  scroller,
  body,
  row,
  children,
  ...rest
}: LongTableBodyProps) => {
  const own = useRef<HTMLTableSectionElement>(null);
  const place = body ?? own;
  const { rows } = useRows(count, rowHeight, { scroller, body: place });
  const blank = (missing: number) =>
    missing > 0 && (
      <tr>
        {/* The first column is always visible. */}
        <td style={{ height: missing * rowHeight }} className="p-0" />
      </tr>
    );
  return (
    <tbody {...rest} ref={place}>
      {rows.map(({ index }, nth) => {
        const shown = row(index);
        return (
          shown && (
            <Fragment key={shown.key}>
              {blank(index - 1 - (rows[nth - 1]?.index ?? -1))}
              {shown}
            </Fragment>
          )
        );
      })}
      {blank(count - 1 - (rows.at(-1)?.index ?? -1))}
      {children}
    </tbody>
  );
};
