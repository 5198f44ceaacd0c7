import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type HistoryEntry, LABEL_MAX } from '../../../../../shared/api/wallet.ts';
import { agentListQuery } from '../../../api/queries.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { useAssign } from './use-history.ts';

interface AssignDialogProps {
  readonly entry: HistoryEntry;
  readonly onClose: () => void;
  /** The element that gets the focus afterwards. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Chooses the agent that an operation was for, and its label. */
export const AssignDialog = ({ entry, onClose, finalFocus }: AssignDialogProps) => {
  const agents = useQuery(agentListQuery()).data ?? [];
  const [agent, setAgent] = useState(entry.agent ?? '');
  const [label, setLabel] = useState(entry.label ?? '');
  const { mutate, isPending, error } = useAssign(entry, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ agent: agent || null, label: label.trim() || null });
  };
  const isUnchanged = agent === (entry.agent ?? '') && label.trim() === (entry.label ?? '');
  // An agent may have been deleted since.
  const isGone = entry.agent !== undefined && !agents.some(({ id }) => id === entry.agent);
  return (
    <Modal
      open
      onOpenChange={(open) => open || isPending || onClose()}
      title={words.assign.title}
      description={words.assign.description(entry.amount)}
      finalFocus={finalFocus}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <label className="flex flex-col gap-1.5">
          <span className="font-medium">{words.assign.agent}</span>
          <select
            value={agent}
            onChange={({ target }) => setAgent(target.value)}
            className="h-8 w-full rounded-md border border-line-strong bg-canvas px-2"
          >
            <option value="">{words.assign.none}</option>
            {isGone && <option value={entry.agent}>{entry.agent}</option>}
            {agents.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <TextField label={words.assign.label} value={label} onValueChange={setLabel} maxLength={LABEL_MAX} />
        {error && (
          <Callout tone="danger" title={words.assign.failed} announce="alert">
            <p>{error.message}</p>
          </Callout>
        )}
        <DialogActions>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={isPending || isUnchanged}>
            {words.assign.save}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
