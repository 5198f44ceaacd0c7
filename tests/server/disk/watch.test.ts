import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSettledWatch } from '../../../src/server/disk/watch.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const open = async () => {
  const parent = await makeTempDirectory();
  const root = join(parent, 'root');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  const watch = createSettledWatch(root, join(parent, 'markers'));
  if (!watch) throw new Error('this system has no trusted watch');
  onTestFinished(() => watch.close());
  const reports = async (path: string, since: number) => {
    expect(await watch.settle()).toBe(true);
    return watch.hasChanged([join(root, path)], since);
  };
  return { root, parent, watch, reports };
};

describe.skipIf(process.platform !== 'linux')('a settled watch', () => {
  test('knows every change before it settles, and only those', async () => {
    const { root, watch, reports } = await open();
    watch.directory(join(root, 'a'));
    writeFileSync(join(root, 'a', 'file'), '1');
    expect(await reports('a/file', 0)).toBe(true);
    const { generation } = watch;
    expect(await reports('a/file', generation)).toBe(false);
    for (let i = 0; i < 50; i++) {
      const since = watch.generation;
      writeFileSync(join(root, 'a', 'file'), `${i}`);
      expect(await reports('a/file', since)).toBe(true);
      expect(watch.hasChanged([join(root, 'a', 'other')], since)).toBe(false);
    }
    // A new entry changes the directory too.
    const since = watch.generation;
    writeFileSync(join(root, 'a', 'new'), '');
    expect(await reports('a', since)).toBe(true);
  });

  test('no longer trusts a directory that was moved, replaced or removed, and those in it', async () => {
    const { root, watch } = await open();
    const [above, below] = [join(root, 'a'), join(root, 'a', 'b')];
    const edits = [
      () => renameSync(above, join(root, 'moved')),
      () => renameSync(join(root, 'moved'), above),
      () => {
        renameSync(above, join(root, 'moved'));
        mkdirSync(below, { recursive: true });
      },
      () => rmSync(above, { recursive: true }),
    ];
    for (const edit of edits) {
      const watched = [watch.directory(above), watch.directory(below)];
      edit();
      expect(await watch.settle()).toBe(true);
      for (const directory of watched) expect(directory?.isAlive ?? false).toBe(false);
    }
  });

  test('settles again after a pause of its thread', async () => {
    const { watch } = await open();
    for (let time = 0; time < 5; time++) {
      const settled = watch.settle();
      // Longer than it waits, so that the timer and the event are both due.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      expect(await settled).toBe(true);
      // The timer's turn comes after the event.
      await new Promise((resolve) => setImmediate(resolve));
      expect(await watch.settle()).toBe(true);
    }
  });

  test('starts again when the root was replaced', async () => {
    const { root, parent, watch, reports } = await open();
    const before = watch.directory(join(root, 'a'));
    renameSync(root, join(parent, 'old'));
    mkdirSync(join(root, 'a'), { recursive: true });
    const { generation } = watch;
    expect(await reports('a', generation - 1)).toBe(true);
    expect(before?.isAlive).toBe(false);
    const after = watch.directory(join(root, 'a'));
    writeFileSync(join(root, 'a', 'file'), '');
    expect(await reports('a/file', watch.generation)).toBe(true);
    expect(after?.isAlive).toBe(true);
  });

  test('watches no link and nothing outside the root', async () => {
    const { root, parent, watch } = await open();
    symlinkSync(join(root, 'a'), join(root, 'linked'));
    for (const path of [join(root, 'linked'), join(root, 'linked', 'b'), join(root, 'none'), parent])
      expect(watch.directory(path)).toBeUndefined();
  });

  test('trusts nothing after more events at once than the system may keep', async () => {
    const { root, watch } = await open();
    const directory = watch.directory(join(root, 'a'));
    const before = watch.generation;
    await watch.settle();
    expect(watch.hasChanged([join(root, 'untouched')], before)).toBe(false);
    for (let i = 0; i < 5_000; i++) {
      chmodSync(join(root, 'a', 'b'), 0o700);
      chmodSync(join(root, 'a'), 0o700);
    }
    await watch.settle();
    expect(directory?.isAlive).toBe(false);
    expect(watch.hasChanged([join(root, 'untouched')], before)).toBe(true);
    // From here on, it knows everything again.
    const { generation } = watch;
    watch.directory(join(root, 'a'));
    await watch.settle();
    expect(watch.hasChanged([join(root, 'a', 'file')], generation)).toBe(false);
  });

  test('is not created without a place for its markers', async () => {
    const parent = await makeTempDirectory();
    writeFileSync(join(parent, 'markers'), '');
    expect(createSettledWatch(parent, join(parent, 'markers'))).toBeUndefined();
  });
});
