/** How many words a backup may have (BIP-39). */
const LENGTHS: readonly number[] = [12, 15, 18, 21, 24];

/** A word that is not on the list, and where it stands, from 1 on. */
export interface UnknownWord {
  readonly position: number;
  readonly word: string;
}

/** What can be told of words before anyone is asked. */
export interface MnemonicCheck {
  readonly count: number;
  readonly hasLength: boolean;
  readonly unknown: readonly UnknownWord[];
}

/** The words of a text in their one form: numbers and punctuation, as of a list on paper, are left out. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[\s\d.,;:()]+/)
    .filter(Boolean);

/**
 * Checks words against the list of BIP-39. The last word is let be while it may still become one of the list: it is being typed.
 * Without a list nothing is unknown.
 */
export const checkMnemonic = (text: string, list: readonly string[]): MnemonicCheck => {
  const words = wordsOf(text);
  const known = new Set(list);
  const isTyping = /\p{L}$/u.test(text) && words.length < 24;
  const unknown = words.flatMap((word, index) => {
    if (list.length === 0 || known.has(word)) return [];
    const isBegun = isTyping && index === words.length - 1 && list.some((each) => each.startsWith(word));
    return isBegun ? [] : [{ position: index + 1, word }];
  });
  return { count: words.length, hasLength: LENGTHS.includes(words.length), unknown };
};
