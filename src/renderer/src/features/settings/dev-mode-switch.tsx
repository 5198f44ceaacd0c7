import { Field } from '@base-ui/react/field';
import { useState } from 'react';
import type { Settings } from '../../../../shared/api/settings.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { Switch } from '../../ui/switch.tsx';
import { notify } from '../../ui/toast.tsx';
import { sentenceOf, useSaveSettings } from './use-settings.ts';

/** The switch for test money. It turns on at once, but off only after a warning that the money is then real. */
export const DevModeSwitch = ({ setting }: { readonly setting: Settings['settings']['devMode'] }) => {
  const [isAsking, setIsAsking] = useState(false);
  const saver = useSaveSettings(() => notify(words.saved(words.devMode)));
  const error = sentenceOf(saver.error);
  return (
    <Field.Root data-setting="devMode" disabled={!setting.editable} className="flex items-start gap-3">
      <Switch
        checked={setting.value}
        onCheckedChange={(next) => {
          if (next) saver.save({ devMode: true });
          else setIsAsking(true);
        }}
      />
      <div className="flex flex-col gap-0.5">
        <Field.Label className="font-medium">{words.devMode}</Field.Label>
        <Field.Description className="text-sm text-muted">
          {setting.value ? words.devModeOn : words.devModeOff}{' '}
          {setting.origin === 'environment' && words.setBy(setting.variable ?? '')}
        </Field.Description>
        {error !== undefined && (
          <p role="alert" className="text-sm text-danger">
            {error}
          </p>
        )}
      </div>
      <Question
        open={isAsking}
        onCancel={() => setIsAsking(false)}
        title={words.realQuestion}
        description={words.realDescription}
      >
        <Button onClick={() => setIsAsking(false)}>{words.stayInDevMode}</Button>
        <Button
          variant="danger"
          onClick={() => {
            setIsAsking(false);
            saver.save({ devMode: false });
          }}
        >
          {words.useRealMoney}
        </Button>
      </Question>
    </Field.Root>
  );
};
