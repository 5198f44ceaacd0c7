import type { Diagnostic } from '../../shared/api/catalog.ts';
import type { SharedText } from '../root-model/reader.ts';

/** The reason why a file's text can't be read. */
export type Unread = Exclude<SharedText, { readonly text: string }>;

/** Describes a file that pi reads, but whose text an editor would change. */
export const NOT_PLAIN =
  'It is not UTF-8, or contains NUL bytes. pi reads it, but may show wrong characters. Save it as UTF-8.';

const sentenceOf = (read: Unread): string => {
  switch (read.problem) {
    case 'missing':
    case 'not-a-file':
      return 'It is not a regular file, so pi doesn’t load it. Replace it with a text file.';
    case 'too-large':
      return 'It is larger than the limit of 2 MiB, so dot-mi doesn’t read it. Shorten it.';
    case 'not-text':
      return 'It is not UTF-8 text. Save it as UTF-8.';
    case 'outside':
      return 'It is a symlink to a place outside the root, so dot-mi doesn’t read it. Move its target into the root.';
    case 'unreadable':
      return `It can’t be read (${read.code}). Check its owner and mode.`;
  }
};

/** Describes why dot-mi can't read a file that pi would load. The rule's id starts with `subject`. */
export const textProblem = (subject: 'prompt-template' | 'theme', read: Unread): Diagnostic => ({
  severity: 'warning',
  rule: `${subject}-unreadable`,
  message: sentenceOf(read),
});
