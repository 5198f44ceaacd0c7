/** A higher price must be in the wrong unit. The server has the same limit. */
const MOST_USD = 1e9;

/** Parses a typed price, with or without `$`. Null if it's invalid. */
export const readPrice = (text: string): number | null => {
  const digits = text.trim().replace(/^\$\s*/, '');
  if (!/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(digits)) return null;
  const price = Number(digits);
  return price <= MOST_USD ? price : null;
};
