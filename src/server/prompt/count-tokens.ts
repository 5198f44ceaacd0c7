import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { LRUCache } from 'lru-cache';
import { createTurns, type Turn } from '../platform/thread.ts';

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

const countPiece = async (piece: string, turn: Turn): Promise<number> => {
  let tokens = 0;
  for (let from = 0; from < piece.length; from += MAX_PIECE) {
    tokens += countTokens(piece.slice(from, from + MAX_PIECE), AS_TEXT);
    await turn();
  }
  return tokens;
};

/** Counts model tokens in text. Pauses regularly, because a text of 2 MiB can take seconds. */
export type TokenCounter = (text: string) => Promise<number>;

/** Creates a {@link TokenCounter} that counts each line only once. */
export const createTokenCounter = (): TokenCounter => {
  const counted = new LRUCache<string, number>({
    maxSize: KEPT,
    sizeCalculation: (_, piece) => piece.length + 32,
  });
  const turn = createTurns();
  return async (text) => {
    let tokens = 0;
    for (const piece of text.split(PIECE_START)) {
      const known = counted.get(piece) ?? (await countPiece(piece, turn));
      counted.set(piece, known);
      tokens += known;
    }
    return tokens;
  };
};
