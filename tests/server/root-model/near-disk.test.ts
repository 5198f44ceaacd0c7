import { expect, test } from 'vitest';
import { createNearDisk, isAllLocal } from '../../../src/server/root-model/near-disk.ts';
import { until } from '../../support/raw-http.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const onLinux = test.skipIf(process.platform !== 'linux');

onLinux('no disk is near that isn’t local, or that has another file system in it', async () => {
  expect(await isAllLocal(await makeTempDirectory())).toBe(true);
  expect(await isAllLocal('/proc/self')).toBe(false);
  // /proc and others are mounted below it.
  expect(await isAllLocal('/')).toBe(false);
});

onLinux(
  'a slow disk is left to the thread for longer and longer, and one slow read for a second',
  async () => {
    let nowMs = 1_000;
    const nearDisk = createNearDisk(await makeTempDirectory(), () => nowMs);
    const readFor = (ms: number) =>
      nearDisk.read(() => {
        nowMs += ms;
        return 'read';
      });
    // It first finds out what kind of file system this is.
    await until(() => readFor(0) === 'read');

    for (const pauseMs of [1_000, 2_000, 4_000]) {
      expect(readFor(21)).toBe('read');
      nowMs += pauseMs - 1;
      expect(readFor(0)).toBeUndefined();
      nowMs += 1;
      expect(readFor(0)).toBe('read');
    }
    nowMs += 4_000;
    expect(() =>
      nearDisk.read(() => {
        nowMs += 21;
        throw new Error('refused');
      }),
    ).toThrow('refused');
    expect(readFor(0)).toBeUndefined();
    nowMs += 1_000;
    expect(readFor(0)).toBe('read');
  },
);
