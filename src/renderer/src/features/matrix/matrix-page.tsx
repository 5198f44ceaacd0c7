import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { useShownKinds } from '../../agent/shown-kinds.ts';
import { showChanges } from '../../changes/changes.ts';
import { type MatrixKind, paths } from '../../routes.ts';
import { toMatrixState, useMatrixAgents } from '../../shell/intents.ts';
import { changeWords } from '../../strings/changes.ts';
import { kindNames } from '../../strings/link-kinds.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { mcpMatrix as mcpWords } from '../../strings/mcp-matrix.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { GridArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { toggleCell } from './cell-changes.ts';
import { LINK_LOOKS } from './matrix-row.tsx';
import { MatrixView } from './matrix-view.tsx';
import { McpMatrix } from './mcp-matrix.tsx';
import { PresetsDialog } from './presets-dialog.tsx';
import { SelectionActions } from './selection-actions.tsx';
import { useChangeCells, useMatrix } from './use-matrix.ts';

/** Shows which agents have which shared entries, with bulk actions. */
export const MatrixPage = ({ kind }: { readonly kind: MatrixKind }) => {
  const [, navigate] = useLocation();
  const only = useMatrixAgents();
  const kinds = [...useShownKinds(kind === 'mcp' ? [] : [kind]), 'mcp' as const];
  const onShowAll = (): void => navigate(paths.matrix(kind), { replace: true });
  const [showsPresets, setShowsPresets] = useState(false);
  useTitle(words.heading);
  return (
    <div className="flex h-full min-h-0 flex-col overflow-y-auto">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-6 pt-4 pb-2">
        <div className="min-w-0 flex-1 max-single:basis-full">
          <h1 className={PAGE_TITLE}>{words.heading}</h1>
          <p className="text-muted low:hidden">{kind === 'mcp' ? mcpWords.description : words.description}</p>
        </div>
        <Choice
          label={words.kinds}
          options={kinds}
          names={{ ...kindNames.many, mcp: mcpWords.kind }}
          value={kind}
          onChange={(next) => navigate(paths.matrix(next), { state: only && toMatrixState(only) })}
        />
        <Button size="small" onClick={showChanges}>
          {changeWords.open}
        </Button>
        <Button size="small" onClick={() => setShowsPresets(true)}>
          {presetWords.open}
        </Button>
        {kind !== 'mcp' && (
          <Link href={paths.catalogEntry(kind, null)} className={buttonClass('secondary', 'small')}>
            {words.backToCatalog}
          </Link>
        )}
      </header>
      {kind === 'mcp' ? (
        <McpMatrix only={only} onShowAll={onShowAll} />
      ) : (
        <LinkMatrixView key={kind} kind={kind} only={only} onShowAll={onShowAll} />
      )}
      <PresetsDialog open={showsPresets} onOpenChange={setShowsPresets} />
    </div>
  );
};

interface LinkMatrixViewProps {
  readonly kind: LinkKind;
  readonly only: ReadonlySet<string> | undefined;
  readonly onShowAll: () => void;
}

const LinkMatrixView = ({ kind, only, onShowAll }: LinkMatrixViewProps) => {
  const state = useMatrix(kind);
  const change = useChangeCells(kind);
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const matrix = state.data;
  if (matrix.names.length === 0 || matrix.agents.length === 0)
    return <EmptyState art={<GridArt />} title={words.none[kind]} hint={words.noneHint} />;
  return (
    <MatrixView
      matrix={matrix}
      only={only}
      onShowAll={onShowAll}
      label={words.grid[kind]}
      filterLabel={words.filterEntries[kind]}
      keys={words.keys}
      looks={LINK_LOOKS}
      legend={words.legend}
      onToggle={(row, column) => {
        const changes = toggleCell(matrix, row, column);
        if (changes) change.mutate(changes);
        else notify(words.localHint);
      }}
      actions={(selection) => (
        <SelectionActions
          {...selection}
          matrix={matrix}
          isPending={change.isPending}
          onChange={(changes) => change.mutate(changes)}
        />
      )}
    />
  );
};
