/** How a file ends its lines. `mixed`: in more than one way. `none`: it has one line. */
export type LineEndings = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** What the text of a file does not show in an editor, and must not lose there. */
export interface TextFormat {
  readonly lineEndings: LineEndings;
  readonly bom: boolean;
}

const BOM = '\uFEFF';
const ANY_ENDING = /\r\n|\n|\r/g;
const NAMES: Readonly<Record<string, LineEndings>> = { '\n': 'lf', '\r\n': 'crlf', '\r': 'cr' };

/** The format of a file's text. */
export const formatOf = (content: string): TextFormat => {
  const [first, ...others] = new Set(content.match(ANY_ENDING));
  const lineEndings = others.length > 0 ? 'mixed' : (NAMES[first ?? ''] ?? 'none');
  return { lineEndings, bom: content.startsWith(BOM) };
};

/**
 * The text as an editor holds it: every line end is LF, because a `<textarea>` makes it so anyway, and a byte order
 * mark is left out, because it would be an invisible character before the first.
 */
export const toEditorText = (content: string): string => withoutBom(content).replace(ANY_ENDING, '\n');

/**
 * The inverse of {@link toEditorText} for text that was edited since: `original` is the file the text was made from.
 * The byte order mark and the kind of line ends come back; in a file of mixed ends each line that was not edited
 * keeps its own, and a new line ends as the one above it. Unedited text gives `original` exactly.
 */
export const toFileContent = (text: string, original: string): string => {
  const lines = text.split(ANY_ENDING);
  const endings = endingsFor(lines, original);
  const body = lines.map((line, index) => line + (endings[index] ?? '')).join('');
  return original.startsWith(BOM) ? BOM + body : body;
};

const withoutBom = (content: string): string => (content.startsWith(BOM) ? content.slice(1) : content);

/** The end of each line but the last, which has none. */
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

// Each step of the search keeps a row as long as the steps before it, so 2000 changed lines cost 16 MB for a moment.
const MAX_CHANGED_LINES = 2000;

/**
 * Pairs of indexes of the lines two texts have in common, in order (E. Myers, "An O(ND) Difference Algorithm", 1986).
 * After {@link MAX_CHANGED_LINES} changes only the common beginning and end are paired.
 */
const unchangedLines = (a: readonly string[], b: readonly string[]): [number, number][] => {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let tail = 0;
  const room = Math.min(a.length, b.length) - start;
  while (tail < room && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;

  const pairs: [number, number][] = [];
  for (let i = 0; i < start; i++) pairs.push([i, i]);
  for (const [i, j] of shortestEdit(a.slice(start, a.length - tail), b.slice(start, b.length - tail))) {
    pairs.push([i + start, j + start]);
  }
  for (let i = tail; i > 0; i--) pairs.push([a.length - i, b.length - i]);
  return pairs;
};

const shortestEdit = (a: readonly string[], b: readonly string[]): [number, number][] => {
  const limit = Math.min(a.length + b.length, MAX_CHANGED_LINES);
  const history: Int32Array[] = [];
  // reach[k + offset]: how far down `a` the furthest path on diagonal k (x - y) has come.
  const offset = limit + 1;
  const reach = new Int32Array(2 * limit + 3);
  for (let d = 0; d <= limit; d++) {
    history.push(reach.slice(offset - d - 1, offset + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(reach, offset + k - 1) < at(reach, offset + k + 1));
      let x = down ? at(reach, offset + k + 1) : at(reach, offset + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[offset + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(history, a.length, b.length);
    }
  }
  return [];
};

const walkBack = (history: readonly Int32Array[], endX: number, endY: number): [number, number][] => {
  const pairs: [number, number][] = [];
  let x = endX;
  let y = endY;
  for (let d = history.length - 1; d >= 0; d--) {
    const reach = history[d] ?? new Int32Array();
    const center = d + 1;
    const k = x - y;
    const down = k === -d || (k !== d && at(reach, center + k - 1) < at(reach, center + k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(reach, center + fromK);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    x = fromX;
    y = fromY;
  }
  return pairs.reverse();
};

const at = (row: Int32Array, index: number): number => row[index] ?? 0;
