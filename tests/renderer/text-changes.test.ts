import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween, type TextChange } from '../../src/renderer/src/features/files/text-changes.ts';

const apply = (text: string, changes: readonly TextChange[]): string =>
  changes
    .toReversed()
    .reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text);

const line = fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', '😀') });
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));

describe('changesBetween', () => {
  it.each([
    ['a\nb\nc', 'a\nx\nb\nc'],
    ['a\nb\nc', 'x\na\nb\nc'],
    ['a\nb\nc', 'b\nc'],
    ['a\nb\nc', 'a\nb'],
    ['a\nb', 'a\nb\n'],
    ['a\nb\n', 'a\nb'],
    ['', '\n'],
    ['a', ''],
  ])('changes %j into %j', (before, after) => {
    expect(apply(before, changesBetween(before, after))).toBe(after);
  });

  it('leaves equal text alone between two changes, and within a line', () => {
    expect(changesBetween('one\ntwo\nthree\nfour', 'one!\ntwo\nthree\nfo-ur')).toEqual([
      { from: 3, to: 3, insert: '!' },
      { from: 16, to: 16, insert: '-' },
    ]);
  });

  it('changes any text into any other, in order and without overlap', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = changesBetween(before, after);
        expect(apply(before, changes)).toBe(after);
        for (const [index, { from, to }] of changes.entries()) {
          expect(from).toBeLessThanOrEqual(to);
          expect(from).toBeGreaterThanOrEqual(changes[index - 1]?.to ?? 0);
        }
      }),
    );
  });
});
