import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../platform/app-error.ts';
import { fingerprintOf, isSettled } from '../../platform/fingerprint.ts';
import { statIfThere } from '../../platform/list-directory.ts';

/** The paths that a read looked at, to see later whether anything changed. */
export interface PathRecord {
  /** `stat` of a path, which is recorded. Undefined if nothing is there, or the system denies access. */
  stat(path: string): BigIntStats | undefined;
  /** Something that no fingerprint covers was read, so the read is never reused. */
  neverReuse(): void;
  /** Whether every path is as it was. The read can then be reused. */
  isUnchanged(): boolean;
}

const look = (path: string): BigIntStats | string | undefined => {
  try {
    return statIfThere(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
};

const printOf = (stats: ReturnType<typeof look>): string =>
  typeof stats === 'object' ? fingerprintOf(stats).text : (stats ?? '-');

/** Creates an empty record for a read that begins at `nowMs`. */
export const createPathRecord = (nowMs: number): PathRecord => {
  const prints = new Map<string, string>();
  let isReusable = true;
  return {
    stat(path) {
      const found = look(path);
      const stats = typeof found === 'object' ? found : undefined;
      // The first look counts: a change since then must cause another read.
      if (!prints.has(path)) prints.set(path, printOf(found));
      if (stats && !isSettled(fingerprintOf(stats), nowMs)) isReusable = false;
      return stats;
    },
    neverReuse() {
      isReusable = false;
    },
    isUnchanged() {
      if (!isReusable) return false;
      for (const [path, print] of prints) if (printOf(look(path)) !== print) return false;
      return true;
    },
  };
};
