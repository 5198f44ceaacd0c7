import { type AnyNode, type ObjectNode, parse, type ValueNode } from '@humanwhocodes/momoa';

/** A JSON value, with its position in the text. */
export type JsonNode = ValueNode;

/** A range in a file's text, in UTF-16 code units from the start. `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The length limit for JSON files parsed with positions. A real one has a few thousand characters. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * A JSON file with positions. If `root` is missing, the file can't be parsed. If `error` is missing too, it's too long
 * or nested too deeply.
 */
export interface JsonDocument {
  /** The value as JSON.parse returns it. Undefined if the file can't be parsed. */
  readonly value: unknown;
  readonly root?: JsonNode | undefined;
  /** The position where the text stops being valid JSON. */
  readonly error?: TextRange | undefined;
}

const JSON_TOKEN = /"(?:[^"\\]|\\[\s\S])*"?|\/\/[^\n]*|[^\s"]/g;

/** Returns the ranges of the `//` comments, without their line endings. */
export const commentsIn = (text: string): TextRange[] =>
  Array.from(text.matchAll(JSON_TOKEN))
    .filter(([token]) => token.startsWith('//'))
    .map(({ 0: token, index }) => ({ start: index, end: index + token.trimEnd().length }));

/** Replaces `//` comments and trailing commas with spaces. All offsets stay the same. */
export const withoutComments = (text: string): string => {
  const blanks: TextRange[] = [];
  let comma: TextRange | undefined;
  for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
    const range = { start: index, end: index + token.length };
    if (token.startsWith('//')) {
      blanks.push(range);
      continue;
    }
    if (comma && (token === '}' || token === ']')) blanks.push(comma);
    comma = token === ',' ? range : undefined;
  }
  blanks.sort((a, b) => a.start - b.start);
  let result = '';
  let end = 0;
  for (const blank of blanks) {
    result += text.slice(end, blank.start) + ' '.repeat(blank.end - blank.start);
    end = blank.end;
  }
  return result + text.slice(end);
};

/**
 * Parses JSON. Never throws. Skips a byte order mark, as pi does. With `comments`, it allows `//` comments and
 * trailing commas, as pi does in models.json.
 */
export const parseJson = (text: string, { comments = false } = {}): JsonDocument => {
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  if (text.length > MAX_CHARACTERS) return { value: undefined };
  try {
    // A space instead of the mark keeps all offsets the same.
    const plain = mark ? ` ${text.slice(1)}` : text;
    const body = comments ? withoutComments(plain) : plain;
    // Run this parser first, because its errors have a position.
    const root = parse(body, { ranges: true }).body;
    return { value: JSON.parse(body), root };
  } catch (error) {
    // The recursive parser runs out of stack at a few thousand levels. JSON.parse wouldn't.
    if (error instanceof RangeError) return { value: undefined };
    const { offset = mark } = error as { readonly offset?: number };
    return { value: undefined, error: { start: offset, end: offset } };
  }
};

/** Returns the node at a path of keys and indexes, such as `['providers', 'local', 'models', 0]`. */
export const nodeAt = (
  node: AnyNode | undefined,
  path: readonly (string | number)[],
): AnyNode | undefined => {
  let found = node;
  for (const step of path) {
    if (typeof step === 'number') {
      found = found?.type === 'Array' ? found.elements[step]?.value : undefined;
    } else found = memberOf(found, step)?.value;
    if (!found) return undefined;
  }
  return found;
};

/** Returns an object's last member with this name, as JSON.parse does. */
export const memberOf = (
  node: AnyNode | undefined,
  name: string,
): ObjectNode['members'][number] | undefined =>
  node?.type === 'Object'
    ? node.members.findLast((member) =>
        member.name.type === 'String' ? member.name.value === name : member.name.name === name,
      )
    : undefined;

/** The range of a node. */
export const rangeOf = (node: AnyNode): TextRange => ({
  start: node.loc.start.offset,
  end: node.loc.end.offset,
});
