import { type KeyboardEvent, useId, useState } from 'react';
import type { PiSetting } from '../../../../shared/api/pi-settings.ts';
import { piSettings as words } from '../../strings/pi-settings.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Problem } from '../../ui/failures.tsx';
import { useChangeSetting } from './use-change-setting.ts';

type Value = NonNullable<PiSetting['value']>;

/** What typed text means: a value, the default, or a problem. */
type Typed = { readonly value: Value } | { readonly isDefault: true } | { readonly problem: string };

const isMultiline = ({ kind }: PiSetting): boolean => kind === 'list' || kind === 'json';

/** Returns a setting's value as its field shows it. */
export const textOf = ({ kind, value }: PiSetting): string => {
  if (value === undefined) return '';
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Parses typed text. An empty field means the default. */
export const typedValue = ({ kind, options = [] }: PiSetting, text: string): Typed => {
  // Spaces alone can be a value, such as a code indentation.
  if (text === '' || (kind !== 'text' && text.trim() === '')) return { isDefault: true };
  switch (kind) {
    case 'list':
      return { value: text.split('\n').filter((line) => line.trim() !== '') };
    case 'json':
      try {
        return { value: JSON.parse(text) as Value };
      } catch {
        return { problem: words.notJson };
      }
    case 'number': {
      const word = options.find((option) => option === text.trim());
      if (word !== undefined && word !== null) return { value: word };
      const number = Number(text.trim().replaceAll(',', ''));
      return Number.isFinite(number) ? { value: number } : { problem: words.notNumber };
    }
    default:
      return { value: text };
  }
};

const nameOf = (value: unknown): string => {
  if (value === true) return words.on;
  if (value === false) return words.off;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const FIELD = 'w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2.5 font-mono text-ink';

interface SettingRowProps {
  readonly id: string;
  /** The etag of the setting's file. */
  readonly etag: string | null;
  readonly setting: PiSetting;
}

/** One pi setting: its name, pi's description, and a field that saves on blur. */
export const SettingRow = ({ id, etag, setting }: SettingRowProps) => {
  const { path, kind, description, value, isHidden, isRefused } = setting;
  const name = path.join('.');
  const fieldId = useId();
  const { mutate, isPending } = useChangeSetting(id, etag);
  const isSet = value !== undefined || isHidden === true;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(12rem,18rem)] items-start gap-x-6 gap-y-1 border-t border-line py-2.5 max-single:grid-cols-1">
      <div className="min-w-0">
        <label htmlFor={fieldId} className={cx('font-mono wrap-anywhere', isSet && 'font-semibold')}>
          {name}
        </label>
        {description && <p className="text-sm text-muted">{description}</p>}
      </div>
      <div className="flex min-w-0 flex-col items-start gap-1">
        {isHidden ? (
          <p id={fieldId} className="text-sm text-muted">
            {words.hidden}
          </p>
        ) : kind === 'switch' || kind === 'choice' ? (
          <ChoiceField
            id={fieldId}
            setting={setting}
            isDisabled={isPending}
            onChange={(next) => mutate(next === undefined ? { path } : { path, value: next })}
          />
        ) : (
          <TypedField
            id={fieldId}
            setting={setting}
            onChange={(next, onSaved) =>
              mutate(next === undefined ? { path } : { path, value: next }, { onSuccess: () => onSaved?.() })
            }
          />
        )}
        {isRefused && <Problem>{words.refused}</Problem>}
        {isSet && kind !== 'switch' && kind !== 'choice' && (
          <Button
            variant="quiet"
            size="small"
            aria-label={words.resetLabel(name)}
            disabled={isPending}
            onClick={() => mutate({ path })}
          >
            {words.reset}
          </Button>
        )}
      </div>
    </div>
  );
};

interface FieldProps {
  readonly id: string;
  readonly setting: PiSetting;
  /** Undefined restores the default. */
  readonly onChange: (value: Value | undefined, onSaved?: () => void) => void;
}

const ChoiceField = ({
  id,
  setting,
  isDisabled,
  onChange,
}: FieldProps & { readonly isDisabled: boolean }) => {
  const options = setting.kind === 'switch' ? [true, false] : (setting.options ?? []);
  const current = options.indexOf(setting.value ?? null);
  return (
    <select
      id={id}
      value={setting.value === undefined ? '' : String(current)}
      disabled={isDisabled}
      onChange={({ target }) => {
        const option = options[Number(target.value)];
        onChange(target.value === '' || option === null ? undefined : option);
      }}
      className={cx(FIELD, 'h-8 font-sans')}
    >
      <option value="">
        {setting.default === undefined ? words.unsetUnknown : words.unset(nameOf(setting.default))}
      </option>
      {/* A value that pi refuses is shown while it's set, but can't be selected again. */}
      {setting.value !== undefined && current < 0 && <option value="-1">{nameOf(setting.value)}</option>}
      {options.map((option, index) => (
        <option key={JSON.stringify(option)} value={index}>
          {nameOf(option)}
        </option>
      ))}
    </select>
  );
};

/** Saves on blur, or on Enter in a single-line field. Escape discards the typed text. */
const TypedField = ({ id, setting, onChange }: FieldProps) => {
  const saved = textOf(setting);
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const text = typed ?? saved;
  const commit = (): void => {
    if (typed === undefined) return;
    const result = typedValue(setting, typed);
    setProblem('problem' in result ? result.problem : undefined);
    if (typed === saved) setTyped(undefined);
    // The typed text stays in the field until it's saved.
    else if (!('problem' in result))
      onChange('value' in result ? result.value : undefined, () => setTyped(undefined));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !isMultiline(setting)) commit();
    if (event.key !== 'Escape' || typed === undefined) return;
    event.stopPropagation();
    setTyped(undefined);
    setProblem(undefined);
  };
  const shared = {
    id,
    value: text,
    onKeyDown,
    onBlur: commit,
    autoComplete: 'off',
    spellCheck: false,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint`,
    placeholder: setting.default === undefined ? words.unsetUnknown : words.unset(nameOf(setting.default)),
  } as const;
  const hint =
    problem ?? (setting.kind === 'list' ? words.listHint : setting.kind === 'json' ? words.jsonHint : '');
  return (
    <>
      {isMultiline(setting) ? (
        <textarea
          {...shared}
          rows={Math.min(8, Math.max(2, text.split('\n').length))}
          onChange={({ target }) => setTyped(target.value)}
          className={cx(FIELD, 'py-1.5')}
        />
      ) : (
        <input
          {...shared}
          inputMode={setting.kind === 'number' && !setting.options ? 'numeric' : 'text'}
          onChange={({ target }) => setTyped(target.value)}
          className={cx(FIELD, 'h-8')}
        />
      )}
      <p
        id={`${id}-hint`}
        role={problem === undefined ? undefined : 'alert'}
        className={cx(
          'text-sm',
          problem === undefined ? 'text-muted' : 'text-danger',
          hint === '' && 'hidden',
        )}
      >
        {hint}
      </p>
    </>
  );
};
