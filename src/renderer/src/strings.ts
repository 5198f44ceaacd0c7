import { AGENT_ID_RULE } from '../../shared/api/names.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });
const number = new Intl.NumberFormat('en');
const many = (count: number, one: string, other: string): string =>
  `${number.format(count)} ${count === 1 ? one : other}`;

/** Every text of the page, in one place. Sentences of the server are shown as they come. */
export const strings = {
  appName: 'dot-mi',
  title: (...parts: string[]): string => [...parts, 'dot-mi'].join(' – '),
  skipToMain: 'Skip to main content',

  common: {
    cancel: 'Cancel',
    close: 'Close',
    undo: 'Undo',
    dismiss: 'Dismiss',
    discard: 'Discard',
    tryAgain: 'Try again',
    copied: 'Copied',
    copyFailed: 'The browser did not allow copying',
    loading: 'Loading…',
    unsaved: 'unsaved changes',
    noMatch: (query: string): string => `Nothing matches “${query}”.`,
    clearSearch: 'Clear search',
  },

  rail: {
    label: 'Main',
    agents: 'Agents',
    catalog: 'Catalog',
    trash: 'Trash',
  },

  api: {
    label: 'API',
    details: (state: string): string => `API: ${state}`,
    state: { open: 'Connected', connecting: 'Connecting…', offline: 'Offline', refused: 'No access' },
    address: 'Address',
    root: 'Root',
    version: 'Version',
    mode: 'Mode',
    devMode: 'DEV MODE',
    devModeShort: 'DEV',
    unknown: 'not known yet',
    devModeBanner: 'DEV MODE: tokens are not checked, payments are simulated',
    offlineBanner: 'Offline: the API does not answer. What you see was read earlier; what you type is kept.',
    copyRoot: 'Copy root path',
  },

  errors: {
    offline: 'The API does not answer. Is dot-mi still running?',
    unexpectedAnswer: (status: number): string =>
      `Something else than the dot-mi API answered (status ${status}). Check the address and what runs on that port.`,
    titles: {
      offline: 'The API is offline',
      unexpected_answer: 'Unexpected answer',
      unauthorized: 'This page needs a token',
      root_unavailable: 'The root cannot be read',
      permission_denied: 'Permission denied',
    } as Readonly<Record<string, string>>,
    fallbackTitle: 'That did not work',
    unauthorizedHint: 'Open the address that dot-mi printed at its start; it carries the token.',
  },

  agents: {
    heading: 'Agents',
    count: (count: number): string => many(count, 'agent', 'agents'),
    matches: (count: number): string => many(count, 'match', 'matches'),
    search: 'Search agents',
    listLabel: 'Agents',
    workspace: 'workspace',
    pick: 'No agent selected',
    pickHint: 'Choose one from the list: type to filter, arrow keys to move, Enter to open.',
    none: 'No agents yet',
    noneHint:
      'An agent is a directory with its prompt, its arguments, and links to shared extensions and skills.',
    all: 'All agents',
    notFound: (id: string): string => `No agent called “${id}”`,
    notFoundHint: 'It may have been deleted or renamed. Deleted agents wait in the trash for 30 days.',
    openTrash: 'Open trash',
    keptDrafts: 'Unsaved text of this agent',
    copyDraft: (file: string): string => `Copy ${file}`,
    discardDraft: (file: string): string => `Discard ${file}`,
    sections: (id: string): string => `Sections of ${id}`,
    section: { files: 'Files', extensions: 'Extensions', skills: 'Skills' },
    copyPath: 'Copy path',
  },

  newAgent: {
    open: 'New agent',
    title: 'New agent',
    description: 'The setup script of the root makes the agent.',
    id: 'Agent id',
    idHint: 'Letters, digits, “.”, “_” and “-”, for example “scout”.',
    idRule: AGENT_ID_RULE,
    workspace: 'With a workspace',
    workspaceHint: 'Gives the agent a workspace.conf.',
    create: 'Create agent',
    creating: 'Creating…',
    created: (id: string): string => `Created ${id}`,
    scriptOutput: 'Output of the setup script',
  },

  deleteAgent: {
    open: 'Delete…',
    openLabel: (id: string): string => `Delete ${id}…`,
    title: (id: string): string => `Delete ${id}?`,
    description:
      'Its directory moves to the trash, where it can be restored for 30 days. Links are not followed.',
    unsaved: (files: readonly string[]): string => `Unsaved changes in ${list.format(files)} go with it.`,
    confirm: (id: string): string => `Type ${id} to confirm`,
    delete: 'Delete agent',
    deleted: (id: string): string => `Deleted ${id}`,
    restored: (id: string): string => `Restored ${id}`,
    restoreFailed: (id: string): string => `${id} was not restored`,
  },

  files: {
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
  },

  conflict: {
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
  },

  leave: {
    title: 'Leave with unsaved changes?',
    description: (id: string, files: readonly string[]): string =>
      `${list.format(files)} of ${id} ${files.length === 1 ? 'has' : 'have'} changes that are not on disk.`,
    stay: 'Stay',
    keep: 'Leave, keep draft',
    save: 'Save and leave',
    keptHint: 'A draft is kept until this window closes.',
  },

  links: {
    linked: 'In this agent',
    linkedLabel: { extensions: 'Extensions of this agent', skills: 'Skills of this agent' },
    sharedHeading: { extensions: 'Shared extensions', skills: 'Shared skills' },
    sharedLabel: { extensions: 'Shared extensions to link', skills: 'Shared skills to link' },
    search: { extensions: 'Search shared extensions', skills: 'Search shared skills' },
    none: { extensions: 'No extensions yet', skills: 'No skills yet' },
    noneHint: 'Link shared ones from the catalog beside this list.',
    allLinked: { extensions: 'All shared extensions are linked.', skills: 'All shared skills are linked.' },
    noShared: {
      extensions: 'Nothing in shared/extensions of the root yet.',
      skills: 'Nothing in shared/skills of the root yet.',
    },
    link: 'Link',
    linkLabel: (name: string): string => `Link ${name}`,
    unlink: 'Unlink',
    unlinkLabel: (name: string): string => `Unlink ${name}`,
    remove: 'Remove',
    removeLabel: (name: string): string => `Remove broken link ${name}`,
    state: { shared: 'shared', elsewhere: 'link elsewhere', broken: 'broken link', local: 'local' },
    leadsTo: 'leads to',
    leadsNowhere: 'leads to nothing:',
    localDirectory: 'Local directory, stays as it is',
    localFile: 'Local file, stays as it is',
    taken: {
      elsewhere: 'A link of this name leads elsewhere',
      broken: 'A broken link has this name',
      local: 'The agent has its own entry of this name',
    },
    linkedToast: (name: string): string => `Linked ${name}`,
    unlinkedToast: (name: string): string => `Unlinked ${name}`,
    removedToast: (name: string): string => `Removed broken link ${name}`,
    linkFailed: (name: string): string => `${name} was not linked`,
    unlinkFailed: (name: string): string => `${name} was not unlinked`,
    confirmTitle: (name: string): string => `Unlink ${name}?`,
    confirmBody: (target: string): string =>
      `This link leads to ${target}, not to the catalog, so it cannot be made again here. What it leads to stays.`,
  },

  catalog: {
    heading: 'Catalog',
    description: 'What agents of this root can link to.',
    kinds: 'Kinds of shared entries',
    skills: 'Skills',
    extensions: 'Extensions',
    search: { extensions: 'Search extensions', skills: 'Search skills' },
    none: { extensions: 'No shared extensions yet', skills: 'No shared skills yet' },
    noneHint: {
      extensions: 'Put a file or directory into shared/extensions of the root; it appears here by itself.',
      skills: 'Put a directory with a SKILL.md into shared/skills of the root; it appears here by itself.',
    },
    noDescription: 'No description',
    kind: { file: 'file', dir: 'directory' },
    problems: (errors: number, warnings: number): string =>
      [errors > 0 && many(errors, 'error', 'errors'), warnings > 0 && many(warnings, 'warning', 'warnings')]
        .filter(Boolean)
        .join(', '),
    severity: { error: 'Error', warning: 'Warning' },
  },

  trash: {
    heading: 'Trash',
    description: 'Deleted agents are kept for 30 days, exactly as they were.',
    listLabel: 'Deleted agents',
    none: 'The trash is empty',
    noneHint: 'Agents you delete wait here for 30 days.',
    deleted: 'Deleted',
    goesIn: (days: number): string => (days <= 0 ? 'goes today' : `${many(days, 'day', 'days')} left`),
    restore: 'Restore',
    restoreLabel: (id: string): string => `Restore ${id}`,
    remove: 'Remove for good',
    removeLabel: (id: string): string => `Remove ${id} for good`,
    confirmTitle: (id: string): string => `Remove ${id} for good?`,
    confirmBody: 'Its files are deleted from disk. This cannot be undone.',
    removed: (id: string): string => `Removed ${id} for good`,
    open: 'Open',
  },

  notFound: {
    title: 'No such page',
    hint: 'The address leads nowhere.',
  },
} as const;
