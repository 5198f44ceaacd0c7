/** A line of text. Offsets count UTF-16 code units from the start of the text. */
export interface TextLine {
  /** Counted from 1. */
  readonly number: number;
  /** Excludes the line ending, and the first line's byte order mark. */
  readonly text: string;
  readonly start: number;
  /** The end of `text`, before the line ending. */
  readonly end: number;
}

export type { TextRange } from './json-document.ts';

/** Some text with its lines. */
export interface CheckedText {
  readonly text: string;
  readonly lines: readonly TextLine[];
  /** The first line's line ending, or `\n` if there's only one line. */
  readonly lineEnd: '\n' | '\r\n';
}

/** Splits text into lines that end with LF or CRLF. */
export const toCheckedText = (text: string): CheckedText => {
  const lines: TextLine[] = [];
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let number = 1; ; number++) {
    const at = text.indexOf('\n', start);
    const stop = at < 0 ? text.length : at;
    const end = at > start && text[at - 1] === '\r' ? at - 1 : stop;
    lines.push({ number, text: text.slice(start, end), start, end });
    if (at < 0) break;
    start = at + 1;
  }
  const [first] = lines;
  return { text, lines, lineEnd: first && text.startsWith('\r\n', first.end) ? '\r\n' : '\n' };
};

/** Returns the line that contains an offset. */
export const lineAt = ({ lines }: CheckedText, offset: number): TextLine => {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return lines[low] as TextLine;
};
