import { useId, useState } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { cx } from '../../../ui/cx.ts';

interface ModelFieldProps {
  readonly models: readonly PricedModel[];
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

/** A field for the name of a model. It suggests the known names. */
export const ModelField = ({ models, value, onChange, error }: ModelFieldProps) => {
  const id = useId();
  // Thousands of names, which nobody sees until the field is used.
  const [isUsed, setIsUsed] = useState(false);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        {words.calculator.model}
      </label>
      <input
        id={id}
        list={`${id}-names`}
        value={value}
        onFocus={(event) => {
          setIsUsed(true);
          // Typing replaces the selected name, which would otherwise be the only suggestion.
          event.target.select();
        }}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className={cx(
          'h-8 w-full rounded-md border bg-canvas px-2.5 font-mono text-ink outline-offset-0',
          error === undefined ? 'border-line-strong' : 'border-danger',
        )}
      />
      <datalist id={`${id}-names`}>
        {isUsed && models.map(({ name }) => <option key={name} value={name} />)}
      </datalist>
      {error !== undefined && (
        <p id={`${id}-error`} className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
};
