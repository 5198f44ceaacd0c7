import { list, many } from './words.ts';

/** Texts of the file editor. */
export const files = {
  tabs: (id: string): string => `Files of ${id}`,
  editor: (file: string, id: string): string => `${file} of ${id}`,
  add: 'Add',
  addLabel: 'Add a file',
  addHints: {
    'APPEND_SYSTEM.md': 'Added to the default system prompt',
    'AGENT.md': 'Instructions of the agent',
    'workspace.conf': 'Gives the agent a workspace',
  } as Readonly<Record<string, string>>,
  save: 'Save',
  create: 'Create file',
  saving: 'Saving…',
  revert: 'Revert',
  reverted: (file: string): string => `Reverted ${file}`,
  saved: 'Saved',
  unsavedChanges: 'Unsaved changes',
  notCreated: 'Not on disk yet: the first save creates it',
  notSaved: 'Not saved',
  diskUnreadable: 'The file on disk cannot be read now; your text is kept',
  missingTitle: (file: string): string => `${file} is missing`,
  startEmpty: (file: string): string => `Start ${file}`,
  problemTitles: {
    not_text: 'Not a text file',
    outside_root: 'Leads out of the root',
    not_a_file: 'Not a file',
    file_too_large: 'Too large to edit here',
  } as Readonly<Record<string, string>>,
  problemHint: 'Nothing here changes it. Once it is put right on disk, it opens by itself.',
  format: { lf: 'LF', crlf: 'CRLF', cr: 'CR', mixed: 'Mixed line ends', none: 'LF' },
  formatHint: {
    lf: 'Lines end with LF',
    crlf: 'Lines end with CRLF; saving keeps that',
    cr: 'Lines end with CR; saving keeps that',
    mixed: 'Lines end in different ways; each line you do not edit keeps its own',
    none: 'New lines end with LF',
  },
  mixedNote: 'Mixed line ends: each line you do not edit keeps its own',
  bom: 'BOM',
  bomHint: 'The file begins with a byte order mark; saving keeps it',
  lines: (count: number): string => many(count, 'line', 'lines'),
  words: (count: number): string => many(count, 'word', 'words'),
  tokens: (count: number): string => `≈ ${many(count, 'token', 'tokens')}`,
  tokensHint:
    'Counted as the o200k_base tokenizer of OpenAI counts. Other models split text in their own way, some into a third more.',
  saveAll: 'Save all',
  find: 'Find and replace',
  indentHint: 'Tab moves the focus on. Control or Command with ] indents, with [ indents less.',
  editorFailed: 'The editor could not be loaded',
  editorFailedHint: 'What was typed is kept. After an update of dot-mi the page has to be loaded again.',
  reloadPage: 'Reload page',
  comparisonFailed: 'The comparison could not be loaded',
} as const;

/** What the editor says itself; the keys are CodeMirror's own words. */
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
  'Control character': 'Control character',
} as const;

/** Texts of what was typed and is not on disk. */
export const drafts = {
  restored: (file: string): string => `Unsaved text of ${file} was brought back`,
  restoredHint: 'Typed',
  restoredKeep: 'Keep it',
  restoredDiscard: 'Discard it',
  discarded: (file: string): string => `Discarded the unsaved text of ${file}`,
  broughtBack: (ids: readonly string[]): string => `Unsaved text of ${list.format(ids)} was brought back`,
  open: 'Open',
  notKept: 'Unsaved text is not kept beyond this page',
} as const;

/** Texts of a file that another program changed while it was edited. */
export const conflict = {
  title: (file: string): string => `${file} changed on disk`,
  deletedTitle: (file: string): string => `${file} was deleted on disk`,
  body: 'Another program changed it after you began to edit. Your text stays here until you choose.',
  bodyDeleted: 'Another program deleted it after you began to edit. Your text stays here until you choose.',
  bodyRestored: 'Your unsaved text was brought back and stays here until you choose.',
  reload: 'Reload theirs',
  reloadDeleted: 'Discard mine',
  compare: 'Compare',
  overwrite: 'Overwrite',
  overwriteDeleted: 'Create it again',
  theirs: 'On disk',
  mine: 'Mine',
  takeTheirs: 'Take this part from disk',
  nextDifference: 'Next difference',
  previousDifference: 'Previous difference',
  reloaded: (file: string): string => `Reloaded ${file}`,
} as const;

/** The question before unsaved text is left. */
export const leave = {
  title: 'Leave with unsaved changes?',
  description: (id: string, files: readonly string[]): string =>
    `${list.format(files)} of ${id} ${files.length === 1 ? 'has' : 'have'} changes that are not on disk.`,
  stay: 'Stay',
  keep: 'Leave, keep draft',
  save: 'Save and leave',
  notSaved: (id: string, file: string): string => `${file} of ${id} was not saved`,
  keptHint: 'The draft is kept, also when this window closes.',
  settings: (labels: readonly string[]): string =>
    `${list.format(labels)} ${labels.length === 1 ? 'is' : 'are'} typed and not saved. What is typed can wait in the settings until this window closes.`,
  discard: 'Discard and leave',
  keepTyped: 'Leave, keep it',
} as const;
