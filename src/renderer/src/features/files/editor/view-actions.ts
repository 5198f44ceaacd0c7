import { openSearchPanel } from '@codemirror/search';
import type { Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { TextPlace } from '../../../intents.ts';
import { type Heading, headingsIn } from './headings.ts';

/** What the page does with the text of an open editor. */
export interface ViewActions {
  readonly focus: () => void;
  readonly find: () => void;
  readonly headings: () => readonly Heading[];
  /** Moves the caret to a position, in UTF-16 code units, and shows it at the top. */
  readonly goTo: (position: number) => void;
  /** Selects a match of the search, and shows it in the middle. */
  readonly reveal: (place: TextPlace) => void;
}

/**
 * The range of a match. Unsaved text may have other lines than the file that was searched, so the same words
 * elsewhere count too. Without them, it is the beginning of the line.
 */
export const rangeOf = (doc: Text, place: TextPlace): { readonly from: number; readonly to: number } => {
  const words = place.text.slice(place.start, place.start + place.length);
  const line = doc.line(Math.min(place.line, doc.lines));
  // A long line may have the words more than once, so what is around them counts first.
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
    const { from, to } = rangeOf(view.state.doc, place);
    view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
    view.focus();
  },
});
