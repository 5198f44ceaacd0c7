import type { Text } from '@codemirror/state';

/**
 * Text of an editor: LF line ends, no byte order mark. Typed text stays the editor's tree of lines, and
 * becomes a string (`String(text)`) only where one is needed. Converting 2 MiB for each key would be
 * noticeable.
 */
export type EditedText = string | Text;

/** Whether two texts are equal. Fast for two versions from one editor, which share their equal parts. */
export const isSameText = (a: EditedText, b: EditedText): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return typeof a !== 'string' && typeof b !== 'string' ? a.eq(b) : String(a) === String(b);
};
