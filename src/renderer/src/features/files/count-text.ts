import { countPiece, piecesOf } from '../../../../shared/tokenizer.ts';

/** Text length in words and model tokens. */
export interface TextCounts {
  readonly words: number;
  /** Model tokens, as the tokenizer o200k_base counts them. */
  readonly tokens: number;
}

/** Creates a counter for successive versions of the same text. Each count processes only new lines. */
export const createCounter = () => {
  let counted = new Map<string, number>();

  /** Counts `text`. Returns null once `isStale` is true, which it checks every few milliseconds. */
  return async (text: string, isStale: () => Promise<boolean>): Promise<TextCounts | null> => {
    const seen = new Map<string, number>();
    let tokens = 0;
    let sinceAsked = 0;
    for (const piece of piecesOf(text)) {
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

/** Counts the whitespace-separated runs that contain a letter or digit, so `-` and `#` aren't words. */
const countWords = (text: string): number => {
  let words = 0;
  for (const _ of text.matchAll(/[^\s\p{L}\p{N}]*[\p{L}\p{N}]\S*/gu)) words++;
  return words;
};
