import { parseInteger } from '../parse-integer.ts';

/** A higher price must be in the wrong unit. The server has the same limit. */
const MOST_USD = 1e9;

/** Parses a typed price, with or without `$`. Null if it's invalid. */
export const readPrice = (text: string): number | null => {
  const digits = text.trim().replace(/^\$\s*/, '');
  if (!/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(digits)) return null;
  const price = Number(digits);
  return price <= MOST_USD ? price : null;
};

const ZEROS = { '': '', k: 'e3', m: 'e6' } as const;

/** Parses a typed count of model tokens, such as 12,000, 12000, 12k or 1.5M. Null if it's invalid. */
export const parseTokenCount = (text: string): number | null => {
  const [, digits = '', unit = ''] = /^(.*?)\s*([km]?)$/i.exec(text.trim()) ?? [];
  const isFraction = unit !== '' && /^\d+\.\d+$/.test(digits);
  const number = isFraction ? digits : parseInteger(digits);
  // Append the zeros instead of multiplying, because 1.001 times 1000 is a little less than 1001.
  const count =
    number === null ? Number.NaN : Number(`${number}${ZEROS[unit.toLowerCase() as keyof typeof ZEROS]}`);
  return Number.isSafeInteger(count) ? count : null;
};
