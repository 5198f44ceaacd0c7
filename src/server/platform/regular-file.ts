import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from './app-error.ts';
import { openInsideSync } from './open-inside.ts';

interface ReadLimits {
  readonly maxBytes: number;
  /**
   * The resolved directories that the file must be in. The last name isn't followed. Undefined allows any place and
   * follows links, for the operator's and pi's files.
   */
  readonly inside: readonly string[] | undefined;
  /** True if the path of a file `inside` can't contain links. */
  readonly isExact?: boolean;
  /** Reads only the first `maxBytes` of a larger file. */
  readonly startOnly?: boolean;
}

/** A file's bytes, or the reason why it isn't read. */
export type FileRead =
  | { readonly bytes: Buffer; readonly stats: Stats }
  /** `stats` is undefined for anything that can't be opened, such as a socket. */
  | { readonly problem: 'not-a-file'; readonly stats: Stats | undefined }
  | { readonly problem: 'too-large'; readonly stats: Stats };

/** Returns whether an error means that a path can't be opened: a socket, or a device without a driver. */
export const isUnopenable = (error: unknown): boolean =>
  // macOS has its own code for sockets.
  ['ENXIO', 'ENODEV', 'EOPNOTSUPP'].includes(systemCode(error) ?? '');

const ANYWHERE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Opens any of the operator's or pi's files, without waiting on a pipe or device. Follows links. */
export const openAnywhere = (path: string): Promise<FileHandle> => open(path, ANYWHERE);

/** {@link openAnywhere}, but fails for a link, except on Windows. For our own files and paths without links. */
export const openUnlinked = (path: string): Promise<FileHandle> =>
  open(path, ANYWHERE | (constants.O_NOFOLLOW ?? 0));

const USUAL_BYTES = 64 * 1024;
/** Shared by all files, because separate buffers would stay in memory until the next garbage collection. */
let usual: Buffer | undefined;

/** Returns the problem that an open file's stats reveal, if any. */
const refusalOf = (stats: Stats, { maxBytes, startOnly }: ReadLimits): FileRead | undefined => {
  if (!stats.isFile()) return { problem: 'not-a-file', stats };
  return !startOnly && stats.size > maxBytes ? { problem: 'too-large', stats } : undefined;
};

/**
 * Returns the size of the first read: one byte more than the file's size, to detect its end. Some file systems report
 * 0.
 */
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
 * Reads a regular file without waiting on a pipe or device. Blocks. `bytes` are valid until the next call. Throws
 * ESTALE for a file outside, and the system's errors.
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
    // A network drive can return less than requested.
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

/** Decodes UTF-8 and keeps a byte order mark. Returns undefined for invalid bytes. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Decodes a file that an editor can save without changing it, or returns why it isn't one, as a verb phrase. */
export const plainText = (bytes: Uint8Array): { readonly text: string } | { readonly reason: string } => {
  if (bytes.includes(0)) return { reason: 'contains NUL bytes' };
  const text = decodeUtf8(bytes);
  return text === undefined ? { reason: 'is not UTF-8' } : { text };
};
