import type { z } from 'zod';
import { type JsonDocument, memberOf, nodeAt, rangeOf, type TextRange } from '../../shared/json-document.ts';
import { orList, quoted } from './words.ts';

/** A value that a schema refuses in a JSON file, with its position. */
interface JsonProblem extends TextRange {
  /** A sentence about the value. */
  readonly message: string;
}

type Path = readonly (string | number)[];
type Issue = z.core.$ZodIssue;

/** Returns a value's range, which includes its key in an object. For a missing value, returns its object's range. */
const placeOf = ({ root }: JsonDocument, path: Path): TextRange => {
  const parent = nodeAt(root, path.slice(0, -1));
  const last = path.at(-1);
  const node = typeof last === 'string' ? memberOf(parent, last) : nodeAt(root, path);
  const found = node ?? parent ?? root;
  return found ? rangeOf(found) : { start: 0, end: 0 };
};

/** Returns a value's name for a sentence, such as `"models[0].cost"`. */
export const nameOf = (path: Path): string => {
  const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return path.length === 0 ? 'The file' : quoted(name.replace(/^\./, ''));
};

/** What JSON types are called in sentences. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  string: ['text in quotes'],
  number: ['a number'],
  int: ['a whole number'],
  boolean: ['true', 'false'],
  array: ['a list, such as [ … ]'],
  object: ['an object, such as { "name": "value" }'],
  record: ['an object, such as { "name": "value" }'],
  null: ['null'],
};

const isOfWrongKind = ({ code, path }: Issue): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union');

/** Returns what a schema accepts in place of a value of the wrong type. */
const acceptedBy = (issue: Issue): readonly string[] => {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? [];
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value));
    case 'invalid_union':
      return issue.errors.flat().flatMap(acceptedBy);
    default:
      return [];
  }
};

/** Returns the end of a sentence that starts with the key's name. It never repeats the value, which can be a secret. */
const messageOf = (issue: Issue): string => {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array') return 'can’t be empty';
      if (!issue.inclusive) return `must be more than ${issue.minimum}`;
      return issue.minimum === 0 ? 'can’t be negative' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'array'
        ? `can have at most ${issue.maximum} entries`
        : `must be at most ${issue.maximum}`;
    default: {
      const accepted = acceptedBy(issue);
      return accepted.length > 0 ? `must be ${orList([...new Set(accepted)])}` : 'has a wrong value';
    }
  }
};

/** Yields the issues. For a union, yields those of the option that matches best. */
function* flattened(issues: readonly Issue[], before: Path = []): Generator<{ path: Path; issue: Issue }> {
  for (const issue of issues) {
    const path = [...before, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
    const fitting =
      issue.code === 'invalid_union'
        ? issue.errors.find((inOption) => !inOption.some(isOfWrongKind))
        : undefined;
    if (fitting) yield* flattened(fitting, path);
    else yield { path, issue };
  }
}

/** A value that a schema refuses in a JSON file, by its path. */
interface RefusedValue {
  readonly path: readonly (string | number)[];
  /** The end of a sentence that starts with the key's name. It never repeats the value, which can be a secret. */
  readonly is: string;
}

/** zod collects the issues of every item, and runs out of stack if there are many. So a larger value gets only its first one. */
const MOST_VALUES_WITH_ALL_ISSUES = 10_000;

/** Returns whether a value has so many values in it that zod must stop at the first issue. */
export const hasManyValues = (value: unknown): boolean => {
  const left = [value];
  for (let seen = 0; left.length > 0; seen++) {
    if (seen + left.length > MOST_VALUES_WITH_ALL_ISSUES) return true;
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const item of Object.values(next)) {
      left.push(item);
      if (left.length > MOST_VALUES_WITH_ALL_ISSUES) return true;
    }
  }
  return false;
};

/** Yields everything that a schema refuses in a JSON file, or only the first such value of a very large one. */
export function* refusedValues(
  { root, value }: Pick<JsonDocument, 'root' | 'value'>,
  schema: z.ZodType,
): Generator<RefusedValue> {
  if (!root) return;
  // zod knows this option, but doesn't declare it.
  const context: object = { abortEarly: hasManyValues(value) };
  const { error } = schema.safeParse(value, context);
  for (const { path, issue } of flattened(error?.issues ?? []))
    yield { path, is: nodeAt(root, path) ? messageOf(issue) : 'is missing' };
}

/** Yields everything that a schema refuses in a JSON file, as sentences with positions. */
export function* jsonProblems(document: JsonDocument, schema: z.ZodType): Generator<JsonProblem> {
  let last: string | undefined;
  for (const { path, is } of refusedValues(document, schema)) {
    const message = `${nameOf(path)} ${is}.`;
    // The type and the schema both limit an integer, so both can report the same problem.
    if (message !== last) yield { ...placeOf(document, path), message };
    last = message;
  }
}
