import type { Text } from '@codemirror/state';

/**
 * Text of an editor: LF line ends, no byte order mark. What is typed stays the tree of lines that the editor keeps, and
 * becomes a string (`String(text)`) only where one is needed: 2 MiB for each key would be felt.
 */
export type EditedText = string | Text;

/** Whether two texts read the same. Quick for two versions of one editor, which share what is alike. */
export const isSameText = (a: EditedText, b: EditedText): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return typeof a !== 'string' && typeof b !== 'string' ? a.eq(b) : String(a) === String(b);
};
