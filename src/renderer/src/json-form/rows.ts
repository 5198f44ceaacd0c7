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

/** Returns a row's initial value. */
const toValue = (value: ShownValue | undefined): FormValue =>
  typeof value === 'object' ? { text: '', kept: value } : { text: value ?? '' };

/** Creates a row of a list. Omit `value` for a new row. */
export const makeRow = (name = '', value?: ShownValue, index?: number): FormRow => ({
  ...toValue(value),
  key: ++lastKey,
  name,
  index,
});

/** Returns whether saving preserves the value on disk. */
export const isKept = ({ text, kept }: FormValue): boolean => kept !== undefined && text === '';

/** Returns whether nothing was typed, and nothing is on disk. */
const isEmpty = ({ text, kept }: FormValue): boolean => text.trim() === '' && kept === undefined;

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
