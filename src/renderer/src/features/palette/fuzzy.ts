/** How well a query fits a text, or null when it does not. Higher is better; letters must come in their order. */
export const fuzzyScore = (query: string, text: string): number | null => {
  if (query === '') return 0;
  const lower = text.toLowerCase();
  const at = lower.indexOf(query);
  // Whole: best at the beginning, then at the beginning of a word, and the shorter text first.
  if (at >= 0)
    return 1000 - (at === 0 ? 0 : isWordStart(lower, at) ? 50 : 100) - Math.min(lower.length, 99) / 10;
  let score = 0;
  let from = 0;
  let before = -2;
  for (const letter of query) {
    const found = lower.indexOf(letter, from);
    if (found < 0) return null;
    score += found === before + 1 ? 5 : isWordStart(lower, found) ? 4 : 1;
    score -= Math.min(found - from, 10) / 10;
    before = found;
    from = found + 1;
  }
  return score;
};

const isWordStart = (text: string, at: number): boolean => at === 0 || /[^a-z0-9]/.test(text[at - 1] ?? '');

/** The words of a query, each of which has to fit. */
export const queryWords = (query: string): readonly string[] =>
  query
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);

interface Ranked<T> {
  readonly item: T;
  readonly score: number;
}

/**
 * The best `limit` items for a query, best first; equals keep their order. Each word of the query must fit one of an
 * item's texts, all in one pass, so that 10,000 items take a few milliseconds.
 */
export const rank = <T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
  limit: number,
): readonly T[] => {
  const words = queryWords(query);
  if (words.length === 0) return items.slice(0, limit);
  const found: Ranked<T>[] = [];
  for (const item of items) {
    const text = textOf(item);
    let total: number | null = 0;
    for (const word of words) {
      const score = fuzzyScore(word, text);
      if (score === null) {
        total = null;
        break;
      }
      total += score;
    }
    if (total !== null) found.push({ item, score: total });
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ item }) => item);
};
