import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import { StatusMark } from '../../agent/agent-status.tsx';
import { paths } from '../../routes.ts';
import { overview } from '../../strings/overview.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { cx } from '../../ui/cx.ts';
import type { Sorting } from '../../ui/long-table.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';
import { type AgentMoney, type OverviewRow, shortLine, shortModel } from './agent-rows.ts';

const words = overview.agents;

type CellProps = ComponentProps<'td'> & { readonly 'data-details'?: string };

/** A column of the agents' table. `agent-rows.ts` says which response each part of a row comes from. */
interface AgentColumn {
  readonly heading: string;
  /** The width, alignment and padding, and where the column is hidden. */
  readonly place: string;
  /** How the first click on the heading sorts. */
  readonly first: Sorting<string>['direction'];
  /** Sorts ascending. */
  readonly compare: (a: OverviewRow, b: OverviewRow) => number;
  readonly cell: (row: OverviewRow) => CellProps;
  /** What the last row shows, which has the money of no agent. */
  readonly footer?: (money: AgentMoney) => CellProps;
}

// Sorts agent-9 before agent-10.
const names = new Intl.Collator('en', { numeric: true });

type Sorted = Pick<AgentColumn, 'first' | 'compare'>;

/** Sorts by a number, the largest first. */
const byNumber = (of: (row: OverviewRow) => number): Sorted => ({
  first: 'descending',
  compare: (a, b) => {
    const [one, other] = [of(a), of(b)];
    return one === other ? 0 : one < other ? -1 : 1;
  },
});

/** An amount in sats: null if unknown, undefined until loaded. */
interface Amount {
  readonly sats: number | null | undefined;
  readonly isEstimate?: boolean;
  /** Set if the amount is only a lower or upper bound. */
  readonly limit?: 'least' | 'most' | undefined;
}

/** An amount, marked if it's an estimate or a bound. */
const satsCell = ({ sats, isEstimate = false, limit }: Amount): CellProps => ({
  className: cx('truncate', (sats ?? 0) === 0 && 'text-muted'),
  children: (
    <>
      {limit && (
        <>
          <span aria-hidden="true">{limit === 'least' ? '≥ ' : '≤ '}</span>
          <span className="sr-only">{limit === 'least' ? overview.atLeast('') : overview.atMost('')}</span>
        </>
      )}
      {sats !== undefined && overview.sats(sats, isEstimate && !limit)}
    </>
  ),
});

const moneyColumn = (
  heading: string,
  place: string,
  amountOf: (money: AgentMoney) => Amount,
): AgentColumn => ({
  heading,
  place: `${place} px-3 text-right tabular-nums`,
  // Unknown amounts sort last when the largest sort first.
  ...byNumber(({ money }) => (money && amountOf(money).sats) ?? Number.NEGATIVE_INFINITY),
  cell: ({ money }) => satsCell(money ? amountOf(money) : { sats: undefined }),
  footer: (money) => satsCell(amountOf(money)),
});

/** The order in which later values sort first: blockers, then agents that weren't checked. */
const READINESS_ORDER = 'ready checking unchecked number invalid missing no-pi unreadable';

/** The columns, in their order. */
export const COLUMNS = {
  name: {
    heading: words.columns.name,
    place: 'pr-3 pl-6 text-left',
    first: 'ascending',
    compare: (a, b) => names.compare(a.id, b.id),
    cell: ({ id, firstLine, status, isUnsaved }) => ({
      children: (
        <div className="flex min-w-0 items-center gap-2.5">
          <Link
            href={paths.agent(id)}
            data-shows-row
            className="flex max-w-full min-w-16 shrink-0 items-center gap-2.5 font-medium after:absolute after:inset-0"
          >
            <Avatar id={id} />
            <span data-details="" className="min-w-0 truncate">
              {id}
            </span>
            {isUnsaved && <UnsavedDot />}
          </Link>
          {status && <StatusMark isInRow status={status} />}
          <span
            data-details=""
            className="min-w-0 flex-1 basis-0 truncate text-sm text-muted @max-2xl:hidden"
          >
            {firstLine && shortLine(id, firstLine)}
          </span>
        </div>
      ),
    }),
    footer: () => ({
      children: (
        <Link href={paths.wallet} className="text-muted after:absolute after:inset-0">
          {words.noAgent}
        </Link>
      ),
    }),
  },
  model: {
    heading: words.columns.model,
    place: 'w-44 px-3 text-left @max-6xl:w-36 max-icons:hidden',
    first: 'ascending',
    // Agents without a model sort last.
    compare: ({ model: a }, { model: b }) =>
      a == null || b == null ? Number(a == null) - Number(b == null) : names.compare(a, b),
    cell: ({ model }) => ({
      'data-details': model?.includes('/') ? model : '',
      className: cx('truncate', model === null && 'text-muted'),
      children: model === null ? words.noModel : model && shortModel(model),
    }),
  },
  ready: {
    heading: words.columns.ready,
    place: 'w-28 px-3 text-left @max-5xl:hidden',
    ...byNumber(({ readiness }) =>
      READINESS_ORDER.indexOf(typeof readiness === 'number' ? 'number' : (readiness ?? '?')),
    ),
    cell: ({ readiness }) => ({
      'data-details': '',
      className: cx(
        'truncate',
        readiness === 'ready'
          ? 'text-ok'
          : readiness === 'unchecked' || readiness === 'checking'
            ? 'text-muted'
            : 'text-warn',
      ),
      children:
        typeof readiness === 'number' ? words.stopping(readiness) : readiness && words.readiness[readiness],
    }),
  },
  problems: {
    heading: words.columns.problems,
    place: 'w-36 px-3 text-left @max-md:w-24 @max-md:px-1.5',
    ...byNumber(({ problems }) =>
      problems
        ? problems.missingFiles.length +
          problems.brokenLinks +
          problems.errors +
          problems.warnings +
          (problems.problem === undefined ? 0 : 1)
        : 0,
    ),
    cell: ({ problems, links }) => ({
      'data-details': '',
      className: cx('truncate', problems ? 'text-warn' : 'text-muted'),
      children: problems ? words.problems(problems) : links !== undefined && words.noProblems,
    }),
  },
  earned: moneyColumn(words.columns.earned, 'w-22 @max-6xl:w-20 max-wide:hidden', ({ earned }) => ({
    sats: earned,
  })),
  spent: moneyColumn(words.columns.spent, 'w-22 @max-6xl:w-20 max-wide:hidden', ({ spent, ...money }) => ({
    sats: spent,
    isEstimate: money.isEstimate,
    limit: money.isLeast ? 'least' : undefined,
  })),
  margin: moneyColumn(words.columns.margin, 'w-22 @max-6xl:w-20 @max-md:w-18', ({ margin, ...money }) => ({
    sats: margin,
    isEstimate: money.isEstimate,
    limit: money.isLeast ? 'most' : undefined,
  })),
  links: {
    heading: words.columns.links,
    place: 'w-18 px-3 text-right tabular-nums @max-6xl:hidden',
    ...byNumber(({ links = 0 }) => links),
    cell: ({ links }) => ({ className: cx(links === 0 && 'text-muted'), children: links }),
  },
  ran: {
    heading: words.columns.ran,
    place: 'w-36 pr-6 pl-3 text-left whitespace-nowrap tabular-nums @max-2xl:hidden',
    // Waiting agents first, then running ones.
    ...byNumber(({ status, lastRunAt }) => {
      if (status?.state === 'waiting') return Number.POSITIVE_INFINITY;
      if (status?.state === 'running') return Number.MAX_VALUE;
      return lastRunAt == null ? 0 : Date.parse(lastRunAt);
    }),
    cell: ({ status, lastRunAt }) => ({
      className: 'text-muted',
      children:
        status && status.state !== 'done'
          ? words.runsNow
          : lastRunAt === null
            ? words.neverRan
            : lastRunAt && <TimeAgo isInRow at={lastRunAt} label={words.columns.ran} />,
    }),
  },
  changed: {
    heading: words.columns.changed,
    place: 'w-36 pr-6 pl-3 text-left whitespace-nowrap tabular-nums @max-7xl:hidden',
    ...byNumber(({ changedAt }) => (changedAt === undefined ? 0 : Date.parse(changedAt))),
    cell: ({ changedAt }) => ({
      className: 'text-muted',
      children:
        changedAt === undefined ? (
          words.changeUnknown
        ) : (
          <TimeAgo isInRow at={changedAt} label={words.columns.changed} />
        ),
    }),
  },
} as const satisfies Readonly<Record<string, AgentColumn>>;

export type ColumnId = keyof typeof COLUMNS;

/** The columns with their ids, in their order. */
export const columns = Object.entries(COLUMNS) as readonly (readonly [ColumnId, AgentColumn])[];

/** How the table is sorted. */
export type AgentSorting = Sorting<ColumnId>;

/** Sorts the rows by a column, and equal ones by name. */
export const sortRows = (
  rows: readonly OverviewRow[],
  { column, direction }: AgentSorting,
): readonly OverviewRow[] => {
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => sign * COLUMNS[column].compare(a, b) || COLUMNS.name.compare(a, b));
};
