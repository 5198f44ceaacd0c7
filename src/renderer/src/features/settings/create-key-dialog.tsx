import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useState } from 'react';
import type { CallOf } from '../../../../shared/api/endpoint.ts';
import { KEY_SCOPES, type KeyScope } from '../../../../shared/api/key-scopes.ts';
import { type CreatedAgentKey, type createKey, MAX_KEY_LABEL_LENGTH } from '../../../../shared/api/keys.ts';
import { agentIdsQuery } from '../../api/queries.ts';
import { parseInteger } from '../../parse-integer.ts';
import { common } from '../../strings/common.ts';
import { agentKeys as keyWords } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { CheckboxField, SelectField, TextField } from '../../ui/field.tsx';
import { useCreateKey } from './use-agent-keys.ts';
import { sentenceOf } from './use-settings.ts';

/** The values that a person typed for a new key. */
export interface KeyForm {
  readonly label: string;
  /** Empty for a key without an agent. */
  readonly agent: string;
  readonly scopes: ReadonlySet<KeyScope>;
  readonly satsPerDay: string;
  /** Null if it never expires. */
  readonly days: number | null;
}

/** The choices for how long a key works, in days. */
const EXPIRY_DAYS: readonly (number | null)[] = [null, 7, 30, 90, 365];

/** A new key's defaults, with the scopes that an earning agent needs. */
export const NEW_KEY: KeyForm = {
  label: '',
  agent: '',
  scopes: new Set(['prices', 'receive']),
  satsPerDay: '',
  days: null,
};

const DAY_MS = 24 * 60 * 60_000;

/** Returns the typed limit, in sats. Null if it's invalid. */
export const limitOf = ({ satsPerDay }: KeyForm): number | null => {
  const sats = parseInteger(satsPerDay);
  return sats !== null && sats > 0 ? sats : null;
};

/** Returns whether a scope can be selected. A key without an agent can't have scopes that change an agent. */
export const canHaveScope = ({ agent }: KeyForm, scope: KeyScope): boolean =>
  scope !== 'write-agent' || agent !== '';

/** Returns the request for a key, or null while something is missing. */
export const requestOf = (form: KeyForm, nowMs: number): CallOf<typeof createKey>['body'] | null => {
  const label = form.label.trim();
  const scopes = KEY_SCOPES.filter((scope) => form.scopes.has(scope) && canHaveScope(form, scope));
  const limit = limitOf(form);
  const spends = scopes.includes('spend');
  if (label === '' || label.length > MAX_KEY_LABEL_LENGTH || scopes.length === 0) return null;
  if (spends && limit === null) return null;
  return {
    label,
    scopes,
    ...(form.agent === '' ? {} : { agent: form.agent }),
    ...(spends && limit !== null ? { spend: { satsPerDay: limit } } : {}),
    ...(form.days === null ? {} : { expiresAt: new Date(nowMs + form.days * DAY_MS).toISOString() }),
  };
};

interface CreateKeyDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: (key: CreatedAgentKey) => void;
}

/** Asks what a new key is for and what it can do. */
export const CreateKeyDialog = ({ open, onClose, onCreated }: CreateKeyDialogProps) => (
  <Modal
    open={open}
    onOpenChange={(next) => next || onClose()}
    title={keyWords.dialog.title}
    description={keyWords.dialog.description}
    width="wide"
  >
    <KeyFields onClose={onClose} onCreated={onCreated} />
  </Modal>
);

/** Mounted with the dialog, so that it always starts empty. */
const KeyFields = ({ onClose, onCreated }: Omit<CreateKeyDialogProps, 'open'>) => {
  const [form, setForm] = useState<KeyForm>(NEW_KEY);
  const { mutate, isPending, error } = useCreateKey(onCreated);
  const { data: agents = [] } = useQuery(agentIdsQuery());
  const change = (part: Partial<KeyForm>): void => setForm((before) => ({ ...before, ...part }));
  const request = requestOf(form, Date.now());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (request && !isPending) mutate(request);
  };
  const isLimitWrong = form.satsPerDay !== '' && limitOf(form) === null;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label={keyWords.dialog.label}
        value={form.label}
        onValueChange={(label) => change({ label })}
        hint={keyWords.dialog.labelHint}
      />
      <div className="flex flex-wrap gap-4">
        <div className="min-w-0 flex-1">
          <SelectField
            label={keyWords.dialog.agent}
            value={form.agent}
            options={[['', keyWords.dialog.noAgent], ...agents.map((id) => [id, id] as const)]}
            onValueChange={(agent) => change({ agent })}
          />
        </div>
        <div className="min-w-0 flex-1">
          <SelectField
            label={keyWords.dialog.expires}
            value={String(form.days ?? '')}
            options={EXPIRY_DAYS.map((days) => [String(days ?? ''), keyWords.dialog.expiryDays(days)])}
            onValueChange={(days) => change({ days: days === '' ? null : Number(days) })}
          />
        </div>
      </div>
      <p className="-mt-2 text-sm text-muted">{keyWords.dialog.agentHint}</p>
      <fieldset className="grid grid-cols-[repeat(auto-fit,minmax(16rem,1fr))] gap-x-6 gap-y-2.5">
        <legend className="mb-2 font-medium">{keyWords.dialog.scopes}</legend>
        {KEY_SCOPES.map((scope) => (
          <CheckboxField
            key={scope}
            label={keyWords.scopes[scope]}
            hint={canHaveScope(form, scope) ? keyWords.scopeHints[scope] : keyWords.writeNeedsAgent}
            disabled={!canHaveScope(form, scope)}
            checked={form.scopes.has(scope) && canHaveScope(form, scope)}
            onCheckedChange={(isChosen) => {
              const scopes = new Set(form.scopes);
              if (isChosen) scopes.add(scope);
              else scopes.delete(scope);
              change({ scopes });
            }}
          />
        ))}
        {form.scopes.has('spend') && (
          <div className="max-w-60">
            <TextField
              label={keyWords.dialog.limit}
              inputMode="numeric"
              value={form.satsPerDay}
              onValueChange={(satsPerDay) => change({ satsPerDay })}
              error={isLimitWrong ? keyWords.dialog.limitProblem : undefined}
            />
          </div>
        )}
      </fieldset>
      {error && <Failure title={keyWords.dialog.failed} message={sentenceOf(error)} />}
      <DialogActions>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" variant="primary" disabled={isPending || request === null}>
          {keyWords.dialog.submit}
        </Button>
      </DialogActions>
    </form>
  );
};

interface NewKeyDialogProps {
  /** The key to show, or null. */
  readonly keyText: string | null;
  readonly onClose: () => void;
  /** The button that opened the dialogs. */
  readonly opener: RefObject<HTMLButtonElement | null>;
}

/** Shows a new key, which can't be shown again. */
export const NewKeyDialog = ({ keyText, onClose, opener }: NewKeyDialogProps) => {
  const { made } = keyWords;
  return (
    <Modal
      open={keyText !== null}
      onOpenChange={(next) => next || onClose()}
      title={made.title}
      description={made.description}
      finalFocus={opener}
    >
      <output
        aria-label={made.key}
        className="rounded-md border border-line-strong bg-sunken px-2.5 py-2 font-mono text-sm break-all select-all"
      >
        {keyText}
      </output>
      <p className="text-sm text-pretty text-muted">{made.use}</p>
      <DialogActions>
        <CopyButton primary label={made.copy} text={keyText ?? ''} />
        <Button onClick={onClose}>{made.done}</Button>
      </DialogActions>
    </Modal>
  );
};
