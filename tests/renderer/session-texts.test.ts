import { describe, expect, test } from 'vitest';
import { activityColumns } from '../../src/renderer/src/features/activity/use-activity.ts';
import { sessionName } from '../../src/renderer/src/features/sessions/session-actions.tsx';
import {
  argumentLines,
  costOfEntry,
  costOfSession,
  visible,
} from '../../src/renderer/src/features/sessions/session-texts.ts';
import { dayKey, firstDay, spentOf } from '../../src/renderer/src/money/earnings.ts';
import type { AgentSession } from '../../src/shared/api/sessions.ts';

/** How sessions and what they cost are put into words. */

const session = (cost: Partial<AgentSession>): AgentSession => ({
  id: 's',
  name: null,
  startedAt: null,
  endedAt: null,
  cwd: null,
  models: [],
  calls: 1,
  errors: 0,
  tokens: 10,
  usdRecorded: 0,
  usdEstimated: 0,
  unpricedTokens: 0,
  sats: null,
  ...cost,
});

describe('a cost', () => {
  test.each<[string, Partial<AgentSession>, string, string | undefined]>([
    ['that pi recorded is exact', { usdRecorded: 0.25, sats: 250 }, '$0.25', '250 sat'],
    ['that is estimated looks like it', { usdEstimated: 0.25, sats: 250 }, '≈ $0.25', '≈ 250 sat'],
    [
      'is a part if a model has no price',
      { usdRecorded: 0.5, unpricedTokens: 3 },
      'at least $0.50',
      undefined,
    ],
    ['that nobody knows has no figure', { usdEstimated: null, unpricedTokens: 3 }, 'Unknown', undefined],
    ['of no tokens is zero', {}, '$0.00', undefined],
  ])('%s', (_name, cost, usd, sats) => {
    expect(costOfSession(session(cost))).toMatchObject({ usd, sats });
  });

  test('of an entry follows the same rules', () => {
    const usage = { model: 'm', input: 1, output: 0, cacheRead: 0, cacheWrite: 0, sats: null };
    expect(costOfEntry({ ...usage, usd: 0.5, estimated: true }).usd).toBe('≈ $0.50');
    expect(costOfEntry({ ...usage, usd: null, estimated: false }).usd).toBe('Unknown');
  });
});

test('a session is called what a person called it, then its first message, then its id', () => {
  const one = { id: '0123456789', name: null };
  expect(sessionName(one)).toBe('Session 01234567');
  expect(sessionName({ ...one, firstMessage: 'Plan the move' })).toBe('Plan the move');
  expect(sessionName({ ...one, name: 'Ma\u202ers', firstMessage: 'Plan the move' })).toBe('Ma‹U+202E›rs');
});

test('direction marks are spelled out, and other scripts stay as they are', () => {
  expect(visible('a\u202eb\u2066c')).toBe('a‹U+202E›b‹U+2066›c');
  expect(visible('שלום')).toBe('שלום');
});

test('arguments become lines, unless they were cut', () => {
  expect(argumentLines('{"command":"ls\\n-la","depth":2}')).toBe('command: ls\n-la\ndepth: 2');
  expect(argumentLines('{"command":"ls')).toBe('{"command":"ls');
  expect(argumentLines('[1]')).toBe('[1]');
});

describe('the days of a chart', () => {
  const sums = { payments: 0, unpricedTokens: 0, marginSats: null, calls: 0 };

  test('include those without amounts, and end today', () => {
    const today = new Date(2026, 10, 23).getTime();
    const yesterday = dayKey(new Date(2026, 10, 22));
    const groups = [
      { key: yesterday, earnedSats: 5, spentSatsRecorded: 2, spentSatsEstimated: 1, ...sums },
      { key: '2026-11-23', earnedSats: 0, spentSatsRecorded: null, spentSatsEstimated: 0, ...sums },
    ];
    const [seconds, earned, spent] = activityColumns(groups, today, 3);
    expect(seconds).toEqual([21, 22, 23].map((day) => new Date(2026, 10, day).getTime() / 1000));
    expect(earned).toEqual([0, 5, 0]);
    // What isn't known has no bar.
    expect(spent).toEqual([0, 3, null]);
    expect(firstDay(today, 3)).toBe(new Date(2026, 10, 21).getTime());
  });

  test('have no cost only if there is no BTC price', () => {
    expect(spentOf({ spentSatsRecorded: 1, spentSatsEstimated: 2 })).toBe(3);
    expect(spentOf({ spentSatsRecorded: null, spentSatsEstimated: 0 })).toBeNull();
  });
});
