import type { z } from 'zod';
import { quoted } from '../platform/words.ts';
import type { TextRange } from './checked-text.ts';
import { type JsonDocument, memberOf, nodeAt, rangeOf } from './json-document.ts';

/** What a schema refuses in a JSON file, with its place. */
export interface JsonProblem extends TextRange {
  /** A sentence. */
  readonly message: string;
}

type Path = readonly (string | number)[];

/** The place of a value: of its key and value in an object. Of a missing one: its object. */
const placeOf = ({ root }: JsonDocument, path: Path): TextRange => {
  const parent = nodeAt(root, path.slice(0, -1));
  const last = path.at(-1);
  const node = typeof last === 'string' ? memberOf(parent, last) : nodeAt(root, path);
  const found = node ?? parent ?? root;
  return found ? rangeOf(found) : { start: 0, end: 0 };
};

const nameOf = (path: Path): string => {
  const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return path.length === 0 ? 'The file' : quoted(name.replace(/^\./, ''));
};

/** Everything that a schema refuses in a JSON file. */
export function* jsonProblems(document: JsonDocument, schema: z.ZodType): Generator<JsonProblem> {
  if (!document.root) return;
  const { error } = schema.safeParse(document.value);
  for (const { path, message } of error?.issues ?? []) {
    const steps = path.map((step) => (typeof step === 'number' ? step : String(step)));
    yield { ...placeOf(document, steps), message: `${nameOf(steps)} ${message}.` };
  }
}
