import { Field } from '@base-ui/react/field';
import { Plus, X } from 'lucide-react';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { MCP_EXPOSURES, type McpServerEntry } from '../../../../shared/api/mcp.ts';
import { common } from '../../strings/common.ts';
import { mcp as words } from '../../strings/mcp.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import {
  adviceOn,
  changeOf,
  type FormProblems,
  type FormRow,
  type FormValue,
  formOf,
  makeRow,
  problemsOf,
  type RowGroup,
  type ServerForm,
} from './server-form.ts';
import { useChangeMcp } from './use-mcp.ts';

const texts = words.dialog;

const INPUT =
  'h-8 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2.5 font-mono text-ink outline-offset-0 data-invalid:border-danger read-only:border-line read-only:bg-sunken';

interface RowInputProps extends FormValue {
  readonly label: string;
  readonly isWrong?: boolean;
  readonly readOnly?: boolean;
  /** Whether a person has just added it. */
  readonly isNew?: boolean;
  readonly onChange: (text: string) => void;
}

/** The input of a row. Its label is only for assistive technology, because the list has one. */
const RowInput = ({ label, text, kept, isWrong, readOnly, isNew, onChange }: RowInputProps) => {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) input.current?.focus();
  }, [isNew]);
  return (
    <Field.Root invalid={isWrong === true} className="min-w-0 flex-1">
      <Field.Control
        ref={input}
        aria-label={label}
        value={text}
        readOnly={readOnly}
        placeholder={kept && (kept.hidden === 'command' ? texts.keptCommand : texts.kept)}
        onValueChange={onChange}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        className={INPUT}
      />
    </Field.Root>
  );
};

interface RowsProps {
  readonly server: string;
  readonly group: RowGroup;
  readonly rows: readonly FormRow[];
  readonly problems: FormProblems['rows'];
  readonly onChange: (rows: readonly FormRow[]) => void;
}

/** A list of arguments, variables or headers. */
const Rows = ({ server, group, rows, problems, onChange }: RowsProps) => {
  const list = useRef<HTMLFieldSetElement>(null);
  useFocusAfterRemoval(list);
  const [added, setAdded] = useState<number>();
  const set = (row: FormRow, change: Partial<FormRow>): void =>
    onChange(rows.map((each) => (each === row ? { ...row, ...change } : each)));
  const add = (): void => {
    const row = makeRow();
    setAdded(row.key);
    onChange([...rows, row]);
  };
  return (
    <fieldset ref={list} tabIndex={-1} className="flex min-w-0 flex-col gap-1.5 outline-none">
      <legend className="mb-1.5 font-medium">{texts[group]}</legend>
      {rows.map((row, index) => {
        const valueLabel = texts.rowValue(group, row.name, index);
        const problem = problems.get(row.key);
        const advice = group === 'args' ? undefined : adviceOn(server, group, row);
        const instead = advice?.instead;
        return (
          <div key={row.key} className="flex flex-col gap-1">
            <div className="flex items-center gap-1.5">
              {group !== 'args' && (
                <RowInput
                  label={texts.rowName(group, index)}
                  text={row.name}
                  isWrong={problem !== undefined}
                  // A hidden value stays with its name.
                  readOnly={row.kept !== undefined}
                  isNew={row.key === added}
                  onChange={(name) => set(row, { name })}
                />
              )}
              <RowInput
                label={valueLabel}
                text={row.text}
                kept={row.kept}
                isNew={group === 'args' && row.key === added}
                onChange={(text) => set(row, { text })}
              />
              <Button
                variant="quiet"
                size="icon"
                data-row-action="remove"
                aria-label={texts.removeRow(group === 'args' || row.name === '' ? valueLabel : row.name)}
                onClick={() => onChange(rows.filter((each) => each !== row))}
              >
                <X aria-hidden="true" className="size-3.5" />
              </Button>
            </div>
            {problem && <p className="text-sm text-danger">{texts[problem]}</p>}
            {advice?.state && <p className="text-sm text-warn">{texts[advice.state]}</p>}
            {instead !== undefined && (
              <span>
                <Button size="small" onClick={() => set(row, { text: instead })}>
                  {texts.use(instead)}
                </Button>
              </span>
            )}
          </div>
        );
      })}
      <span>
        <Button size="small" onClick={add}>
          <Plus aria-hidden="true" className="size-3.5" />
          {texts.addRow[group]}
        </Button>
      </span>
    </fieldset>
  );
};

interface ServerDialogProps {
  readonly id: string;
  /** Undefined adds one. Stays set while the dialog closes. */
  readonly entry: McpServerEntry | undefined;
  /** The etag of the mcp.json that the entry is from. */
  readonly etag: string | null;
  /** The names of all servers of the agent. */
  readonly taken: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Adds a server, or changes one. Fields that the form doesn't have stay as they are. */
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
  // A hidden argument is kept by its place, which may be that of another one now.
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
    <Rows
      key={group}
      server={form.name}
      group={group}
      rows={form[group]}
      problems={problems.rows}
      onChange={(rows) => set({ [group]: rows })}
    />
  );
  const hintOf = ({ text, kept }: FormValue): string | undefined =>
    kept && text === '' ? texts.kept : undefined;
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
