// A separate file, because it's loaded lazily with the editor's packages.
import { EditorView } from '@codemirror/view';
import { savedVersionChanged } from './changed-lines.ts';
import { switchLineNumbers } from './editor-extensions.ts';
import { type EditorOptions, type OpenedEditor, sessionOf } from './editor-session.ts';
import { createFindingMarks } from './findings.ts';
import { actionsOf } from './view-actions.ts';

/** Opens a file's editor with its last undo history, caret and scroll position. */
export const openEditor = (options: EditorOptions): OpenedEditor => {
  const session = sessionOf(options);
  const view = new EditorView({
    state: session.state,
    root: options.root,
    parent: options.root,
    ...(session.scrollTo ? { scrollTo: session.scrollTo } : {}),
  });
  // The text is narrower than the editor, so clicks next to it place the caret too.
  view.scrollDOM.addEventListener('mousedown', (event) => {
    if (event.target !== view.scrollDOM || event.offsetX > view.scrollDOM.clientWidth) return;
    event.preventDefault();
    const anchor = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    view.dispatch({ selection: { anchor } });
    view.focus();
  });
  const setFindings = createFindingMarks(view, session);
  return {
    ...actionsOf(view),
    setText: (text) => {
      const transaction = session.transactionTo(view.state, text);
      if (transaction) view.dispatch(transaction);
    },
    setBase: (base) => {
      if (session.setBase(base)) view.dispatch({ effects: savedVersionChanged.of(null) });
    },
    setFindings,
    setLineNumbers: (areShown) => view.dispatch({ effects: switchLineNumbers(view.state, areShown) }),
    close: () => {
      session.state = view.state;
      session.scrollTo = view.scrollSnapshot();
      session.onTextChange = () => {};
      view.destroy();
    },
  };
};
