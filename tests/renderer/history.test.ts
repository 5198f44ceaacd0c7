import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { connectChanges, showChanges } from '../../src/renderer/src/changes/changes.ts';
import { chainsOf } from '../../src/renderer/src/changes/use-history.ts';
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

const shown = (changes: readonly Change[]) =>
  chainsOf(changes).map(({ change, last, isUndone, action }) => [
    change.id,
    last?.id,
    isUndone ? 'undone' : 'stands',
    action && `${action.way} ${action.id}`,
  ]);

test('a change, its undo, its redo and the next undo are one row, whatever their labels are', () => {
  const change = entry('change', 'Undo: what I like');
  const other = entry('other', 'Link a');
  expect(shown([other, change])).toEqual([
    ['other', undefined, 'stands', 'undo other'],
    ['change', undefined, 'stands', 'undo change'],
  ]);
  const undone = { ...change, undoneBy: 'undo' };
  const undo = entry('undo', 'Undo: Undo: what I like', { undoes: 'change' });
  expect(shown([undo, other, undone])).toEqual([
    ['other', undefined, 'stands', 'undo other'],
    ['change', 'undo', 'undone', 'redo undo'],
  ]);
  const redo = entry('redo', 'Redo: Undo: what I like', { undoes: 'undo' });
  expect(shown([redo, { ...undo, undoneBy: 'redo' }, undone])).toEqual([
    ['change', 'redo', 'stands', 'undo redo'],
  ]);
  const again = entry('again', 'Undo: Undo: what I like', { undoes: 'redo' });
  expect(shown([again, { ...redo, undoneBy: 'again' }, { ...undo, undoneBy: 'redo' }, undone])).toEqual([
    ['change', 'again', 'undone', 'redo again'],
  ]);
});

test('an undo whose change isn’t loaded is a row of its own, and can be undone', () => {
  expect(shown([entry('undo', 'Undo: Link a', { undoes: 'older' })])).toEqual([
    ['undo', undefined, 'stands', 'undo undo'],
  ]);
});

test('a change whose undo isn’t loaded can be redone', () => {
  expect(shown([entry('change', 'Link a', { undoneBy: 'later' })])).toEqual([
    ['change', undefined, 'undone', 'redo later'],
  ]);
});

test('a change that changed nothing offers nothing', () => {
  expect(shown([entry('change', 'Link a', { applied: 0 })])).toEqual([['change', undefined, 'stands', null]]);
});

const figures = { sessions: 3, failedSessions: 0, sats: 123, satsPerSession: 41 };

test.each([
  [{ ...figures, before: null }, { sessions: '3 sessions, 41 sat each' }],
  [
    { ...figures, failedSessions: 1, before: { ...figures, satsPerSession: 29.7 } },
    {
      sessions: '3 sessions, 41 sat each',
      compared: { text: 'up 38% from 29.7', isWorse: true },
      failed: '1 with failed calls',
    },
  ],
  [
    { ...figures, before: { ...figures, satsPerSession: 82 } },
    {
      sessions: '3 sessions, 41 sat each',
      compared: { text: 'down 50% from 82', isWorse: false },
    },
  ],
  [
    { ...figures, before: figures },
    { sessions: '3 sessions, 41 sat each', compared: { text: 'same as before', isWorse: false } },
  ],
  [{ ...figures, sats: null, satsPerSession: null, before: figures }, { sessions: '3 sessions' }],
  [{ ...figures, before: { ...figures, satsPerSession: 0 } }, { sessions: '3 sessions, 41 sat each' }],
])('says what the sessions after a change cost: %j', (since, said) => {
  expect(historyWords.since(since)).toEqual({ compared: undefined, failed: undefined, ...said });
});

test('a press on Recent changes before the page has loaded its list opens it then, once', () => {
  const onShow = vi.fn();
  const connect = () => connectChanges({ client: new QueryClient(), onShow });
  showChanges();
  connect()();
  connect()();
  expect(onShow).toHaveBeenCalledOnce();
});
