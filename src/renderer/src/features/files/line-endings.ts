import { unchangedLines } from './line-diff.ts';

/** How a file ends its lines. `mixed`: in several ways. `none`: it has one line. */
type LineEndings = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** The parts of a file's text that an editor hides and must not lose. */
export interface TextFormat {
  readonly lineEndings: LineEndings;
  readonly bom: boolean;
}

const BOM = '\uFEFF';
const ANY_ENDING = /\r\n|\n|\r/g;
const NAMES: Readonly<Record<string, LineEndings>> = { '\n': 'lf', '\r\n': 'crlf', '\r': 'cr' };

/** Returns the format of a file's text. */
export const formatOf = (content: string): TextFormat => {
  const [first, ...others] = new Set(content.match(ANY_ENDING));
  const lineEndings = others.length > 0 ? 'mixed' : (NAMES[first ?? ''] ?? 'none');
  return { lineEndings, bom: content.startsWith(BOM) };
};

/**
 * Converts a file's text for an editor. Every line ending becomes LF, as in CodeMirror. Drops a byte order mark,
 * because it would be an invisible first character.
 */
export const toEditorText = (content: string): string => {
  const text = withoutBom(content);
  // Most files need no change, which saves copying up to 2 MiB.
  return text.includes('\r') ? text.replace(ANY_ENDING, '\n') : text;
};

/**
 * The inverse of {@link toEditorText} for edited text. Restores the byte order mark and line endings of `original`,
 * the file that the text is based on. With mixed line endings, an unedited line keeps its own, and a new line copies
 * the line above. Unedited text results in exactly `original`.
 */
export const toFileContent = (text: string, original: string): string => {
  const lines = text.split(ANY_ENDING);
  const endings = endingsFor(lines, original);
  const body = lines.map((line, index) => line + (endings[index] ?? '')).join('');
  return original.startsWith(BOM) ? BOM + body : body;
};

const withoutBom = (content: string): string => (content.startsWith(BOM) ? content.slice(1) : content);

/** Returns the line ending of each line except the last, which has none. */
const endingsFor = (lines: readonly string[], original: string): string[] => {
  const count = lines.length - 1;
  const before = withoutBom(original);
  const oldEndings: readonly string[] = before.match(ANY_ENDING) ?? [];
  const [only = '\n', ...others] = new Set(oldEndings);
  if (others.length === 0) return new Array<string>(count).fill(only);

  const endings = new Array<string | undefined>(count).fill(undefined);
  const oldLines = before.split(ANY_ENDING).slice(0, -1);
  for (const [oldIndex, newIndex] of unchangedLines(oldLines, lines.slice(0, -1))) {
    endings[newIndex] = oldEndings[oldIndex];
  }
  let above = mostFrequent(oldEndings);
  return endings.map((ending) => {
    above = ending ?? above;
    return above;
  });
};

const mostFrequent = (items: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  const [winner = '\n'] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  return winner;
};
