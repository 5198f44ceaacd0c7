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
} as const;

export const conflict = {
  title: (file: string): string => `${file} changed on disk`,
  deletedTitle: (file: string): string => `${file} was deleted on disk`,
  body: 'Another program changed it after you began to edit. Your text stays here until you choose.',
  reload: 'Reload theirs',
  reloadDeleted: 'Discard mine',
  showBoth: 'Show both',
  overwrite: 'Overwrite',
  overwriteDeleted: 'Create it again',
  theirs: 'On disk',
  mine: 'Mine',
  reloaded: (file: string): string => `Reloaded ${file}`,
} as const;

export const leave = {
  title: 'Leave with unsaved changes?',
  description: (id: string, files: readonly string[]): string =>
    `${list.format(files)} of ${id} ${files.length === 1 ? 'has' : 'have'} changes that are not on disk.`,
  stay: 'Stay',
  keep: 'Leave, keep draft',
  save: 'Save and leave',
  keptHint: 'A draft is kept until this window closes.',
} as const;
