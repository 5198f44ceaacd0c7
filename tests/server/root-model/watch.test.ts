import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRootWatch, watchDirectory } from '../../../src/server/root-model/watch.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const open = async () => {
  const parent = await makeTempDirectory();
  const root = join(parent, 'root');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  const watch = createRootWatch(root, join(parent, 'markers'));
  if (!watch) throw new Error('this system has no trusted watch');
  onTestFinished(() => watch.close());
  return { root, parent, watch };
};

describe.skipIf(process.platform !== 'linux')('a watch', () => {
  test('knows every change once it has caught up, and only those', async () => {
    const { root, watch } = await open();
    const [above, below] = [watch.directory(join(root, 'a')), watch.directory(join(root, 'a', 'b'))];
    const changedAt = async () => {
      expect(await watch.catchUp()).toBe(true);
      return [above?.changedAt, below?.changedAt];
    };
    let before = await changedAt();
    for (let i = 0; i < 50; i++) {
      // The first one creates it.
      writeFileSync(join(root, 'a', 'file'), `${i}`);
      const after = await changedAt();
      expect(after[0]).toBeGreaterThan(before[0] ?? 0);
      expect(after[1]).toBe(before[1]);
      expect(await changedAt()).toEqual(after);
      before = after;
    }
    expect([above?.isAlive, below?.isAlive]).toEqual([true, true]);
  });

  test('notices that a directory was moved, even if something else already watched it by another path', async () => {
    const { root, watch } = await open();
    const path = join(root, 'a', 'b');
    symlinkSync(path, join(root, 'linked'));
    // The system has one watch of it for this thread, which belongs to the first one.
    const first = watchDirectory(join(root, 'linked'), () => undefined);
    onTestFinished(() => first.close());
    const directory = watch.directory(path);
    writeFileSync(join(path, 'file'), '');
    expect([await watch.catchUp(), directory?.isAlive]).toEqual([true, true]);
    renameSync(path, join(root, 'moved'));
    expect([await watch.catchUp(), directory?.isAlive]).toEqual([true, false]);
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
      expect(await watch.catchUp()).toBe(true);
      for (const directory of watched) expect(directory?.isAlive ?? false).toBe(false);
    }
  });

  test('catches up again after a pause of its thread', { tags: 'slow' }, async () => {
    const { watch } = await open();
    for (let time = 0; time < 5; time++) {
      const caughtUp = watch.catchUp();
      // Longer than it waits, so that the timer and the event are both due.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      expect(await caughtUp).toBe(true);
      // The timer's turn comes after the event.
      await new Promise((resolve) => setImmediate(resolve));
      expect(await watch.catchUp()).toBe(true);
    }
  });

  test('starts again when the root was replaced', async () => {
    const { root, parent, watch } = await open();
    const before = watch.directory(join(root, 'a'));
    renameSync(root, join(parent, 'old'));
    mkdirSync(join(root, 'a'), { recursive: true });
    const { generation } = watch;
    expect([await watch.catchUp(), before?.isAlive]).toEqual([true, false]);
    expect(watch.generation).toBeGreaterThan(generation);
    const after = watch.directory(join(root, 'a'));
    const since = watch.generation;
    writeFileSync(join(root, 'a', 'file'), '');
    expect([await watch.catchUp(), after?.isAlive]).toEqual([true, true]);
    expect(after?.changedAt).toBeGreaterThan(since);
  });

  test('watches no link and nothing outside the root', async () => {
    const { root, parent, watch } = await open();
    symlinkSync(join(root, 'a'), join(root, 'linked'));
    for (const path of [join(root, 'linked'), join(root, 'linked', 'b'), join(root, 'none'), parent])
      expect(watch.directory(path)).toBeUndefined();
  });

  test('trusts nothing after more events at once than the system may keep', { tags: 'slow' }, async () => {
    const { root, watch } = await open();
    const directory = watch.directory(join(root, 'a'));
    const untouched = watch.directory(join(root, 'a', 'b'));
    await watch.catchUp();
    expect([directory?.isAlive, untouched?.isAlive]).toEqual([true, true]);
    for (let i = 0; i < 5_000; i++) {
      chmodSync(join(root, 'a', 'b'), 0o700);
      chmodSync(join(root, 'a'), 0o700);
    }
    await watch.catchUp();
    expect([directory?.isAlive, untouched?.isAlive]).toEqual([false, false]);
    // From here on, it knows everything again.
    const again = watch.directory(join(root, 'a'));
    const { generation } = watch;
    await watch.catchUp();
    expect([again?.isAlive, watch.generation]).toEqual([true, generation]);
  });

  test('is not created without a place for its markers', async () => {
    const parent = await makeTempDirectory();
    writeFileSync(join(parent, 'markers'), '');
    expect(createRootWatch(parent, join(parent, 'markers'))).toBeUndefined();
  });
});
