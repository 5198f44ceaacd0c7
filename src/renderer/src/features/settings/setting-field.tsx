import { Field } from '@base-ui/react/field';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createStore } from 'zustand/vanilla';
import type { ChangedSettings, SettingsChange } from '../../../../shared/api/settings.ts';
import type { EditableSetting } from '../../../../shared/settings.ts';
import { notifyUndoable } from '../../changes/changes.ts';
import { common } from '../../strings/common.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Question } from '../../ui/dialog.tsx';
import { Problem, reportFailure } from '../../ui/failures.tsx';
import { notify } from '../../ui/toast.tsx';
import { type SettingQuestion, type SettingsSaver, sentenceOf, useSaveSettings } from './use-settings.ts';

/** The parts of a setting that the page shows. */
interface ShownSetting {
  readonly origin: 'environment' | 'settings' | 'default';
  readonly variable: string | null;
  readonly editable: boolean;
}

/** The properties of {@link SettingField}. */
export interface SettingFieldProps {
  readonly id: EditableSetting;
  readonly setting: ShownSetting;
  readonly text: string;
  /** Returns the change that saves `text`. Null restores the default. */
  readonly changeOf: (text: string | null) => SettingsChange;
  /** Returns what to do about invalid text, which isn't sent. */
  readonly problemOf?: ((text: string) => string | undefined) | undefined;
  readonly onSaved?: ((changed: ChangedSettings) => void) | undefined;
  /** Why the setting can't be changed now. */
  readonly blocker?: string | undefined;
  /**
   * How the field saves. `itself`: on blur, with undo. `asks`: by its button, after a confirmation, because the change
   * affects money or the server. `mayAsk`: by its button, with undo, and after a confirmation if there is a question.
   */
  readonly saves: 'itself' | 'asks' | 'mayAsk';
  /** Returns the question to ask before saving, or null. */
  readonly questionOf?: ((text: string) => Promise<SettingQuestion | null>) | undefined;
  readonly inputMode?: 'numeric' | 'url' | undefined;
  readonly narrow?: boolean;
  /** Another way to fill the field, shown next to it. */
  readonly aside?: ((fill: (text: string) => void) => ReactNode) | undefined;
}

const INPUT =
  'h-7.5 min-w-0 grow basis-40 rounded-md border border-line-strong bg-canvas px-2.5 font-mono text-ink outline-offset-0 ' +
  'data-invalid:border-danger data-disabled:border-line data-disabled:bg-sunken data-disabled:text-muted';

/** Typed text that isn't saved, by setting. It's kept while another page is open. */
const typedTexts = createStore<ReadonlyMap<string, string>>(() => new Map());

const setTyped = (id: string, text: string | undefined): void => {
  const next = new Map(typedTexts.getState());
  if (text === undefined) next.delete(id);
  else next.set(id, text);
  typedTexts.setState(next, true);
};

const useTyped = (id: string): string | undefined =>
  useSyncExternalStore(typedTexts.subscribe, () => typedTexts.getState().get(id));

/** Saves the field's text, and offers Undo if the setting saves automatically. */
const useTextSaver = ({ id, text, setting, changeOf, saves, onSaved }: SettingFieldProps) => {
  const { label } = words.fields[id];
  const submitted = useRef<string>(undefined);
  /** The text that an undo restores. Undefined during an undo. */
  const before = useRef<string | null>(undefined);
  const latest = useRef<SettingsSaver>(undefined);
  const saver = useSaveSettings((changed) => {
    // Text that was typed during the save stays in the field.
    if (typedTexts.getState().get(id) === submitted.current) setTyped(id, undefined);
    const previous = before.current;
    const undo = (): unknown => {
      before.current = undefined;
      return latest.current?.saveNow(changeOf(previous ?? null));
    };
    if (previous !== undefined && saves !== 'asks') notifyUndoable(words.saved(label), undo, false);
    else if (previous !== undefined) notify(words.saved(label));
    onSaved?.(changed);
  });
  // Undo runs later, when this save has finished.
  latest.current = saver;
  const save = (typed: string | undefined, next: string | null): void => {
    submitted.current = typed;
    before.current = setting.origin === 'settings' ? text : null;
    saver.save(changeOf(next));
  };
  return { ...saver, save };
};

/** A setting's text field. A value from the environment can't be changed. */
export const SettingField = (props: SettingFieldProps) => {
  const { id, setting, text, problemOf, blocker, saves, questionOf, inputMode, narrow, aside } = props;
  const { label, hint } = words.fields[id];
  const typed = useTyped(id);
  const isDirty = setting.editable && typed !== undefined && typed !== text;
  const value = isDirty ? typed : text;
  /** Why the typed text can't be saved now. */
  const wrong = isDirty ? (problemOf?.(value) ?? blocker) : undefined;
  const saver = useTextSaver(props);
  const [question, setQuestion] = useState<SettingQuestion | null>(null);
  // Keep the question's text while the dialog closes.
  const lastQuestion = useRef<SettingQuestion>(null);
  lastQuestion.current = question ?? lastQuestion.current;
  const shown = lastQuestion.current;
  const fill = (next: string): void => {
    setTyped(id, next);
    // Don't reset a running save, because a second one could finish before it.
    if (!saver.isSaving) saver.reset();
  };
  const save = (): void => {
    if (isDirty && !wrong) saver.save(value, value);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!questionOf || !isDirty || wrong) save();
    else void questionOf(value).then((asked) => (asked ? setQuestion(asked) : save()));
  };
  const confirm = (prepare: SettingQuestion['prepare']): void => {
    setQuestion(null);
    (prepare?.() ?? Promise.resolve()).then(save, (error: unknown) => reportFailure(words.notSaved, error));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isDirty) return;
    event.stopPropagation();
    setTyped(id, undefined);
    saver.reset();
  };
  const error = sentenceOf(saver.error, { label, variable: setting.variable }) ?? wrong;
  return (
    <form onSubmit={submit} noValidate data-setting={id}>
      <Field.Root
        invalid={error !== undefined}
        disabled={!setting.editable}
        className={cx('flex flex-col gap-1', narrow && 'max-w-80')}
      >
        <span className="flex items-center gap-2">
          <Field.Label className="font-medium">{label}</Field.Label>
          {setting.origin === 'default' && <span className="text-sm text-muted">{words.isDefault}</span>}
        </span>
        <div className="flex flex-wrap gap-2">
          <Field.Control
            value={value}
            onValueChange={fill}
            onKeyDown={onKeyDown}
            onBlur={() => saves === 'itself' && save()}
            inputMode={inputMode}
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            className={INPUT}
          />
          {setting.editable && aside?.(fill)}
          {setting.editable && saves !== 'itself' && (
            <Button
              type="submit"
              variant={isDirty ? 'primary' : 'secondary'}
              aria-label={words.saveLabel(label)}
              disabled={!isDirty || saver.isSaving || wrong !== undefined}
            >
              {saver.isSaving ? words.saving : saves === 'asks' ? words.saveAsking : words.save}
            </Button>
          )}
          {setting.origin === 'settings' && setting.editable && (
            <Button
              variant="quiet"
              aria-label={words.defaultLabel(label)}
              disabled={saver.isSaving || blocker !== undefined}
              onClick={() => saver.save(typed, null)}
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
          <Field.Error match render={<Problem announce />}>
            {error}
          </Field.Error>
        )}
      </Field.Root>
      <Question
        open={question !== null}
        onCancel={() => setQuestion(null)}
        title={shown?.title ?? ''}
        description={shown?.description}
      >
        <Button onClick={() => setQuestion(null)}>{common.cancel}</Button>
        {shown?.skip !== undefined && <Button onClick={() => confirm(undefined)}>{shown.skip}</Button>}
        <Button variant="primary" onClick={() => confirm(shown?.prepare)}>
          {shown?.confirm}
        </Button>
      </Question>
    </form>
  );
};
