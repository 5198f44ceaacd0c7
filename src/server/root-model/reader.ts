import type { Dirent } from 'node:fs';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { listAnywhere } from '../platform/list-directory.ts';
import { listInside } from '../platform/open-inside.ts';
import { decodeUtf8, readRegularSync } from '../platform/regular-file.ts';
import { type Inside, openableIn, readablePlace } from '../platform/resolves-outside.ts';
import type { PathRecord } from './path-record.ts';

/** The size limit for files: 2 MiB. */
export const MAX_READ_BYTES = 2 * 1024 * 1024;

/**
 * A file's text, or the reason why it can't be read. `isReplaced` means that some bytes aren't UTF-8, and became
 * replacement characters. `code` is the system's error code.
 */
export type SharedText =
  | { readonly text: string; readonly isReplaced?: true }
  | { readonly problem: 'missing' | 'not-a-file' | 'too-large' | 'not-text' | 'outside' }
  | { readonly problem: 'unreadable'; readonly code: string };

/** The part of a record that a reader needs. */
export type ReadRecord = Pick<PathRecord, 'stat' | 'neverReuse'>;

const readAt = (path: string, inside: Inside | undefined): SharedText => {
  try {
    const place = inside ? readablePlace(path, inside) : path;
    if (place === undefined) return { problem: 'outside' };
    const read = readRegularSync(place, {
      inside: inside && openableIn(place, inside),
      // The place has no links, and must still be the same one.
      isExact: inside?.mayEnd !== undefined,
      maxBytes: MAX_READ_BYTES,
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

/**
 * Records and reads a regular file of at most `maxBytes`, as pi reads skills and prompt templates: it replaces bytes that
 * aren't UTF-8. Blocks. Keeps the byte order mark. With `inside`, the file must be in one of those directories.
 */
export const readText = (
  path: string,
  record: ReadRecord,
  inside?: Inside,
  maxBytes = MAX_READ_BYTES,
): SharedText => {
  if (Number(record.stat(path)?.size ?? 0) > maxBytes) return { problem: 'too-large' };
  const read = readAt(path, inside);
  // The file may have been replaced only briefly, so don't keep the result.
  if ('problem' in read && read.problem === 'outside') record.neverReuse();
  return read;
};

/** Reads a file like {@link readText}, but refuses one that isn't UTF-8. */
export const readUtf8 = (path: string, record: ReadRecord, inside?: Inside): SharedText => {
  const read = readText(path, record, inside);
  return 'text' in read && read.isReplaced ? { problem: 'not-text' } : read;
};

/** Returns whether a file is text that an editor can save without changing it: UTF-8 without NUL bytes. */
export const isPlainText = ({ text, isReplaced }: Extract<SharedText, { text: string }>): boolean =>
  !isReplaced && !text.includes('\0');

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/**
 * Records and lists a directory, sorted by name. Empty if it's missing, access is denied or it isn't in `inside`. An
 * undefined `inside` allows everything, for the user's own skills.
 */
export const listFolder = (path: string, record: ReadRecord, inside: Inside | undefined): Dirent[] => {
  if (!record.stat(path)?.isDirectory()) return [];
  try {
    const entries = inside ? listInside(openableIn(path, inside), path) : listAnywhere(path);
    return entries.sort(byName);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    record.neverReuse();
    return [];
  }
};
