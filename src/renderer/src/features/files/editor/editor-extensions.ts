import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
import { yamlFrontmatter } from '@codemirror/lang-yaml';
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  gotoLine,
  openSearchPanel,
  search,
  searchPanelOpen,
  setSearchQuery,
} from '@codemirror/search';
import {
  Compartment,
  EditorState,
  type Extension,
  Prec,
  type StateEffect,
  type Text,
} from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { editorPhrases, files as words } from '../../../strings/files.ts';
import { editorTheme } from './editor-theme.ts';
import { findingMarks } from './findings.ts';

const numbersPlace = new Compartment();
const SHOWN_NUMBERS: Extension = lineNumbers();
const HIDDEN_NUMBERS: Extension = [];

const numbersTheme = EditorView.theme({
  '.cm-lineNumbers': { color: 'var(--muted)', fontSize: '0.75rem' },
  '.cm-lineNumbers .cm-gutterElement': {
    minWidth: '2.5rem',
    padding: '0 0.25rem 0 0.5rem',
    lineHeight: '1.3rem',
  },
});

/** Line numbers, hidden until {@link switchLineNumbers} shows them. */
const optionalLineNumbers: Extension = [numbersPlace.of(HIDDEN_NUMBERS), numbersTheme];

/** Returns the effects that show or hide a state's line numbers. Empty if nothing would change. */
export const switchLineNumbers = (state: EditorState, isShown: boolean): StateEffect<unknown>[] => {
  const wanted = isShown ? SHOWN_NUMBERS : HIDDEN_NUMBERS;
  return numbersPlace.get(state) === wanted ? [] : [numbersPlace.reconfigure(wanted)];
};

/** The length limit for parsed lines. The parser processes an entire paragraph again at each key press. */
const MAX_PARSED_LINE = 20_000;

const languagePlace = new Compartment();

const hasLongLine = (doc: Text, from: number, to: number): boolean => {
  for (let at = from; at <= to; ) {
    const line = doc.lineAt(at);
    if (line.length > MAX_PARSED_LINE) return true;
    at = line.to + 1;
  }
  return false;
};

/**
 * Enables a language unless the text has a long line. Typing a long line disables it until the text is opened
 * again.
 */
const languageUnlessLong = (parsed: Extension, doc: Text): Extension => [
  languagePlace.of(hasLongLine(doc, 0, doc.length) ? [] : parsed),
  EditorState.transactionExtender.of(({ docChanged, changes, newDoc, startState }) => {
    const current = languagePlace.get(startState);
    if (!docChanged || !current || (Array.isArray(current) && current.length === 0)) return null;
    let isLong = false;
    changes.iterChangedRanges((_fromA, _toA, from, to) => {
      isLong ||= hasLongLine(newDoc, from, to);
    });
    return isLong ? { effects: languagePlace.reconfigure([]) } : null;
  }),
];

/** Counting stops at this number, so that a common letter in a large file doesn't slow down typing. */
const MAX_MATCHES = 1000;

const countMatches = (state: EditorState): { readonly count: number; readonly current: number } => {
  const query = getSearchQuery(state);
  let count = 0;
  let current = 0;
  if (!query.valid) return { count, current };
  const { from, to } = state.selection.main;
  const cursor = query.getCursor(state);
  for (let step = cursor.next(); !step.done && count < MAX_MATCHES; step = cursor.next()) {
    count++;
    if (step.value.from === from && step.value.to === to) current = count;
  }
  return { count, current };
};

/** Shows the number of matches in the search panel, and which one is selected. */
const matchCount: Extension = ViewPlugin.fromClass(
  class {
    readonly #label = document.createElement('span');

    constructor(view: EditorView) {
      this.#label.className = 'cm-matchCount';
      this.#label.setAttribute('role', 'status');
      this.#show(view);
    }

    update({ view, docChanged, selectionSet, transactions, startState }: ViewUpdate): void {
      const isOpen = searchPanelOpen(view.state);
      const isNews =
        docChanged ||
        selectionSet ||
        isOpen !== searchPanelOpen(startState) ||
        transactions.some(({ effects }) => effects.some((effect) => effect.is(setSearchQuery)));
      // The panel's element exists only after this update.
      if (isOpen && isNews) queueMicrotask(() => this.#show(view));
    }

    #show(view: EditorView): void {
      const field = view.dom.querySelector('.cm-search [name=search]');
      if (!field) return;
      const { search } = getSearchQuery(view.state);
      const { count, current } = countMatches(view.state);
      if (this.#label.previousElementSibling !== field) field.after(this.#label);
      this.#label.textContent = search === '' ? '' : words.matches(current, count, count === MAX_MATCHES);
    }
  },
);

/**
 * Replaces or deletes a selection, and inserts multi-line text, through the state alone. The browser would join and
 * split lines with `style` attributes, and the CSP refuses each one with a console error.
 */
const replaceSelection: Extension = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    const insert = inputType === 'insertText' ? data : inputType.startsWith('delete') ? '' : null;
    if (insert === null || view.composing || view.state.readOnly) return false;
    const { from, to } = selectedRange(view);
    if (from === to && !insert.includes('\n')) return false;
    const text = view.state.toText(insert);
    view.dispatch({
      changes: { from, to, insert: text },
      selection: { anchor: from + text.length },
      scrollIntoView: true,
      userEvent: insert === '' ? 'delete.selection' : 'input.type',
    });
    event.preventDefault();
    return true;
  },
});

/**
 * Returns the selected range. The state's selection also covers lines that aren't rendered. If it's empty, the page
 * may have a selection that the state doesn't have yet.
 */
const selectedRange = (view: EditorView): { readonly from: number; readonly to: number } => {
  const { main } = view.state.selection;
  const { root } = view;
  if (!main.empty || !(root instanceof ShadowRoot)) return main;
  const [drawn] = document.getSelection()?.getComposedRanges({ shadowRoots: [root] }) ?? [];
  if (!drawn || drawn.collapsed || !view.contentDOM.contains(drawn.startContainer)) return main;
  return {
    from: view.posAtDOM(drawn.startContainer, drawn.startOffset),
    to: view.posAtDOM(drawn.endContainer, drawn.endOffset),
  };
};

/** The language of an editor's text. */
export type EditorLanguage = 'markdown' | 'pi-args' | 'plain';

// Alt with an arrow is the browser's Back or Forward. Tab isn't bound, so it moves focus.
const KEYS: readonly KeyBinding[] = defaultKeymap.filter(
  ({ key }) => key !== 'Alt-ArrowLeft' && key !== 'Alt-ArrowRight',
);
const SCOPE = 'editor search-panel';
const SEARCH_KEYS: readonly KeyBinding[] = [
  { key: 'Mod-f', run: openSearchPanel, scope: SCOPE },
  { key: 'F3', run: findNext, shift: findPrevious, scope: SCOPE, preventDefault: true },
  { key: 'Mod-g', run: findNext, shift: findPrevious, scope: SCOPE, preventDefault: true },
  { key: 'Escape', run: closeSearchPanel, scope: SCOPE },
  { key: 'Mod-Alt-g', run: gotoLine },
];

// `markdown()` would add the HTML languages, a third of the chunk.
const MARKDOWN: Extension = [
  yamlFrontmatter({ content: markdownLanguage }),
  Prec.high(keymap.of(markdownKeymap)),
];

/** The extensions for all text on the page: theme, soft wrap and search. */
export const shownText = (label: string, language: EditorLanguage, doc: Text): Extension => [
  // The content is focusable even without a tabindex, but some accessibility checkers don't know that.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.lineWrapping,
  EditorState.tabSize.of(4),
  EditorState.phrases.of(editorPhrases),
  highlightSpecialChars(),
  search({ top: true }),
  keymap.of(SEARCH_KEYS),
  language === 'markdown' ? languageUnlessLong(MARKDOWN, doc) : [],
  matchCount,
  optionalLineNumbers,
  editorTheme,
];

/** The additional extensions for editable text. */
export const editedText: Extension = [
  findingMarks,
  history(),
  highlightActiveLine(),
  replaceSelection,
  keymap.of([...KEYS, ...historyKeymap]),
  EditorView.contentAttributes.of({ 'aria-description': words.indentHint }),
];
