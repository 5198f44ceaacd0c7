import type { ReactNode } from 'react';
import { isAgentId } from '../../../../shared/api/names.ts';
import { newAgent as words } from '../../strings/agents.ts';
import { FormDialog } from '../../ui/dialog.tsx';
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
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={description}
      submitLabel={submitLabel}
      canSubmit={isAgentId(id)}
      isPending={isPending}
      onSubmit={onSubmit}
    >
      <TextField
        label={label}
        value={id}
        onValueChange={onIdChange}
        hint={words.idHint}
        error={agentIdProblem(id) ?? error}
      />
      {children}
    </FormDialog>
  );
};
