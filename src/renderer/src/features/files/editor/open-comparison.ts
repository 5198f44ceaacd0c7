import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { conflict as words } from '../../../strings/files.ts';
import { changesBetween } from '../text-changes.ts';
import { type EditorLanguage, shownText, switchLineNumbers } from './editor-extensions.ts';
import { docOf, type EditorOptions, type OpenedEditor, sessionOf } from './editor-session.ts';
import { actionsOf } from './view-actions.ts';

// Underline changed words, because no text color meets AA on a darker background.
const underlined = (token: string): string =>
  `linear-gradient(${token}, ${token}) bottom / 100% 2px no-repeat`;

/** The theme of the two editors. See {@link adoptComparisonFrame} for the frame around them. */
const comparisonTheme = EditorView.theme({
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--danger-soft)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--ok-soft)' },
  '&.cm-merge-a .cm-changedText': { background: underlined('var(--danger)') },
  '&.cm-merge-b .cm-changedText': { background: underlined('var(--ok)') },
  '&.cm-merge-a .cm-changedLineGutter': { background: 'var(--danger)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--ok)' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none' },
});

const FRAME = `
  .cm-mergeView { block-size: 100%; scrollbar-width: thin; }
  .cm-mergeViewEditors { min-block-size: 100%; }
  /* The background reaches the bottom even if the text is short. */
  .cm-mergeViewEditor { display: grid; grid-template-columns: minmax(0, 1fr); }
  .cm-merge-revert { inline-size: 1.75rem; background: var(--sunken); border-inline: 1px solid var(--line); }
  /* Align the button with the first line, which begins below the padding. */
  .cm-merge-revert button { margin-block-start: 0.75rem; color: var(--accent); line-height: 1.6; border-radius: 0.25rem; }
  .cm-merge-revert button:hover { background: var(--hover); }
  .cm-merge-revert button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
`;

const framed = new WeakSet<ShadowRoot>();

/** Styles the frame around the two editors, which an editor theme doesn't reach. */
const adoptComparisonFrame = (root: ShadowRoot): void => {
  if (framed.has(root)) return;
  framed.add(root);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(FRAME);
  root.adoptedStyleSheets.push(sheet);
};

interface ComparisonOptions extends EditorOptions {
  /** The text on disk. */
  readonly theirs: string;
  readonly theirsLabel: string;
}

/** An editor next to the text on disk. */
export interface OpenedComparison extends OpenedEditor {
  readonly setTheirs: (theirs: string) => void;
  /** Moves the editor's caret to the next difference, wrapping at the end. */
  readonly next: () => void;
  readonly previous: () => void;
}

// A rough comparison of two large, different texts beats an exact one that takes minutes.
const DIFF = { scanLimit: 2000, timeout: 300 };

/** Opens a file's editor on the right and the text on disk on the left, aligned line by line. */
export const openComparison = (options: ComparisonOptions): OpenedComparison => {
  const session = sessionOf(options);
  const { root, theirs, theirsLabel, language } = options;
  adoptComparisonFrame(root);
  const merge = new MergeView({
    root,
    parent: root,
    a: { doc: docOf(theirs), extensions: readOnly(theirsLabel, language, docOf(theirs)) },
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
  const setLineNumbers = (areShown: boolean): void => {
    for (const view of [a, b]) view.dispatch({ effects: switchLineNumbers(view.state, areShown) });
  };
  setLineNumbers(options.lineNumbers);
  return {
    ...actionsOf(b),
    setText: (text) => {
      const transaction = session.transactionTo(b.state, text);
      if (transaction) b.dispatch(transaction);
    },
    // A comparison marks only differences.
    setFindings: () => {},
    setBase: (base) => void session.setBase(base),
    setLineNumbers,
    setTheirs: (text) => a.dispatch({ changes: [...changesBetween(a.state.doc.toString(), text)] }),
    next: () => goToNextChunk(b),
    previous: () => goToPreviousChunk(b),
    close: () => {
      session.adopt(b.state);
      session.scrollTo = undefined;
      session.onTextChange = () => {};
      merge.destroy();
    },
  };
};

const readOnly = (label: string, language: EditorLanguage, doc: Text): Extension => [
  shownText(label, language, doc),
  EditorState.readOnly.of(true),
  EditorView.editorAttributes.of({ 'data-readonly': '' }),
  comparisonTheme,
];

/** Creates the button next to a difference. The merge view handles only mouse events, so this adds the keyboard. */
const createTakeButton = (): HTMLElement => {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '→';
  button.title = words.takeTheirs;
  button.setAttribute('aria-label', words.takeTheirs);
  button.addEventListener('click', (event) => {
    const byKeyboard = event.detail === 0;
    if (byKeyboard) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
  });
  return button;
};
