import { expect, test } from 'vitest';
import { createFairQueue } from '../../../src/server/platform/fair-queue.ts';

test('callers take turns, then the agents of each, and a shared job runs once at the first turn', async () => {
  const queue = createFairQueue(100);
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const add = (caller: string, agent: string, name: string) =>
    queue.add(caller, agent, async () => {
      await promise;
      order.push(name);
    });
  const jobs = [
    add('stranger', 'a', 'a1'),
    ...['a2', 'a3', 'a4'].map((name) => add('stranger', 'a', name)),
    add('stranger', 'b', 'b1'),
    add('operator', 'c', 'c1'),
  ];
  const shared = add('stranger', 'd', 'd1');
  if (shared) queue.join('operator', 'd', shared);
  resolve();
  await Promise.all([...jobs, shared].map((job) => job?.result));
  expect(order).toEqual(['a1', 'a2', 'c1', 'b1', 'd1', 'a3', 'a4']);
});

test('a caller with too many tasks gets no more, others do, and a task that fails stops nobody', async () => {
  const queue = createFairQueue(2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = queue.add('stranger', 'a', () => promise);
  const failing = queue.add('stranger', 'a', async () => {
    throw new Error('on purpose');
  });
  queue.add('stranger', 'b', async () => undefined);
  expect(queue.add('stranger', 'c', async () => undefined)).toBeUndefined();
  const own = queue.add('operator', 'a', async () => 'done');
  const failed = expect(failing?.result).rejects.toThrow('on purpose');
  resolve();
  await failed;
  expect(await own?.result).toBe('done');
  await first?.result;
  expect(await queue.add('stranger', 'c', async () => 'later')?.result).toBe('later');
});
