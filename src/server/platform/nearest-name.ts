/** The longest word that {@link nearestName} compares. */
const MAX_COMPARED = 40;

/** Counts the letters to add, remove, change or swap to turn one word into another. */
export const letterDistance = (a: string, b: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, change, swap));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
};

/** Returns the candidate that a person most likely meant. Undefined if none is close, or if two are equally close. */
export const nearestName = (word: string, candidates: Iterable<string>): string | undefined => {
  if (word.length > MAX_COMPARED) return undefined;
  const lower = word.toLowerCase();
  const most = word.length < 5 ? 1 : 2;
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > most) continue;
    const found = letterDistance(lower, candidate.toLowerCase());
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    } else if (found === bestDistance) best = undefined;
  }
  return bestDistance <= most ? best : undefined;
};
