import { type FormEvent, useEffect, useState } from 'react';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { deleteAgentWords as words } from '../../strings/agents.ts';
import { common } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { AGENT_SEARCH_ID } from './agent-list.tsx';
import { useDeleteAgent } from './use-agents.ts';

interface DeleteAgentDialogProps {
  readonly id: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Gets the agent to open next, or null. */
  readonly onDeleted: (next: string | null) => void;
}

/** Asks the operator to type the id before an agent moves to the trash. */
export const DeleteAgentDialog = ({ id, open, onOpenChange, onDeleted }: DeleteAgentDialogProps) => {
  const [typed, setTyped] = useState('');
  const unsaved = useDraftedFiles(id);
  const { mutate, reset, isPending, error } = useDeleteAgent(id, (next) => {
    onOpenChange(false);
    onDeleted(next);
  });
  useEffect(() => {
    if (!open) return;
    setTyped('');
    reset();
  }, [open, reset]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed === id && !isPending) mutate(typed);
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={words.title(id)}
      description={unsaved.length > 0 ? `${words.description} ${words.unsaved(unsaved)}` : words.description}
      // The deletion removes the button that opened this dialog.
      finalFocus={() => document.getElementById(AGENT_SEARCH_ID)?.focus()}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField label={words.confirm(id)} value={typed} onValueChange={setTyped} error={error?.message} />
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {common.cancel}
          </Button>
          <Button type="submit" variant="danger" disabled={isPending || typed !== id}>
            {words.delete}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
