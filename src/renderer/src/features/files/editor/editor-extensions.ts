import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
import { yamlFrontmatter } from '@codemirror/lang-yaml';
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  gotoLine,
  openSearchPanel,
  search,
} from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, highlightSpecialChars, type KeyBinding, keymap } from '@codemirror/view';
import { strings } from '../../../strings.ts';
import { editorTheme } from './editor-theme.ts';
import { replaceSelection } from './replace-selection.ts';

/** What an editor knows of the language of its text. */
export type EditorLanguage = 'markdown' | 'plain';

// Alt with an arrow is "back" and "forward" of the browser. Tab is not bound: it moves the focus on.
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

// Not `markdown()`: that brings the languages of HTML along, a third of the chunk.
const MARKDOWN: Extension = [
  yamlFrontmatter({ content: markdownLanguage }),
  Prec.high(keymap.of(markdownKeymap)),
];

/** What every text of the page has: its look, soft wrap and search. */
export const shownText = (label: string, language: EditorLanguage): Extension => [
  // It can be focused without a tabindex as well; checkers of accessibility do not all know.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.lineWrapping,
  EditorState.tabSize.of(4),
  EditorState.phrases.of(strings.editorPhrases),
  highlightSpecialChars(),
  search({ top: true }),
  keymap.of(SEARCH_KEYS),
  language === 'markdown' ? MARKDOWN : [],
  editorTheme,
];

/** What text that can be edited has besides. */
export const editedText: Extension = [
  history(),
  replaceSelection,
  keymap.of([...KEYS, ...historyKeymap]),
  EditorView.contentAttributes.of({ 'aria-description': strings.files.indentHint }),
];
