import { EditorView } from '@codemirror/view';

// A line below the changed words rather than a darker ground behind them, on which no text token meets AA.
const underlined = (token: string): string =>
  `linear-gradient(${token}, ${token}) bottom / 100% 2px no-repeat`;

/** How two texts beside each other look; see {@link adoptComparisonFrame} for what is around them. */
export const comparisonTheme = EditorView.theme({
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
export const adoptComparisonFrame = (root: ShadowRoot): void => {
  if (framed.has(root)) return;
  framed.add(root);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(FRAME);
  root.adoptedStyleSheets.push(sheet);
};
