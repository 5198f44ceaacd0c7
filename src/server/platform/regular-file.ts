import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from './app-error.ts';
import { openInsideSync } from './open-inside.ts';

/** What may be read of a file. */
interface ReadLimits {
  readonly maxBytes: number;
  /**
   * The resolved directories that the file must be in. Its last name isn't followed. Undefined: it may be anywhere, as
   * files of the operator and of pi are, and links are followed.
   */
  readonly inside: readonly string[] | undefined;
  /** No link may be on the way to a file `inside`. */
  readonly isExact?: boolean;
  /** Reads only the first `maxBytes` of a larger file. */
  readonly startOnly?: boolean;
}

/** The bytes of a file, or why it isn't read. */
export type FileRead =
  | { readonly bytes: Buffer; readonly stats: Stats }
  /** `stats` is undefined for what can't be opened, such as a socket. */
  | { readonly problem: 'not-a-file'; readonly stats: Stats | undefined }
  | { readonly problem: 'too-large'; readonly stats: Stats };

/** Whether an error says that something that can't be opened is at a path: a socket, or a device without a driver. */
export const isUnopenable = (error: unknown): boolean =>
  // macOS has a code of its own for sockets.
  ['ENXIO', 'ENODEV', 'EOPNOTSUPP'].includes(systemCode(error) ?? '');

const ANYWHERE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Opens a file of the operator or of pi, wherever it is, without waiting on a pipe or device. Links are followed. */
export const openAnywhere = (path: string): Promise<FileHandle> => open(path, ANYWHERE);

/** {@link openAnywhere}, but fails for a link, except on Windows. For files of our own and paths without links. */
export const openUnlinked = (path: string): Promise<FileHandle> =>
  open(path, ANYWHERE | (constants.O_NOFOLLOW ?? 0));

const USUAL_BYTES = 64 * 1024;
/** One for all files: a buffer for each of them would stay in memory until the next collection. */
let usual: Buffer | undefined;

/** What the stats of an open file already say. */
const refusalOf = (stats: Stats, { maxBytes, startOnly }: ReadLimits): FileRead | undefined => {
  if (!stats.isFile()) return { problem: 'not-a-file', stats };
  return !startOnly && stats.size > maxBytes ? { problem: 'too-large', stats } : undefined;
};

/** How much is read at first: one byte more than the file has, which shows its end. Some file systems report 0. */
const firstSize = ({ size }: Stats, { maxBytes, startOnly }: ReadLimits): number =>
  startOnly ? maxBytes : (size === 0 ? Math.min(maxBytes, USUAL_BYTES) : size) + 1;

const larger = (buffer: Buffer, maxBytes: number): Buffer => {
  const next = Buffer.allocUnsafe(Math.min(buffer.length * 2, maxBytes + 1));
  buffer.copy(next);
  return next;
};

const resultOf = (buffer: Buffer, length: number, stats: Stats, limits: ReadLimits): FileRead =>
  length > limits.maxBytes ? { problem: 'too-large', stats } : { bytes: buffer.subarray(0, length), stats };

/**
 * Reads a regular file without waiting on a pipe or device. Blocks. `bytes` are valid until the next call. Throws ESTALE
 * for a file outside, and the system's errors.
 */
export const readRegularSync = (path: string, limits: ReadLimits): FileRead => {
  let file: number;
  try {
    file = limits.inside ? openInsideSync(limits.inside, path, limits) : openSync(path, ANYWHERE);
  } catch (error) {
    if (isUnopenable(error)) return { problem: 'not-a-file', stats: undefined };
    throw error;
  }
  try {
    const stats = fstatSync(file);
    const refusal = refusalOf(stats, limits);
    if (refusal) return refusal;
    const size = firstSize(stats, limits);
    usual ??= Buffer.allocUnsafeSlow(USUAL_BYTES);
    let buffer = size > USUAL_BYTES ? Buffer.allocUnsafe(size) : usual.subarray(0, size);
    let length = 0;
    // A network drive may return less than requested.
    for (let count = -1; count !== 0 && length <= limits.maxBytes; length += count) {
      if (length === buffer.length) {
        if (limits.startOnly) break;
        buffer = larger(buffer, limits.maxBytes);
      }
      count = readSync(file, buffer, length, buffer.length - length, null);
    }
    return resultOf(buffer, length, stats, limits);
  } finally {
    closeSync(file);
  }
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 and keeps a byte order mark. Undefined for other bytes. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};
