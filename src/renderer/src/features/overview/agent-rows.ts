import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { type AgentProblems, problemsOf } from '../../attention/find-attention.ts';

/** An agent as the overview shows it. */
export interface OverviewRow {
  readonly id: string;
  readonly workspace: boolean;
  /** ISO 8601; undefined when it isn't known. */
  readonly changedAt: string | undefined;
  readonly links: number;
  readonly problems: AgentProblems | undefined;
}

/** The columns, in their order. */
export const COLUMNS = ['name', 'problems', 'links', 'workspace', 'changed'] as const;

/** One of {@link COLUMNS}. */
export type Column = (typeof COLUMNS)[number];

/** How the table is sorted. */
export interface Sorting {
  readonly column: Column;
  readonly direction: 'ascending' | 'descending';
}

/**
 * The sorting after a press on a column's header. Names begin with A, numbers with the largest, and times with
 * the latest.
 */
export const sortedBy = (sorting: Sorting, column: Column): Sorting => {
  const first = column === 'name' ? 'ascending' : 'descending';
  if (sorting.column !== column) return { column, direction: first };
  return { column, direction: sorting.direction === 'ascending' ? 'descending' : 'ascending' };
};

/** The agents with their links and problems, in the order of the list. */
export const overviewRows = (
  agents: readonly AgentListEntry[],
  counts: readonly AgentLinkCounts[],
): readonly OverviewRow[] => {
  const byId = new Map(counts.map((count) => [count.id, count]));
  return agents.map((agent) => {
    const count = byId.get(agent.id);
    return {
      id: agent.id,
      workspace: agent.workspace,
      changedAt: agent.changedAt,
      links: count?.links ?? 0,
      problems: problemsOf(agent, count),
    };
  });
};

const problemCount = ({ problems }: OverviewRow): number =>
  problems
    ? problems.missingFiles.length + problems.brokenLinks + (problems.problem === undefined ? 0 : 1)
    : 0;

const VALUES: Readonly<Record<Exclude<Column, 'name'>, (row: OverviewRow) => number>> = {
  problems: problemCount,
  links: ({ links }) => links,
  workspace: ({ workspace }) => (workspace ? 1 : 0),
  changed: ({ changedAt }) => (changedAt === undefined ? 0 : Date.parse(changedAt)),
};

// agent-9 comes before agent-10.
const names = new Intl.Collator('en', { numeric: true });

/** The rows in the order of a column. Equal ones are in the order of their names. */
export const sortRows = (
  rows: readonly OverviewRow[],
  { column, direction }: Sorting,
): readonly OverviewRow[] => {
  const sign = direction === 'ascending' ? 1 : -1;
  if (column === 'name') return rows.toSorted((a, b) => sign * names.compare(a.id, b.id));
  const valueIn = VALUES[column];
  return rows.toSorted((a, b) => sign * (valueIn(a) - valueIn(b)) || names.compare(a.id, b.id));
};
