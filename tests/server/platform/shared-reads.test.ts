import { expect, test } from 'vitest';
import { createKeyedLock } from '../../../src/server/platform/keyed-lock.ts';
import { createSharedReads } from '../../../src/server/platform/shared-reads.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('callers in the same turn share one read', async () => {
  const reads = createSharedReads<number>();
  let looks = 0;
  const results = await Promise.all(Array.from({ length: 50 }, () => reads.read('a', async () => ++looks)));
  expect([looks, new Set(results).size]).toEqual([1, 1]);
});

test('a read that began before a call never answers it', async () => {
  const reads = createSharedReads<string>();
  let disk = 'old';
  let release = () => {};
  const slow = reads.read('a', async () => {
    const seen = disk;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return seen;
  });
  await nextTurn();
  disk = 'new';
  const late = [reads.read('a', async () => disk), reads.read('a', async () => disk)];
  release();
  expect(await slow).toBe('old');
  expect(await Promise.all(late)).toEqual(['new', 'new']);
});

test('keys do not wait for each other, and a failed read fails only the callers that share it', async () => {
  const reads = createSharedReads<number>();
  const failing = reads.read('a', async () => {
    throw new Error('no');
  });
  const other = reads.read('b', async () => 2);
  await expect(failing).rejects.toThrow('no');
  expect(await other).toBe(2);
  expect(await reads.read('a', async () => 1)).toBe(1);
});

test('a lock runs tasks of one key in order, of different keys at the same time, and continues after a failure', async () => {
  const lock = createKeyedLock();
  const log: string[] = [];
  const task = (key: string, name: string, fail = false) =>
    lock
      .run(key, async () => {
        log.push(`${name} begins`);
        await nextTurn();
        log.push(`${name} ends`);
        if (fail) throw new Error(name);
      })
      .catch(() => undefined);
  await Promise.all([task('a', 'first', true), task('a', 'second'), task('b', 'other')]);
  expect(log.indexOf('first ends')).toBeLessThan(log.indexOf('second begins'));
  expect(log.indexOf('other begins')).toBeLessThan(log.indexOf('first ends'));
});
