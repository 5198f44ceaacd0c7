import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MintError } from '../../../src/server/wallet/mint/mint.ts';
import { createDueQueue } from '../../../src/server/wallet/operations/due-queue.ts';
import { makeClock } from '../../support/clock.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;

/** A queue on a clock that stands still. */
const openQueue = () => {
  const clock = makeClock();
  return { clock, queue: createDueQueue(clock, pino({ enabled: false })) };
};

/** Work that is due at a time, and counts its turns. It fails as long as `error` is set. */
const createTask = (at: number | undefined) => {
  const task = {
    at,
    turns: 0,
    error: undefined as unknown,
    dueAt: () => task.at,
    async work() {
      task.turns += 1;
      if (task.error) throw task.error;
      task.at = undefined;
    },
  };
  return task;
};

/** Lets time pass, and the work that is due then begin and end. */
const pass = async (clock: ReturnType<typeof makeClock>, ms: number) => {
  clock.pass(ms);
  await new Promise((resolve) => setTimeout(resolve));
};

test('work waits until it is due, and one that fails holds up no other', async () => {
  const { clock, queue } = openQueue();
  const [first, second] = [createTask(clock.now() + 10 * SECOND), createTask(clock.now() + 10 * SECOND)];
  first.error = new Error('it always fails');
  queue.add('first', first);
  const kind = queue.add('second', second);
  await pass(clock, 20 * SECOND);
  expect([first.turns, second.turns]).toEqual([0, 0]);
  queue.start();
  await pass(clock, 0);
  expect([first.turns, second.turns]).toEqual([1, 1]);

  second.at = clock.now() + 5 * SECOND;
  kind.changed();
  await pass(clock, 4_999);
  expect(second.turns).toBe(1);
  await pass(clock, 1);
  expect(second.turns).toBe(2);
});

test('work that fails waits twice as long each time, at most five minutes, until the mint is back', async () => {
  const { clock, queue } = openQueue();
  const task = createTask(clock.now());
  task.error = new MintError('unreachable', 'The mint is away.');
  queue.add('task', task);
  queue.start();
  for (const [turns, waitMs] of [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].entries()) {
    await pass(clock, waitMs * SECOND - 1);
    expect([waitMs, task.turns]).toEqual([waitMs, turns]);
    await pass(clock, 1);
    expect([waitMs, task.turns]).toEqual([waitMs, turns + 1]);
  }
  await pass(clock, 10 * SECOND);
  expect(task.turns).toBe(12);
  queue.wake();
  await pass(clock, 0);
  expect(task.turns).toBe(13);
  // A mint that answers only other requests isn't asked again at once.
  queue.wake();
  await pass(clock, 4_999);
  expect(task.turns).toBe(13);
  await pass(clock, 1);
  expect(task.turns).toBe(14);
});

test('one turn runs at a time, and stopping waits for it and begins no other', async () => {
  const { clock, queue } = openQueue();
  let end = () => {};
  let turns = 0;
  const kind = queue.add('slow', {
    dueAt: () => clock.now(),
    work: () =>
      new Promise<void>((resolve) => {
        turns += 1;
        end = resolve;
      }),
  });
  queue.start();
  await pass(clock, SECOND);
  void kind.runNow();
  kind.changed();
  await pass(clock, HOUR);
  expect(turns).toBe(1);
  let isStopped = false;
  const stopping = queue.stop().then(() => {
    isStopped = true;
  });
  await pass(clock, HOUR);
  expect([isStopped, queue.isStopped()]).toEqual([false, true]);
  end();
  await stopping;
  await kind.runNow();
  await pass(clock, HOUR);
  expect(turns).toBe(1);
});

test('work rests while it should, and a clock that was ahead or is set back delays no work for long', async () => {
  const { clock, queue } = openQueue();
  let restsForMs = 30 * SECOND;
  const task = createTask(clock.now() + 1_000 * HOUR);
  queue.add('task', { ...task, longestMs: 10 * SECOND, restsForMs: () => restsForMs });
  queue.start();
  await pass(clock, 30 * SECOND - 1);
  expect(task.turns).toBe(0);
  await pass(clock, 1);
  expect(task.turns).toBe(1);

  restsForMs = 0;
  const late = createTask(clock.now());
  const kind = queue.add('late', late);
  await kind.runNow();
  clock.pass(-100 * HOUR);
  late.at = clock.now();
  kind.changed();
  await pass(clock, SECOND);
  expect(late.turns).toBe(2);
});

test('work whose time can’t be read is done later, and nothing is thrown', async () => {
  const { clock, queue } = openQueue();
  let isFull = true;
  let turns = 0;
  queue.add('task', {
    dueAt() {
      if (isFull) throw new Error('the disk is full');
      return turns === 0 ? clock.now() : undefined;
    },
    work: async () => void turns++,
  });
  queue.start();
  isFull = false;
  await pass(clock, 5 * 60 * SECOND);
  expect(turns).toBe(1);
});
