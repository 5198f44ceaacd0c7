import { readFile, stat } from 'node:fs/promises';
import { setImmediate as immediately, setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createQuickLooks } from '../../../src/server/platform/quick-looks.ts';
import { until } from '../../support/raw-http.ts';
import { makeTempDirectory } from '../../support/temp.ts';

test.skipIf(process.platform !== 'linux')(
  'what arrived together shares a look, and nothing that may have arrived later',
  async () => {
    const root = await makeTempDirectory();
    const { dev } = await stat(root, { bigint: true });
    const quickLooks = createQuickLooks(root);
    let disk = 0;
    let looks = 0;
    const look = (name?: string) =>
      quickLooks.run(name, dev, () => {
        looks++;
        return disk;
      });
    // It first finds out what kind of file system this is.
    await until(() => look('agent') === disk);

    // Each of these waits for something that arrives from outside of this thread.
    for (const next of [() => readFile('/proc/self/stat'), () => later(1), () => immediately()]) {
      await readFile('/proc/self/stat');
      looks = 0;
      expect([look('agent'), look('agent'), look('other'), looks]).toEqual([disk, disk, disk, 2]);
      disk++;
      expect(look()).toBe(disk);
      await next();
      // A timer or an immediate of the same turn comes before the next arrival, so what arrives now sees the change.
      await readFile('/proc/self/stat');
      expect(look('agent')).toBe(disk);
    }
    await later(1);
    look('agent');
    disk++;
    await readFile('/proc/self/stat');
    expect(look('agent')).toBe(disk);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a slow disk is left to the threads for longer and longer, and one slow look for a second',
  async () => {
    const root = await makeTempDirectory();
    const { dev } = await stat(root, { bigint: true });
    let nowMs = 1_000;
    const quickLooks = createQuickLooks(root, () => nowMs);
    const lookFor = (ms: number) =>
      quickLooks.run(undefined, dev, () => {
        nowMs += ms;
        return 'seen';
      });
    await until(() => lookFor(0) === 'seen');

    for (const pauseMs of [1_000, 2_000, 4_000]) {
      expect(lookFor(21)).toBe('seen');
      nowMs += pauseMs - 1;
      expect(lookFor(0)).toBeUndefined();
      nowMs += 1;
      expect(lookFor(0)).toBe('seen');
    }
    nowMs += 4_000;
    expect(lookFor(21)).toBe('seen');
    nowMs += 1_000;
    expect(lookFor(0)).toBe('seen');
  },
);
