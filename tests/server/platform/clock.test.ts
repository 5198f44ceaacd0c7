import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/server/platform/clock.ts';

test('a task that is due in more than 24.8 days doesn’t run at once', async () => {
  let runs = 0;
  const cancel = systemClock.after(2 ** 31 + 1_000, () => {
    runs += 1;
  });
  // A timer that is too long runs after one millisecond.
  await sleep(20);
  cancel();
  expect(runs).toBe(0);
});
