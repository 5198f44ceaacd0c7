import { useState } from 'react';
import type { LinkMatrix } from '../../../../shared/api/links.ts';
import { byKind } from '../../../../shared/api/names.ts';
import { ApplyPresetDialog } from '../../presets/apply-preset-dialog.tsx';
import { matrix as words } from '../../strings/matrix.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckboxField, SelectField } from '../../ui/field.tsx';
import { type CellChanges, changeBlock, countCells, type MatrixRow, makeSame } from './cell-changes.ts';
import type { MatrixSelection } from './matrix-view.tsx';
import { SaveAgentDialog, SaveColumnsDialog } from './save-preset-dialog.tsx';

interface SameDialogProps {
  readonly matrix: LinkMatrix;
  /** The agents to change. */
  readonly rows: readonly MatrixRow[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onApply: (changes: CellChanges) => void;
}

/** Gives the selected agents another agent's links, after showing how many links would change. */
const SameDialog = ({ matrix, rows, open, onOpenChange, onApply }: SameDialogProps) => {
  const chosen = new Set(rows.map(({ id }) => id));
  const sources = matrix.agents.filter(({ id }) => rows.length > 1 || !chosen.has(id));
  const [sourceId, setSourceId] = useState('');
  const [alsoUnlink, setAlsoUnlink] = useState(true);
  const source = sources.find(({ id }) => id === sourceId) ?? sources[0];
  const changes = source && makeSame(matrix, source, rows, alsoUnlink);
  const counts = changes ? [countCells(changes.link), countCells(changes.unlink)] : [0, 0];
  const [link = 0, unlink = 0] = counts;
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.sameTitle(rows.length)}
      submitLabel={words.apply}
      canSubmit={link + unlink > 0}
      onSubmit={() => {
        if (changes) onApply(changes);
        onOpenChange(false);
      }}
    >
      <SelectField
        label={words.source}
        value={source?.id ?? ''}
        onValueChange={setSourceId}
        options={sources.map(({ id }) => [id, id])}
      />
      <CheckboxField label={words.alsoUnlink} checked={alsoUnlink} onCheckedChange={setAlsoUnlink} />
      <p role="status" className="text-muted">
        {words.sameSummary(link, unlink)}
      </p>
    </FormDialog>
  );
};

interface SelectionActionsProps extends MatrixSelection {
  readonly matrix: LinkMatrix;
  readonly isPending: boolean;
  readonly onChange: (changes: CellChanges) => void;
}

/** The actions on the selected agents and columns, below the grid. */
export const SelectionActions = (props: SelectionActionsProps) => {
  const { matrix, target, rows, columns, isPending, onChange, onClear } = props;
  const { kind, names, agents } = matrix;
  const [opened, setOpened] = useState<'same' | 'apply' | 'save'>();
  const dialog = (name: typeof opened) => ({
    open: opened === name,
    onOpenChange: (isOpen: boolean) => setOpened(isOpen ? name : undefined),
  });
  const changeAll = (wanted: 'link' | 'unlink'): void =>
    onChange(changeBlock(matrix, target, columns, wanted));
  const shared = columns.flatMap((column) => {
    const name = names[column];
    return name !== undefined && column < names.length - matrix.missing ? [name] : [];
  });
  const [first] = rows;
  return (
    <section
      aria-label={words.selection}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-t border-line bg-sunken px-6 py-2"
    >
      <span role="status" className="mr-auto font-medium tabular-nums">
        {columns.length > 0
          ? words.target(
              kind,
              columns.map((column) => names[column] ?? ''),
              target.length,
            )
          : words.selectedAgents(rows.length)}
      </span>
      {columns.length > 0 && (
        <>
          <Button size="small" disabled={isPending} onClick={() => changeAll('link')}>
            {words.link}
          </Button>
          <Button size="small" disabled={isPending} onClick={() => changeAll('unlink')}>
            {words.unlink}
          </Button>
        </>
      )}
      {rows.length > 0 && agents.length > 1 && (
        <Button size="small" disabled={isPending} onClick={() => setOpened('same')}>
          {words.sameAs}
        </Button>
      )}
      {rows.length > 0 && (
        <Button size="small" disabled={isPending} onClick={() => setOpened('apply')}>
          {presetWords.applyOpen}
        </Button>
      )}
      {(shared.length > 0 || rows.length === 1) && (
        <Button size="small" disabled={isPending} onClick={() => setOpened('save')}>
          {presetWords.saveOpen}
        </Button>
      )}
      <Button variant="quiet" size="small" onClick={onClear}>
        {words.clear}
      </Button>
      <SameDialog matrix={matrix} rows={rows} {...dialog('same')} onApply={onChange} />
      <ApplyPresetDialog ids={rows.map(({ id }) => id)} {...dialog('apply')} />
      {shared.length > 0 ? (
        <SaveColumnsDialog
          content={{ ...byKind((one) => (one === kind ? shared : [])), mcpServersFrom: {} }}
          {...dialog('save')}
        />
      ) : (
        first && <SaveAgentDialog key={first.id} id={first.id} {...dialog('save')} />
      )}
    </section>
  );
};
