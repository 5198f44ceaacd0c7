import type { z } from 'zod';
import { type JsonDocument, memberOf, nodeAt, rangeOf, type TextRange } from './json-document.ts';
import { orList, quoted } from './words.ts';

/** What a schema refuses in a JSON file, with its place. */
interface JsonProblem extends TextRange {
  /** A sentence. */
  readonly message: string;
}

type Path = readonly (string | number)[];
type Issue = z.core.$ZodIssue;

/** The place of a value: of its key and value in an object. Of a missing one: its object. */
const placeOf = ({ root }: JsonDocument, path: Path): TextRange => {
  const parent = nodeAt(root, path.slice(0, -1));
  const last = path.at(-1);
  const node = typeof last === 'string' ? memberOf(parent, last) : nodeAt(root, path);
  const found = node ?? parent ?? root;
  return found ? rangeOf(found) : { start: 0, end: 0 };
};

/** The name of a value in a sentence, such as `"models[0].cost"`. */
export const nameOf = (path: Path): string => {
  const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return path.length === 0 ? 'The file' : quoted(name.replace(/^\./, ''));
};

/** How a sentence names a type of JSON. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  string: ['a text in quotes'],
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

/** What a schema accepts instead of a value of the wrong kind. */
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

/** Completes the sentence that begins with the name of the key. It never repeats the value, which can be a secret. */
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

/** The issues, and of a choice whose form fits what is wrong inside it. */
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

/** What a schema refuses in a JSON file, by its path. */
export interface RefusedValue {
  readonly path: readonly (string | number)[];
  /** Completes the sentence that begins with the name of the key. It never repeats the value, which can be a secret. */
  readonly is: string;
}

/** Everything that a schema refuses in a JSON file. */
export function* refusedValues(
  { root, value }: Pick<JsonDocument, 'root' | 'value'>,
  schema: z.ZodType,
): Generator<RefusedValue> {
  if (!root) return;
  const { error } = schema.safeParse(value);
  for (const { path, issue } of flattened(error?.issues ?? []))
    yield { path, is: nodeAt(root, path) ? messageOf(issue) : 'is missing' };
}

/** Everything that a schema refuses in a JSON file, as sentences with their places. */
export function* jsonProblems(document: JsonDocument, schema: z.ZodType): Generator<JsonProblem> {
  let last: string | undefined;
  for (const { path, is } of refusedValues(document, schema)) {
    const message = `${nameOf(path)} ${is}.`;
    // The largest whole number is a limit of the type and of the schema.
    if (message !== last) yield { ...placeOf(document, path), message };
    last = message;
  }
}
