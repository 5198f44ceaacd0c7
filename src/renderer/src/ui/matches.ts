/** Whether every word of the query is somewhere in the texts, whatever the case. An empty query matches all. */
export const matches = (query: string, ...texts: (string | undefined)[]): boolean => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = texts.join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
};
