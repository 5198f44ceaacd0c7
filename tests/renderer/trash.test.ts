import { describe, expect, it } from 'vitest';
import { daysLeft } from '../../src/renderer/src/features/trash/use-trash.ts';

describe('daysLeft', () => {
  const deletedAt = '2026-11-01T12:00:00.000Z';
  it.each([
    ['2026-11-01T12:00:00.000Z', 30],
    ['2026-11-01T12:00:01.000Z', 30],
    ['2026-11-02T12:00:00.000Z', 29],
    ['2026-12-01T11:00:00.000Z', 1],
    ['2026-12-01T12:00:00.000Z', 0],
    ['2027-01-01T00:00:00.000Z', 0],
  ])('at %s leaves %i', (now, days) => {
    expect(daysLeft(deletedAt, Date.parse(now))).toBe(days);
  });
});
