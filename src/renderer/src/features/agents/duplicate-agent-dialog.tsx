import { type FormEvent, useEffect, useState } from 'react';
import { isAgentId } from '../../../../shared/api/names.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useDuplicateAgent, useFreeId } from './use-agents.ts';

interface DuplicateAgentDialogProps {
  readonly id: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDuplicated: (name: string) => void;
}

/** Asks for the id of the copy, with a free one filled in. */
export const DuplicateAgentDialog = ({ id, open, onOpenChange, onDuplicated }: DuplicateAgentDialogProps) => {
  const freeId = useFreeId();
  const [name, setName] = useState(() => freeId(id));
  const unsaved = useDraftedFiles(id);
  const { mutate, reset, isPending, error } = useDuplicateAgent(id, (copy) => {
    onOpenChange(false);
    onDuplicated(copy);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins anew each time it opens, and only then
  useEffect(() => {
    if (!open) return;
    setName(freeId(id));
    reset();
  }, [open, reset]);

  const words = strings.duplicateAgent;
  const wrong = name !== '' && !isAgentId(name);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isAgentId(name) && !isPending) mutate(name);
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={words.title(id)}
      description={unsaved.length > 0 ? `${words.description} ${words.unsaved(unsaved)}` : words.description}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={words.id}
          value={name}
          onValueChange={(text) => {
            setName(text);
            if (error) reset();
          }}
          hint={strings.newAgent.idHint}
          error={wrong ? strings.newAgent.idRule : error?.message}
        />
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {strings.common.cancel}
          </Button>
          <Button type="submit" variant="primary" disabled={isPending || !isAgentId(name)}>
            {isPending ? words.duplicating : words.duplicate}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
