import { ChevronDown, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { readDetails } from '../../../../shared/api/errors.ts';
import type { ApiError } from '../../api/client.ts';
import { ModelPicker } from '../../models/model-picker.tsx';
import { choiceOf, priceText } from '../../models/model-rows.ts';
import { useModelChoices } from '../../models/use-model-choices.ts';
import { PresetSelect } from '../../presets/preset-select.tsx';
import { useUsablePresets } from '../../presets/use-presets.ts';
import { newAgent as words } from '../../strings/agents.ts';
import { models as modelWords } from '../../strings/models.ts';
import { trust as trustWords } from '../../strings/trust.ts';
import { TrustDialog } from '../../trust/trust-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Failure, Problem } from '../../ui/failures.tsx';
import { CheckboxField } from '../../ui/field.tsx';
import { ScrollBlock } from '../../ui/scroll-block.tsx';
import { AgentIdDialog } from './agent-id-dialog.tsx';
import { type TypedAgent, useSetUpRoot } from './use-agents.ts';
import { useCreateAgent } from './use-create-agent.ts';

interface NewAgentDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly agent: TypedAgent;
  readonly onType: (agent: TypedAgent) => void;
  readonly onCreated: (id: string) => void;
}

/** Asks for the id of a new agent and creates it. Stays open while the script runs, and shows its errors. */
export const NewAgentDialog = (props: NewAgentDialogProps) => {
  const { open, onOpenChange, agent, onType, onCreated } = props;
  const [asksTrust, setAsksTrust] = useState(false);
  const { mutate, reset, isPending, error } = useCreateAgent((id) => {
    onOpenChange(false);
    onCreated(id);
  });
  const presets = useUsablePresets();
  // The preset may have been deleted since it was chosen.
  const preset = presets.find(({ name }) => name === agent.preset)?.name;
  const create = (): void =>
    mutate(
      { ...agent, preset },
      { onError: ({ code }) => code === 'root_not_trusted' && setAsksTrust(true) },
    );
  useEffect(() => {
    if (open) reset();
  }, [open, reset]);

  // These two errors concern only the id, so the field shows them.
  const isAboutId = error?.code === 'agent_exists' || error?.code === 'invalid_agent_id';
  return (
    <AgentIdDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.title}
      label={words.id}
      id={agent.name}
      onIdChange={(text) => {
        onType({ ...agent, name: text });
        if (error) reset();
      }}
      error={isAboutId ? error.message : undefined}
      submitLabel={isPending ? words.creating : words.create}
      isPending={isPending}
      onSubmit={create}
    >
      <ModelField value={agent.model} onChange={(model) => onType({ ...agent, model })} />
      <CheckboxField
        label={words.workspace}
        hint={words.workspaceHint}
        checked={agent.workspace}
        onCheckedChange={(workspace) => onType({ ...agent, workspace })}
      />
      {presets.length > 0 && (
        <PresetSelect
          presets={presets}
          value={agent.preset ?? null}
          onChange={(preset) => onType({ ...agent, preset: preset ?? undefined })}
          isOptional
        />
      )}
      {error && !isAboutId && <ScriptFailure error={error} onSetUp={create} />}
      <TrustDialog
        open={asksTrust}
        acceptLabel={trustWords.trustAndCreate}
        onRefuse={() => setAsksTrust(false)}
        onTrusted={() => {
          setAsksTrust(false);
          create();
        }}
      />
    </AgentIdDialog>
  );
};

interface ModelFieldProps {
  readonly value: string | undefined;
  readonly onChange: (name: string | undefined) => void;
}

const ModelField = ({ value, onChange }: ModelFieldProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const labelId = useId();
  const read = useModelChoices(undefined);
  const choices = read.status === 'ready' ? read.data.choices : [];
  const price = value === undefined ? undefined : choiceOf(choices, value)?.price;
  return (
    <div className="flex flex-col gap-1.5">
      <span id={labelId} className="font-medium">
        {modelWords.model}
      </span>
      <div className="relative">
        <ModelPicker
          open={isOpen}
          onOpenChange={setIsOpen}
          current={value}
          onPick={onChange}
          trigger={
            <button
              ref={button}
              type="button"
              id={`${labelId}-button`}
              aria-labelledby={`${labelId} ${labelId}-button`}
              className="flex h-8 w-full items-center justify-between gap-2 rounded-md border border-line-strong bg-canvas px-2.5 text-left"
            >
              <span className={cx('max-w-2/3 shrink-0 truncate', value === undefined && 'text-muted')}>
                {value ?? modelWords.unset}
              </span>
              {price && (
                <span className="ml-auto min-w-0 truncate pr-6 text-sm text-muted tabular-nums">
                  {modelWords.perThousandOf(priceText(price))}
                </span>
              )}
              <ChevronDown aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
            </button>
          }
        />
        {value !== undefined && (
          <div className="absolute top-1 right-8">
            <Button
              variant="quiet"
              size="icon"
              aria-label={modelWords.clear}
              onClick={() => {
                onChange(undefined);
                button.current?.focus();
              }}
            >
              <X aria-hidden="true" className="size-3.5" />
            </Button>
          </div>
        )}
      </div>
    </div>
  );
};

interface ScriptFailureProps {
  readonly error: ApiError;
  /** Called once the root has a script. */
  readonly onSetUp: () => void;
}

const ScriptFailure = ({ error, onSetUp }: ScriptFailureProps) => {
  const stderr = readDetails('setup_script_failed', error.details)?.stderr ?? '';
  return (
    <Failure message={error.message}>
      {error.code === 'setup_script_missing' && <SetUpRoot onSetUp={onSetUp} />}
      {stderr !== '' && (
        <ScrollBlock label={words.scriptOutput} className="max-h-40 rounded bg-canvas">
          <pre className="font-mono text-sm break-words whitespace-pre-wrap">{stderr}</pre>
        </ScrollBlock>
      )}
    </Failure>
  );
};

/** Offers to add the root's missing script. */
const SetUpRoot = ({ onSetUp }: { readonly onSetUp: () => void }) => {
  const { mutate, isPending, error } = useSetUpRoot(onSetUp);
  return (
    <>
      <p className="text-sm">{words.setUpHint}</p>
      <div>
        <Button size="small" disabled={isPending} onClick={() => mutate()}>
          {words.setUp}
        </Button>
      </div>
      {error && <Problem>{error.message}</Problem>}
    </>
  );
};
