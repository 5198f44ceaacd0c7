import { unchangedLines } from './line-diff.ts';

/** A replaced range of a text, with offsets in the text as it was before any of its changes. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * The changes that make `after` of `before`, in order: as few lines as possible, and of those no more than differs,
 * so that a caret, a scroll position or a mark in what stayed the same stays where it was.
 */
export const changesBetween = (before: string, after: string): readonly TextChange[] => {
  if (before === after) return [];
  const oldLines = before.split('\n');
  const newLines = after.split('\n');
  const oldStarts = startsOf(oldLines);
  const newStarts = startsOf(newLines);
  const changes: TextChange[] = [];
  let oldAt = 0;
  let newAt = 0;
  for (const [oldIndex, newIndex] of [
    ...unchangedLines(oldLines, newLines),
    [oldLines.length, newLines.length] as const,
  ]) {
    if (oldIndex > oldAt || newIndex > newAt) {
      const [from, to] = rangeOf(oldStarts, oldAt, oldIndex, before.length);
      const [newFrom, newTo] = rangeOf(newStarts, newAt, newIndex, after.length);
      changes.push(trimmed(before.slice(from, to), after.slice(newFrom, newTo), from));
    }
    oldAt = oldIndex + 1;
    newAt = newIndex + 1;
  }
  return changes.filter(({ from, to, insert }) => to > from || insert !== '');
};

/** Where each line starts, and where one after the last would. */
const startsOf = (lines: readonly string[]): readonly number[] => {
  const starts = [0];
  let next = 0;
  for (const line of lines) {
    next += line.length + 1;
    starts.push(next);
  }
  return starts;
};

/**
 * The range of the lines from one index to before another. It takes the line end before them along, since the last line
 * has none after it; at the very beginning there is only the one after.
 */
const rangeOf = (starts: readonly number[], first: number, end: number, length: number): [number, number] =>
  first === 0 ? [0, Math.min(at(starts, end), length)] : [at(starts, first) - 1, at(starts, end) - 1];

const at = (starts: readonly number[], index: number): number => starts[index] ?? 0;

/** The change from one piece to another without what they begin and end with alike. */
const trimmed = (before: string, after: string, from: number): TextChange => {
  const room = Math.min(before.length, after.length);
  let start = 0;
  while (start < room && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < room - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  return {
    from: from + start,
    to: from + before.length - tail,
    insert: after.slice(start, after.length - tail),
  };
};
