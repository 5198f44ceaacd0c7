import { LRUCache } from 'lru-cache';
import { countPiece, piecesOf } from '../../shared/tokenizer.ts';
import { createTurns } from '../platform/thread.ts';

/** The limit for text with cached counts, in UTF-16 code units. */
const KEPT = 8 * 1024 * 1024;

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
    for (const piece of piecesOf(text)) {
      const known = counted.get(piece);
      const count = known ?? countPiece(piece);
      counted.set(piece, count);
      tokens += count;
      if (known === undefined) await turn();
    }
    return tokens;
  };
};
