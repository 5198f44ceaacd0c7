// In many a country a comma begins the decimals: 1,5 must not become 15. A group never begins a number with 0, either.
const GROUPED = /^[1-9]\d{0,2}([\s,_’'])\d{3}(?:\1\d{3})*$/;

/**
 * A whole number as it was typed: digits alone, or in groups of three with the same separator between all of them (`1,500`,
 * `1 500`, `1_500`, `1’500`). Null when it is none, or more than can be told exactly (2^53 - 1).
 */
export const parseInteger = (text: string): number | null => {
  const typed = text.trim();
  if (!/^\d+$/.test(typed) && !GROUPED.test(typed)) return null;
  const number = Number(typed.replaceAll(/\D/g, ''));
  return Number.isSafeInteger(number) ? number : null;
};
