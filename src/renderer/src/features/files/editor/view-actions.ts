import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { openSearchPanel } from '@codemirror/search';
import type { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { TextPlace } from '../../../shell/intents.ts';

/** A Markdown heading. */
export interface Heading {
  /** From 1 for the largest to 6. */
  readonly level: number;
  readonly text: string;
  /** The start of its line, in UTF-16 code units. */
  readonly from: number;
  /** True if the caret is in its section. */
  readonly isCurrent: boolean;
}

/** If parsing takes longer, only the headings found by then are shown. */
const PARSE_WITHIN_MS = 300;

const HEADING = /^(?:ATX|Setext)Heading([1-6])$/;

/** Returns the first line without its Markdown marks. */
const titleOf = (source: string): string =>
  (source.split('\n', 1)[0] ?? '')
    .replace(/^#{1,6}(?=\s|$)/, '')
    .replace(/\s#+\s*$/, '')
    .replace(/[*`]/g, '')
    .trim();

/** Returns a text's headings, from top to bottom, except empty ones. */
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

/** The page's actions on the text of an open editor. */
export interface ViewActions {
  readonly focus: () => void;
  readonly find: () => void;
  readonly headings: () => readonly Heading[];
  /** Moves the caret to a position, in UTF-16 code units, and scrolls it to the top. */
  readonly goTo: (position: number) => void;
  /** Selects a search match, and scrolls it to the middle. */
  readonly reveal: (place: TextPlace) => void;
}

/**
 * Returns a match's range. Unsaved text may differ from the file that was searched, so the same words
 * elsewhere count too. If there are none, returns the start of the line.
 */
export const editorRangeOf = (
  doc: Text,
  place: TextPlace,
): { readonly from: number; readonly to: number } => {
  const words = place.text.slice(place.start, place.start + place.length);
  const line = doc.line(Math.min(place.line, doc.lines));
  // A long line may contain the words more than once, so look for the surrounding text first.
  const around = line.text.indexOf(place.text);
  const inLine = around < 0 ? line.text.indexOf(words) : around + place.start;
  const at = inLine < 0 ? doc.toString().indexOf(words) : line.from + inLine;
  return at < 0 ? { from: line.from, to: line.from } : { from: at, to: at + words.length };
};

/** Creates the actions of a view. */
export const actionsOf = (view: EditorView): ViewActions => ({
  focus: () => view.focus(),
  find: () => openSearchPanel(view),
  headings: () => headingsIn(view.state),
  goTo: (position) => {
    const anchor = Math.min(position, view.state.doc.length);
    view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'start', yMargin: 24 }),
    });
    view.focus();
  },
  reveal: (place) => {
    const { from, to } = editorRangeOf(view.state.doc, place);
    view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
    view.focus();
  },
});
