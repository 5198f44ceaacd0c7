import { Compartment, type EditorState, type Extension, type StateEffect } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';

const compartment = new Compartment();
const SHOWN: Extension = lineNumbers();
const HIDDEN: Extension = [];

const theme = EditorView.theme({
  '.cm-lineNumbers': { color: 'var(--muted)', fontSize: '0.75rem' },
  '.cm-lineNumbers .cm-gutterElement': {
    minWidth: '2.5rem',
    padding: '0 0.25rem 0 0.5rem',
    lineHeight: '1.3rem',
  },
});

/** A place for line numbers, hidden until {@link switchLineNumbers} shows them. */
export const optionalLineNumbers: Extension = [compartment.of(HIDDEN), theme];

/** The effects that show or hide the line numbers of a state. None if they already are. */
export const switchLineNumbers = (state: EditorState, isShown: boolean): StateEffect<unknown>[] => {
  const wanted = isShown ? SHOWN : HIDDEN;
  return compartment.get(state) === wanted ? [] : [compartment.reconfigure(wanted)];
};
