import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { COST_KEYS } from '../../../../shared/api/pi-models.ts';
import type { FormValue } from '../../named-values/named-values.ts';
import { NamedValues } from '../../named-values/named-values-field.tsx';
import { common } from '../../strings/common.ts';
import { namedValues } from '../../strings/named-values.ts';
import { piModels as words } from '../../strings/pi-models.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import {
  type Answer,
  CHOICES,
  changeOf,
  type EntryForm,
  type EntryTarget,
  formOf,
  problemsOf,
} from './entry-form.ts';
import { useChangePiModels } from './use-pi-models.ts';

const texts = words.dialog;

interface EntryDialogProps {
  readonly id: string;
  /** Stays set while the dialog closes. */
  readonly target: EntryTarget;
  /** The etag of the entry's models.json. */
  readonly etag: string | null;
  /** The ids of all entries of the target's kind. */
  readonly taken: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Adds or changes a provider, model or override. Fields that the form doesn't have stay unchanged. */
export const EntryDialog = ({ id, target, etag, taken, open, onOpenChange }: EntryDialogProps) => {
  const { kind, entry } = target;
  const [form, setForm] = useState<EntryForm>(() => formOf(target));
  const { mutate, reset, isPending, error } = useChangePiModels(id);
  const begin = useEffectEvent(() => {
    setForm(formOf(target));
    reset();
  });
  useEffect(() => {
    if (open) begin();
  }, [open]);

  const problems = problemsOf(
    form,
    target,
    taken.filter((each) => each !== entry?.id),
  );
  const isConflict = error?.code === 'file_changed';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!problems.isComplete || isPending) return;
    const body = changeOf(form, target);
    if (!body) {
      onOpenChange(false);
      return;
    }
    const name = form.id.trim();
    mutate(
      {
        body,
        ifMatch: isConflict ? undefined : (etag ?? undefined),
        done: entry ? words.changed(name) : words.added(name),
      },
      { onSuccess: () => onOpenChange(false) },
    );
  };
  const set = (change: Partial<EntryForm>): void => setForm({ ...form, ...change });
  const textField = (key: 'name' | 'baseUrl' | 'api' | 'apiKey', label: string, hint?: string) => {
    const value: FormValue = form[key];
    const kept = value.kept && (value.kept.hidden === 'command' ? namedValues.keptCommand : namedValues.kept);
    return (
      <TextField
        label={label}
        value={value.text}
        hint={kept !== undefined && value.text === '' ? kept : hint}
        onValueChange={(text) => set({ [key]: { ...value, text } })}
      />
    );
  };
  const choice = (key: 'thinking' | 'images') => (
    <div className="flex flex-col gap-1.5">
      <span aria-hidden="true" className="font-medium">
        {texts[key]}
      </span>
      <Choice<Answer>
        label={texts[key]}
        options={CHOICES}
        names={texts.choices}
        value={form[key]}
        onChange={(answer) => set({ [key]: answer })}
      />
    </div>
  );
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={
        entry
          ? texts.editTitle(entry.id)
          : texts.addTitle(kind, target.kind === 'provider' ? '' : target.provider.id)
      }
      width="wide"
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={texts.id}
          value={form.id}
          onValueChange={(text) => set({ id: text })}
          hint={texts.idHint[kind]}
          error={
            problems.id === 'taken'
              ? texts.idTaken(kind)
              : problems.id === 'rule'
                ? texts.idRule[kind]
                : undefined
          }
        />
        {textField('name', texts.name)}
        {kind !== 'override' && (
          <>
            {textField('baseUrl', texts.baseUrl[kind])}
            {textField('api', texts.api[kind], texts.apiHint)}
          </>
        )}
        {kind === 'provider' ? (
          <>
            {textField('apiKey', texts.apiKey, texts.apiKeyHint)}
            {form.apiKey.kept && (
              <span className="-mt-2">
                <Button size="small" onClick={() => set({ apiKey: { text: '' } })}>
                  {texts.removeKey}
                </Button>
              </span>
            )}
            <NamedValues
              file="models.json"
              owner={form.id}
              group="headers"
              rows={form.headers}
              problems={problems.headers}
              onChange={(headers) => set({ headers })}
            />
          </>
        ) : (
          <>
            <div className="flex flex-wrap gap-x-8 gap-y-3">
              {choice('thinking')}
              {choice('images')}
            </div>
            <div className="grid grid-cols-2 gap-x-4 gap-y-3 max-single:grid-cols-1">
              {(['contextWindow', 'maxTokens'] as const).map((key) => (
                <TextField
                  key={key}
                  label={texts[key]}
                  value={form[key]}
                  inputMode="numeric"
                  error={problems[key] ? texts.notTokens : undefined}
                  onValueChange={(text) => set({ [key]: text })}
                />
              ))}
              {COST_KEYS.map((key) => (
                <TextField
                  key={key}
                  label={texts.prices[key]}
                  value={form.prices[key]}
                  inputMode="decimal"
                  error={problems.prices[key] ? texts.notPrice : undefined}
                  onValueChange={(text) => set({ prices: { ...form.prices, [key]: text } })}
                />
              ))}
            </div>
          </>
        )}
        {error && (
          <p role="alert" className={isConflict ? 'text-warn' : 'text-danger'}>
            {isConflict ? texts.conflict : error.message}
          </p>
        )}
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {common.cancel}
          </Button>
          <Button type="submit" variant="primary" disabled={isPending || !problems.isComplete}>
            {isPending ? texts.saving : isConflict ? texts.saveAnyway : texts.save}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
