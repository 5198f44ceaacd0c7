import { readSync } from 'node:fs';

/** Where a reader of lines stands. */
interface LinesRead {
  /** The offset after the last whole line that was read, in bytes. */
  readonly offset: number;
  /** Lines that were skipped because they are longer than {@link MAX_LINE_BYTES}. */
  readonly tooLong: number;
  /** Whether everything was read, up to half of a last line. */
  readonly atEnd: boolean;
}

/** The longest line that is read. pi keeps images in lines. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** What one step reads. */
const CHUNK_BYTES = 1024 * 1024;

const LINE_FEED = 10;

/** Reused, because a step ends before the next one begins. It grows for long lines, and shrinks again. */
let chunk = Buffer.allocUnsafe(CHUNK_BYTES);

const fill = (file: number, into: Buffer, position: number): number => {
  let length = 0;
  while (length < into.length) {
    const count = readSync(file, into, length, into.length - length, position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
};

/** The offset after the next line feed, or undefined if the file ends before. */
const afterLine = (file: number, from: number): number | undefined => {
  for (let position = from; ; ) {
    const length = fill(file, chunk, position);
    const at = chunk.subarray(0, length).indexOf(LINE_FEED);
    if (at >= 0) return position + at + 1;
    if (length < chunk.length) return undefined;
    position += length;
  }
};

/**
 * Reads the next whole lines of an open file, about 1 MiB of them, from an offset at the start of a line.
 * `onLine` gets each one without its line end, in memory that is reused after it returns. It returns
 * whether to go on. The last line counts once it ends with a line feed. Blocks.
 */
export const readLines = (file: number, from: number, onLine: (line: Buffer) => boolean): LinesRead => {
  if (chunk.length > CHUNK_BYTES) chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const length = fill(file, chunk, from);
    const isEnd = length < chunk.length;
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0 || end >= length) break;
      const isLast = end > start && !onLine(chunk.subarray(start, end));
      start = end + 1;
      if (isLast) return { offset: from + start, tooLong: 0, atEnd: false };
    }
    if (start > 0 || isEnd) return { offset: from + start, tooLong: 0, atEnd: isEnd };
    if (chunk.length >= MAX_LINE_BYTES) {
      chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const offset = afterLine(file, from + MAX_LINE_BYTES);
      return offset === undefined
        ? { offset: from, tooLong: 0, atEnd: true }
        : { offset, tooLong: 1, atEnd: false };
    }
    chunk = Buffer.allocUnsafe(Math.min(chunk.length * 4, MAX_LINE_BYTES));
  }
};
