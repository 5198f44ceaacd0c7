import { expect, test } from 'vitest';
import { foldUnchanged, lineChanges } from '../../src/renderer/src/ui/line-difference.tsx';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

test('shows the lines that were added and removed, and folds long runs of unchanged ones', () => {
  const before = [...lines(1, 20), 'old', ...lines(21, 23)].join('\n');
  const after = [...lines(1, 20), 'new', ...lines(21, 23)].join('\n');
  expect(foldUnchanged(lineChanges(before, after))).toEqual([
    { kind: 'folded', count: 17 },
    { kind: 'same', lines: lines(18, 20) },
    { kind: 'removed', lines: ['old'] },
    { kind: 'added', lines: ['new'] },
    { kind: 'same', lines: lines(21, 23) },
  ]);
});

test('replaces everything when too much changed to compare', () => {
  const [before, after] = [lines(1, 3_000), lines(4_001, 7_000)];
  expect(lineChanges(before.join('\n'), after.join('\n'))).toEqual([
    { kind: 'removed', lines: before },
    { kind: 'added', lines: after },
  ]);
});
