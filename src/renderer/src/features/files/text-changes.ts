import { unchangedLines } from './line-diff.ts';

/** A replaced range of text. Offsets refer to the text before any of the changes. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * Returns the changes that turn `before` into `after`, in order. They cover as few lines as possible, and only
 * the part of those lines that differs. Carets, marks and the scroll position in unchanged text stay in place.
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

/** Returns where each line starts, and where a line after the last one would start. */
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
 * Returns the range of the lines from `first` up to `end`. It includes the line ending before them, because the last
 * line has none after it. At the start of the text, it includes the line ending after them instead.
 */
const rangeOf = (starts: readonly number[], first: number, end: number, length: number): [number, number] =>
  first === 0 ? [0, Math.min(at(starts, end), length)] : [at(starts, first) - 1, at(starts, end) - 1];

const at = (starts: readonly number[], index: number): number => starts[index] ?? 0;

/** Returns the change between two pieces, without their common beginning and end. */
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
