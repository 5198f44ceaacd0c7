import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTexts } from '../../src/renderer/src/features/files/text-merge.ts';

const base = 'one\ntwo\nthree\nfour\nfive\n';

describe('mergeTexts', () => {
  it('keeps both edits where they don’t overlap', () => {
    const mine = 'ONE\ntwo\nthree\nfour\nfive\n';
    const theirs = 'one\ntwo\nthree\nfour\nfive\nsix\n';
    expect(mergeTexts(base, mine, theirs)).toEqual({
      text: 'ONE\ntwo\nthree\nfour\nfive\nsix\n',
      overlaps: 0,
    });
  });

  it('keeps my lines where both changed the same part, and counts the parts', () => {
    const mine = 'ONE\ntwo\nthree\nfour\nFIVE\n';
    const theirs = 'uno\ntwo\nTHREE\nfour\ncinque\n';
    expect(mergeTexts(base, mine, theirs)).toEqual({
      text: 'ONE\ntwo\nTHREE\nfour\nFIVE\n',
      overlaps: 2,
    });
  });

  it('doesn’t count the same change on both sides as an overlap', () => {
    const both = 'one\ntwo\nTHREE\nfour\nfive\n';
    expect(mergeTexts(base, both, both)).toEqual({ text: both, overlaps: 0 });
    expect(mergeTexts(base, `zero\n${both}`, both)).toEqual({ text: `zero\n${both}`, overlaps: 0 });
  });

  it('counts a line that one side deleted and the other changed', () => {
    expect(mergeTexts('a\nb\nc', 'a\nc', 'a\nB\nc')).toEqual({ text: 'a\nc', overlaps: 1 });
  });

  it('gives the other version if one side changed nothing, and merging again changes nothing', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((it) => it.join('\n'));
    fc.assert(
      fc.property(texts, texts, texts, (start, mine, theirs) => {
        expect(mergeTexts(start, start, theirs)).toEqual({ text: theirs, overlaps: 0 });
        expect(mergeTexts(start, mine, start)).toEqual({ text: mine, overlaps: 0 });
        const { overlaps, text } = mergeTexts(start, mine, theirs);
        expect(mergeTexts(start, theirs, mine).overlaps).toBe(overlaps);
        if (overlaps === 0) expect(mergeTexts(start, theirs, mine).text).toBe(text);
      }),
    );
  });
});
