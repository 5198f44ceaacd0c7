import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { resolvesOutside } from '../platform/resolves-outside.ts';

/** The largest shared file that is read: 2 MiB. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The text of a shared file, or why there is none. `code` is the system's error code. */
export type SharedText =
  | { readonly text: string }
  | { readonly problem: 'missing' | 'not-a-file' | 'too-large' | 'not-text' | 'outside' }
  | { readonly problem: 'unreadable'; readonly code: string };

/** One for all files: a decoder and a buffer for each of them would stay in memory until the next collection. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
let usual: Buffer | undefined;
const USUAL_BYTES = 64 * 1024;

/** The bytes of an open file of this size, valid until the next call. */
const readBytes = (file: number, size: number): Uint8Array => {
  if (size === 0 || size > USUAL_BYTES) return readFileSync(file);
  usual ??= Buffer.allocUnsafeSlow(USUAL_BYTES);
  let length = 0;
  // A network drive may return less than it was asked for.
  for (let count = -1; count !== 0 && length < size; length += count)
    count = readSync(file, usual, length, size - length, null);
  return usual.subarray(0, length);
};

/**
 * Reads a regular file of at most 2 MiB as UTF-8, blocking. Keeps a byte order mark. With `allowed`, the file
 * must be in one of these directories after links are resolved.
 */
export const readSharedText = (path: string, allowed?: readonly string[]): SharedText => {
  try {
    if (allowed && resolvesOutside(path, allowed)) return { problem: 'outside' };
    // O_NONBLOCK, so that a pipe in its place can't block the thread.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return { problem: 'not-a-file' };
      if (stats.size > MAX_BYTES) return { problem: 'too-large' };
      return { text: decoder.decode(readBytes(file, stats.size)) };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isNotFound(error)) return { problem: 'missing' };
    if (error instanceof TypeError) return { problem: 'not-text' };
    return { problem: 'unreadable', code: systemCode(error) ?? 'unknown' };
  }
};
