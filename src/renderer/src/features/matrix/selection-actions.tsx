import { useState } from 'react';
import type { LinkMatrix } from '../../../../shared/api/links-matrix.ts';
import { ApplyPresetDialog } from '../../presets/apply-preset-dialog.tsx';
import { matrix as words } from '../../strings/matrix.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { Button } from '../../ui/button.tsx';
import { type CellChanges, changeBlock, type MatrixRow } from './cell-changes.ts';
import { SameDialog } from './same-dialog.tsx';
import { SaveAgentDialog, SaveColumnsDialog } from './save-preset-dialog.tsx';

interface SelectionActionsProps {
  readonly matrix: LinkMatrix;
  /** The agents that a block changes: the selected ones, or all shown ones. */
  readonly target: readonly MatrixRow[];
  readonly rows: readonly MatrixRow[];
  readonly columns: readonly number[];
  readonly isPending: boolean;
  readonly onChange: (changes: CellChanges) => void;
  readonly onClear: () => void;
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
          ? words.target(kind, columns.length, target.length)
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
        <SaveColumnsDialog content={{ skills: [], extensions: [], [kind]: shared }} {...dialog('save')} />
      ) : (
        first && <SaveAgentDialog key={first.id} id={first.id} {...dialog('save')} />
      )}
    </section>
  );
};
