import { useEffect, useEffectEvent, useState } from 'react';
import type { JsonFile } from '../../../../shared/api/json-files.ts';
import type { PiModel, PiProvider } from '../../../../shared/api/pi-models.ts';
import { common } from '../../strings/common.ts';
import { piModels } from '../../strings/pi-models.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, FormDialog, Modal } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { FoundModels, type ModelChoices, ModelTest, NOTHING_CHOSEN } from './found-models.tsx';
import { type CallableProvider, callable, modelsAddition } from './provider-presets.ts';
import { useAddModels, useFindModels } from './use-pi-models.ts';

const words = piModels.find;

/** Returns what dot-mi calls for a provider in models.json, or for one of its models. The server knows its hidden key. */
export const calledFor = (
  { id, apiKey, ...provider }: PiProvider,
  model: Pick<PiModel, 'baseUrl' | 'api'> = {},
): CallableProvider | undefined => {
  const { baseUrl = provider.baseUrl, api = provider.api } = model;
  return typeof baseUrl === 'string' && typeof api === 'string'
    ? callable(baseUrl, api, typeof apiKey === 'string' ? apiKey : '', id)
    : undefined;
};

interface FetchModelsDialogProps {
  readonly agent: string;
  readonly provider: PiProvider;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Adds more models of a provider that the agent has, and tests them. */
export const FetchModelsDialog = ({ agent, provider, open, onOpenChange }: FetchModelsDialogProps) => {
  const { id } = provider;
  const [choices, setChoices] = useState<ModelChoices>(NOTHING_CHOSEN);
  const find = useFindModels(agent);
  const { mutate, reset, isPending, error } = useAddModels(agent);
  const called = calledFor(provider);
  const begin = useEffectEvent(() => {
    setChoices(NOTHING_CHOSEN);
    reset();
    find.reset();
    if (called) find.mutate(called);
  });
  useEffect(() => {
    if (open) begin();
  }, [open]);
  const submit = (): void => {
    const edits = (file: JsonFile) => {
      const made = modelsAddition(file, id, choices.chosen);
      if (!made) throw new Error(words.gone(id));
      return made;
    };
    mutate(
      {
        label: words.label(id),
        done: words.addedModels(choices.chosen.length, id),
        edits,
        use: choices.used === null ? null : `${id}/${choices.used}`,
      },
      { onSuccess: () => onOpenChange(false) },
    );
  };
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.title(id)}
      width="wide"
      submitLabel={isPending ? piModels.start.adding : words.add}
      canSubmit={choices.chosen.length > 0}
      isPending={isPending}
      onSubmit={submit}
    >
      <FoundModels
        agent={agent}
        provider={id}
        listed={called}
        tested={called}
        taken={provider.models.map((model) => model.id)}
        choices={choices}
        onChoices={setChoices}
        find={find}
      />
      {error && <Failure message={error.message} />}
    </FormDialog>
  );
};

interface TestModelDialogProps {
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
  readonly called: CallableProvider;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Tests a model that the agent has. */
export const TestModelDialog = ({
  agent,
  provider,
  model,
  called,
  open,
  onOpenChange,
}: TestModelDialogProps) => (
  <Modal open={open} onOpenChange={onOpenChange} title={piModels.test.title(model)} showsOnly>
    <ModelTest agent={agent} provider={provider} called={called} model={model} />
    <DialogActions>
      <Button onClick={() => onOpenChange(false)}>{common.close}</Button>
    </DialogActions>
  </Modal>
);
