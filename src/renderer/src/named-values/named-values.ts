import { isOnlyVariables, mcpSecretPaths, variableInstead } from '../../../pi/mcp-secrets.ts';
import type { HiddenValue, ShownValue } from '../../../shared/api/form-files.ts';

/** A value in the form. */
export interface FormValue {
  /** The typed text. If it's empty, a hidden value is preserved. */
  readonly text: string;
  /** A placeholder for a hidden value on disk. */
  readonly kept?: HiddenValue | undefined;
}

/** A row of a list in the form: an argument, or a named value. */
export interface FormRow extends FormValue {
  readonly key: number;
  /** Empty for an argument. */
  readonly name: string;
  /** The row's index in the file. Undefined for a new row. */
  readonly index?: number | undefined;
}

/** The lists of a form. */
export type RowGroup = 'args' | 'env' | 'headers';

let lastKey = 0;

/** Returns a field's initial value. */
export const toValue = (value: ShownValue | undefined): FormValue =>
  typeof value === 'object' ? { text: '', kept: value } : { text: value ?? '' };

/** Creates a row of a list. Omit `value` for a new row. */
export const makeRow = (name = '', value?: ShownValue, index?: number): FormRow => ({
  ...toValue(value),
  key: ++lastKey,
  name,
  index,
});

/** Returns the rows of named values. */
export const rowsOf = (values: Readonly<Record<string, ShownValue>> = {}): FormRow[] =>
  Object.entries(values).map(([name, value], index) => makeRow(name, value, index));

/** Returns whether saving preserves the value on disk. */
export const isKept = ({ text, kept }: FormValue): boolean => kept !== undefined && text === '';

/** Returns whether nothing was typed, and nothing is on disk. */
export const isEmpty = ({ text, kept }: FormValue): boolean => text.trim() === '' && kept === undefined;

const filled = (rows: readonly FormRow[]): FormRow[] =>
  rows.filter((row) => row.name.trim() !== '' || !isEmpty(row));

/** The rows' problems, by row key. */
export type RowProblems = ReadonlyMap<number, 'duplicate' | 'nameMissing'>;

/** Checks the names of rows. */
export const rowProblems = (rows: readonly FormRow[]): RowProblems => {
  const problems = new Map<number, 'duplicate' | 'nameMissing'>();
  const names = new Set<string>();
  for (const row of filled(rows)) {
    const name = row.name.trim();
    if (name === '') problems.set(row.key, 'nameMissing');
    else if (names.has(name)) problems.set(row.key, 'duplicate');
    names.add(name);
  }
  return problems;
};

/** Returns a field's text if it differs from the file's. Null if it's now empty. */
export const changedText = (value: FormValue, before: ShownValue | undefined): string | null | undefined => {
  if (isKept(value) || value.text === (before ?? '')) return undefined;
  const text = value.text.trim();
  return text === '' ? null : text;
};

/** Returns the named values that differ from the file's. Null removes a name. Undefined if none differ. */
export const changedNames = (
  rows: readonly FormRow[],
  before: Readonly<Record<string, ShownValue>> = {},
): Record<string, string | null> | undefined => {
  const changed = filled(rows).flatMap((row): [string, string][] => {
    const name = row.name.trim();
    return isKept(row) || before[name] === row.text ? [] : [[name, row.text]];
  });
  const names = new Set(rows.map(({ name }) => name.trim()));
  const gone = Object.keys(before).flatMap((name): [string, null][] =>
    names.has(name) ? [] : [[name, null]],
  );
  return changed.length + gone.length === 0 ? undefined : Object.fromEntries([...changed, ...gone]);
};

/** The text to write instead of a secret, and whether it's there already. */
export interface SecretAdvice {
  readonly instead: string | undefined;
  /** `literal`: the text would be stored. `moved`: a variable replaces the hidden text. */
  readonly state: 'literal' | 'moved' | undefined;
}

/** Says how to keep a value out of the file. */
export const adviceOn = (owner: string, group: 'env' | 'headers', row: FormRow): SecretAdvice => {
  const name = row.name.trim();
  if (isKept(row)) return { instead: row.kept?.instead, state: undefined };
  if (row.kept?.hidden === 'text' && isOnlyVariables(row.text)) return { instead: undefined, state: 'moved' };
  const [found] = mcpSecretPaths({ [group]: { [name]: row.text } });
  return found
    ? { instead: variableInstead(owner.trim() || 'server', found, row.text), state: 'literal' }
    : { instead: undefined, state: undefined };
};
