import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { LinkMatrix } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { toMatrixState, useMatrixAgents } from '../../intents.ts';
import { useLastChange } from '../../link-changes.ts';
import { paths } from '../../routes.ts';
import { useShownKinds } from '../../shown-kinds.ts';
import { kindNames } from '../../strings/link-kinds.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { cx } from '../../ui/cx.ts';
import { GridArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { matcher } from '../../ui/matches.ts';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { notify } from '../../ui/toast.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { type MatrixRow, toggleCell } from './cell-changes.ts';
import { MatrixGrid } from './matrix-grid.tsx';
import { SIGNS, TONES } from './matrix-row.tsx';
import { PresetsDialog } from './presets-dialog.tsx';
import { SelectionActions } from './selection-actions.tsx';
import { useChangeCells, useMatrix } from './use-matrix.ts';

/** Which agents have which shared entries, and the actions on many of them at once. */
export const MatrixPage = ({ kind }: { readonly kind: LinkKind }) => {
  const state = useMatrix(kind);
  const [, navigate] = useLocation();
  const only = useMatrixAgents();
  const kinds = useShownKinds([kind]);
  const [showsPresets, setShowsPresets] = useState(false);
  useTitle(words.heading);
  return (
    <div className="flex h-full min-h-0 flex-col overflow-y-auto">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-6 pt-4 pb-2">
        <div className="min-w-0 flex-1 max-single:basis-full">
          <h1 className={PAGE_TITLE}>{words.heading}</h1>
          <p className="text-muted low:hidden">{words.description}</p>
        </div>
        <Choice
          label={words.kinds}
          options={kinds}
          names={kindNames.many}
          value={kind}
          onChange={(next) => navigate(paths.matrix(next), { state: only && toMatrixState(only) })}
        />
        <UndoLast />
        <Button size="small" onClick={() => setShowsPresets(true)}>
          {presetWords.open}
        </Button>
        <Link href={paths.catalogEntry(kind, null)} className={buttonClass('secondary', 'small')}>
          {words.backToCatalog}
        </Link>
      </header>
      {state.status === 'loading' && <Loading />}
      {state.status === 'error' && <ErrorState error={state.error} onRetry={state.retry} />}
      {state.status === 'ready' &&
        (state.data.names.length === 0 || state.data.agents.length === 0 ? (
          <EmptyState art={<GridArt />} title={words.none[kind]} hint={words.noneHint} />
        ) : (
          <Matrix
            key={kind}
            matrix={state.data}
            only={only}
            onShowAll={() => navigate(paths.matrix(kind), { replace: true })}
          />
        ))}
      <PresetsDialog open={showsPresets} onOpenChange={setShowsPresets} />
    </div>
  );
};

/** Undoes the last change, also after its toast is gone or the page was reloaded. */
const UndoLast = () => {
  const { change, undo, isPending } = useLastChange();
  // It keeps its place and the focus when nothing is left to undo.
  const [shown, setShown] = useState(change);
  if (change && change !== shown) setShown(change);
  if (!shown) return null;
  const label = words.lastChange(shown.said, shown.at);
  return (
    <Tooltip label={label}>
      <Button size="small" aria-description={label} disabled={isPending || !change} onClick={undo}>
        {words.undoLast}
      </Button>
    </Tooltip>
  );
};

const toggled = <T,>(set: ReadonlySet<T>, value: T): ReadonlySet<T> => {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
};

interface MatrixProps {
  readonly matrix: LinkMatrix;
  /** The agents that the person came with. Undefined for all. */
  readonly only: ReadonlySet<string> | undefined;
  readonly onShowAll: () => void;
}

const Matrix = ({ matrix, only, onShowAll }: MatrixProps) => {
  const { kind, names, agents } = matrix;
  const change = useChangeCells(kind);
  const [agentQuery, setAgentQuery] = useState('');
  const [entryQuery, setEntryQuery] = useState('');
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => {
    const isShown = matcher(agentQuery);
    return agents.filter(({ id }) => isShown(id) && (only?.has(id) ?? true));
  }, [agents, agentQuery, only]);
  const columns = useMemo(() => {
    const isShown = matcher(entryQuery);
    return names.flatMap((name, column) => (isShown(name) ? [column] : []));
  }, [names, entryQuery]);
  const selectedRows = rows.filter(({ id }) => ids.has(id));
  const selectedColumns = columns.filter((column) => chosen.has(column));
  const toggle = (row: MatrixRow, column: number): void => {
    const changes = toggleCell(matrix, row, column);
    if (changes) change.mutate(changes);
    else notify(words.localHint);
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-6 pb-2">
        <div className="w-44">
          <SearchField isMain label={words.filterAgents} value={agentQuery} onValueChange={setAgentQuery} />
        </div>
        <div className="w-52">
          <SearchField label={words.filterEntries[kind]} value={entryQuery} onValueChange={setEntryQuery} />
        </div>
        {only && (
          <Button size="small" onClick={onShowAll}>
            {words.onlySelected(only.size)}
            <X aria-hidden="true" className="size-3.5" />
          </Button>
        )}
        <Legend />
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
          onSelectColumn={(column) => setChosen(toggled(chosen, column))}
          onToggle={toggle}
        />
      )}
      {(selectedRows.length > 0 || selectedColumns.length > 0) && (
        <SelectionActions
          matrix={matrix}
          target={selectedRows.length > 0 ? selectedRows : rows}
          rows={selectedRows}
          columns={selectedColumns}
          isPending={change.isPending}
          onChange={(changes) => change.mutate(changes)}
          onClear={() => {
            setIds(new Set());
            setChosen(new Set());
          }}
        />
      )}
    </>
  );
};

/** The meaning of the signs in the cells. */
const Legend = () => (
  <ul aria-label={words.legendLabel} className="ml-auto flex flex-wrap gap-x-3 gap-y-1 text-sm text-muted">
    {(['linked', 'shadowed', 'switchedOff', 'local', 'broken'] as const).map((state) => (
      <li key={state} className="flex items-center gap-1.5">
        <span
          aria-hidden="true"
          className={cx(
            'flex size-4 items-center justify-center rounded text-xs font-semibold',
            TONES[state],
          )}
        >
          {SIGNS[state]}
        </span>
        {words.legend[state]}
      </li>
    ))}
  </ul>
);
