/**
 * Texts of the palette, quick open and the sheet of shortcuts. Not in `strings`: they load with their views.
 */
export const palette = {
  label: 'Command palette',
  search: 'Search commands',
  none: 'No matching command.',
  hint: 'Press Enter to run the highlighted command.',
  close: 'Close',
  groups: {
    agent: 'This agent',
    go: 'Go to',
    agents: 'Agents',
    money: 'Money',
    look: 'Appearance',
    help: 'Help',
  },
  commands: {
    goOverview: 'Go to overview',
    goAgents: 'Go to agents',
    goCatalog: 'Go to catalog',
    goWallet: 'Go to wallet',
    goPricing: 'Go to pricing',
    goApi: 'Go to API',
    goTrash: 'Go to trash',
    goSettings: 'Open settings',
    quickOpen: 'Open agent or file…',
    newAgent: 'New agent…',
    receive: 'Receive a token…',
    refreshPrice: 'Refresh the BTC price',
    priceRefreshed: 'Refreshed the BTC price',
    priceFailed: 'The BTC price was not refreshed',
    theme: { system: 'Theme: follow the system', light: 'Theme: light', dark: 'Theme: dark' },
    shortcuts: 'Keyboard shortcuts',
    openFile: (id: string, file: string): string => `Open ${file} of ${id}`,
    openSection: (id: string, section: string): string => `Show ${section} of ${id}`,
  },
} as const;

/** Texts of quick open. */
export const quickOpen = {
  label: 'Open agent or file',
  search: 'Agent, or agent and file, such as “scout sys”',
  none: 'No matching agent or file.',
  loading: 'Loading agents…',
  hint: 'Press Enter to open the highlighted entry.',
} as const;

/** Texts of the sheet of shortcuts. */
export const sheet = {
  title: 'Keyboard shortcuts',
  description: 'While you type in a field, its own shortcuts come first.',
  or: 'or',
  groups: { everywhere: 'Everywhere', agent: 'In an agent', list: 'In lists' },
  names: {
    palette: 'Command palette',
    quickOpen: 'Open agent or file',
    settings: 'Settings',
    shortcuts: 'This list',
    takeBack: 'Undo the last removal or link',
    save: 'Save the file',
    find: 'Find in the file',
    undo: 'Undo typing',
    move: 'Move',
    open: 'Open',
    clear: 'Clear the search',
  },
} as const;
