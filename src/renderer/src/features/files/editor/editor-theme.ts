import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

// A shadow tree inherits only the page's design tokens, so light and dark apply automatically.
const EDITOR = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--canvas)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-scroller': { boxShadow: 'inset 2px 0 var(--accent)' },
  '.cm-scroller': {
    fontFamily: 'inherit',
    lineHeight: '1.6',
    scrollbarWidth: 'thin',
    scrollbarColor: 'color-mix(in oklab, var(--muted) 45%, transparent) transparent',
  },
  // Lines of about 80 characters are easy to read. The rest is room on both sides.
  '.cm-content': { padding: '0.75rem 0', maxWidth: 'calc(80ch + 2rem)', caretColor: 'var(--ink)' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--hover) 60%, transparent)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&[data-readonly]': { backgroundColor: 'var(--sunken)' },
  '.cm-line': { padding: '0 1rem' },
  '.cm-line::selection, .cm-line ::selection': {
    backgroundColor: 'color-mix(in oklab, var(--accent) 28%, transparent)',
  },
  '.cm-specialChar': { color: 'var(--danger)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in oklab, var(--warn) 25%, transparent)' },
  '.cm-searchMatch.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in oklab, var(--warn) 50%, transparent)',
    outline: '1px solid var(--warn)',
  },
});

const FIELDS = '.cm-panels input[type=text], .cm-panels .cm-textfield';
const BUTTONS = '.cm-panels button';

const PANELS = EditorView.theme({
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '0.375rem 2.25rem 0.375rem 1rem', fontSize: '0.75rem' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': {
    margin: '0.125rem 0.375rem 0.125rem 0',
    verticalAlign: 'middle',
  },
  '.cm-matchCount': {
    display: 'inline-block',
    minWidth: '4.5rem',
    fontFamily: 'var(--font-sans)',
    fontSize: '0.75rem',
    color: 'var(--muted)',
  },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '0.25rem',
    fontFamily: 'var(--font-sans)',
    fontSize: '0.75rem',
    color: 'var(--muted)',
  },
  '.cm-panel.cm-search label input': { margin: '0', accentColor: 'var(--accent)' },
  [FIELDS]: {
    boxSizing: 'border-box',
    width: '11.5rem',
    height: '1.5rem',
    padding: '0 0.5rem',
    fontFamily: 'inherit',
    fontSize: '0.75rem',
    color: 'var(--ink)',
    backgroundColor: 'var(--canvas)',
    border: '1px solid var(--line-strong)',
    borderRadius: '0.375rem',
  },
  '.cm-panels .cm-textfield::placeholder': { color: 'var(--muted)', opacity: '1' },
  [BUTTONS]: {
    height: '1.5rem',
    padding: '0 0.5rem',
    fontFamily: 'var(--font-sans)',
    fontSize: '0.75rem',
    fontWeight: '500',
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    backgroundImage: 'none',
    border: '1px solid color-mix(in oklab, var(--line-strong) 60%, transparent)',
    borderRadius: '0.375rem',
  },
  '.cm-panels button:hover': { backgroundColor: 'var(--hover)' },
  // Selecting every match needs several carets, which this editor doesn't have.
  '.cm-panel.cm-search button[name=select]': { display: 'none' },
  '.cm-panel.cm-search button[name=close]': {
    top: '0.375rem',
    right: '0.5rem',
    width: '1.5rem',
    margin: '0',
    padding: '0',
    fontSize: '1rem',
    border: 'none',
    backgroundColor: 'transparent',
    color: 'var(--muted)',
  },
  '.cm-panels :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
});

const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.monospace], color: 'var(--accent)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.url, tags.quote, tags.comment, tags.processingInstruction, tags.meta], color: 'var(--muted)' },
  { tag: [tags.punctuation, tags.labelName, tags.contentSeparator], color: 'var(--muted)' },
]);

/** The theme of the editor and its panels, built from the page's design tokens. */
export const editorTheme: Extension = [EDITOR, PANELS, syntaxHighlighting(HIGHLIGHTS)];
