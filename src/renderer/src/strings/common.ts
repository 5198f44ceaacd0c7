import { many } from './words.ts';

/** Strings for every page. The server's sentences are shown unchanged. */
export const common = {
  appName: 'dot-mi',
  title: (...parts: string[]): string => [...parts, 'dot-mi'].join(' – '),
  skipToMain: 'Skip to main content',
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  dismiss: 'Dismiss',
  discard: 'Discard',
  tryAgain: 'Try again',
  copied: 'Copied',
  copyFailed: 'The browser blocked copying',
  copyByHand: {
    title: 'Copy the text yourself',
    hint: 'The text is selected, so press Ctrl+C or ⌘ C.',
    field: 'Text to copy',
  },
  /** Shown if part of the page threw an error. */
  broken: {
    title: 'Something broke. Your text is kept.',
    hint: 'Try again, or reload the page. If it breaks again, copy the error and report it.',
    reload: 'Reload the page',
    start: 'Open the start page',
    copy: 'Copy error',
  },
  /** Shown if the browser stores nothing for the page, by reason. */
  storage: {
    title: 'This browser isn’t storing data for this page',
    hints: {
      missing:
        'It blocks site data, so your sign-in, theme and typed text are lost on reload. Allow site data for this address to keep them.',
      full: 'Its storage is full, so your sign-in, theme and typed text are lost on reload. Free up disk space, or clear site data for this address.',
      silent: 'Its database isn’t responding, so typed text may be lost on reload. Restart the browser.',
    },
    desktop: {
      title: 'The window can’t store its data',
      hint: 'The disk may be full. Free up disk space, then restart dot-mi.',
    },
  },
  loading: 'Loading…',
  justNow: 'just now',
  unsaved: 'unsaved changes',
  noMatch: (query: string): string => `Nothing matches “${query}”.`,
  clearSearch: 'Clear search',
} as const;

/** Strings for a comparison of two texts by line. */
export const difference = {
  added: 'Added',
  removed: 'Removed',
  unchanged: (count: number): string => `${many(count, 'unchanged line', 'unchanged lines')}`,
} as const;

/** Strings for the rail on the left. */
export const rail = {
  label: 'Main',
  views: {
    overview: 'Overview',
    agents: 'Agents',
    catalog: 'Catalog',
    wallet: 'Wallet',
    pricing: 'Pricing',
    api: 'API',
    trash: 'Trash',
    settings: 'Settings',
  },
  needsAttention: '(needs attention)',
  sats: (amount: string): string => `${amount} sat`,
  testMoney: 'Test money',
  testMoneyShort: 'Test',
  testMoneyHint: 'Tokens aren’t checked, and payments are simulated.',
} as const;

/** Strings for the API's status at the bottom of the rail. */
export const api = {
  label: 'API',
  details: (state: string): string => `API: ${state}`,
  state: {
    open: 'Connected',
    connecting: 'Connecting…',
    offline: 'Offline',
    refused: 'No access',
    restarted: 'Restarted',
  },
  address: 'Address',
  root: 'Root',
  version: 'Version',
  mode: 'Money',
  testMoney: 'Test money',
  unknown: 'not known yet',
  offlineBanner:
    'Offline: the API isn’t responding. This page may be out of date, but it keeps what you type.',
  moving: (url: string): string => `dot-mi is moving to ${url}. This page will follow.`,
  goThere: 'Go there now',
  copyRoot: 'Copy root path',
} as const;

/** Error messages for every page. */
export const errors = {
  offline: 'The API isn’t responding. Check that dot-mi is running.',
  unexpectedAnswer: (status: number): string =>
    `Another program responded on this port (status ${status}). Check the address and which program uses the port.`,
  operatorRequired: 'Only the operator can do this. Sign in, then try again.',
  /** Titles of errors that only the page has. The API's error table has all others. */
  titles: {
    offline: 'The API is offline',
    unexpected_answer: 'Unexpected response',
  } as Readonly<Record<string, string>>,
  fallbackTitle: 'Something went wrong',
} as const;

/** Strings for the page for an unknown address. */
export const notFound = {
  title: 'Page not found',
  hint: 'There’s nothing at this address.',
} as const;
