import { describe, expect, it } from 'vitest';
import { relativeTime } from '../../src/renderer/src/ui/time-ago.tsx';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const now = Date.parse('2026-11-21T12:00:00Z');

describe('relativeTime', () => {
  it.each([
    [0, 'just now'],
    [59 * SECOND, 'just now'],
    [MINUTE, '1 minute ago'],
    [59 * MINUTE, '59 minutes ago'],
    [HOUR, '1 hour ago'],
    [23 * HOUR, '23 hours ago'],
    [DAY, 'yesterday'],
    [6 * DAY, '6 days ago'],
    // The clock of the server may be ahead.
    [-5 * SECOND, 'just now'],
  ])('%i ms ago is %s', (ago, words) => {
    expect(relativeTime(now - ago, now)).toBe(words);
  });

  it('is a date after a week', () => {
    expect(relativeTime(now - 7 * DAY, now)).toContain('2026');
  });
});
