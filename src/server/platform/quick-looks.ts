import { stat, statfs } from 'node:fs/promises';
import { isLocalFileSystem } from './local-file-systems.ts';

/** Looks at the disk on the main thread, where that takes microseconds. See docs/adr/0050. */
export interface QuickLooks {
  /**
   * Runs a blocking look at what was looked at before on this device. Returns undefined if the look returns that, or
   * could take long. Then a thread has to look.
   */
  run<T>(device: bigint | undefined, look: () => T | undefined): T | undefined;
}

/** A look that took this long found a slow disk. */
const SLOW_MS = 20;
/** How long a slow disk is left to the threads. */
const PAUSE_MS = 60_000;
/** A root can be missing now and be mounted later. */
const RECHECK_MS = 10_000;

const localDeviceOf = async (path: string): Promise<bigint | undefined> => {
  const [{ type }, { dev }] = await Promise.all([statfs(path), stat(path, { bigint: true })]);
  return isLocalFileSystem(type) ? dev : undefined;
};

/**
 * Creates a {@link QuickLooks} for a root. Blocking calls are quick only on local file systems, for what the system
 * has in memory. A network drive can hang.
 */
export const createQuickLooks = (rootPath: string): QuickLooks => {
  let device: bigint | undefined;
  let checkAgainMs = 0;
  let pausedUntilMs = 0;

  const check = (nowMs: number) => {
    if (process.platform !== 'linux' || nowMs < checkAgainMs) return;
    checkAgainMs = nowMs + RECHECK_MS;
    localDeviceOf(rootPath).then(
      (found) => {
        device = found;
      },
      () => {
        device = undefined;
      },
    );
  };

  return {
    run(of, look) {
      const begunMs = performance.now();
      check(begunMs);
      if (of === undefined || of !== device || begunMs < pausedUntilMs) return undefined;
      const found = look();
      if (performance.now() - begunMs > SLOW_MS) pausedUntilMs = begunMs + PAUSE_MS;
      return found;
    },
  };
};
