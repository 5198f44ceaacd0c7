import { stat, statfs } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { isLocalFileSystem } from './file-systems.ts';

/** Looks at the disk on the main thread, where that takes microseconds. See docs/adr/0050. */
export interface QuickLooks {
  /**
   * Runs a blocking look at what was looked at before on this device. Returns undefined if the look returns that, or
   * could take long. Then a thread has to look. Requests that arrived together share one look of the same name. Without a
   * name, the look is made now, as after a write of our own.
   */
  run<T>(name: string | undefined, device: bigint | undefined, look: () => T | undefined): T | undefined;
  /** The device on which looks are quick now. Undefined: a thread has to look. */
  device(): Promise<bigint | undefined>;
}

/** A look that took this long found a slow disk, or another program had the processor. */
const SLOW_MS = 20;
/** How long a slow disk is left to the threads: twice as long each time that it is still slow after that. */
const PAUSE_MS = { first: 1_000, most: 60_000 };
/** A root can be missing now and be mounted later. */
const RECHECK_MS = 10_000;

const localDeviceOf = async (path: string): Promise<bigint | undefined> => {
  const [{ type }, { dev }] = await Promise.all([statfs(path), stat(path, { bigint: true })]);
  return isLocalFileSystem(type) ? dev : undefined;
};

/**
 * Counts the times that the event loop took what had arrived. A look at the same count is later than the arrival of every
 * request that is handled at that count, so it is no older than any of them. Timers and immediates run before the
 * next count.
 */
const loopCount = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

/**
 * Creates a {@link QuickLooks} for a root. Blocking calls are quick only on local file systems, for what the system
 * has in memory. A network drive can hang. `now` is in milliseconds.
 */
export const createQuickLooks = (rootPath: string, now = () => performance.now()): QuickLooks => {
  let device: bigint | undefined;
  let checkAgainMs = 0;
  let checking = Promise.resolve();
  let pausedUntilMs = 0;
  let pauseMs = 0;
  const looks = new Map<string, unknown>();
  let lookedAtCount = -1;

  const pause = (nowMs: number) => {
    const isStillSlow = nowMs < pausedUntilMs + pauseMs;
    pauseMs = isStillSlow ? Math.min(2 * pauseMs, PAUSE_MS.most) : PAUSE_MS.first;
    pausedUntilMs = nowMs + pauseMs;
  };

  const check = (nowMs: number) => {
    if (process.platform !== 'linux' || nowMs < checkAgainMs) return;
    checkAgainMs = nowMs + RECHECK_MS;
    checking = localDeviceOf(rootPath).then(
      (found) => {
        device = found;
      },
      () => {
        device = undefined;
      },
    );
  };

  return {
    async device() {
      check(now());
      if (device === undefined) await checking;
      return now() < pausedUntilMs ? undefined : device;
    },
    run<T>(name: string | undefined, of: bigint | undefined, look: () => T | undefined) {
      const begunMs = now();
      check(begunMs);
      if (of === undefined || of !== device || begunMs < pausedUntilMs) return undefined;
      const count = loopCount();
      if (count !== lookedAtCount) looks.clear();
      lookedAtCount = count;
      if (name !== undefined && looks.has(name)) return looks.get(name) as T | undefined;
      const found = look();
      if (name !== undefined) looks.set(name, found);
      const endedMs = now();
      if (endedMs - begunMs > SLOW_MS) pause(endedMs);
      return found;
    },
  };
};
