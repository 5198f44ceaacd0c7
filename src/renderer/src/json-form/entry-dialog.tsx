import { useEffect, useEffectEvent, useState } from 'react';
import type { JsonFile } from '../../../shared/api/json-files.ts';
import { jsonForm as texts } from '../strings/json-form.ts';
import { Choice } from '../ui/choice.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failures.tsx';
import { TextField } from '../ui/field.tsx';
import { type EntryKind, entryChange, entryIn } from './entry-kind.ts';
import { FieldInput } from './field-input.tsx';
import { type Drafts, draftsOf, isComplete, keyOf, NEW_ENTRY } from './fields.ts';
import { PasteEntry } from './paste-entry.tsx';
import { useEditEntry } from './use-edit-entry.ts';

interface EntryDialogProps {
  readonly id: string;
  readonly kind: EntryKind;
  /** The entry to change. Null adds one. Stays set while the dialog closes. */
  readonly name: string | null;
  /** The file when the dialog opened. */
  readonly file: JsonFile;
  /** The names of all entries of this kind, now. */
  readonly taken: readonly string[];
  readonly title: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

interface Form {
  readonly name: string;
  readonly choice: string | undefined;
  readonly drafts: Drafts;
}

const formOf = (kind: EntryKind, file: JsonFile, name: string | null): Form => {
  const entry = entryIn(kind, file, name);
  return {
    name: name ?? '',
    choice: kind.choice?.of(entry.value),
    drafts: draftsOf(kind.fields, entry),
  };
};

/** Adds or changes an entry of a JSON file. Values that the form doesn't have stay unchanged. */
export const EntryDialog = (props: EntryDialogProps) => {
  const { id, kind, name: oldName, file, taken, title, open, onOpenChange } = props;
  const [form, setForm] = useState<Form>(() => formOf(kind, file, oldName));
  const { mutate, reset, isPending, error } = useEditEntry(id, kind);
  const begin = useEffectEvent(() => {
    setForm(formOf(kind, file, oldName));
    reset();
  });
  useEffect(() => {
    if (open) begin();
  }, [open]);

  const entry = entryIn(kind, file, oldName);
  const { choice, drafts } = form;
  const shown = kind.fields.filter(({ of }) => of === undefined || of === choice);
  const name = form.name.trim();
  const isTaken = name !== oldName && taken.includes(name);
  const isNameWrong = name !== '' && name !== oldName && !kind.name.rule.test(name);
  const nameProblem = isTaken ? kind.name.taken : isNameWrong ? kind.name.wrong : undefined;
  const canSave = name !== '' && nameProblem === undefined && isComplete(shown, entry, drafts);
  const isConflict = error?.code === 'file_changed';
  const submit = (): void => {
    const change = { oldName, name, choice, drafts, file };
    if (entryChange(kind, change).length === 0) onOpenChange(false);
    else mutate({ ...change, isAnyway: isConflict }, { onSuccess: () => onOpenChange(false) });
  };
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      width="wide"
      submitLabel={isPending ? texts.saving : isConflict ? texts.saveAnyway : texts.save}
      canSubmit={canSave}
      isPending={isPending}
      onSubmit={submit}
    >
      <TextField
        label={kind.name.label}
        value={form.name}
        onValueChange={(next) => setForm({ ...form, name: next })}
        hint={kind.name.hint}
        error={nameProblem}
      />
      {kind.paste && oldName === null && (
        <PasteEntry
          paste={kind.paste}
          onEntry={(pasted) =>
            setForm({
              name: pasted.name === '' ? form.name : pasted.name,
              choice: kind.choice?.of(pasted.value),
              drafts: draftsOf(kind.fields, { ...NEW_ENTRY, value: pasted.value }),
            })
          }
        />
      )}
      {kind.choice && choice !== undefined && (
        <Choice
          label={kind.choice.label}
          options={Object.keys(kind.choice.names)}
          names={kind.choice.names}
          value={choice}
          onChange={(next) => setForm({ ...form, choice: next })}
        />
      )}
      <div className="grid grid-cols-2 gap-x-4 gap-y-4 max-single:grid-cols-1">
        {shown.map((field) => (
          <FieldInput
            key={keyOf(field)}
            field={field}
            file={kind.file}
            owner={form.name}
            entry={entry}
            draft={drafts[keyOf(field)]}
            onChange={(draft) => setForm({ ...form, drafts: { ...drafts, [keyOf(field)]: draft } })}
          />
        ))}
      </div>
      {error && <Failure message={isConflict ? texts.conflict(kind.file) : error.message} />}
    </FormDialog>
  );
};
