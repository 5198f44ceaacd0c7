/** How many words a backup can have (BIP-39). */
const LENGTHS: readonly number[] = [12, 15, 18, 21, 24];

/** A word that isn't on the list, and its position, from 1. */
interface UnknownWord {
  readonly position: number;
  readonly word: string;
}

/** The result of checking words without the server. */
export interface MnemonicCheck {
  readonly count: number;
  readonly hasLength: boolean;
  readonly unknown: readonly UnknownWord[];
}

/** Returns the normalized words in typed text, without the numbers and punctuation of a list on paper. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[\s\d.,;:()]+/)
    .filter(Boolean);

/**
 * Checks words against the BIP-39 list. The last word, while it's being typed, can be the beginning of a word on the
 * list. Without a list, no word is unknown.
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

/** How many words the wallet asks for before it counts as backed up. */
const ASKED_WORDS = 3;

/** Picks the positions of words to ask for, counted from 1, in ascending order. `random` returns a number below 1. */
export const pickPositions = (count: number, random: () => number): readonly number[] => {
  const rest = Array.from({ length: count }, (_, index) => index + 1);
  const picked = Array.from({ length: Math.min(ASKED_WORDS, count) }, () =>
    rest.splice(Math.floor(random() * rest.length), 1),
  );
  return picked.flat().sort((a, b) => a - b);
};
