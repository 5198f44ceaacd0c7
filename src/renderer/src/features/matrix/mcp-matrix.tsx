import { useMemo, useState } from 'react';
import { type CellState, decodeCells, stateOf } from '../../../../shared/api/links.ts';
import type { McpOverview } from '../../../../shared/api/mcp.ts';
import { byKind } from '../../../../shared/api/names.ts';
import { ApplyPresetDialog } from '../../presets/apply-preset-dialog.tsx';
import { matrix as matrixWords } from '../../strings/matrix.ts';
import { mcpMatrix as words } from '../../strings/mcp-matrix.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { GridArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { reportFailure } from '../../ui/failures.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/toast.tsx';
import type { MatrixRow } from './cell-changes.ts';
import { type CellLooks, LINK_LOOKS, TONES } from './matrix-row.tsx';
import { type MatrixSelection, MatrixView } from './matrix-view.tsx';
import type { McpAction } from './mcp-changes.ts';
import { SaveAgentDialog, SaveColumnsDialog } from './save-preset-dialog.tsx';
import { gridOf, type McpSource, sourcesOf, useChangeAllMcp, useMcpOverview } from './use-mcp-matrix.ts';

const LOOKS: CellLooks = {
  none: { sign: '', tone: '', said: words.state.none },
  linked: { sign: '✓', tone: TONES.on, said: words.state.linked },
  shadowed: { sign: '≠', tone: TONES.on, said: words.state.shadowed },
  switchedOff: { sign: '×', tone: TONES.changed, said: words.state.switchedOff },
  local: { sign: '≠', tone: TONES.changed, said: words.state.local },
  broken: { ...LINK_LOOKS.broken, said: words.state.broken },
};

interface McpMatrixProps {
  /** The agents named in the page's URL. Undefined for all agents. */
  readonly only: ReadonlySet<string> | undefined;
  readonly onShowAll: () => void;
}

/** Shows which agents have which MCP servers, with bulk actions. */
export const McpMatrix = (props: McpMatrixProps) => {
  const state = useMcpOverview();
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { servers } = state.data;
  if (servers.length === 0) return <EmptyState art={<GridArt />} title={words.none} hint={words.noneHint} />;
  return <McpGrid {...props} overview={state.data} />;
};

/** A server to add, the agents that lack it, and the definitions to choose from. */
interface Addition {
  readonly name: string;
  readonly agents: readonly string[];
  readonly sources: readonly McpSource[];
}

/** The agents to copy from, by server. */
type Picked = ReadonlyMap<string, string>;

/** Returns the agent to copy a server from. An agent picked earlier may have a different definition now. */
const sourceIn = ({ name, sources }: Addition, picked: Picked): string | undefined =>
  (sources.find(({ from }) => from === picked.get(name)) ?? sources[0])?.from;

const stepsOf = (additions: readonly Addition[], picked: Picked): McpAction['steps'] =>
  additions.flatMap((addition) => {
    const { name, agents } = addition;
    const from = sourceIn(addition, picked);
    return from === undefined ? [] : [{ names: [name], agents: [...agents], from }];
  });

const McpGrid = ({ overview, only, onShowAll }: McpMatrixProps & { readonly overview: McpOverview }) => {
  const matrix = useMemo(() => gridOf(overview), [overview]);
  const change = useChangeAllMcp(overview);
  const [asked, setAsked] = useState<readonly Addition[]>([]);
  const [isAsking, setIsAsking] = useState(false);
  const stateIn = (row: MatrixRow, column: number): CellState =>
    stateOf(decodeCells(row.cells, matrix.names.length), column);

  /** For each server, returns an agent with the most common definition, which is the one to save. */
  const savedIn = (columns: readonly number[]) =>
    Object.fromEntries(
      columns.flatMap((column): [string, string][] => {
        const name = matrix.names[column] ?? '';
        const from = sourcesOf(overview, name)[0]?.from;
        return from === undefined ? [] : [[name, from]];
      }),
    );

  /** Adds servers. Asks which definition to copy if agents define a server differently. */
  const add = (rows: readonly MatrixRow[], columns: readonly number[]): void => {
    const additions = columns.flatMap((column): Addition[] => {
      const name = matrix.names[column];
      const agents = rows.filter((row) => stateIn(row, column) === 'none').map(({ id }) => id);
      return name === undefined || agents.length === 0
        ? []
        : [{ name, agents, sources: sourcesOf(overview, name) }];
    });
    const lacking = additions.filter(({ sources }) => sources.length === 0);
    if (lacking.length > 0)
      reportFailure(words.noSource(lacking.map(({ name }) => name)), words.noSourceHint);
    const addable = additions.filter(({ sources }) => sources.length > 0);
    if (additions.length === 0) notify(words.nothing);
    if (addable.length === 0) return;
    if (addable.every(({ sources }) => sources.length === 1)) {
      change.mutate({ action: 'copy', steps: stepsOf(addable, new Map()) });
      return;
    }
    setAsked(addable);
    setIsAsking(true);
  };

  const toggle = (row: MatrixRow, column: number): void => {
    const name = matrix.names[column] ?? '';
    const state = stateIn(row, column);
    if (row.problem && state === 'none') reportFailure(words.changeFailed, row.problem.message);
    else if (state === 'none') add([row], [column]);
    else if (state === 'broken') notify(words.broken(name, row.id));
    else {
      const isOn = state === 'linked' || state === 'shadowed';
      change.mutate({ action: isOn ? 'off' : 'on', steps: [{ names: [name], agents: [row.id] }] });
    }
  };

  return (
    <>
      <MatrixView
        matrix={matrix}
        only={only}
        onShowAll={onShowAll}
        label={words.grid}
        filterLabel={words.filter}
        keys={words.keys}
        looks={LOOKS}
        legend={words.legend}
        onToggle={toggle}
        actions={(selection) => (
          <McpActions
            {...selection}
            isPending={change.isPending}
            saved={savedIn(selection.columns)}
            onAdd={() => add(selection.target, selection.columns)}
            onChange={(action) =>
              change.mutate({
                action,
                steps: [
                  {
                    names: selection.columns.flatMap((column) => matrix.names[column] ?? []),
                    agents: selection.target.map(({ id }) => id),
                  },
                ],
              })
            }
          />
        )}
      />
      <DefinitionDialog
        additions={asked}
        open={isAsking}
        onOpenChange={setIsAsking}
        onPick={(picked) => change.mutate({ action: 'copy', steps: stepsOf(asked, picked) })}
      />
    </>
  );
};

interface McpActionsProps extends MatrixSelection {
  readonly isPending: boolean;
  /** The agent whose definition a preset would save, by server. */
  readonly saved: Readonly<Record<string, string>>;
  readonly onAdd: () => void;
  readonly onChange: (action: 'on' | 'off' | 'remove') => void;
}

/** The actions on the selected agents and servers, below the grid. */
const McpActions = (props: McpActionsProps) => {
  const { target, rows, columns, onClear, isPending, saved, onAdd, onChange } = props;
  const [isApplying, setIsApplying] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [first] = rows;
  const dialog = { open: isSaving, onOpenChange: setIsSaving };
  const savesColumns = Object.keys(saved).length > 0;
  return (
    <section
      aria-label={matrixWords.selection}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-t border-line bg-sunken px-6 py-2"
    >
      <span role="status" className="mr-auto font-medium tabular-nums">
        {columns.length > 0
          ? words.target(columns.length, target.length)
          : matrixWords.selectedAgents(rows.length)}
      </span>
      {columns.length > 0 && (
        <>
          <Button size="small" disabled={isPending} onClick={onAdd}>
            {words.add}
          </Button>
          {(['on', 'off', 'remove'] as const).map((action) => (
            <Button key={action} size="small" disabled={isPending} onClick={() => onChange(action)}>
              {words[action]}
            </Button>
          ))}
        </>
      )}
      {rows.length > 0 && (
        <Button size="small" disabled={isPending} onClick={() => setIsApplying(true)}>
          {presetWords.applyOpen}
        </Button>
      )}
      {(savesColumns || rows.length === 1) && (
        <Button size="small" disabled={isPending} onClick={() => setIsSaving(true)}>
          {presetWords.saveOpen}
        </Button>
      )}
      <Button variant="quiet" size="small" onClick={onClear}>
        {matrixWords.clear}
      </Button>
      {savesColumns ? (
        <SaveColumnsDialog content={{ ...byKind(() => []), mcpServersFrom: { ...saved } }} {...dialog} />
      ) : (
        first && <SaveAgentDialog key={first.id} id={first.id} {...dialog} />
      )}
      <ApplyPresetDialog ids={rows.map(({ id }) => id)} open={isApplying} onOpenChange={setIsApplying} />
    </section>
  );
};

interface DefinitionDialogProps {
  readonly additions: readonly Addition[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onPick: (picked: Picked) => void;
}

/** Asks which definition of a server to copy if agents have different ones. */
const DefinitionDialog = ({ additions, open, onOpenChange, onPick }: DefinitionDialogProps) => {
  const [picked, setPicked] = useState<Picked>(new Map());
  const agents = [...new Set(additions.flatMap((addition) => addition.agents))];
  const submit = (): void => {
    onOpenChange(false);
    onPick(picked);
  };
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={agents.length === 1 ? words.copyTitleOne(agents[0] ?? '') : words.copyTitle(agents.length)}
      description={words.copyDescription}
      width="wide"
      submitLabel={words.add}
      onSubmit={submit}
    >
      {additions.map((addition) => {
        const { name, sources } = addition;
        return (
          sources.length > 1 && (
            <SelectField
              key={name}
              label={name}
              value={sourceIn(addition, picked) ?? ''}
              onValueChange={(source) => setPicked(new Map(picked).set(name, source))}
              options={sources.map(({ definition, from, users }) => [
                from,
                words.option(definition.target, users, from),
              ])}
            />
          )
        );
      })}
    </FormDialog>
  );
};
