// Its own file because it is loaded lazily, with the editor's packages.
import { openSearchPanel } from '@codemirror/search';
import { EditorView } from '@codemirror/view';
import type { EditorOptions, OpenedEditor } from './editor-session.ts';
import { sessionOf } from './editor-sessions.ts';

/** Opens a file's editor with its last undo history, caret and scroll position. */
export const openEditor = (options: EditorOptions): OpenedEditor => {
  const session = sessionOf(options);
  const view = new EditorView({
    state: session.state,
    root: options.root,
    parent: options.root,
    ...(session.scrollTo ? { scrollTo: session.scrollTo } : {}),
  });
  return {
    setText: (text) => {
      const transaction = session.transactionTo(view.state, text);
      if (transaction) view.dispatch(transaction);
    },
    setBase: (base) => session.setBase(base),
    focus: () => view.focus(),
    find: () => openSearchPanel(view),
    close: () => {
      session.state = view.state;
      session.scrollTo = view.scrollSnapshot();
      session.onTextChange = () => {};
      view.destroy();
    },
  };
};
