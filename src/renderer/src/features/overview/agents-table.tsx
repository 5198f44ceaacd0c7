import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, memo, useRef } from 'react';
import { Link } from 'wouter';
import { StatusMark } from '../../agent/agent-status.tsx';
import { paths } from '../../routes.ts';
import { overview as words } from '../../strings/overview.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { cx } from '../../ui/cx.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';
import { useRows } from '../../ui/use-rows.ts';
import {
  type AgentMoney,
  type AgentSorting,
  COLUMNS,
  type Column,
  nextAgentSorting,
  type OverviewRow,
  type RowReadiness,
  shortLine,
  shortModel,
} from './agent-rows.ts';

const ROW_HEIGHT_PX = 36;

const CELLS: Readonly<Record<Column, string>> = {
  name: 'pr-3 pl-6 text-left',
  model: 'w-44 px-3 text-left @max-6xl:w-36 max-icons:hidden',
  ready: 'w-28 px-3 text-left @max-5xl:hidden',
  problems: 'w-36 px-3 text-left @max-md:w-24 @max-md:px-1.5',
  earned: 'w-22 px-3 text-right tabular-nums @max-6xl:w-20 max-wide:hidden',
  spent: 'w-22 px-3 text-right tabular-nums @max-6xl:w-20 max-wide:hidden',
  margin: 'w-22 px-3 text-right tabular-nums @max-6xl:w-20 @max-md:w-18',
  links: 'w-18 px-3 text-right tabular-nums @max-6xl:hidden',
  ran: 'w-36 pr-6 pl-3 text-left whitespace-nowrap tabular-nums @max-2xl:hidden',
  changed: 'w-36 pr-6 pl-3 text-left whitespace-nowrap tabular-nums @max-7xl:hidden',
};

interface AgentsTableProps {
  readonly rows: readonly OverviewRow[];
  /** Money that belongs to no agent. Null if there's none. */
  readonly noAgent: AgentMoney | null;
  readonly sorting: AgentSorting;
  readonly onSort: (sorting: AgentSorting) => void;
  readonly unsaved: ReadonlySet<string>;
  readonly scroller: HTMLElement | null;
}

/** The agents' table. Only visible rows are in the DOM, and blank ones fill the rest. */
export const AgentsTable = ({ rows, noAgent, sorting, onSort, unsaved, scroller }: AgentsTableProps) => {
  const body = useRef<HTMLTableSectionElement>(null);
  const visible = useRows(rows.length, ROW_HEIGHT_PX, { scroller, body }).rows;
  const last = visible.at(-1)?.index ?? -1;
  return (
    <table aria-rowcount={rows.length + (noAgent ? 2 : 1)} className="w-full table-fixed">
      <caption className="sr-only">{words.agents.caption}</caption>
      <thead className="sticky top-0 z-2 bg-canvas text-sm shadow-[inset_0_-1px_0_var(--line)]">
        <tr aria-rowindex={1}>
          {COLUMNS.map((column) => (
            <Head key={column} column={column} sorting={sorting} onSort={onSort} />
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
                <Row row={row} index={index} isUnsaved={unsaved.has(row.id)} />
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
            <th scope="row" className={cx('font-normal', CELLS.name)}>
              <Link href={paths.wallet} className="text-muted after:absolute after:inset-0">
                {words.agents.noAgent}
              </Link>
            </th>
            <td className={CELLS.model} />
            <td className={CELLS.ready} />
            <td className={CELLS.problems} />
            <Money money={noAgent} />
            <td className={CELLS.links} />
            <td className={CELLS.ran} />
            <td className={CELLS.changed} />
          </tr>
        </tfoot>
      )}
    </table>
  );
};

interface HeadProps {
  readonly column: Column;
  readonly sorting: AgentSorting;
  readonly onSort: (sorting: AgentSorting) => void;
}

const Head = ({ column, sorting, onSort }: HeadProps) => {
  const isSorted = sorting.column === column;
  const Arrow = sorting.direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={isSorted ? sorting.direction : 'none'} className={cx('h-8', CELLS[column])}>
      <button
        type="button"
        onClick={() => onSort(nextAgentSorting(sorting, column))}
        className={cx(
          '-mx-1 inline-flex h-6 items-center gap-1 rounded px-1 hover:bg-hover hover:text-ink',
          isSorted ? 'font-medium text-ink' : 'font-normal text-muted',
          CELLS[column].includes('text-right') && 'flex-row-reverse',
        )}
      >
        {words.agents.columns[column]}
        {isSorted && <Arrow aria-hidden="true" className="size-3 shrink-0" />}
      </button>
    </th>
  );
};

interface RowProps {
  readonly row: OverviewRow;
  readonly index: number;
  readonly isUnsaved: boolean;
}

/** Returns the column's text. */
export const readinessText = (readiness: RowReadiness): string =>
  typeof readiness === 'number' ? words.agents.stopping(readiness) : words.agents.readiness[readiness];

const toneOf = (readiness: OverviewRow['readiness']): string =>
  readiness === 'ready'
    ? 'text-ok'
    : readiness === 'unchecked' || readiness === 'checking'
      ? 'text-muted'
      : 'text-warn';

/** Memoized, so that scrolling renders only new rows. Clicking anywhere in the row opens its agent. */
const Row = memo(({ row, index, isUnsaved }: RowProps) => (
  <tr
    data-index={index}
    data-details-row
    aria-rowindex={index + 2}
    style={{ height: ROW_HEIGHT_PX }}
    className="relative border-b border-line hover:bg-hover"
  >
    <th scope="row" className={cx('font-normal', CELLS.name)}>
      <div className="flex min-w-0 items-center gap-2.5">
        <Link
          href={paths.agent(row.id)}
          data-shows-row
          className="flex max-w-full min-w-16 shrink-0 items-center gap-2.5 font-medium after:absolute after:inset-0"
        >
          <Avatar id={row.id} />
          <span data-details="" className="min-w-0 truncate">
            {row.id}
          </span>
          {isUnsaved && <UnsavedDot />}
        </Link>
        {row.status && <StatusMark isInRow status={row.status} />}
        <span data-details="" className="min-w-0 flex-1 basis-0 truncate text-sm text-muted @max-2xl:hidden">
          {row.firstLine && shortLine(row.id, row.firstLine)}
        </span>
      </div>
    </th>
    <td
      data-details={row.model?.includes('/') ? row.model : ''}
      className={cx(CELLS.model, 'truncate', row.model === null && 'text-muted')}
    >
      {row.model === null ? words.agents.noModel : row.model && shortModel(row.model)}
    </td>
    <td data-details="" className={cx(CELLS.ready, 'truncate', toneOf(row.readiness))}>
      {row.readiness && readinessText(row.readiness)}
    </td>
    <td data-details="" className={cx(CELLS.problems, 'truncate', row.problems ? 'text-warn' : 'text-muted')}>
      {row.problems
        ? words.agents.problems(row.problems)
        : row.links !== undefined && words.agents.noProblems}
    </td>
    <Money money={row.money} />
    <td className={cx(CELLS.links, row.links === 0 && 'text-muted')}>{row.links}</td>
    <td className={cx(CELLS.ran, 'text-muted')}>
      <LastRun row={row} />
    </td>
    <td className={cx(CELLS.changed, 'text-muted')}>
      {row.changedAt === undefined ? (
        words.agents.changeUnknown
      ) : (
        <TimeAgo isInRow at={row.changedAt} label={words.agents.columns.changed} />
      )}
    </td>
  </tr>
));

const LastRun = ({ row: { status, lastRunAt } }: { readonly row: OverviewRow }) => {
  if (status && status.state !== 'done') return words.agents.runsNow;
  if (lastRunAt === null) return words.agents.neverRan;
  return lastRunAt && <TimeAgo isInRow at={lastRunAt} label={words.agents.columns.ran} />;
};

const Money = ({ money }: { readonly money: AgentMoney | undefined }) => (
  <>
    <Sats className={CELLS.earned} sats={money?.earned} />
    <Sats
      className={CELLS.spent}
      sats={money?.spent}
      isEstimate={money?.isEstimate}
      limit={money?.isLeast ? 'least' : undefined}
    />
    <Sats
      className={CELLS.margin}
      sats={money?.margin}
      isEstimate={money?.isEstimate}
      limit={money?.isLeast ? 'most' : undefined}
    />
  </>
);

interface SatsProps {
  readonly className: string;
  /** Null if unknown, undefined until loaded. */
  readonly sats: number | null | undefined;
  readonly isEstimate?: boolean | undefined;
  /** Set if the amount is only a lower or upper bound. */
  readonly limit?: 'least' | 'most' | undefined;
}

/** An amount, marked if it's an estimate or a bound. */
const Sats = ({ className, sats, isEstimate = false, limit }: SatsProps) => (
  <td className={cx(className, 'truncate', (sats ?? 0) === 0 && 'text-muted')}>
    {limit && (
      <>
        <span aria-hidden="true">{limit === 'least' ? '≥ ' : '≤ '}</span>
        <span className="sr-only">{limit === 'least' ? words.atLeast('') : words.atMost('')}</span>
      </>
    )}
    {sats !== undefined && words.sats(sats, isEstimate && !limit)}
  </td>
);

/** Fills the space of offscreen rows, in the one column that is always visible. */
const Blank = ({ rows }: { readonly rows: number }) =>
  rows > 0 && (
    <tr>
      <td style={{ height: rows * ROW_HEIGHT_PX }} className="p-0" />
    </tr>
  );
