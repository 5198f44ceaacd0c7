import { TRASH_DAYS } from '../../../shared/api/trash.ts';
import { list, many, number } from './words.ts';

/** Strings for the agents. */
export const agents = {
  forSale: 'For sale',
  closedForNow: 'Closed for now',
  heading: 'Agents',
  count: (count: number): string => many(count, 'agent', 'agents'),
  shown: (count: number, all: number): string => `${number.format(count)} of ${number.format(all)}`,
  matches: (count: number): string => many(count, 'match', 'matches'),
  search: 'Search agents',
  filters: 'Filters',
  filter: {
    waiting: 'Waiting',
    running: 'Running',
    broken: 'Broken links',
    problems: 'Problems',
    workspace: 'Workspace',
  },
  noneFound: 'No agent matches the search and the filters.',
  clearFilters: 'Clear search and filters',
  select: (id: string): string => `Select ${id}`,
  listLabel: 'Agents',
  workspace: 'workspace',
  links: (count: number): string => many(count, 'link', 'links'),
  brokenLinks: (count: number): string => many(count, 'broken link', 'broken links'),
  findings: (errors: number, warnings: number): string =>
    list.format([
      ...(errors > 0 ? [many(errors, 'error', 'errors')] : []),
      ...(warnings > 0 ? [many(warnings, 'warning', 'warnings')] : []),
    ]),
  missing: (files: readonly string[]): string => `${list.format(files)} missing`,
  hidden: (count: number): string =>
    `${many(count, 'folder', 'folders')} ${count === 1 ? 'is' : 'are'} not shown`,
  pick: 'No agent selected',
  pickHint: 'Choose one from the list, or press ? for keyboard shortcuts.',
  none: 'No agents yet',
  noneHint: 'An agent is a folder with a prompt, arguments, and links to shared skills and extensions.',
  all: 'All agents',
  notFound: (id: string): string => `No agent called “${id}”`,
  notFoundHint: `If you deleted it, it stays in the trash for ${TRASH_DAYS} days.`,
  notFoundKept: 'Another program deleted or renamed it. Your unsaved text stays here.',
  openTrash: 'Open trash',
  keptDrafts: 'This agent’s unsaved text',
  copyDraft: (file: string): string => `Copy ${file}`,
  discardDraft: (file: string): string => `Discard ${file}`,
  sections: (id: string): string => `Sections of ${id}`,
  section: {
    files: 'Edit',
    extensions: 'Extensions',
    skills: 'Skills',
    prompts: 'Prompt templates',
    themes: 'Themes',
    mcp: 'MCP',
    checks: 'Checks',
    entries: 'Folder',
    models: 'Providers',
    settings: 'Settings',
    prompt: 'Preview',
    sessions: 'Sessions',
    activity: 'Activity',
    history: 'History',
    sell: 'Sell',
  },
  settingsFiles: (id: string): string => `${id}’s settings`,
  settingsFile: { settings: 'pi settings', models: 'Providers and models' },
  moreSections: 'More',
  copyPath: 'Copy path',
  facts: (id: string): string => `About ${id}`,
  tools: 'Tools',
  noTools: 'none',
  moreTools: (shown: readonly string[], others: number): string => `${shown.join(', ')} and ${others} more`,
} as const;

/** Strings for the dialog that creates an agent. */
export const newAgent = {
  open: 'New agent',
  title: 'New agent',
  id: 'Agent id',
  idHint: 'Use letters, digits, “.”, “_” and “-”. Example: “scout”.',
  noSpaces: 'An id can’t have spaces.',
  notInIds: (text: string): string => `An id can’t have “${text}”.`,
  idStart: 'An id must start with a letter or digit.',
  idEnd: 'An id can’t end with “.”.',
  idLength: (most: number): string => `An id can have at most ${most} characters.`,
  windowsName: 'Windows reserves this name.',
  tryId: (id: string): string => `Try “${id}”.`,
  workspace: 'Add a workspace',
  workspaceHint: 'Each run gets a new folder.',
  create: 'Create agent',
  creating: 'Creating…',
  created: (id: string): string => `Created ${id}`,
  setUp: 'Set up this folder',
  setUpHint: 'dot-mi can add a setup script without changing your files.',
  scriptOutput: 'Setup script output',
} as const;

/** Strings for the dialog that copies an agent. */
export const duplicateAgentWords = {
  open: 'Duplicate…',
  openLabel: (id: string): string => `Duplicate ${id}…`,
  title: (id: string): string => `Duplicate ${id}`,
  leftOut: 'Sign-ins, sessions and logs aren’t copied.',
  unsaved: (files: readonly string[]): string => `Unsaved changes in ${list.format(files)} aren’t copied.`,
  id: 'Id for the copy',
  duplicate: 'Duplicate',
  duplicating: 'Duplicating…',
  duplicated: (id: string, name: string): string => `Duplicated ${id} as ${name}`,
} as const;

/** Strings for the dialog that moves an agent to the trash. */
export const deleteAgentWords = {
  open: 'Delete…',
  openLabel: (id: string): string => `Delete ${id}…`,
  title: (id: string): string => `Delete ${id}?`,
  description: `You can restore it from the trash for ${TRASH_DAYS} days. Its keys are revoked for good.`,
  unsaved: (files: readonly string[]): string =>
    `If you restore the agent, your unsaved changes in ${list.format(files)} come with it.`,
  delete: 'Delete agent',
  deleted: (id: string): string => `Deleted ${id}`,
  restored: (id: string): string => `Restored ${id}`,
  restoreFailed: (id: string): string => `${id} wasn’t restored`,
} as const;
