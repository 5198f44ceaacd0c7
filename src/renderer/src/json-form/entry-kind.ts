import type { JsonFile } from '../../../shared/api/json-files.ts';
import type { JsonEdit, JsonPath } from '../../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../../shared/json-object.ts';
import {
  type Drafts,
  type Entry,
  editsOf,
  entryAt,
  type FormField,
  NEW_ENTRY,
  objectOf,
  valueAt,
} from './fields.ts';

/** An entry in a text that a person pasted. */
export interface PastedEntry {
  /** Empty if the text doesn't name it. */
  readonly name: string;
  readonly value: JsonObject;
  /** The keys that the form doesn't have. */
  readonly leftOut: readonly string[];
}

/** A kind of entry in a JSON file, such as an MCP server, and its form. */
export interface EntryKind {
  readonly file: JsonFile['file'];
  /** The path of the object that has the entries by name, or of the list that has them by `id`. */
  readonly parent: JsonPath;
  readonly isList?: true | undefined;
  readonly name: {
    readonly label: string;
    readonly hint?: string | undefined;
    readonly rule: RegExp;
    readonly wrong: string;
    readonly taken: string;
  };
  /** A choice between kinds of entries, each with its own fields. */
  readonly choice?:
    | {
        readonly label: string;
        readonly names: Readonly<Record<string, string>>;
        of(entry: JsonObject): string;
      }
    | undefined;
  /** A field that fills the form of a new entry from text. */
  readonly paste?:
    | {
        readonly label: string;
        /** Names the choice between several entries. */
        readonly which: string;
        /** Returns a sentence if the text has no entry. */
        read(text: string): readonly PastedEntry[] | string;
      }
    | undefined;
  /** In the order of the form and of new entries. */
  readonly fields: readonly FormField[];
  /** Completes the edits of an entry, whose value is empty if it's new. */
  complete?(edits: JsonEdit[], entry: Entry, change: Pick<EntryChange, 'choice' | 'drafts'>): JsonEdit[];
}

/** What a person did to an entry. */
export interface EntryChange {
  /** Null for a new entry. */
  readonly oldName: string | null;
  readonly name: string;
  readonly choice: string | undefined;
  readonly drafts: Drafts;
  /** The file when the form was filled. */
  readonly file: JsonFile;
}

/** Returns where an entry is. Undefined if there's none of this name. pi uses the last model with an id. */
const placeOf = ({ parent, isList }: EntryKind, value: unknown, name: string): JsonPath | undefined => {
  const all = valueAt(value, parent);
  if (!isList) return isJsonObject(all) && Object.hasOwn(all, name) ? [...parent, name] : undefined;
  const index = Array.isArray(all) ? all.findLastIndex((each) => valueAt(each, ['id']) === name) : -1;
  return index < 0 ? undefined : [...parent, index];
};

/** Returns an entry of a file. It's empty if there's none. */
export const entryIn = (kind: EntryKind, file: JsonFile, name: string | null): Entry => {
  const path = name === null ? undefined : placeOf(kind, file.value, name);
  return path ? entryAt(file, path) : NEW_ENTRY;
};

const addition = (
  { parent, isList }: EntryKind,
  file: JsonFile,
  name: string,
  value: JsonObject,
): JsonEdit => {
  if (!isList) return { path: [...parent, name], value };
  const all = valueAt(file.value, parent);
  const entry = { id: name, ...value };
  return Array.isArray(all)
    ? { path: [...parent, all.length], value: entry }
    : { path: parent, value: [entry] };
};

function* renaming(
  kind: EntryKind,
  file: JsonFile,
  path: JsonPath,
  oldName: string,
  name: string,
): Generator<JsonEdit> {
  if (!kind.isList) {
    yield { path, rename: name };
    return;
  }
  yield { path: [...path, 'id'], value: name };
  // pi would use an earlier model with the old id again.
  yield* duplicatesOf(kind, file, oldName).filter((each) => each.path.at(-1) !== path.at(-1));
}

/** Returns edits that remove all models with an id, last first. */
const duplicatesOf = ({ parent }: EntryKind, { value }: JsonFile, id: string): JsonEdit[] => {
  const all: readonly unknown[] = (valueAt(value, parent) as unknown[] | undefined) ?? [];
  return [...all.keys()]
    .filter((index) => valueAt(all[index], ['id']) === id)
    .reverse()
    .map((index) => ({ path: [...parent, index] }));
};

/** Returns the edits that remove an entry. */
export const entryRemoval = (kind: EntryKind, file: JsonFile, name: string): JsonEdit[] =>
  kind.isList ? duplicatesOf(kind, file, name) : [{ path: [...kind.parent, name] }];

/** Returns the edits that add or change an entry of the file in which the form was filled. */
export const entryChange = (kind: EntryKind, change: EntryChange): JsonEdit[] => {
  const { oldName, name, choice, drafts, file } = change;
  const found = entryIn(kind, file, oldName);
  // pi skips an entry that isn't an object, so all of it is replaced.
  const isObject = isJsonObject(valueAt(file.value, found.path));
  const entry = oldName !== null && isObject ? found : NEW_ENTRY;
  const edits = editsOf(kind.fields, entry, drafts, choice);
  const all = kind.complete?.(edits, entry, change) ?? edits;
  if (oldName === null) return [addition(kind, file, name, objectOf(all))];
  return [
    ...(isObject ? all : [{ path: found.path, value: objectOf(all) }]),
    ...(name === oldName ? [] : renaming(kind, file, found.path, oldName, name)),
  ];
};

/** Returns a change's edits for a newer version of the file. Undefined if the entry is gone, or a list in it changed. */
export const entryChangeIn = (
  kind: EntryKind,
  change: EntryChange,
  newer: JsonFile,
): JsonEdit[] | undefined => {
  const { oldName, name, file } = change;
  if (oldName === null) return entryChange(kind, { ...change, file: newer });
  const path = placeOf(kind, newer.value, oldName);
  if (!path) return undefined;
  const before = entryIn(kind, file, oldName);
  const edits = entryChange(kind, { ...change, name: oldName }).map((edit) => ({
    ...edit,
    path: [...path, ...edit.path.slice(path.length)],
  }));
  const isSameList = edits.every(({ path: at }) => {
    const index = at.findIndex((step, depth) => depth >= path.length && typeof step === 'number');
    if (index < 0) return true;
    const list = at.slice(path.length, index);
    return (
      JSON.stringify(valueAt(before.value, list)) === JSON.stringify(valueAt(newer.value, at.slice(0, index)))
    );
  });
  if (!isSameList) return undefined;
  return name === oldName ? edits : [...edits, ...renaming(kind, newer, path, oldName, name)];
};
