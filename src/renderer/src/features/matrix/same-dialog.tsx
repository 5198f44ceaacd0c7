import { useState } from 'react';
import type { LinkMatrix } from '../../../../shared/api/links-matrix.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { type CellChanges, countCells, type MatrixRow, makeSame } from './cell-changes.ts';

interface SameDialogProps {
  readonly matrix: LinkMatrix;
  /** The agents that change. */
  readonly rows: readonly MatrixRow[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onApply: (changes: CellChanges) => void;
}

/** Makes the selected agents have the same links as another one. Says how many links that changes. */
export const SameDialog = ({ matrix, rows, open, onOpenChange, onApply }: SameDialogProps) => {
  const chosen = new Set(rows.map(({ id }) => id));
  const sources = matrix.agents.filter(({ id }) => rows.length > 1 || !chosen.has(id));
  const [sourceId, setSourceId] = useState('');
  const [alsoUnlink, setAlsoUnlink] = useState(true);
  const source = sources.find(({ id }) => id === sourceId) ?? sources[0];
  const changes = source && makeSame(matrix, source, rows, alsoUnlink);
  const counts = changes ? [countCells(changes.link), countCells(changes.unlink)] : [0, 0];
  const [link = 0, unlink = 0] = counts;
  return (
    <Modal
      open={open}
      onOpenChange={onOpenChange}
      title={words.sameTitle(rows.length)}
      description={words.sameHint[matrix.kind]}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (changes && link + unlink > 0) onApply(changes);
          onOpenChange(false);
        }}
      >
        <label className="flex flex-col gap-1">
          <span className="font-medium">{words.source}</span>
          <select
            value={source?.id}
            onChange={(event) => setSourceId(event.target.value)}
            className="h-7.5 w-full rounded-md border border-line-strong/60 bg-canvas px-2"
          >
            {sources.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={alsoUnlink}
            onChange={(event) => setAlsoUnlink(event.target.checked)}
            className="size-4 accent-accent"
          />
          {words.alsoUnlink}
        </label>
        <p role="status" className="text-muted">
          {words.sameSummary(link, unlink)}
        </p>
        <DialogActions>
          <Button onClick={() => onOpenChange(false)}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={link + unlink === 0}>
            {words.apply}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
