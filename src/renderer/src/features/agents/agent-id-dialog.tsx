import type { FormEvent, ReactNode } from 'react';
import { isAgentId } from '../../../../shared/api/names.ts';
import { newAgent as words } from '../../strings/agents.ts';
import { common } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { agentIdProblem } from './agent-id-problem.ts';

interface AgentIdDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: string;
  readonly label: string;
  readonly id: string;
  readonly onIdChange: (id: string) => void;
  /** The server's error about the id. */
  readonly error: string | undefined;
  readonly submitLabel: string;
  readonly isPending: boolean;
  readonly onSubmit: () => void;
  /** More fields and errors, below the id. */
  readonly children?: ReactNode;
}

/** Asks for the id of a new agent or copy. Stays open while the API creates it. */
export const AgentIdDialog = (props: AgentIdDialogProps) => {
  const { open, onOpenChange, title, description, label, id, onIdChange, error } = props;
  const { submitLabel, isPending, onSubmit, children } = props;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isAgentId(id) && !isPending) onSubmit();
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={title}
      description={description}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={label}
          value={id}
          onValueChange={onIdChange}
          hint={words.idHint}
          error={agentIdProblem(id) ?? error}
        />
        {children}
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {common.cancel}
          </Button>
          <Button type="submit" variant="primary" disabled={isPending || !isAgentId(id)}>
            {submitLabel}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
