import type { BigIntStats } from 'node:fs';

/** A file's `lstat` data, a cheap check for whether it's still the file that was read. */
export interface Fingerprint {
  readonly text: string;
  /** The newer of mtime and ctime, in milliseconds since 1970. */
  readonly changedAtMs: number;
}

/**
 * The coarsest step of file times, in milliseconds: 2 s on FAT, 1 s on HFS+, a jiffy on Linux. Within that step, a
 * second change can leave the same times, so recent files are read again (git's "racy git" rule).
 */
const COARSEST_FILE_CLOCK_MS = 3000;

const NS_PER_MS = 1_000_000n;

/** Returns a file's fingerprint from its stats. Includes ctime, because mtime can be set back. */
export const fingerprintOf = (stats: BigIntStats): Fingerprint => ({
  // Joined, because V8 keeps a concatenated string's parts until it's compared, in 400 bytes instead of 90.
  text: [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(':'),
  changedAtMs: Math.max(Number(stats.mtimeNs / NS_PER_MS), Number(stats.ctimeNs / NS_PER_MS)),
});

/** Returns whether a read that began at `readAtMs` stays valid while the fingerprint is the same. */
export const mayKeepRead = ({ changedAtMs }: Pick<Fingerprint, 'changedAtMs'>, readAtMs: number): boolean =>
  readAtMs - changedAtMs > COARSEST_FILE_CLOCK_MS;
