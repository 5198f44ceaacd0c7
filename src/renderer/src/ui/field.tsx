import { Checkbox } from '@base-ui/react/checkbox';
import { Field } from '@base-ui/react/field';
import { Check } from 'lucide-react';
import { type ReactNode, type Ref, useId } from 'react';
import { cx } from './cx.ts';
import { Problem } from './failures.tsx';

const INPUT =
  'h-8 w-full rounded-md border border-line-strong bg-canvas px-2.5 text-ink outline-offset-0 data-invalid:border-danger';

interface TextFieldProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  readonly hint?: string | undefined;
  /** Replaces the hint, and marks the field as invalid. */
  readonly error?: string | undefined;
  /** The keyboard type on touch screens. */
  readonly inputMode?: 'text' | 'numeric' | 'decimal';
  readonly readOnly?: boolean;
  readonly maxLength?: number;
  /** Shows dots instead of the text, so that nobody nearby can read it. */
  readonly secret?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A labeled text field for names and ids: monospaced, without autocorrect. */
export const TextField = ({
  label,
  value,
  onValueChange,
  hint,
  error,
  inputMode = 'text',
  readOnly = false,
  maxLength,
  secret = false,
  ref,
}: TextFieldProps) => (
  <Field.Root invalid={error !== undefined} className="flex flex-col gap-1.5">
    <Field.Label className="font-medium">{label}</Field.Label>
    <Field.Control
      ref={ref}
      type={secret ? 'password' : 'text'}
      inputMode={inputMode}
      readOnly={readOnly}
      maxLength={maxLength}
      value={value}
      onValueChange={onValueChange}
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      className={cx(INPUT, 'font-mono')}
    />
    {error === undefined ? (
      hint && <Field.Description className="text-sm text-muted">{hint}</Field.Description>
    ) : (
      <Field.Error match render={<Problem />}>
        {error}
      </Field.Error>
    )}
  </Field.Root>
);

interface SelectFieldProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onValueChange: (value: string) => void;
  readonly hint?: string | undefined;
  /** Replaces the hint. */
  readonly error?: string | undefined;
  readonly disabled?: boolean;
}

/** A labeled list of values to select one from. */
export const SelectField = ({
  label,
  value,
  options,
  onValueChange,
  hint,
  error,
  disabled,
}: SelectFieldProps) => {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="font-medium break-words">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        onChange={({ target }) => onValueChange(target.value)}
        className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2"
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {error ? <Problem>{error}</Problem> : hint && <p className="text-sm text-muted">{hint}</p>}
    </div>
  );
};

interface CheckboxFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onCheckedChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** A labeled checkbox. */
export const CheckboxField = ({
  label,
  hint,
  checked,
  onCheckedChange,
  disabled = false,
}: CheckboxFieldProps) => (
  <Field.Root disabled={disabled} className="flex items-start gap-2.5">
    <Checkbox.Root
      checked={checked}
      onCheckedChange={(next) => onCheckedChange(next)}
      className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded border border-line-strong bg-canvas data-checked:border-accent data-checked:bg-accent"
    >
      <Checkbox.Indicator className="text-on-accent data-unchecked:hidden">
        <Check aria-hidden="true" className="size-3" strokeWidth={3} />
      </Checkbox.Indicator>
    </Checkbox.Root>
    <div className="flex flex-col">
      <Field.Label className="font-medium">{label}</Field.Label>
      {hint && <Field.Description className="text-sm text-muted">{hint}</Field.Description>}
    </div>
  </Field.Root>
);
