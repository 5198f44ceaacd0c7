import { isNotFound, systemCode } from './app-error.ts';
import { decodeUtf8, readRegularSync } from './regular-file.ts';
import { type Inside, openableIn, readablePlace } from './resolves-outside.ts';

/** The size limit for shared files: 2 MiB. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * A shared file's text, or the reason why it can't be read. `isReplaced` means that some bytes aren't UTF-8, and became
 * replacement characters. `code` is the system's error code.
 */
export type SharedText =
  | { readonly text: string; readonly isReplaced?: true }
  | { readonly problem: 'missing' | 'not-a-file' | 'too-large' | 'not-text' | 'outside' }
  | { readonly problem: 'unreadable'; readonly code: string };

/**
 * Reads a regular file of at most 2 MiB as pi reads skills and prompt templates: it replaces bytes that aren't UTF-8.
 * Blocks. Keeps the byte order mark. With `inside`, the file must be in one of those directories.
 */
export const readLikePi = (path: string, inside?: Inside): SharedText => {
  try {
    const place = inside ? readablePlace(path, inside) : path;
    if (place === undefined) return { problem: 'outside' };
    const read = readRegularSync(place, {
      inside: inside && openableIn(place, inside),
      // The place has no links, and must still be the same one.
      isExact: inside?.mayEnd !== undefined,
      maxBytes: MAX_BYTES,
    });
    if ('problem' in read) return { problem: read.problem };
    const text = decodeUtf8(read.bytes);
    return text === undefined ? { text: read.bytes.toString('utf8'), isReplaced: true } : { text };
  } catch (error) {
    if (isNotFound(error)) return { problem: 'missing' };
    if (systemCode(error) === 'ESTALE') return { problem: 'outside' };
    return { problem: 'unreadable', code: systemCode(error) ?? 'unknown' };
  }
};

/** Reads a file like {@link readLikePi}, but refuses one that isn't UTF-8. */
export const readSharedText = (path: string, inside?: Inside): SharedText => {
  const read = readLikePi(path, inside);
  return 'text' in read && read.isReplaced ? { problem: 'not-text' } : read;
};

/** Returns whether a file is text that an editor can save without changing it: UTF-8 without NUL bytes. */
export const isPlainText = ({ text, isReplaced }: Extract<SharedText, { text: string }>): boolean =>
  !isReplaced && !text.includes('\0');
