import { lstatSync, statfsSync, statSync } from 'node:fs';
import { readFile, realpath, statfs } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { isInside } from '../platform/root.ts';

/**
 * Linux's local file systems by `statfs` type: ext, XFS, Btrfs, tmpfs, F2FS, bcachefs, ZFS and overlays. On a network
 * share, this computer gets no events for changes from other computers.
 */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0xca451a4e, 0x2fc12fc1, 0x794c7630,
]);

/** Returns whether this `statfs` type is a local file system on Linux. */
export const isLocalFileSystem = (type: number): boolean => LOCAL_FILE_SYSTEMS.has(type);

/** Returns whether a path is on a local Linux file system. Throws if it doesn't exist. */
export const isLocal = (path: string): boolean => isLocalFileSystem(statfsSync(path).type);

/** Returns a directory's device, or undefined if it's missing or a link. */
export const deviceOf = (path: string): number | undefined => {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? stats.dev : undefined;
  } catch {
    return undefined;
  }
};

/** Returns a directory's device and inode, to detect a replacement. Undefined if it's missing. */
export const identityOf = (path: string): string | undefined => {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
};

/** Runs blocking reads of a few small files on the main thread while each takes microseconds. */
export interface NearDisk {
  /**
   * Returns the result of `read`. Undefined if that is undefined, or if the disk may be slow, so that a thread has to
   * read.
   */
  read<T>(read: () => T | undefined): T | undefined;
}

/** A longer read means a slow disk or a busy processor. */
const SLOW_MS = 20;
/** How long to leave reads to the thread after a slow read. Doubles each time the disk is still slow. */
const PAUSE_MS = { first: 1_000, most: 60_000 };
/** How often to check again: a missing root can appear, and a file system can be mounted in the root. */
const RECHECK_MS = 10_000;

/** Mount points are the fifth field of each line (proc_pid_mountinfo(5)), with escaped spaces. */
const mountPoints = (mountInfo: string): string[] =>
  mountInfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined ? [] : [point.replaceAll('\\040', ' ')];
  });

/** Returns whether a directory and everything below it is on one local Linux file system. Throws if it's missing. */
export const isAllLocal = async (path: string): Promise<boolean> => {
  const [{ type }, real, mountInfo] = await Promise.all([
    statfs(path),
    realpath(path),
    readFile('/proc/self/mountinfo', 'utf8'),
  ]);
  const isMounted = (point: string) => point !== real && isInside(real, point);
  return isLocalFileSystem(type) && !mountPoints(mountInfo).some(isMounted);
};

/** Creates a {@link NearDisk} for a root. Never reads a network drive, which can hang. `now` is in milliseconds. */
export const createNearDisk = (rootPath: string, now = () => performance.now()): NearDisk => {
  let isLocal = false;
  let checkAgainMs = 0;
  let pausedUntilMs = 0;
  let pauseMs = 0;

  const pause = (nowMs: number) => {
    const isStillSlow = nowMs < pausedUntilMs + pauseMs;
    pauseMs = isStillSlow ? Math.min(2 * pauseMs, PAUSE_MS.most) : PAUSE_MS.first;
    pausedUntilMs = nowMs + pauseMs;
  };

  const check = (nowMs: number) => {
    // Other systems don't say which file systems are local.
    if (process.platform !== 'linux' || nowMs < checkAgainMs) return;
    checkAgainMs = nowMs + RECHECK_MS;
    isAllLocal(rootPath).then(
      (found) => {
        isLocal = found;
      },
      () => {
        isLocal = false;
      },
    );
  };

  check(now());
  return {
    read(read) {
      const begunMs = now();
      check(begunMs);
      if (!isLocal || begunMs < pausedUntilMs) return undefined;
      try {
        return read();
      } finally {
        const endedMs = now();
        if (endedMs - begunMs > SLOW_MS) pause(endedMs);
      }
    },
  };
};
