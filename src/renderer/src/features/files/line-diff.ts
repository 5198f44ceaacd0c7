import { diffArrays } from 'diff';

// Time and memory grow with the square of the changes, so the search stops after this many changed lines.
const MAX_CHANGED_LINES = 1000;

/**
 * Returns index pairs of the lines that two texts share, in order. With more than {@link MAX_CHANGED_LINES} changes,
 * pairs only the common beginning and end.
 */
export const unchangedLines = (a: readonly string[], b: readonly string[]): [number, number][] => {
  const changes = diffArrays([...a], [...b], { maxEditLength: MAX_CHANGED_LINES });
  if (!changes) return commonEnds(a, b);
  const pairs: [number, number][] = [];
  let inA = 0;
  let inB = 0;
  for (const { added, removed, count } of changes) {
    if (!added && !removed) for (let i = 0; i < count; i++) pairs.push([inA + i, inB + i]);
    if (!added) inA += count;
    if (!removed) inB += count;
  }
  return pairs;
};

const commonEnds = (a: readonly string[], b: readonly string[]): [number, number][] => {
  const room = Math.min(a.length, b.length);
  let start = 0;
  while (start < room && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < room - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const pairs: [number, number][] = [];
  for (let i = 0; i < start; i++) pairs.push([i, i]);
  for (let i = tail; i > 0; i--) pairs.push([a.length - i, b.length - i]);
  return pairs;
};
