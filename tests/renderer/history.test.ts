import { expect, test } from 'vitest';
import { actionOf } from '../../src/renderer/src/history/use-history.ts';
import { historyWords } from '../../src/renderer/src/strings/history.ts';
import type { Change } from '../../src/shared/api/changes.ts';

const entry = (label: string, more: Partial<Change> = {}): Change => ({
  id: 'own',
  at: '2026-11-30T08:00:00.000Z',
  by: { kind: 'operator' },
  label,
  summary: '',
  state: 'done',
  items: 1,
  applied: 1,
  ...more,
});

test.each([
  ['a change', entry('Link a'), { way: 'undo', id: 'own', said: 'Link a' }],
  ['an undone change', entry('Link a', { undoneBy: 'later' }), { way: 'redo', id: 'later', said: 'Link a' }],
  ['an undo', entry('Undo: Link a', { undoes: 'first' }), { way: 'redo', id: 'own', said: 'Link a' }],
  ['a redo', entry('Redo: Link a', { undoes: 'undo' }), { way: 'undo', id: 'own', said: 'Link a' }],
  [
    'an undo that was undone',
    entry('Undo: Link a', { undoes: 'first', undoneBy: 'later' }),
    { way: 'undo', id: 'later', said: 'Link a' },
  ],
  ['a change that changed nothing', entry('Link a', { applied: 0 }), null],
])('an entry of the history offers the other direction: %s', (_, change, action) => {
  expect(actionOf(change)).toEqual(action);
});

const figures = { sessions: 3, failedSessions: 0, sats: 123, satsPerSession: 41 };

test.each([
  [{ ...figures, before: null }, '3 sessions, 41 sat each'],
  [
    { ...figures, failedSessions: 1, before: { ...figures, satsPerSession: 29.7 } },
    '3 sessions, 41 sat each, 38% more expensive than before, 1 failed',
  ],
  [
    { ...figures, before: { ...figures, satsPerSession: 82 } },
    '3 sessions, 41 sat each, 50% cheaper than before',
  ],
  [{ ...figures, before: figures }, '3 sessions, 41 sat each, same cost as before'],
  [{ ...figures, sats: null, satsPerSession: null, before: figures }, '3 sessions'],
  [{ ...figures, before: { ...figures, satsPerSession: 0 } }, '3 sessions, 41 sat each'],
])('says what the sessions after a change cost: %j', (since, said) => {
  expect(historyWords.since(since)).toBe(said);
});
