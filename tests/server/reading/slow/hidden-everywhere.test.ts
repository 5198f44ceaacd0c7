import { expect, test } from 'vitest';
import { askAll } from '../ask-all.ts';

test('no response, event or log line shows what the table of readers hides, for any route and place', async () => {
  const { leaks, count, seen } = await askAll();
  expect(leaks).toEqual([]);
  expect(count).toBeGreaterThan(5_000);
  expect(seen.size).toBe(4);
});
