import { expect, it } from 'vitest';
import { visibleText } from '../../src/renderer/src/visible-text.ts';

it('leaves ordinary text alone', () => {
  const text = '#!/bin/sh\n\techo "Grüße, 日本, 👍"\n';
  expect(visibleText(text)).toBe(text);
  expect(visibleText('a\r\nb')).toBe('a\nb');
});

it('names the characters that would hide or reorder text', () => {
  expect(visibleText('a\u202Eb\u2066c\u200Bd\uFEFFe\u2028f')).toBe(
    'a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+FEFF⟩e⟨U+2028⟩f',
  );
  expect(visibleText('rm -rf ~ #\rls\x1b[1A\x08')).toBe('rm -rf ~ #⟨U+000D⟩ls⟨U+001B⟩[1A⟨U+0008⟩');
  expect(visibleText('\u{E0061}')).toBe('⟨U+E0061⟩');
});
