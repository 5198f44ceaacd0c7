/**
 * Invisible characters that change what a reader sees: controls, direction marks and zero-width characters. Tabs and
 * line endings are visible.
 */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Returns text in which nothing can hide: each invisible character becomes a mark such as `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(
      UNSEEN,
      (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    );
