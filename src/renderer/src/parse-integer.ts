// In many countries a comma starts the decimals, so 1,5 must not become 15. Grouped numbers never start with 0.
const GROUPED = /^[1-9]\d{0,2}([\s,_’'])\d{3}(?:\1\d{3})*$/;

/**
 * Parses a whole number as typed: only digits, or groups of three with the same separator between all of them
 * (`1,500`, `1 500`, `1_500`, `1’500`). Null if it isn't one, or exceeds 2^53 - 1, the largest exact integer.
 */
export const parseInteger = (text: string): number | null => {
  const typed = text.trim();
  if (!/^\d+$/.test(typed) && !GROUPED.test(typed)) return null;
  const number = Number(typed.replaceAll(/\D/g, ''));
  return Number.isSafeInteger(number) ? number : null;
};
