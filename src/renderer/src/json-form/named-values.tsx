import { Field } from '@base-ui/react/field';
import { Plus, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { namedValues as texts } from '../strings/named-values.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/failures.tsx';
import { useFocusAfterRemoval } from '../ui/use-focus-after-removal.ts';
import { adviceOn, type FormRow, type FormValue, makeRow, type RowGroup, type RowProblems } from './rows.ts';

const INPUT =
  'h-8 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2.5 font-mono text-ink outline-offset-0 data-invalid:border-danger read-only:border-line read-only:bg-sunken';

interface RowInputProps extends FormValue {
  readonly label: string;
  readonly isWrong?: boolean;
  readonly readOnly?: boolean;
  /** True if a person just added it. */
  readonly isNew?: boolean;
  readonly onChange: (text: string) => void;
}

/** A row's input. Its label is only for assistive technology, because the list has a visible label. */
const RowInput = ({ label, text, kept, isWrong, readOnly, isNew, onChange }: RowInputProps) => {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) input.current?.focus();
  }, [isNew]);
  return (
    <Field.Root invalid={isWrong === true} className="min-w-0 flex-1">
      <Field.Control
        ref={input}
        aria-label={label}
        value={text}
        readOnly={readOnly}
        placeholder={kept && (kept.hidden === 'command' ? texts.keptCommand : texts.kept)}
        onValueChange={onChange}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        className={INPUT}
      />
    </Field.Root>
  );
};

interface NamedValuesProps {
  /** The file that stores the values. */
  readonly file: string;
  /** The server or provider that uses the values. Suggested variables are named after it. */
  readonly owner: string;
  readonly group: RowGroup;
  readonly rows: readonly FormRow[];
  readonly problems: RowProblems;
  readonly onChange: (rows: readonly FormRow[]) => void;
}

/** A list of arguments, variables or headers. Hidden values are preserved unless they're replaced. */
export const NamedValues = ({ file, owner, group, rows, problems, onChange }: NamedValuesProps) => {
  const list = useRef<HTMLFieldSetElement>(null);
  useFocusAfterRemoval(list);
  const [added, setAdded] = useState<number>();
  const set = (row: FormRow, change: Partial<FormRow>): void =>
    onChange(rows.map((each) => (each === row ? { ...row, ...change } : each)));
  const add = (): void => {
    const row = makeRow();
    setAdded(row.key);
    onChange([...rows, row]);
  };
  return (
    <fieldset ref={list} tabIndex={-1} className="flex min-w-0 flex-col gap-1.5 outline-none">
      <legend className="mb-1.5 font-medium">{texts[group]}</legend>
      {rows.map((row, index) => {
        const valueLabel = texts.rowValue(group, row.name, index);
        const problem = problems.get(row.key);
        const advice = group === 'args' ? undefined : adviceOn(owner, group, row);
        const instead = advice?.instead;
        return (
          <div key={row.key} className="flex flex-col gap-1">
            <div className="flex items-center gap-1.5">
              {group !== 'args' && (
                <RowInput
                  label={texts.rowName(group, index)}
                  text={row.name}
                  isWrong={problem !== undefined}
                  // A hidden value stays with its name.
                  readOnly={row.kept !== undefined}
                  isNew={row.key === added}
                  onChange={(name) => set(row, { name })}
                />
              )}
              <RowInput
                label={valueLabel}
                text={row.text}
                kept={row.kept}
                isNew={group === 'args' && row.key === added}
                onChange={(text) => set(row, { text })}
              />
              <Button
                variant="quiet"
                size="icon"
                data-row-action="remove"
                aria-label={texts.removeRow(group === 'args' || row.name === '' ? valueLabel : row.name)}
                onClick={() => onChange(rows.filter((each) => each !== row))}
              >
                <X aria-hidden="true" className="size-3.5" />
              </Button>
            </div>
            {problem && <Problem>{texts[problem]}</Problem>}
            {advice?.state && <p className="text-sm text-warn">{texts[advice.state](file)}</p>}
            {instead !== undefined && (
              <span>
                <Button size="small" onClick={() => set(row, { text: instead })}>
                  {texts.use(instead)}
                </Button>
              </span>
            )}
          </div>
        );
      })}
      <span>
        <Button size="small" onClick={add}>
          <Plus aria-hidden="true" className="size-3.5" />
          {texts.addRow[group]}
        </Button>
      </span>
    </fieldset>
  );
};
