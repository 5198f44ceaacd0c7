import { kindNames } from './link-kinds.ts';
import { many } from './words.ts';

// Strings for the search, the commands and the list of shortcuts.

/** Strings for the search. */
export const search = {
  label: 'Search',
  placeholder: 'Search everything, or type > for commands',
  hint: 'Press Enter to open the highlighted match.',
  close: 'Close',
  none: 'Nothing matches.',
  nothingToLink: 'Nothing to link',
  nothingToLinkHint: 'Open an agent that lacks a shared entry.',
  noneHint: 'Try fewer letters, or type > to see all commands.',
  loading: 'Searching…',
  recent: 'Recent',
  groups: {
    agents: 'Agents',
    files: 'Files',
    shared: 'Shared entries',
    models: 'Models',
    settings: 'Settings',
    commands: 'Commands',
  },
  linkTo: (id: string): string => `Link to ${id}`,
  kinds: kindNames.one,
  inPrompts: (text: string): string => `In prompts: ${text}`,
  promptPlace: (agent: string, file: string, line: number): string => `${agent} / ${file}:${line}`,
  morePrompts: 'More prompts match. Type more to narrow them down.',
  unreadable: (count: number): string => `${many(count, 'file', 'files')} couldn’t be read.`,
} as const;

/** Strings for the commands. */
export const palette = {
  groups: {
    agent: 'This agent',
    go: 'Go to',
    create: 'Create',
    money: 'Money',
    look: 'Appearance',
    help: 'Help',
  },
  commands: {
    lineNumbers: { show: 'Show line numbers', hide: 'Hide line numbers' },
    goOverview: 'Go to overview',
    goAgents: 'Go to agents',
    goCatalog: 'Go to catalog',
    goMatrix: 'Go to matrix of agents',
    goMcpMatrix: 'Go to matrix of agents and MCP servers',
    goWallet: 'Go to wallet',
    goPricing: 'Go to pricing',
    goApi: 'Go to API',
    goTrash: 'Go to trash',
    changes: 'Show recent changes',
    goSettings: 'Open settings',
    newAgent: 'New agent…',
    receive: 'Receive a token…',
    send: 'Send sats…',
    problems: 'Show agents with problems',
    refreshPrice: 'Refresh the BTC price',
    priceRefreshed: 'Refreshed the BTC price',
    priceFailed: 'The BTC price wasn’t refreshed',
    theme: { system: 'Theme: follow the system', light: 'Theme: light', dark: 'Theme: dark' },
    shortcuts: 'Keyboard shortcuts',
    setModel: (id: string): string => `Set the model for ${id}…`,
    setBudget: (id: string): string => `Set the budget for ${id}…`,
    link: (id: string): string => `Link a shared entry to ${id}…`,
    sell: (id: string): string => `Sell ${id}…`,
    stopSelling: (id: string): string => `Stop selling ${id}`,
  },
} as const;

/** Strings for the list of shortcuts. */
export const sheet = {
  title: 'Keyboard shortcuts',
  description: 'While you type in a field, its own shortcuts come first.',
  or: 'or',
  groups: { everywhere: 'Everywhere', agent: 'In an agent', list: 'In lists' },
  names: {
    search: 'Search',
    settings: 'Settings',
    shortcuts: 'This list',
    takeBack: 'Undo the last change',
    putBack: 'Redo what you undid last',
    changes: 'Recent changes',
    save: 'Save the file',
    find: 'Find in the file',
    undo: 'Undo typing',
    nextFinding: 'Go to the next problem',
    listFindings: 'List the problems',
    move: 'Move',
    open: 'Open',
    clear: 'Clear the search',
    newEntry: 'New',
    filter: 'Search the list',
    edit: 'Edit the prompt',
    select: 'Select',
  },
} as const;
