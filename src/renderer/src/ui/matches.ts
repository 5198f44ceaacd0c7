/** Folds case and the two apostrophes, because nobody distinguishes them in a search. */
const folded = (text: string): string => text.toLowerCase().replaceAll('’', "'");

/**
 * Creates a matcher for strings that contain every query word, ignoring case and the kind of apostrophe. An empty query
 * matches all.
 */
export const matcher = (query: string): ((...texts: (string | undefined)[]) => boolean) => {
  // Split once, not for each of ten thousand entries.
  const words = folded(query).split(/\s+/).filter(Boolean);
  return (...texts) => {
    if (words.length === 0) return true;
    const text = folded(texts.join('\n'));
    return words.every((word) => text.includes(word));
  };
};

/** Like {@link matcher}, for a single check. */
export const matches = (query: string, ...texts: (string | undefined)[]): boolean => matcher(query)(...texts);
