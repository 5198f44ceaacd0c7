import { Field } from '@base-ui/react/field';
import { type FormEvent, type ReactNode, useRef } from 'react';
import type { ChangedSettings, SettingsChange } from '../../../../shared/api/settings.ts';
import { typedSettings } from '../../drafts/typed-settings.ts';
import { useTypedSetting } from '../../drafts/use-typed-settings.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { notify } from '../../ui/toast.tsx';
import { sentenceOf, useSaveSettings } from './use-settings.ts';

/** The parts of a setting that the page shows. */
export interface ShownSetting {
  readonly origin: 'environment' | 'settings' | 'default';
  readonly variable: string | null;
  readonly editable: boolean;
}

interface SettingFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly setting: ShownSetting;
  /** The current value. */
  readonly text: string;
  /** The change that a text means. Null means the default. */
  readonly changeOf: (text: string | null) => SettingsChange;
  /** The problem with a text, which then isn't even sent. */
  readonly problemOf?: ((text: string) => string | undefined) | undefined;
  readonly onSaved?: ((changed: ChangedSettings) => void) | undefined;
  /** Why it can't be changed now. */
  readonly blocker?: string | undefined;
  readonly inputMode?: 'numeric' | 'url' | undefined;
  readonly narrow?: boolean;
  /** Another way to fill the field, next to it. */
  readonly aside?: ((fill: (text: string) => void) => ReactNode) | undefined;
}

const INPUT =
  'h-7.5 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 font-mono text-ink outline-offset-0 ' +
  'data-invalid:border-danger data-disabled:border-line data-disabled:bg-sunken data-disabled:text-muted';

/** A text field with its own Save button. A value from the environment can't be changed. */
export const SettingField = (props: SettingFieldProps) => {
  const { label, hint, setting, text, changeOf, problemOf, onSaved, blocker, inputMode, narrow, aside } =
    props;
  const typed = useTypedSetting(label, text, setting.editable);
  const value = typed ?? text;
  const isDirty = typed !== null;
  /** Why the typed text can't be saved now. */
  const wrong = isDirty ? (problemOf?.(value) ?? blocker) : undefined;
  const submitted = useRef(value);
  const saver = useSaveSettings(
    (changed) => {
      // Text that was typed during the save stays in the field.
      typedSettings.drop(label, submitted.current);
      notify(words.saved(label));
      onSaved?.(changed);
    },
    () => typedSettings.saving(label, null),
  );
  const fill = (next: string): void => {
    typedSettings.type(label, next);
    // Don't reset a running save, because a second one could finish before it.
    if (!saver.isSaving) saver.reset();
  };
  const save = (next: string | null): void => {
    submitted.current = value;
    typedSettings.saving(label, value);
    saver.save(changeOf(next));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isDirty && !wrong) save(value);
  };
  const error = sentenceOf(saver.error) ?? wrong;
  return (
    <form onSubmit={submit} noValidate>
      <Field.Root
        invalid={error !== undefined}
        disabled={!setting.editable}
        className={cx('flex flex-col gap-1', narrow && 'max-w-80')}
      >
        <span className="flex items-center gap-2">
          <Field.Label className="font-medium">{label}</Field.Label>
          {setting.origin === 'default' && <span className="text-sm text-muted">{words.isDefault}</span>}
        </span>
        <div className="flex gap-2">
          <Field.Control
            value={value}
            onValueChange={fill}
            inputMode={inputMode}
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            className={INPUT}
          />
          {setting.editable && aside?.(fill)}
          {setting.editable && (
            <Button
              type="submit"
              variant={isDirty ? 'primary' : 'secondary'}
              aria-label={words.saveLabel(label)}
              disabled={!isDirty || saver.isSaving || wrong !== undefined}
            >
              {saver.isSaving ? words.saving : words.save}
            </Button>
          )}
          {setting.origin === 'settings' && setting.editable && (
            <Button
              variant="quiet"
              aria-label={words.defaultLabel(label)}
              disabled={saver.isSaving || blocker !== undefined}
              onClick={() => save(null)}
            >
              {words.useDefault}
            </Button>
          )}
        </div>
        {error === undefined ? (
          <Field.Description className="text-sm text-muted">
            {hint} {setting.origin === 'environment' && words.setBy(setting.variable ?? '')}
          </Field.Description>
        ) : (
          <Field.Error match role="alert" className="text-sm text-danger">
            {error}
          </Field.Error>
        )}
      </Field.Root>
    </form>
  );
};
