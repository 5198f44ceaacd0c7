import fuzzysort from 'fuzzysort';

/** The words of a query. Each must match. */
export const queryWords = (query: string): readonly string[] => query.split(/[\s/]+/).filter(Boolean);

/** The best `limit` items for a query, best first. Without a query, the first ones in their order. */
export const rank = <T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
  limit: number,
): readonly T[] => {
  const words = queryWords(query);
  if (words.length === 0) return items.slice(0, limit);
  return fuzzysort.go(words.join(' '), items, { key: textOf, limit, threshold: 0 }).map(({ obj }) => obj);
};
