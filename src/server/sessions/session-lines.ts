import { readSync } from 'node:fs';

/** How far lines were read. */
interface LinesRead {
  /** The offset after the last complete line that was read, in bytes. */
  readonly offset: number;
  /** The number of lines skipped because they exceed {@link MAX_LINE_BYTES}. */
  readonly tooLong: number;
  /** True if everything was read, except an incomplete last line or a line whose end is too far away. */
  readonly atEnd: boolean;
}

/** The longest line that is read. pi stores images in lines. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** How far one step searches for the end of a longer line. Limited, because a sparse file can be huge. */
const MAX_SKIPPED_BYTES = 64 * 1024 * 1024;

/** How much one step reads at once. */
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

/**
 * Returns the offset after the next line feed, or where the search ended: at the end of the file or after {@link
 * MAX_SKIPPED_BYTES}.
 */
const afterLine = (file: number, from: number): { offset: number } | 'file ended' | 'too far' => {
  for (let position = from; position - from < MAX_SKIPPED_BYTES; ) {
    const length = fill(file, chunk, position);
    const at = chunk.subarray(0, length).indexOf(LINE_FEED);
    if (at >= 0) return { offset: position + at + 1 };
    if (length < chunk.length) return 'file ended';
    position += length;
  }
  return 'too far';
};

/**
 * Reads the next complete lines of an open file, about 1 MiB, from an offset at the start of a line. `onLine` gets
 * each line without its line ending, in memory that is reused afterwards, and returns whether to continue. The last
 * line counts only if it ends with a line feed. Blocks.
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
      const next = afterLine(file, from + MAX_LINE_BYTES);
      if (next === 'file ended') return { offset: from, tooLong: 0, atEnd: true };
      if (next === 'too far') return { offset: from, tooLong: 1, atEnd: true };
      return { offset: next.offset, tooLong: 1, atEnd: false };
    }
    chunk = Buffer.allocUnsafe(Math.min(chunk.length * 4, MAX_LINE_BYTES));
  }
};
