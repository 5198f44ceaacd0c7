import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge';
import { openSearchPanel } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { strings } from '../../../strings.ts';
import { changesBetween } from '../text-changes.ts';
import { adoptComparisonFrame, comparisonTheme } from './comparison-theme.ts';
import { type EditorLanguage, shownText } from './editor-extensions.ts';
import { docOf, type EditorOptions, type OpenedEditor } from './editor-session.ts';
import { sessionOf } from './editor-sessions.ts';

/** What a comparison is opened with besides. */
export interface ComparisonOptions extends EditorOptions {
  /** The text on disk. */
  readonly theirs: string;
  readonly theirsLabel: string;
}

/** An editor with the text on disk beside it. */
export interface OpenedComparison extends OpenedEditor {
  readonly setTheirs: (theirs: string) => void;
  /** Moves the caret of mine to the next difference, round the end. */
  readonly next: () => void;
  readonly previous: () => void;
}

// Two large texts that have little in common are compared roughly rather than for minutes.
const DIFF = { scanLimit: 2000, timeout: 300 };

/** Opens the editor of a file on the right, what is on disk on the left, line by line beside each other. */
export const openComparison = (options: ComparisonOptions): OpenedComparison => {
  const session = sessionOf(options);
  const { root, theirs, theirsLabel, language } = options;
  adoptComparisonFrame(root);
  const merge = new MergeView({
    root,
    parent: root,
    a: { doc: docOf(theirs), extensions: readOnly(theirsLabel, language) },
    b: {
      doc: session.state.doc,
      selection: session.state.selection,
      extensions: [session.extensions(), comparisonTheme],
    },
    diffConfig: DIFF,
    revertControls: 'a-to-b',
    renderRevertControl: createTakeButton,
  });
  const { a, b } = merge;
  return {
    setText: (text) => {
      const transaction = session.transactionTo(b.state, text);
      if (transaction) b.dispatch(transaction);
    },
    setBase: (base) => session.setBase(base),
    setTheirs: (text) => a.dispatch({ changes: [...changesBetween(a.state.doc.toString(), text)] }),
    next: () => goToNextChunk(b),
    previous: () => goToPreviousChunk(b),
    focus: () => b.focus(),
    find: () => openSearchPanel(b),
    close: () => {
      session.adopt(b.state);
      session.scrollTo = undefined;
      session.onTextChange = () => {};
      merge.destroy();
    },
  };
};

const readOnly = (label: string, language: EditorLanguage): Extension => [
  shownText(label, language),
  EditorState.readOnly.of(true),
  EditorView.editorAttributes.of({ 'data-readonly': '' }),
  comparisonTheme,
];

/** The button beside a difference. The merge view listens to the mouse only; this one can be pressed with keys, too. */
const createTakeButton = (): HTMLElement => {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '→';
  button.title = strings.conflict.takeTheirs;
  button.setAttribute('aria-label', strings.conflict.takeTheirs);
  button.addEventListener('click', (event) => {
    const byKeyboard = event.detail === 0;
    if (byKeyboard) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
  });
  return button;
};
