import { useEffect, useEffectEvent, useState } from 'react';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { duplicateAgentWords as words } from '../../strings/agents.ts';
import { AgentIdDialog } from './agent-id-dialog.tsx';
import { useDuplicateAgent, useFreeId } from './use-agents.ts';

interface DuplicateAgentDialogProps {
  readonly id: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDuplicated: (name: string) => void;
}

/** Asks for the copy's id, and suggests a free one. */
export const DuplicateAgentDialog = ({ id, open, onOpenChange, onDuplicated }: DuplicateAgentDialogProps) => {
  const freeId = useFreeId();
  const [name, setName] = useState(() => freeId(id));
  const unsaved = useDraftedFiles(id);
  const { mutate, reset, isPending, error } = useDuplicateAgent(id, (copy) => {
    onOpenChange(false);
    onDuplicated(copy);
  });
  const begin = useEffectEvent(() => {
    setName(freeId(id));
    reset();
  });
  useEffect(() => {
    if (open) begin();
  }, [open]);

  return (
    <AgentIdDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.title(id)}
      description={[words.leftOut, ...(unsaved.length > 0 ? [words.unsaved(unsaved)] : [])].join(' ')}
      label={words.id}
      id={name}
      onIdChange={(text) => {
        setName(text);
        if (error) reset();
      }}
      error={error?.message}
      submitLabel={isPending ? words.duplicating : words.duplicate}
      isPending={isPending}
      onSubmit={() => mutate(name)}
    />
  );
};
