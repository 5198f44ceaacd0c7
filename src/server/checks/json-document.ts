import { type AnyNode, type ObjectNode, parse } from '@humanwhocodes/momoa';
import type { TextRange } from './checked-text.ts';

/** The most characters of a JSON file that is parsed with positions. A real one has a few thousand. */
const MAX_CHARACTERS = 256 * 1024;

/** A JSON file with its positions. Without `root`, it can't be parsed. */
export interface JsonDocument {
  /** As JSON.parse reads it. Undefined if it can't be parsed. */
  readonly value: unknown;
  readonly root?: AnyNode | undefined;
  readonly error?: (TextRange & { readonly message: string }) | undefined;
}

interface SyntaxProblem {
  readonly message: string;
  readonly offset?: number;
}

/** Parses JSON. Never throws. A byte order mark is skipped, as pi does. */
export const parseJson = (text: string): JsonDocument => {
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  if (text.length > MAX_CHARACTERS) {
    const message = `It is longer than ${MAX_CHARACTERS / 1024} KiB, so dot-mi does not check it.`;
    return { value: undefined, error: { start: mark, end: mark, message } };
  }
  try {
    // Spaces keep the offsets.
    const body = mark ? ` ${text.slice(1)}` : text;
    const value: unknown = JSON.parse(body);
    return { value, root: parse(body, { ranges: true }).body };
  } catch (error) {
    const { message, offset = mark } = error as SyntaxProblem;
    // The parser's first sentence. It recurses, and runs out of stack some thousand levels deep.
    const [first = ''] = error instanceof RangeError ? ['It is nested too deeply.'] : message.split('\n');
    return { value: undefined, error: { start: offset, end: offset, message: first.slice(0, 200) } };
  }
};

/** The node at a path of keys and indexes, such as `['providers', 'local', 'models', 0]`. */
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

/** The last member of this name in an object, as in JSON.parse. */
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
