import type { BigIntStats } from 'node:fs';

/** What `lstat` tells of a file, for seeing cheaply whether it is still the one that was read. */
export interface Fingerprint {
  readonly text: string;
  /** The newer of mtime and ctime, in milliseconds since 1970. */
  readonly changedAtMs: number;
}

/**
 * How coarse file times may be, in milliseconds: FAT counts in 2 s, HFS+ in 1 s, Linux in jiffies. Within that span
 * a second change can leave the same times, so a file this young is read again ("racy git" has the same rule).
 */
const COARSEST_FILE_CLOCK_MS = 3000;

const NS_PER_MS = 1_000_000n;

/** The fingerprint of a file from its stats; ctime is in it, since mtime can be set back. */
export const fingerprintOf = (stats: BigIntStats): Fingerprint => ({
  text: `${stats.dev}:${stats.ino}:${stats.mode}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`,
  changedAtMs: Math.max(Number(stats.mtimeNs / NS_PER_MS), Number(stats.ctimeNs / NS_PER_MS)),
});

/** Whether a read that began at `readAtMs` can be kept for as long as the fingerprint stays the same. */
export const isSettled = ({ changedAtMs }: Pick<Fingerprint, 'changedAtMs'>, readAtMs: number): boolean =>
  readAtMs - changedAtMs > COARSEST_FILE_CLOCK_MS;
