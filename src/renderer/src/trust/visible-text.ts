// Apart from the dialog, so that its tests need no browser.
/**
 * Characters that change what a reader sees without being seen: controls, direction marks, and what has no width.
 * Tabs and line ends are seen.
 */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A text in which nothing can hide: `⟨U+202E⟩` takes the place of a character that isn't seen. */
export const visibleText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(
      UNSEEN,
      (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    );
