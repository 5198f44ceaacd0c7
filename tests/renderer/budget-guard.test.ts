import { expect, test } from 'vitest';
import { guardState } from '../../src/renderer/src/features/agents/use-budget.ts';

const GUARD = 'budget-guard.ts';
const link = { name: GUARD, linksToShared: true, broken: false };

test('the guard is offered if the root has it, and its own link can be removed', () => {
  expect(guardState([{ name: GUARD }], [])).toBe('unlinked');
  expect(guardState([{ name: GUARD }], [link])).toBe('linked');
});

test('nothing is offered for a root without the guard, or for a file or broken link of its name', () => {
  expect(guardState([{ name: 'other.ts' }], [])).toBeUndefined();
  expect(guardState([{ name: GUARD }], [{ ...link, linksToShared: false }])).toBeUndefined();
  expect(guardState([{ name: GUARD }], [{ ...link, broken: true }])).toBeUndefined();
  expect(guardState([{ name: GUARD }], undefined)).toBeUndefined();
});
