import { unchangedLines } from './line-diff.ts';

/** Text merged from two edited versions of one base. */
interface MergedText {
  /** Contains both versions' changes, and mine where they overlap. */
  readonly text: string;
  /** The number of parts that both changed differently. Changes to adjacent lines count as one part. */
  readonly overlaps: number;
}

/** Lines of the base from `from` up to `to` that another version replaced. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Merges two edited versions of `base` line by line, as version control does. All three have LF line endings. */
export const mergeTexts = (base: string, mine: string, theirs: string): MergedText => {
  if (mine === theirs || theirs === base) return { text: mine, overlaps: 0 };
  if (mine === base) return { text: theirs, overlaps: 0 };
  const lines = base.split('\n');
  const myHunks = hunksOf(lines, mine.split('\n'));
  const theirHunks = hunksOf(lines, theirs.split('\n'));
  const merged: string[] = [];
  let overlaps = 0;
  let at = 0;
  let m = 0;
  let t = 0;
  while (m < myHunks.length || t < theirHunks.length) {
    const from = Math.min(startOf(myHunks[m]), startOf(theirHunks[t]));
    let to = from;
    const [firstMine, firstTheirs] = [m, t];
    for (let grows = true; grows; ) {
      grows = false;
      for (; startOf(myHunks[m]) <= to; m++, grows = true) to = Math.max(to, myHunks[m]?.to ?? 0);
      for (; startOf(theirHunks[t]) <= to; t++, grows = true) to = Math.max(to, theirHunks[t]?.to ?? 0);
    }
    const ours = applied(lines, myHunks.slice(firstMine, m), from, to);
    const others = applied(lines, theirHunks.slice(firstTheirs, t), from, to);
    const both = m > firstMine && t > firstTheirs;
    if (both && !isEqual(ours, others)) overlaps++;
    append(merged, lines.slice(at, from));
    append(merged, m > firstMine ? ours : others);
    at = to;
  }
  append(merged, lines.slice(at));
  return { text: merged.join('\n'), overlaps };
};

const startOf = (hunk: Hunk | undefined): number => hunk?.from ?? Number.POSITIVE_INFINITY;

const hunksOf = (base: readonly string[], edited: readonly string[]): Hunk[] => {
  const hunks: Hunk[] = [];
  let from = 0;
  let start = 0;
  const ends: [number, number][] = [[base.length, edited.length]];
  for (const [to, end] of unchangedLines(base, edited).concat(ends)) {
    if (to > from || end > start) hunks.push({ from, to, lines: edited.slice(start, end) });
    from = to + 1;
    start = end + 1;
  }
  return hunks;
};

/** Returns the lines of the base from `from` up to `to`, with the hunks in that range applied. */
const applied = (base: readonly string[], hunks: readonly Hunk[], from: number, to: number): string[] => {
  const result: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    append(result, base.slice(at, hunk.from));
    append(result, hunk.lines);
    at = hunk.to;
  }
  append(result, base.slice(at, to));
  return result;
};

// Spreading a large array into `push` overflows the stack.
const append = (to: string[], lines: readonly string[]): void => {
  for (const line of lines) to.push(line);
};

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);
