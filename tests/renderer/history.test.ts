import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { connectChanges, showChanges } from '../../src/renderer/src/changes/changes.ts';
import { standingOf } from '../../src/renderer/src/changes/use-history.ts';
import { historyWords } from '../../src/renderer/src/strings/history.ts';
import type { Change } from '../../src/shared/api/changes.ts';

const entry = (id: string, label: string, more: Partial<Change> = {}): Change => ({
  id,
  at: '2026-11-30T08:00:00.000Z',
  by: { kind: 'operator' },
  label,
  summary: '',
  state: 'done',
  items: 1,
  applied: 1,
  ...more,
});

const standings = (changes: readonly Change[]) => {
  const byId = new Map(changes.map((change) => [change.id, change]));
  return changes.map((change) => {
    const { isUndone, action } = standingOf(change, byId);
    return [
      change.id,
      isUndone ? 'undone' : 'stands',
      action && `${action.way} ${action.id}: ${action.said}`,
    ];
  });
};

test('a change, its undo and its redo offer the same next step, whatever their labels are', () => {
  const change = entry('change', 'Undo: what I like');
  expect(standings([change])).toEqual([['change', 'stands', 'undo change: Undo: what I like']]);
  const undone = { ...change, undoneBy: 'undo' };
  const undo = entry('undo', 'Undo: Undo: what I like', { undoes: 'change' });
  expect(standings([undo, undone])).toEqual([
    ['undo', 'stands', 'redo undo: Undo: what I like'],
    ['change', 'undone', 'redo undo: Undo: what I like'],
  ]);
  const redo = entry('redo', 'Redo: Undo: what I like', { undoes: 'undo' });
  expect(standings([redo, { ...undo, undoneBy: 'redo' }, undone])).toEqual([
    ['redo', 'stands', 'undo redo: Undo: what I like'],
    ['undo', 'undone', 'undo redo: Undo: what I like'],
    ['change', 'stands', 'undo redo: Undo: what I like'],
  ]);
});

test('an undo whose change isn’t loaded can be undone as what it says it is', () => {
  expect(standings([entry('undo', 'Undo: Link a', { undoes: 'older' })])).toEqual([
    ['undo', 'stands', 'undo undo: Undo: Link a'],
  ]);
});

test('a change whose undo isn’t loaded can be redone', () => {
  expect(standings([entry('change', 'Link a', { undoneBy: 'later' })])).toEqual([
    ['change', 'undone', 'redo later: Link a'],
  ]);
});

test('a change that changed nothing offers nothing', () => {
  expect(standings([entry('change', 'Link a', { applied: 0 })])).toEqual([['change', 'stands', null]]);
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

test('a press on Recent changes before the page has loaded its list opens it then, once', () => {
  const onShow = vi.fn();
  const connect = () => connectChanges({ client: new QueryClient(), onShow });
  showChanges();
  connect()();
  connect()();
  expect(onShow).toHaveBeenCalledOnce();
});
