/** Texts of every page. */
export const common = {
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  dismiss: 'Dismiss',
  discard: 'Discard',
  tryAgain: 'Try again',
  copied: 'Copied',
  copyFailed: 'The browser did not allow copying',
  copyByHand: {
    title: 'Copy it by hand',
    hint: 'The browser does not let this page copy. The text is selected: press Ctrl+C, or ⌘ C.',
    field: 'Text to copy',
  },
  loading: 'Loading…',
  justNow: 'just now',
  unsaved: 'unsaved changes',
  noMatch: (query: string): string => `Nothing matches “${query}”.`,
  clearSearch: 'Clear search',
} as const;

/** Texts of the rail on the left. */
export const rail = {
  label: 'Main',
  agents: 'Agents',
  catalog: 'Catalog',
  wallet: 'Wallet',
  pricing: 'Pricing',
  trash: 'Trash',
} as const;

/** Texts of the state of the API at the foot of the rail. */
export const api = {
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
  moving: (url: string): string => `dot-mi moves to ${url}. This page follows in a moment.`,
  goThere: 'Go there now',
  copyRoot: 'Copy root path',
} as const;

/** What is said where something cannot be shown. */
export const errors = {
  offline: 'The API does not answer. Is dot-mi still running?',
  unexpectedAnswer: (status: number): string =>
    `Something else than the dot-mi API answered (status ${status}). Check the address and what runs on that port.`,
  titles: {
    offline: 'The API is offline',
    unexpected_answer: 'Unexpected answer',
    unauthorized: 'Sign in to this dot-mi',
    root_unavailable: 'The root cannot be read',
    permission_denied: 'Permission denied',
    wallet_damaged: 'The wallet cannot be read',
    pricing_config_invalid: 'The models file cannot be used',
  } as Readonly<Record<string, string>>,
  fallbackTitle: 'That did not work',
  unauthorizedHint: 'Open the link dot-mi printed in your terminal (it ends in #token=…).',
} as const;

/** Texts of an address that leads nowhere. */
export const notFound = {
  title: 'No such page',
  hint: 'The address leads nowhere.',
} as const;
