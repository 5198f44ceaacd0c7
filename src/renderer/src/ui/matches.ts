/** Tells whether every word of the query is somewhere in some texts, whatever the case. An empty query matches all. */
export const matcher = (query: string): ((...texts: (string | undefined)[]) => boolean) => {
  // Once, not for each of ten thousand.
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    if (words.length === 0) return true;
    const text = texts.join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  };
};

/** As {@link matcher}, for one look. */
export const matches = (query: string, ...texts: (string | undefined)[]): boolean => matcher(query)(...texts);
