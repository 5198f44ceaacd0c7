/** Returns a function that checks whether texts contain every word in the query, ignoring case. Empty matches all. */
export const matcher = (query: string): ((...texts: (string | undefined)[]) => boolean) => {
  // Split the query once, not for each of ten thousand entries.
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    if (words.length === 0) return true;
    const text = texts.join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  };
};

/** Like {@link matcher}, for a single check. */
export const matches = (query: string, ...texts: (string | undefined)[]): boolean => matcher(query)(...texts);
