import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** How much text there is. */
export interface TextCounts {
  readonly words: number;
  /** As the tokenizer o200k_base counts. */
  readonly tokens: number;
}

// A tokenizer's time grows with the square of a run of letters without an end.
const MAX_PIECE = 1000;

// No token of o200k_base goes from a line end to what follows it, unless that is white space or a slash.
const PIECE_START = /(?<=\n)(?=[^\s/])/;

// What looks like a token of control is text here, as it is in a prompt.
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** Counts texts that have much in common, as a text has with itself one key later: only lines it has not seen are counted. */
export const createCounter = () => {
  let counted = new Map<string, number>();

  /** Counts a text, or gives up (null) as soon as `isStale` says, which it is asked every few milliseconds. */
  return async (text: string, isStale: () => Promise<boolean>): Promise<TextCounts | null> => {
    const seen = new Map<string, number>();
    let tokens = 0;
    let sinceAsked = 0;
    for (const piece of text.split(PIECE_START)) {
      const known = seen.get(piece) ?? counted.get(piece);
      const count = known ?? countPiece(piece);
      seen.set(piece, count);
      tokens += count;
      if (known === undefined) sinceAsked += piece.length;
      if (sinceAsked < ASK_AFTER_CHARACTERS) continue;
      sinceAsked = 0;
      if (await isStale()) {
        for (const [line, length] of seen) counted.set(line, length);
        return null;
      }
    }
    counted = seen;
    return { words: countWords(text), tokens };
  };
};

const ASK_AFTER_CHARACTERS = 20_000;

const countPiece = (piece: string): number => {
  let tokens = 0;
  for (let from = 0; from < piece.length; from += MAX_PIECE) {
    tokens += countTokens(piece.slice(from, from + MAX_PIECE), AS_TEXT);
  }
  return tokens;
};

/** The runs of characters between white space that have a letter or a digit: `-` and `#` are no words. */
const countWords = (text: string): number => {
  let words = 0;
  for (const _ of text.matchAll(/[^\s\p{L}\p{N}]*[\p{L}\p{N}]\S*/gu)) words++;
  return words;
};
