/** Creates a check that texts contain every word of the query, ignoring case. An empty query matches all. */
export const matcher = (query: string): ((...texts: (string | undefined)[]) => boolean) => {
  // Split once, not for each of ten thousand entries.
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    if (words.length === 0) return true;
    const text = texts.join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  };
};

/** Like {@link matcher}, for a single check. */
export const matches = (query: string, ...texts: (string | undefined)[]): boolean => matcher(query)(...texts);
