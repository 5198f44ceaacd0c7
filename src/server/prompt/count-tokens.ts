import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { LRUCache } from 'lru-cache';

/** The tokenizer used for every prompt. */
export const TOKENIZER = 'o200k_base';

// The longest piece to count at once, because the tokenizer takes quadratic time for a long run of letters.
const MAX_PIECE = 1_000;

// No o200k_base token continues past a line ending, except into a slash, or after blanks into another line ending.
const PIECE_START = /(?<=\n)(?=[^\s/]|[ \t]+\S)/;

// Text that looks like a control token counts as text, as in a prompt.
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** The limit for text with cached counts, in UTF-16 code units. */
const KEPT = 8 * 1024 * 1024;

const countPiece = (piece: string): number => {
  let tokens = 0;
  for (let from = 0; from < piece.length; from += MAX_PIECE)
    tokens += countTokens(piece.slice(from, from + MAX_PIECE), AS_TEXT);
  return tokens;
};

/** Creates a function that counts model tokens in text. It counts each line only once. */
export const createTokenCounter = () => {
  const counted = new LRUCache<string, number>({
    maxSize: KEPT,
    sizeCalculation: (_, piece) => piece.length + 32,
  });
  return (text: string): number => {
    let tokens = 0;
    for (const piece of text.split(PIECE_START)) {
      const known = counted.get(piece) ?? countPiece(piece);
      counted.set(piece, known);
      tokens += known;
    }
    return tokens;
  };
};
