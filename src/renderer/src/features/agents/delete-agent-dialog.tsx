import { useEffect } from 'react';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { deleteAgentWords as words } from '../../strings/agents.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { AGENT_SEARCH_ID } from './agent-list.tsx';
import { useDeleteAgent } from './use-agents.ts';

interface DeleteAgentDialogProps {
  readonly id: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Receives the agent to open next, or null. */
  readonly onDeleted: (next: string | null) => void;
}

/** Asks for confirmation before moving an agent to the trash, from which it can be restored. */
export const DeleteAgentDialog = ({ id, open, onOpenChange, onDeleted }: DeleteAgentDialogProps) => {
  const unsaved = useDraftedFiles(id);
  const { mutate, reset, isPending, error } = useDeleteAgent(id, (next) => {
    onOpenChange(false);
    onDeleted(next);
  });
  useEffect(() => {
    if (open) reset();
  }, [open, reset]);
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      submitLabel={words.delete}
      variant="danger"
      isPending={isPending}
      onSubmit={() => mutate(id)}
      title={words.title(id)}
      description={unsaved.length > 0 ? `${words.description} ${words.unsaved(unsaved)}` : words.description}
      // The deletion removes the button that opened this dialog.
      finalFocus={() => document.getElementById(AGENT_SEARCH_ID)?.focus()}
    >
      {error && <Failure message={error.message} />}
    </FormDialog>
  );
};
