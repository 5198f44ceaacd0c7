import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { MCP_EXPOSURES, type McpServerEntry } from '../../../../shared/api/mcp.ts';
import type { FormValue, RowGroup } from '../../named-values/named-values.ts';
import { NamedValues } from '../../named-values/named-values-field.tsx';
import { common } from '../../strings/common.ts';
import { mcp as words } from '../../strings/mcp.ts';
import { namedValues } from '../../strings/named-values.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { changeOf, formOf, problemsOf, type ServerForm } from './server-form.ts';
import { useChangeMcp } from './use-mcp.ts';

const texts = words.dialog;

interface ServerDialogProps {
  readonly id: string;
  /** The server to change, or undefined to add one. Stays set while the dialog closes. */
  readonly entry: McpServerEntry | undefined;
  /** The etag of the entry's mcp.json. */
  readonly etag: string | null;
  /** The names of all servers that the agent has. */
  readonly taken: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Adds or changes a server. Fields that the form doesn't have stay unchanged. */
export const ServerDialog = ({ id, entry, etag, taken, open, onOpenChange }: ServerDialogProps) => {
  const [form, setForm] = useState<ServerForm>(() => formOf(entry));
  const { mutate, reset, isPending, error } = useChangeMcp(id);
  const begin = useEffectEvent(() => {
    setForm(formOf(entry));
    reset();
  });
  useEffect(() => {
    if (open) begin();
  }, [open]);

  const problems = problemsOf(
    form,
    taken.filter((name) => name !== entry?.name),
    entry?.name,
  );
  const isConflict = error?.code === 'file_changed';
  // A hidden argument is preserved by its index, which may refer to another argument by now.
  const keepsArgs = changeOf(form, entry)?.server.args?.some((arg) => typeof arg !== 'string') ?? false;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!problems.isComplete || isPending) return;
    const change = changeOf(form, entry);
    if (!change) {
      onOpenChange(false);
      return;
    }
    const name = change.newName ?? change.name;
    mutate(
      {
        ...change,
        ifMatch: isConflict ? undefined : (etag ?? undefined),
        done: entry ? words.changed(name) : words.added(name),
      },
      { onSuccess: () => onOpenChange(false) },
    );
  };
  const set = (change: Partial<ServerForm>): void => setForm({ ...form, ...change });
  const rowsOf = (group: RowGroup) => (
    <NamedValues
      key={group}
      file="mcp.json"
      owner={form.name}
      group={group}
      rows={form[group]}
      problems={problems.rows}
      onChange={(rows) => set({ [group]: rows })}
    />
  );
  const hintOf = ({ text, kept }: FormValue): string | undefined =>
    kept && text === '' ? namedValues.kept : undefined;
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={entry ? texts.editTitle(entry.name) : texts.addTitle}
      width="wide"
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={texts.name}
          value={form.name}
          onValueChange={(name) => set({ name })}
          error={
            problems.name === 'taken'
              ? texts.nameTaken
              : problems.name === 'rule'
                ? texts.nameRule
                : undefined
          }
        />
        <Choice
          label={texts.transport}
          options={['stdio', 'http']}
          names={texts.transports}
          value={form.transport}
          onChange={(transport) => set({ transport })}
        />
        {form.transport === 'stdio' ? (
          <>
            <TextField
              label={texts.command}
              value={form.command.text}
              hint={hintOf(form.command)}
              onValueChange={(text) => set({ command: { ...form.command, text } })}
            />
            {rowsOf('args')}
            {rowsOf('env')}
            <TextField
              label={texts.cwd}
              value={form.cwd.text}
              hint={hintOf(form.cwd) ?? texts.cwdHint}
              onValueChange={(text) => set({ cwd: { ...form.cwd, text } })}
            />
          </>
        ) : (
          <>
            <TextField
              label={texts.url}
              value={form.url.text}
              hint={hintOf(form.url)}
              error={problems.url && texts.urlRule}
              onValueChange={(text) => set({ url: { ...form.url, text } })}
            />
            {rowsOf('headers')}
          </>
        )}
        <TextField
          label={texts.description}
          value={form.description.text}
          hint={hintOf(form.description) ?? texts.descriptionHint}
          onValueChange={(text) => set({ description: { ...form.description, text } })}
        />
        <label className="flex flex-col gap-1.5">
          <span className="font-medium">{texts.exposure}</span>
          <select
            value={form.exposure}
            onChange={({ target }) =>
              set({ exposure: MCP_EXPOSURES.find((one) => one === target.value) ?? '' })
            }
            className="h-8 w-full rounded-md border border-line-strong bg-canvas px-2"
          >
            <option value="">{texts.exposureDefault}</option>
            {MCP_EXPOSURES.map((one) => (
              <option key={one} value={one}>
                {texts.exposures[one]}
              </option>
            ))}
          </select>
        </label>
        <TextField
          label={texts.timeout}
          inputMode="decimal"
          value={form.timeout}
          hint={texts.timeoutHint}
          error={problems.timeout && texts.timeoutRule}
          onValueChange={(timeout) => set({ timeout })}
        />
        {error && (
          <p role="alert" className={isConflict ? 'text-warn' : 'text-danger'}>
            {isConflict ? (keepsArgs ? texts.conflictInArgs : texts.conflict) : error.message}
          </p>
        )}
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {common.cancel}
          </Button>
          <Button
            type="submit"
            variant="primary"
            disabled={isPending || !problems.isComplete || (isConflict && keepsArgs)}
          >
            {isPending ? texts.saving : isConflict ? texts.saveAnyway : texts.save}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
