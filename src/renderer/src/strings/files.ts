import { list, many } from './words.ts';

/** Strings for the file editor. */
export const files = {
  tabs: (id: string): string => `Files of ${id}`,
  editor: (file: string, id: string): string => `${file} of ${id}`,
  add: 'Add',
  addLabel: 'Add a file',
  addHints: {
    'APPEND_SYSTEM.md': 'Text that pi adds after SYSTEM.md',
    'AGENT.md': 'Adds prompt text and sets the model and tools, with the extension agent-prompt.ts',
    'workspace.conf': 'Gives the agent a workspace',
  } as Readonly<Record<string, string>>,
  agentMd:
    'With the extension agent-prompt.ts, this file adds text to the prompt and sets the model and tools.',
  save: 'Save',
  create: 'Create file',
  saving: 'Saving…',
  revert: 'Revert',
  reverted: (file: string): string => `Reverted ${file}`,
  saved: 'Saved',
  savedFile: (id: string, file: string): string => `Saved ${file} of ${id}`,
  unsavedChanges: 'Unsaved changes',
  notCreated: 'Not on disk yet. The first save creates it.',
  notSaved: 'Not saved',
  diskUnreadable: 'dot-mi can’t read the file on disk right now. Your text is kept.',
  missingTitle: (file: string): string => `${file} is missing`,
  startEmpty: (file: string): string => `Start writing ${file}`,
  problemHint: 'It opens here once it’s fixed.',
  format: { lf: 'LF', crlf: 'CRLF', cr: 'CR', mixed: 'Mixed line endings', none: 'LF' },
  formatHint: {
    lf: 'Lines end with LF',
    crlf: 'Lines end with CRLF, and saving keeps that',
    cr: 'Lines end with CR, and saving keeps that',
    mixed: 'Line endings are mixed, and lines you don’t edit keep theirs',
    none: 'New lines end with LF',
  },
  mixedNote: 'Mixed line endings: lines you don’t edit keep theirs',
  bom: 'BOM',
  bomHint: 'The file starts with a byte order mark, and saving keeps it',
  lines: (count: number): string => many(count, 'line', 'lines'),
  words: (count: number): string => many(count, 'word', 'words'),
  tokens: (count: number): string => `≈ ${many(count, 'token', 'tokens')}`,
  tokensHint: 'Counted with OpenAI’s o200k_base tokenizer. Other models may count a third more tokens.',
  saveAll: 'Save all',
  find: 'Find and replace',
  outline: 'Headings',
  noHeadings: 'This text has no headings.',
  matches: (current: number, count: number, isMore: boolean): string => {
    if (count === 0) return 'No matches';
    const all = `${count}${isMore ? '+' : ''}`;
    return current > 0 ? `${current} of ${all}` : isMore ? `${all} matches` : many(count, 'match', 'matches');
  },
  indentHint:
    'Tab moves the focus. Press Control or Command with ] to indent a line, or with [ to outdent it.',
  editorFailed: 'The editor didn’t load',
  editorFailedHint: 'Your text is kept. If dot-mi was just updated, reload the page.',
  reloadPage: 'Reload page',
  comparisonFailed: 'The comparison didn’t load',
} as const;

/** Strings inside the editor. The keys are CodeMirror's own phrases. */
export const editorPhrases = {
  Find: 'Find',
  Replace: 'Replace with',
  next: 'Next',
  previous: 'Previous',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
  'current match': 'current match',
  'on line': 'on line',
  'replaced match on line $': 'Replaced the match on line $',
  'replaced $ matches': 'Replaced $ matches',
  'Go to line': 'Go to line',
  go: 'Go',
  Diagnostics: 'Problems',
  'No diagnostics': 'No problems',
  'Control character': 'Control character',
  Completions: 'Suggestions',
} as const;

/** Strings for drafts: typed text that isn't on disk. */
export const draftWords = {
  restored: (file: string): string => `Recovered unsaved text in ${file}`,
  restoredHint: 'Typed',
  restoredKeep: 'Keep text',
  restoredDiscard: 'Discard text',
  discarded: (file: string): string => `Discarded unsaved text in ${file}`,
  broughtBack: (ids: readonly string[]): string => `Recovered unsaved text in ${list.format(ids)}`,
  open: 'Open',
  otherRoot: (files: number, root: string): string =>
    `dot-mi now manages another root. Reopen ${root} to get back your unsaved text in ${many(files, 'file', 'files')}.`,
  otherNewer: 'Newer unsaved text from another tab or browser',
  otherOlder: 'Other unsaved text from another tab or browser',
  otherHint: 'Typed',
  otherAdopt: 'Use that text',
  otherDiscard: 'Discard that text',
  adopted: (file: string): string => `Using the other text of ${file}`,
  notAdopted: 'The other text wasn’t loaded',
  notDiscarded: 'The other text wasn’t discarded',
  unsavedFiles: (count: number): string => many(count, 'unsaved file', 'unsaved files'),
  notKept: 'Unsaved text is lost when this page closes',
  notKeptHint:
    'dot-mi couldn’t keep a copy of it. The disk may be full. Save or copy the text before you close the page.',
} as const;

/** Strings for a file that another program changed while it was edited. */
export const conflict = {
  title: (file: string): string => `${file} changed on disk`,
  deletedTitle: (file: string): string => `${file} was deleted on disk`,
  body: 'Another program changed it after you started editing. Your text stays here until you choose.',
  bodyDeleted: 'Another program deleted it after you started editing. Your text stays here until you choose.',
  bodyRestored: 'dot-mi recovered your unsaved text. It stays here until you choose.',
  bodyCompared:
    'Your text is kept wherever both versions changed. Press an arrow to use the text from disk instead.',
  same: 'Both sides are the same',
  overlaps: (count: number): string => many(count, 'conflict', 'conflicts'),
  noOverlaps: 'All changes from disk are in your text',
  leftOut: 'Some changes from disk aren’t in your text',
  saveMerged: 'Save merged text',
  saveMine: 'Overwrite with my text',
  merged: (file: string): string => `Saved ${file} with the changes from disk`,
  reload: 'Reload from disk',
  reloadDeleted: 'Discard my text',
  compare: 'Compare',
  overwrite: 'Overwrite',
  overwriteDeleted: 'Create file again',
  theirs: 'On disk',
  mine: 'Your text',
  takeTheirs: 'Use this part from disk',
  nextDifference: 'Next difference',
  previousDifference: 'Previous difference',
  reloaded: (file: string): string => `Reloaded ${file}`,
} as const;

/** Strings for files whose view was closed during a save. */
export const leave = {
  notSaved: (id: string, file: string): string => `${file} of ${id} wasn’t saved`,
} as const;
