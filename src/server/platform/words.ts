/** The longest quote from a file in a message, in characters. */
const MAX_SHOWN = 60;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Quotes part of a file for a message: on one line, shortened, without invisible characters. */
export const quoted = (text: string): string => {
  const shown = text.slice(0, MAX_SHOWN).replace(UNSEEN, ' ').toWellFormed();
  return `"${shown}${text.length > MAX_SHOWN ? '…' : ''}"`;
};

/** Joins words: "a", "a and b" or "a, b and c". */
export const listed = (words: readonly string[], last: 'and' | 'or' = 'and'): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** Joins words: "a", "a or b" or "a, b or c". */
export const orList = (words: readonly string[]): string => listed(words, 'or');

/** Returns a number with its noun, such as "1 skill" or "2 skills". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
