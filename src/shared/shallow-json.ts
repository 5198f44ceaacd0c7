/** The deepest nesting that counts as JSON. pi nests the arguments of tool calls, but no tool needs this much. */
const MAX_DEPTH = 1_000;

const QUOTE = 34;
const BACKSLASH = 92;

/** Returns the offset of the quote that ends a string, or of the end of the text. `from` is after the opening quote. */
const endOfString = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
};

/** Returns whether JSON is nested deeper than {@link MAX_DEPTH}. Skips strings, which make up most of a session. */
export const isTooDeep = (text: string): boolean => {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    // `[` or `{`, and `]` or `}`.
    else if (code === 91 || code === 123) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
};

/** Thrown for JSON that is nested deeper than {@link MAX_DEPTH}. */
export class TooDeepError extends SyntaxError {}

/**
 * `JSON.parse` for untrusted text, such as a file in the root. Throws SyntaxError, even for valid JSON if it's nested
 * deeper than 1,000 levels.
 *
 * SECURITY: `JSON.parse` takes seconds and half a gigabyte for 5 million levels.
 */
export const parseShallowJson = (text: string): unknown => {
  if (isTooDeep(text)) throw new TooDeepError(`the JSON is nested deeper than ${MAX_DEPTH} levels`);
  return JSON.parse(text);
};
