import { type FormEvent, useEffect, useState } from 'react';
import { isAgentId } from '../../../../shared/api/names.ts';
import type { ApiError } from '../../api/client.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { useCreateAgent } from './use-agents.ts';

interface NewAgentDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onCreated: (id: string) => void;
}

/** Asks for the id of a new agent and makes it. It stays open while the script runs, and shows what went wrong. */
export const NewAgentDialog = ({ open, onOpenChange, onCreated }: NewAgentDialogProps) => {
  const [name, setName] = useState('');
  const [workspace, setWorkspace] = useState(false);
  const { mutate, reset, isPending, error } = useCreateAgent((id) => {
    onOpenChange(false);
    onCreated(id);
  });
  useEffect(() => {
    if (!open) return;
    setName('');
    setWorkspace(false);
    reset();
  }, [open, reset]);

  const words = strings.newAgent;
  const wrong = name !== '' && !isAgentId(name);
  // These two are about the id alone, so the field says them.
  const fieldError = wrong
    ? words.idRule
    : error?.code === 'agent_exists' || error?.code === 'invalid_agent_id'
      ? error.message
      : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isAgentId(name) && !isPending) mutate({ name, workspace });
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={words.title}
      description={words.description}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={words.id}
          value={name}
          onValueChange={(text) => {
            setName(text);
            if (error) reset();
          }}
          hint={words.idHint}
          error={fieldError}
        />
        <CheckboxField
          label={words.workspace}
          hint={words.workspaceHint}
          checked={workspace}
          onCheckedChange={setWorkspace}
        />
        {error && !fieldError && <ScriptFailure error={error} />}
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {strings.common.cancel}
          </Button>
          <Button type="submit" variant="primary" disabled={isPending || !isAgentId(name)}>
            {isPending ? words.creating : words.create}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};

const ScriptFailure = ({ error }: { readonly error: ApiError }) => {
  const stderr = error.details?.stderr;
  const words = strings.newAgent;
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md border border-danger-line bg-danger-soft p-3">
      <p className="break-words">{error.message}</p>
      {typeof stderr === 'string' && stderr !== '' && (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard
          tabIndex={0}
          aria-label={words.scriptOutput}
          className="max-h-40 overflow-auto rounded bg-canvas px-2.5 py-2"
        >
          <pre className="font-mono text-sm break-words whitespace-pre-wrap">{stderr}</pre>
        </section>
      )}
    </div>
  );
};
