import { readFile, realpath, statfs } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { isLocalFileSystem } from './file-systems.ts';
import { isInside } from './root.ts';

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
