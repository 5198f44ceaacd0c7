import { jsonForm as texts } from '../strings/json-form.ts';
import { namedValues } from '../strings/named-values.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { cx } from '../ui/cx.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { commandWords } from './command-words.ts';
import { type Draft, type Entry, type FormField, problemOf, rowProblemsOf } from './fields.ts';
import { NamedValues } from './named-values.tsx';

const ANSWERS: readonly string[] = ['unset', 'yes', 'no'];

interface FieldInputProps {
  readonly field: FormField;
  /** The file that stores the value. */
  readonly file: string;
  /** The name of the entry. Suggested variables are named after it. */
  readonly owner: string;
  readonly entry: Entry;
  readonly draft: Draft | undefined;
  readonly onChange: (draft: Draft) => void;
}

const Select = ({ field, draft, onChange }: Pick<FieldInputProps, 'field' | 'draft' | 'onChange'>) => {
  const { label, unset = '', names = {} } = field;
  const value = typeof draft === 'string' ? draft : '';
  const isOther = value !== '' && !Object.hasOwn(names, value);
  return (
    <SelectField
      label={label}
      value={value}
      onValueChange={onChange}
      options={[['', unset], ...(isOther ? [[value, value] as const] : []), ...Object.entries(names)]}
    />
  );
};

/** The input for one value of an entry. A hidden value is preserved unless it's replaced or removed. */
export const FieldInput = ({ field, file, owner, entry, draft, onChange }: FieldInputProps) => {
  const { widget, label } = field;
  const kept = draft === null ? undefined : entry.hidden(field.path);
  const text = typeof draft === 'string' ? draft : '';
  const hint =
    kept && text === ''
      ? kept.hidden === 'command'
        ? namedValues.keptCommand
        : namedValues.kept
      : field.isCommand && commandWords(text).length > 1
        ? texts.words(commandWords(text))
        : field.hint;
  const isHalf = widget === 'number' || widget === 'answer';
  const input = () => {
    if (widget === 'args' || widget === 'env' || widget === 'headers')
      return (
        <NamedValues
          file={file}
          owner={owner}
          group={widget}
          rows={Array.isArray(draft) ? draft : []}
          problems={rowProblemsOf(field, draft)}
          onChange={onChange}
        />
      );
    if (widget === 'select') return <Select field={field} draft={draft} onChange={onChange} />;
    if (widget === 'answer')
      return (
        <div className="flex flex-col gap-1.5">
          <span aria-hidden="true" className="font-medium">
            {label}
          </span>
          <Choice label={label} options={ANSWERS} names={texts.answers} value={text} onChange={onChange} />
        </div>
      );
    return (
      <TextField
        label={label}
        value={text}
        hint={hint}
        inputMode={widget === 'number' ? 'decimal' : 'text'}
        error={problemOf(field, entry, draft)}
        onValueChange={onChange}
      />
    );
  };
  return (
    <div className={cx('flex min-w-0 flex-col gap-2', !isHalf && 'col-span-full')}>
      {input()}
      {kept && field.remove !== undefined && (
        <span>
          <Button size="small" onClick={() => onChange(null)}>
            {field.remove}
          </Button>
        </span>
      )}
    </div>
  );
};
