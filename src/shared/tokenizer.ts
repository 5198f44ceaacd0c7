import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer that counts every text. */
export const TOKENIZER = 'o200k_base';

// The longest piece to count at once, because the tokenizer takes quadratic time for a long run of letters.
const MAX_PIECE = 1_000;

// No o200k_base token continues past a line ending, except into a slash, or after blanks into another line ending.
const PIECE_START = /(?<=\n)(?=[^\s/]|[ \t]+\S)/;

// Text that looks like a control token counts as text, as in a prompt.
const AS_TEXT = { disallowedSpecial: new Set<string>() };

const inShortPieces = (line: string): string[] =>
  Array.from({ length: Math.ceil(line.length / MAX_PIECE) }, (_, at) =>
    line.slice(at * MAX_PIECE, (at + 1) * MAX_PIECE),
  );

/** Splits text into short pieces whose model tokens add up to those of the text. */
export const piecesOf = (text: string): string[] => text.split(PIECE_START).flatMap(inShortPieces);

/** Counts the model tokens in one of the {@link piecesOf} a text. */
export const countPiece = (piece: string): number => countTokens(piece, AS_TEXT);

/** Counts the model tokens in text without a pause. A text of 2 MiB can take seconds. */
export const countAtOnce = (text: string): number =>
  piecesOf(text).reduce((tokens, piece) => tokens + countPiece(piece), 0);
