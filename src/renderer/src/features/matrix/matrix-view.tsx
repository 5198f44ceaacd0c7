import { X } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { CELL_STATES, type CellState } from '../../../../shared/api/links.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { matcher } from '../../ui/matches.ts';
import { SearchField } from '../../ui/search-field.tsx';
import type { MatrixRow } from './cell-changes.ts';
import { type GridNames, type GridView, MatrixGrid } from './matrix-grid.tsx';

const toggled = <T,>(set: ReadonlySet<T>, value: T): ReadonlySet<T> => {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
};

/** The grid's selection. */
export interface MatrixSelection {
  /** The agents that an action on columns changes: the selected ones, or else all shown ones. */
  readonly target: readonly MatrixRow[];
  readonly rows: readonly MatrixRow[];
  readonly columns: readonly number[];
  readonly onClear: () => void;
}

type Legend = Readonly<Partial<Record<CellState, string>>>;

interface MatrixViewProps extends GridView {
  readonly matrix: GridNames & { readonly agents: readonly MatrixRow[] };
  /** The agents that the history entry limits the page to. Undefined for all agents. */
  readonly only: ReadonlySet<string> | undefined;
  readonly onShowAll: () => void;
  readonly filterLabel: string;
  /** Explains the symbols in the cells. */
  readonly legend: Legend;
  readonly onToggle: (row: MatrixRow, column: number) => void;
  readonly actions: (selection: MatrixSelection) => ReactNode;
}

/** The grid with its filters and its selection. */
export const MatrixView = (props: MatrixViewProps) => {
  const { matrix, only, onShowAll, filterLabel, legend, onToggle, actions, ...view } = props;
  const { names, agents } = matrix;
  const [agentQuery, setAgentQuery] = useState('');
  const [entryQuery, setEntryQuery] = useState('');
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  // By name: another program's entry moves the columns.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => {
    const isShown = matcher(agentQuery);
    return agents.filter(({ id }) => isShown(id) && (only?.has(id) ?? true));
  }, [agents, agentQuery, only]);
  const columns = useMemo(() => {
    const isShown = matcher(entryQuery);
    return names.flatMap((name, column) => (isShown(name) ? [column] : []));
  }, [names, entryQuery]);
  const selectedRows = rows.filter(({ id }) => ids.has(id));
  const selectedColumns = columns.filter((column) => chosen.has(names[column] ?? ''));
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-6 pb-2">
        <div className="w-44">
          <SearchField isMain label={words.filterAgents} value={agentQuery} onValueChange={setAgentQuery} />
        </div>
        <div className="w-52">
          <SearchField label={filterLabel} value={entryQuery} onValueChange={setEntryQuery} />
        </div>
        {only && (
          <Button size="small" onClick={onShowAll}>
            {words.onlySelected(only.size)}
            <X aria-hidden="true" className="size-3.5" />
          </Button>
        )}
        <LegendList legend={legend} looks={view.looks} />
      </div>
      {rows.length === 0 || columns.length === 0 ? (
        <p className="flex-1 px-6 py-4 text-muted">{words.noMatch}</p>
      ) : (
        <MatrixGrid
          matrix={matrix}
          rows={rows}
          columns={columns}
          selectedRows={ids}
          selectedColumns={chosen}
          onSelectRow={(id) => setIds(toggled(ids, id))}
          onSelectColumn={(name) => setChosen(toggled(chosen, name))}
          onToggle={onToggle}
          {...view}
        />
      )}
      {(selectedRows.length > 0 || selectedColumns.length > 0) &&
        actions({
          target: selectedRows.length > 0 ? selectedRows : rows,
          rows: selectedRows,
          columns: selectedColumns,
          onClear: () => {
            setIds(new Set());
            setChosen(new Set());
          },
        })}
    </>
  );
};

const LegendList = ({ legend, looks }: { readonly legend: Legend; readonly looks: GridView['looks'] }) => (
  <ul aria-label={words.legendLabel} className="ml-auto flex flex-wrap gap-x-3 gap-y-1 text-sm text-muted">
    {CELL_STATES.map(
      (state) =>
        legend[state] !== undefined && (
          <li key={state} className="flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className={cx(
                'flex size-4 items-center justify-center rounded text-xs font-semibold',
                looks[state].tone,
              )}
            >
              {looks[state].sign}
            </span>
            {legend[state]}
          </li>
        ),
    )}
  </ul>
);
