// Each step of the search keeps a row as long as the steps before it, so 2000 changed lines cost 16 MB for a moment.
const MAX_CHANGED_LINES = 2000;

/**
 * Pairs of indexes of the lines two texts have in common, in order (E. Myers, "An O(ND) Difference Algorithm", 1986).
 * After {@link MAX_CHANGED_LINES} changes only the common beginning and end are paired.
 */
export const unchangedLines = (a: readonly string[], b: readonly string[]): [number, number][] => {
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
