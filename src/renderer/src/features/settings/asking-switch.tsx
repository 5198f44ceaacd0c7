import { Field } from '@base-ui/react/field';
import { useState } from 'react';
import type { Settings } from '../../../../shared/api/settings.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/failures.tsx';
import { Switch } from '../../ui/switch.tsx';
import { notify } from '../../ui/toast.tsx';
import { sentenceOf, useSaveSettings } from './use-settings.ts';

interface AskingSwitchProps {
  readonly id: 'devMode' | 'requireKeys';
  readonly setting: Settings['settings']['devMode' | 'requireKeys'];
  /** The setting's current effect. */
  readonly hint: string;
  /** The risky value, which needs confirmation in a dialog. The other value is saved at once. */
  readonly asksBefore: boolean;
  readonly question: {
    readonly title: string;
    readonly description: string;
    readonly cancel: string;
    readonly confirm: string;
  };
  /** A check before the risky value is saved. `run` calls `save` afterwards. */
  readonly check?: {
    run(save: () => void): void;
    /** Shown instead of the hint while the check runs. */
    readonly running: string | undefined;
    readonly problem: string | undefined;
  };
}

/** A switch that saves automatically, but asks for confirmation before its risky value. */
export const AskingSwitch = ({ id, setting, hint, asksBefore, question, check }: AskingSwitchProps) => {
  const [isAsking, setIsAsking] = useState(false);
  const { label } = words.fields[id];
  const saver = useSaveSettings(() => notify(words.saved(label)));
  const error = sentenceOf(saver.error, { label, variable: setting.variable }) ?? check?.problem;
  const save = (): void => saver.save({ [id]: asksBefore });
  return (
    <Field.Root data-setting={id} disabled={!setting.editable} className="flex items-start gap-3">
      <Switch
        checked={setting.value}
        onCheckedChange={(next) => {
          if (next === asksBefore) setIsAsking(true);
          else saver.save({ [id]: next });
        }}
      />
      <div className="flex flex-col gap-0.5">
        <Field.Label className="font-medium">{label}</Field.Label>
        <Field.Description className="text-sm text-muted">
          {check?.running ?? hint} {setting.origin === 'environment' && words.setBy(setting.variable ?? '')}
        </Field.Description>
        {error !== undefined && <Problem announce>{error}</Problem>}
      </div>
      <Question
        open={isAsking}
        onCancel={() => setIsAsking(false)}
        title={question.title}
        description={question.description}
      >
        <Button onClick={() => setIsAsking(false)}>{question.cancel}</Button>
        <Button
          variant="danger"
          onClick={() => {
            setIsAsking(false);
            if (check) check.run(save);
            else save();
          }}
        >
          {question.confirm}
        </Button>
      </Question>
    </Field.Root>
  );
};
