import { useEffect, useEffectEvent, useState } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { JsonFile } from '../../../../shared/api/json-files.ts';
import { FieldInput } from '../../json-form/field-input.tsx';
import { type FormField, isComplete, keyOf, NEW_ENTRY, valueAt } from '../../json-form/fields.ts';
import { SignInGuide } from '../../models/sign-in-guide.tsx';
import { jsonForm } from '../../strings/json-form.ts';
import { piModels } from '../../strings/pi-models.ts';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { TextField } from '../../ui/field.tsx';
import { PROVIDER } from './entry-kinds.ts';
import { FoundModels, type ModelChoices, NOTHING_CHOSEN } from './found-models.tsx';
import {
  callableOf,
  filledWith,
  isOnThisComputer,
  knowsModels,
  type NewProvider,
  PRESETS,
  type Preset,
  providerAddition,
} from './provider-presets.ts';
import { useAddModels, useFindModels } from './use-pi-models.ts';

const words = piModels.start;

const fieldsNamed = (...names: readonly string[]): readonly FormField[] =>
  PROVIDER.fields.filter((field) => names.includes(keyOf(field)));

interface ProviderFieldsProps {
  readonly provider: NewProvider;
  readonly nameProblem: string | undefined;
  readonly onChange: (provider: NewProvider) => void;
}

const ProviderFields = ({ provider, nameProblem, onChange }: ProviderFieldsProps) => {
  const { name, drafts, preset } = provider;
  const isLocal = isOnThisComputer(String(drafts.baseUrl ?? ''));
  const input = (field: FormField) => (
    <FieldInput
      key={keyOf(field)}
      field={keyOf(field) === 'apiKey' && isLocal ? { ...field, hint: words.dummyKey } : field}
      file={PROVIDER.file}
      owner={name}
      entry={NEW_ENTRY}
      draft={drafts[keyOf(field)]}
      onChange={(draft) => onChange({ ...provider, drafts: { ...drafts, [keyOf(field)]: draft } })}
    />
  );
  return (
    <>
      <p className="text-sm text-muted">{words.hints[preset]}</p>
      <div className="grid grid-cols-2 gap-4 max-single:grid-cols-1">
        <TextField
          label={PROVIDER.name.label}
          value={name}
          onValueChange={(next) => onChange({ ...provider, name: next })}
          hint={preset === 'other' ? PROVIDER.name.hint : undefined}
          error={nameProblem}
        />
        <div>{fieldsNamed('api').map(input)}</div>
        {fieldsNamed('baseUrl', 'apiKey').map(input)}
      </div>
      <details>
        <summary className="w-fit cursor-pointer rounded text-muted">{words.more}</summary>
        <div className="flex flex-col gap-4 pt-3">{fieldsNamed('name', 'headers').map(input)}</div>
      </details>
    </>
  );
};

const problemOfName = (name: string, taken: readonly string[]): string | undefined => {
  if (taken.includes(name)) return PROVIDER.name.taken;
  return name !== '' && !PROVIDER.name.rule.test(name) ? PROVIDER.name.wrong : undefined;
};

interface AddProviderDialogProps {
  readonly agent: AgentSummary;
  /** The ids of the agent's providers. */
  readonly taken: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Adds a provider: a preset, then its models, one of which the agent can use at once. */
export const AddProviderDialog = ({ agent, taken, open, onOpenChange }: AddProviderDialogProps) => {
  const [provider, setProvider] = useState<NewProvider>();
  const [choices, setChoices] = useState<ModelChoices>(NOTHING_CHOSEN);
  const find = useFindModels(agent.id);
  const { mutate, reset, isPending, error } = useAddModels(agent.id);
  const begin = useEffectEvent(() => {
    setProvider(undefined);
    setChoices(NOTHING_CHOSEN);
    find.reset();
    reset();
  });
  useEffect(() => {
    if (open) begin();
  }, [open]);

  const change = (next: NewProvider): void => {
    setProvider(next);
    if (next.drafts === provider?.drafts) return;
    // The models were those of another address, API or key.
    setChoices(NOTHING_CHOSEN);
    find.reset();
  };
  const choose = (preset: Preset): void => {
    const next = filledWith(preset);
    change(next);
    const listed = callableOf(next, 'list');
    // Nothing leaves this computer without a press.
    if (listed && isOnThisComputer(listed.baseUrl))
      find.mutate(listed, {
        onSuccess: ({ models: [only, ...more] }) =>
          only && more.length === 0 && setChoices({ chosen: [only], used: only.id }),
      });
  };
  const name = provider?.name.trim() ?? '';
  const nameProblem = problemOfName(name, taken);
  const listed = provider && callableOf(provider, 'list');
  const canSave =
    provider !== undefined &&
    name !== '' &&
    nameProblem === undefined &&
    isComplete(PROVIDER.fields, NEW_ENTRY, provider.drafts);
  const submit = (): void => {
    if (!provider) return;
    const edits = (file: JsonFile) => {
      if (valueAt(file.value, [...PROVIDER.parent, name]) !== undefined)
        throw new Error(piModels.find.taken(name));
      return providerAddition(file, { ...provider, name }, choices.chosen);
    };
    mutate(
      {
        label: words.label(name),
        done: jsonForm.added(name),
        edits,
        use: choices.used === null ? null : `${name}/${choices.used}`,
      },
      { onSuccess: () => onOpenChange(false) },
    );
  };
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.title}
      width="wide"
      submitLabel={isPending ? words.adding : words.add}
      canSubmit={canSave}
      isPending={isPending}
      onSubmit={submit}
    >
      <div className="flex flex-col gap-1.5">
        <span aria-hidden="true" className="font-medium">
          {words.where}
        </span>
        <Choice
          label={words.where}
          options={PRESETS}
          names={words.presets}
          value={provider?.preset}
          onChange={choose}
        />
      </div>
      {provider && (
        <>
          <ProviderFields provider={provider} nameProblem={nameProblem} onChange={change} />
          {knowsModels(name) && <SignInGuide provider={name} path={agent.path} />}
          {listed || String(provider.drafts.baseUrl) === '' ? (
            <FoundModels
              agent={agent.id}
              provider={name}
              listed={listed}
              tested={callableOf(provider, 'test')}
              taken={[]}
              choices={choices}
              onChoices={setChoices}
              find={find}
            />
          ) : (
            <p className="text-sm text-muted">{piModels.find.noList}</p>
          )}
        </>
      )}
      {error && <Failure message={error.message} />}
    </FormDialog>
  );
};
