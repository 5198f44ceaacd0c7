import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

/** A heading of a Markdown text. */
export interface Heading {
  /** From 1 for the largest to 6. */
  readonly level: number;
  readonly text: string;
  /** Where its line begins, in UTF-16 code units. */
  readonly from: number;
  /** Whether the caret is in its section. */
  readonly isCurrent: boolean;
}

/** A text that takes longer shows the headings that were found until then. */
const PARSE_WITHIN_MS = 300;

const HEADING = /^(?:ATX|Setext)Heading([1-6])$/;

/** The first line without its marks. */
const titleOf = (source: string): string =>
  (source.split('\n', 1)[0] ?? '')
    .replace(/^#{1,6}(?=\s|$)/, '')
    .replace(/\s#+\s*$/, '')
    .replace(/[*`]/g, '')
    .trim();

/** The headings of a text, from top to bottom. Leaves out those without a text. */
export const headingsIn = (state: EditorState): readonly Heading[] => {
  const found: Omit<Heading, 'isCurrent'>[] = [];
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_WITHIN_MS) ?? syntaxTree(state);
  tree.iterate({
    enter: ({ name, from, to }) => {
      const level = HEADING.exec(name)?.[1];
      if (level === undefined) return;
      const text = titleOf(state.sliceDoc(from, to));
      if (text !== '') found.push({ level: Number(level), text, from: state.doc.lineAt(from).from });
      return false;
    },
  });
  const caret = state.selection.main.head;
  const current = found.findLast(({ from }) => from <= caret);
  return found.map((heading) => ({ ...heading, isCurrent: heading === current }));
};
