/** A part of a Markdown line. `start` counts from the start of the line. */
interface LinePart {
  readonly text: string;
  readonly start: number;
  readonly isCode: boolean;
}

const FENCE = /^ {0,3}(```+|~~~+)/;

/** Splits a line at its code between backticks. A backtick without its partner is a plain character. */
const splitAtBackticks = (text: string): LinePart[] => {
  const parts: LinePart[] = [];
  let plain = 0;
  for (let open = text.indexOf('`'); open >= 0; ) {
    const close = text.indexOf('`', open + 1);
    if (close < 0) break;
    if (open > plain) parts.push({ text: text.slice(plain, open), start: plain, isCode: false });
    parts.push({ text: text.slice(open + 1, close), start: open + 1, isCode: true });
    plain = close + 1;
    open = text.indexOf('`', plain);
  }
  if (plain < text.length) parts.push({ text: text.slice(plain), start: plain, isCode: false });
  return parts;
};

/** Creates a reader that is given the lines of a Markdown text in order, and says what of them is code. */
export const createCodeReader = () => {
  let fence: string | undefined;
  return (line: string): LinePart[] => {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return [{ text: line, start: 0, isCode: true }];
    }
    if (mark !== undefined) {
      fence = mark;
      return [{ text: line, start: 0, isCode: true }];
    }
    return splitAtBackticks(line);
  };
};
