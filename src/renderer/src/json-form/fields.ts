import type { HiddenValue } from '../../../shared/api/form-files.ts';
import type { JsonFile } from '../../../shared/api/json-files.ts';
import type { JsonEdit, JsonPath } from '../../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../../shared/json-object.ts';
import { commandWords } from './command-words.ts';
import { type FormRow, isKept, makeRow, type RowGroup, type RowProblems, rowProblems } from './rows.ts';

/** What a form says about one value of an entry, where pi's schema says too little. */
export interface FormField {
  /** The keys from the entry to the value. */
  readonly path: readonly string[];
  readonly label: string;
  readonly hint?: string | undefined;
  /** A list of texts or of named texts has a row for each. */
  readonly widget: 'text' | 'number' | 'select' | 'answer' | RowGroup;
  /** The choice that the field belongs to, such as a kind of server. Absent for all. */
  readonly of?: string | undefined;
  readonly isRequired?: true | undefined;
  /** What a select offers, by value. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** What a select calls pi's default. */
  readonly unset?: string | undefined;
  /** What each answer writes. Default: true and false. */
  readonly answers?: Readonly<Record<'yes' | 'no', unknown>> | undefined;
  /** Reads a typed number. */
  readonly parse?: ((text: string) => number | null) | undefined;
  /** The smallest number. With `isAbove`, numbers must be above it. */
  readonly least?: number | undefined;
  readonly isAbove?: true | undefined;
  /** True for a command line, whose other words are arguments. */
  readonly isCommand?: true | undefined;
  /** What a text must look like. */
  readonly rule?: RegExp | undefined;
  /** What to say about a wrong text or number. */
  readonly wrong?: string | undefined;
  /** Names the button that removes a hidden value. */
  readonly remove?: string | undefined;
}

/** What a person typed into a field. Null removes a hidden value. */
export type Draft = string | null | readonly FormRow[];

/** Everything that was typed, by the key of its field. */
export type Drafts = Readonly<Record<string, Draft>>;

/** An entry of a JSON file. */
export interface Entry {
  readonly path: JsonPath;
  /** The value without secrets. */
  readonly value: JsonObject;
  /** Returns the placeholder of a value that the API hides. */
  hidden(path: JsonPath): HiddenValue | undefined;
}

/** Returns the key of a field in {@link Drafts}. */
export const keyOf = ({ path }: Pick<FormField, 'path'>): string => path.join('.');

/** Returns the value at a path. Undefined if there's none. */
export const valueAt = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined,
    value,
  );

const isSamePath = (one: JsonPath, other: JsonPath): boolean =>
  one.length === other.length && one.every((step, at) => step === other[at]);

/** Returns the entry at a path of a file. */
export const entryAt = ({ value, hidden }: Pick<JsonFile, 'value' | 'hidden'>, path: JsonPath): Entry => {
  const found = valueAt(value, path);
  return {
    path,
    value: isJsonObject(found) ? found : {},
    hidden: (below) => hidden.find((each) => isSamePath(each.path, [...path, ...below])),
  };
};

/** An entry that doesn't exist yet. */
export const NEW_ENTRY: Entry = { path: [], value: {}, hidden: () => undefined };

const isRows = (draft: Draft | undefined): draft is readonly FormRow[] => Array.isArray(draft);

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const answersOf = ({ answers = { yes: true, no: false } }: FormField) => answers;

const answerOf = (field: FormField, value: unknown): string => {
  if (value === undefined) return 'unset';
  const { yes } = answersOf(field);
  const isYes =
    Array.isArray(yes) && Array.isArray(value) ? yes.every((each) => value.includes(each)) : value === yes;
  return isYes ? 'yes' : 'no';
};

/** Returns a field's draft before anybody types. */
const draftOf = (field: FormField, entry: Entry): Draft => {
  const { path, widget } = field;
  const value = valueAt(entry.value, path);
  const row = (name: string, each: unknown, step: string | number, index: number): FormRow =>
    makeRow(name, entry.hidden([...path, step]) ?? textOf(each), index);
  if (widget === 'args')
    return Array.isArray(value) ? value.map((each: unknown, index) => row('', each, index, index)) : [];
  if (widget === 'env' || widget === 'headers')
    return Object.entries(isJsonObject(value) ? value : {}).map(([name, each], index) =>
      row(name, each, name, index),
    );
  if (widget === 'answer') return answerOf(field, value);
  return entry.hidden(path) ? '' : textOf(value);
};

/** Returns all drafts before anybody types. */
export const draftsOf = (fields: readonly FormField[], entry: Entry): Drafts =>
  Object.fromEntries(fields.map((field) => [keyOf(field), draftOf(field, entry)]));

/** Returns why a field can't be saved. Rows have their own problems. */
export const problemOf = (field: FormField, entry: Entry, draft: Draft | undefined): string | undefined => {
  if (typeof draft !== 'string' || draft.trim() === '' || draft === draftOf(field, entry)) return undefined;
  if (field.widget === 'number') {
    const number = (field.parse ?? Number)(draft.trim());
    const { least = 0, isAbove } = field;
    const isFine = number !== null && Number.isFinite(number) && (isAbove ? number > least : number >= least);
    return isFine ? undefined : field.wrong;
  }
  const args = valueAt(entry.value, ['args']);
  const hasHidden = Array.isArray(args) && args.some((_, index) => entry.hidden(['args', index]));
  if (field.isCommand && hasHidden && commandWords(draft).length > 1) return field.wrong;
  return field.rule && !field.rule.test(draft.trim()) ? field.wrong : undefined;
};

/** Returns the problems of a field's rows. */
export const rowProblemsOf = ({ widget }: FormField, draft: Draft | undefined): RowProblems =>
  isRows(draft) && widget !== 'args' ? rowProblems(draft) : new Map();

/** Returns whether a form can be saved. */
export const isComplete = (fields: readonly FormField[], entry: Entry, drafts: Drafts): boolean =>
  fields.every((field) => {
    const draft = drafts[keyOf(field)];
    const isMissing = field.isRequired && draft === '' && !entry.hidden(field.path);
    return (
      !isMissing && problemOf(field, entry, draft) === undefined && rowProblemsOf(field, draft).size === 0
    );
  });

const typedValue = (field: FormField, text: string): unknown => {
  if (field.widget === 'number') return (field.parse ?? Number)(text);
  if (field.widget === 'answer') return answersOf(field)[text === 'yes' ? 'yes' : 'no'];
  return text;
};

function* argEdits(path: JsonPath, before: unknown, rows: readonly FormRow[]): Generator<JsonEdit> {
  const used = rows.filter((row) => row.index !== undefined || row.text !== '');
  const old: readonly unknown[] | undefined = Array.isArray(before) ? before : undefined;
  if (used.length === 0) {
    if (before !== undefined && old?.length !== 0) yield { path };
    return;
  }
  if (!old) {
    yield { path, value: used.map(({ text }) => text) };
    return;
  }
  const kept = new Set(used.map(({ index }) => index));
  for (const row of used)
    if (row.index !== undefined && !isKept(row) && row.text !== textOf(old[row.index]))
      yield { path: [...path, row.index], value: row.text };
  const gone = [...old.keys()].filter((index) => !kept.has(index)).reverse();
  for (const index of gone) yield { path: [...path, index] };
  const added = used.filter(({ index }) => index === undefined);
  for (const [at, { text }] of added.entries())
    yield { path: [...path, old.length - gone.length + at], value: text };
}

function* namedEdits(path: JsonPath, before: unknown, rows: readonly FormRow[]): Generator<JsonEdit> {
  const used = rows.filter((row) => row.name.trim() !== '');
  const old = isJsonObject(before) ? before : undefined;
  if (used.length === 0) {
    if (before !== undefined && Object.keys(old ?? { x: 1 }).length > 0) yield { path };
    return;
  }
  if (!old) {
    yield { path, value: Object.fromEntries(used.map(({ name, text }) => [name.trim(), text])) };
    return;
  }
  const names = new Set(used.map(({ name }) => name.trim()));
  for (const name of Object.keys(old)) if (!names.has(name)) yield { path: [...path, name] };
  for (const row of used) {
    const name = row.name.trim();
    if (!isKept(row) && !(Object.hasOwn(old, name) && row.text === old[name]))
      yield { path: [...path, name], value: row.text };
  }
}

/** Yields the edits that make a list have these values. The comments between the others stay. */
export function* listEdits(
  path: JsonPath,
  before: readonly unknown[],
  after: readonly unknown[],
): Generator<JsonEdit> {
  const gone = [...before.keys()].filter((index) => !after.includes(before[index])).reverse();
  for (const index of gone) yield { path: [...path, index] };
  const added = after.filter((each) => !before.includes(each));
  for (const [at, value] of added.entries())
    yield { path: [...path, before.length - gone.length + at], value };
}

/** Yields the edits that write what was typed into a field. */
function* fieldEdits(field: FormField, entry: Entry, draft: Draft | undefined): Generator<JsonEdit> {
  const path = [...entry.path, ...field.path];
  const before = valueAt(entry.value, field.path);
  if (isRows(draft)) {
    yield* (field.widget === 'args' ? argEdits : namedEdits)(path, before, draft);
    return;
  }
  if (draft === undefined || draft === draftOf(field, entry)) return;
  const text = draft?.trim() ?? '';
  if (text === '' || (field.widget === 'answer' && text === 'unset')) {
    if (before !== undefined) yield { path };
    return;
  }
  const value = typedValue(field, text);
  if (Array.isArray(value) && Array.isArray(before)) yield* listEdits(path, before, value);
  else yield { path, value };
}

/** Returns the edits that write what was typed. Fields of another choice are removed. */
export const editsOf = (
  fields: readonly FormField[],
  entry: Entry,
  drafts: Drafts,
  choice: string | undefined,
): JsonEdit[] =>
  fields.flatMap((field) => {
    if (field.of === undefined || field.of === choice)
      return [...fieldEdits(field, entry, drafts[keyOf(field)])];
    return valueAt(entry.value, field.path) === undefined ? [] : [{ path: [...entry.path, ...field.path] }];
  });

/** Returns an object with values set at their paths. */
export const objectOf = (edits: readonly JsonEdit[]): JsonObject => {
  const made: Record<string, unknown> = {};
  for (const { path, value } of edits) {
    let at = made;
    for (const step of path.slice(0, -1)) {
      const next = Object.hasOwn(at, step) ? at[step] : undefined;
      const inner: Record<string, unknown> = isJsonObject(next) ? { ...next } : {};
      at[String(step)] = inner;
      at = inner;
    }
    at[String(path.at(-1))] = value;
  }
  return made;
};
