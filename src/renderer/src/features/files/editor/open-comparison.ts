import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge';
import { openSearchPanel } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { strings } from '../../../strings.ts';
import { changesBetween } from '../text-changes.ts';
import { type EditorLanguage, shownText } from './editor-extensions.ts';
import { docOf, type EditorOptions, type OpenedEditor } from './editor-session.ts';
import { sessionOf } from './editor-sessions.ts';

// A line below the changed words rather than a darker ground behind them, on which no text token meets AA.
const underlined = (token: string): string =>
  `linear-gradient(${token}, ${token}) bottom / 100% 2px no-repeat`;

/** How two texts beside each other look; see {@link adoptComparisonFrame} for what is around them. */
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
  /* A short text has its ground down to the end, too. */
  .cm-mergeViewEditor { display: grid; grid-template-columns: minmax(0, 1fr); }
  .cm-merge-revert { inline-size: 1.75rem; background: var(--sunken); border-inline: 1px solid var(--line); }
  /* The lines of the texts begin below their padding. */
  .cm-merge-revert button { margin-block-start: 0.75rem; color: var(--accent); line-height: 1.6; border-radius: 0.25rem; }
  .cm-merge-revert button:hover { background: var(--hover); }
  .cm-merge-revert button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
`;

const framed = new WeakSet<ShadowRoot>();

/** Styles what stands around the two editors, which a theme of an editor does not reach. */
const adoptComparisonFrame = (root: ShadowRoot): void => {
  if (framed.has(root)) return;
  framed.add(root);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(FRAME);
  root.adoptedStyleSheets.push(sheet);
};

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
