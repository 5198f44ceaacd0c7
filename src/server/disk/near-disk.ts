import { lstatSync, statfsSync, statSync } from 'node:fs';
import { readFile, realpath, statfs } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { isInside } from '../platform/root.ts';

/**
 * The local file systems of Linux, by the type that `statfs` returns: ext, XFS, Btrfs, tmpfs, F2FS, bcachefs, ZFS
 * and overlays. Other computers change a network share without an event here.
 */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0xca451a4e, 0x2fc12fc1, 0x794c7630,
]);

/** Whether a file system of Linux is local, by the type that `statfs` returns. */
export const isLocalFileSystem = (type: number): boolean => LOCAL_FILE_SYSTEMS.has(type);

/** Whether a path is on a local file system of Linux. Throws if it isn't there. */
export const isLocal = (path: string): boolean => isLocalFileSystem(statfsSync(path).type);

/** The device of a directory that is not a link; undefined if there is none. */
export const deviceOf = (path: string): number | undefined => {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? stats.dev : undefined;
  } catch {
    return undefined;
  }
};

/** A directory's device and inode, which say whether it is still the same one; undefined if there is none. */
export const identityOf = (path: string): string | undefined => {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
};

/** Runs blocking reads of a few small files on the main thread while that takes microseconds. */
export interface NearDisk {
  /** The result of `read`. Undefined if that returned it, or if the disk may be slow: then a thread has to read. */
  read<T>(read: () => T | undefined): T | undefined;
}

/** A read that took this long found a slow disk, or another program had the processor. */
const SLOW_MS = 20;
/** How long a slow disk is left to the thread: twice as long each time that it is still slow after that. */
const PAUSE_MS = { first: 1_000, most: 60_000 };
/** A root can be missing now, and another file system can be mounted in it later. */
const RECHECK_MS = 10_000;

/** The place of each mount is the fifth field of a line (proc_pid_mountinfo(5)). Spaces in it are escaped. */
const mountPoints = (mountInfo: string): string[] =>
  mountInfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined ? [] : [point.replaceAll('\\040', ' ')];
  });

/** Whether a directory and all below it are on one local file system of Linux. Throws if it is missing. */
export const isAllLocal = async (path: string): Promise<boolean> => {
  const [{ type }, real, mountInfo] = await Promise.all([
    statfs(path),
    realpath(path),
    readFile('/proc/self/mountinfo', 'utf8'),
  ]);
  const isMounted = (point: string) => point !== real && isInside(real, point);
  return isLocalFileSystem(type) && !mountPoints(mountInfo).some(isMounted);
};

/** Creates a {@link NearDisk} for a root. A network drive can hang, so it is never read here. `now` is in milliseconds. */
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
    // Only there does the system say which file systems are local.
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
