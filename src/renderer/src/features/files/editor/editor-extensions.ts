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
import { EditorState, type Extension, Prec, type Text } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
} from '@codemirror/view';
import { strings } from '../../../strings.ts';
import { editorTheme } from './editor-theme.ts';
import { findingMarks } from './findings.ts';
import { optionalLineNumbers } from './line-number-gutter.ts';
import { languageUnlessLong } from './long-lines.ts';
import { matchCount } from './match-count.ts';
import { replaceSelection } from './replace-selection.ts';

/** The language of an editor's text. */
export type EditorLanguage = 'markdown' | 'plain';

// Alt with an arrow is the browser's Back or Forward. Tab isn't bound, so it moves the focus.
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

// Not `markdown()`, which adds the HTML languages, a third of the chunk.
const MARKDOWN: Extension = [
  yamlFrontmatter({ content: markdownLanguage }),
  Prec.high(keymap.of(markdownKeymap)),
];

/** The extensions that every text on the page has: theme, soft wrap and search. */
export const shownText = (label: string, language: EditorLanguage, doc: Text): Extension => [
  // It is focusable without a tabindex too, but not every accessibility checker knows that.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.lineWrapping,
  EditorState.tabSize.of(4),
  EditorState.phrases.of(strings.editorPhrases),
  highlightSpecialChars(),
  search({ top: true }),
  keymap.of(SEARCH_KEYS),
  language === 'markdown' ? languageUnlessLong(MARKDOWN, doc) : [],
  matchCount,
  optionalLineNumbers,
  editorTheme,
];

/** The additional extensions of editable text. */
export const editedText: Extension = [
  findingMarks,
  history(),
  highlightActiveLine(),
  replaceSelection,
  keymap.of([...KEYS, ...historyKeymap]),
  EditorView.contentAttributes.of({ 'aria-description': strings.files.indentHint }),
];
