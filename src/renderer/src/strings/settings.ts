import { number } from './words.ts';

/** Texts of the settings. */
export const settings = {
  title: 'Settings',
  sections: {
    general: 'General',
    appearance: 'Appearance',
    wallet: 'Wallet',
    pricing: 'Pricing',
    server: 'Server',
    keys: 'Keys',
    desktop: 'Desktop',
    about: 'About',
  },
  description: 'Most changes save themselves. The others have a Save button.',
  onlyInDesktop: 'These settings belong to the desktop app. Open them there.',
  navigation: 'Sections of the settings',
  save: 'Save',
  saveAsking: 'Save…',
  saving: 'Saving…',
  saved: (label: string): string => `${label} saved`,
  undone: (label: string): string => `${label} restored`,
  saveLabel: (label: string): string => `Save ${label}`,
  useDefault: 'Use default',
  defaultLabel: (label: string): string => `Use default for ${label}`,
  notSaved: 'The change wasn’t saved',
  /** Why a typed value can't be saved. Each begins with the label of its field. */
  mustBeWhole: (label: string, least: number, most: number): string =>
    `${label} must be a whole number from ${number.format(least)} to ${number.format(most)}.`,
  mustBeSeconds: (label: string, least: number, most: number): string =>
    `${label} must be a whole number of seconds from ${number.format(least)} to ${number.format(most)}.`,
  mustBeAddress: (label: string): string =>
    `${label} must be a web address, such as https://mint.example/Bitcoin.`,
  mustBeDirectories: (label: string): string =>
    `${label} must each be agent=directory, such as scout=~/pi-sessions.`,
  mustNameOne: (label: string): string => `${label} must name at least one source, such as coinbase.`,
  setBy: (variable: string): string =>
    `Set by ${variable} in the environment. Change it there and restart dot-mi.`,
  isDefault: 'default',
  tokenFirst:
    'A token on the wallet page isn’t received yet. Receive or remove it first, because this page moves to the new port without it.',
  lastError: 'The last change was reverted',
  damaged: 'dot-mi couldn’t read the settings',
  damagedHint: 'dot-mi uses the defaults instead. Your old settings are kept in',

  root: 'Root directory',
  rootHint: 'The absolute path of the directory that holds agents/ and shared/.',
  emptyFolder: 'This folder is empty',
  noAgents: 'This folder has no agents',
  setUpHint: 'dot-mi can add agents/, shared/ and a setup script. It changes none of your files.',
  setUp: 'Set up this folder',
  useAsItIs: 'Use it as it is',
  choose: 'Choose…',
  chooseFailed: 'The folder picker didn’t open',

  devMode: 'Test money',
  devModeOn:
    'dot-mi accepts tokens without asking the mint, and the balance is simulated. Nothing here is money.',
  devModeOff: 'dot-mi redeems tokens at the mint. The balance is real money.',
  realQuestion: 'Use real money?',
  realDescription:
    'dot-mi then redeems tokens at the mint, and the balance is real money. Your test sats are kept separately and aren’t lost. Write down the wallet’s backup words before you receive much.',
  stayInDevMode: 'Keep test money',
  useRealMoney: 'Use real money',
  mint: 'Mint',
  mintQuestion: {
    title: 'Use another mint?',
    description:
      'The wallet then only receives tokens from that mint. Your balance at the current mint stays there, and you can return to it at any time.',
    confirm: 'Use this mint',
  },
  mintHint:
    'The wallet only receives tokens from this mint. If you change it, pending operations at the previous mint still finish. The wallet keeps showing your balance there.',

  port: 'Port',
  portQuestion: (port: string) => ({
    title: port.trim() === '0' ? 'Move to a free port?' : `Move to port ${port.trim()}?`,
    description:
      'This page moves along. Agents and scripts that call dot-mi need the new address, and so do your bookmarks.',
    confirm: 'Move',
  }),
  portHint: 'Port for the page and the API. Use 0 to pick a free port.',
  interval: 'Price interval',
  intervalHint: 'How often to fetch the BTC price, in seconds.',
  sessionDirectories: 'More session directories',
  sessionDirectoriesHint:
    'Directories outside the root in which pi keeps sessions, as agent=directory with commas between them. For example: scout=~/pi-sessions',
  sources: 'Price sources',
  sourcesHint:
    'dot-mi asks them in this order. Separate them with commas. To use your own server, add its address, such as “mempool=http://umbrel.local:3006”.',

  agentKeys: 'Agent keys',
  requireKeys: 'Require a key',

  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  lineNumbers: 'Line numbers',
  lineNumbersHint: 'Shown next to the text of prompts and other files.',
  zoom: (caps: string): string => `Zoom with ${caps} and + or −. Reset the zoom with ${caps} and 0.`,

  dataFolder: 'Data folder',
  wallet: 'Wallet',
  models: 'Model prices',
  version: 'Version',
  copyPath: (label: string): string => `Copy path: ${label}`,
  openFolder: 'Open data folder',
  openFailed: 'The folder didn’t open',

  closeToTray: 'Close to tray',
  closeToTrayHint: 'The API keeps running after you close the window.',
  noTrayHint:
    'Your desktop has no tray, so closing the window quits dot-mi. On GNOME, the AppIndicator extension adds one.',
  startAtLogin: 'Start at login',
  startAtLoginHint: 'dot-mi starts when you log in to this computer.',
  checkForUpdates: 'Check for updates',
  checkForUpdatesHint:
    'dot-mi checks the release page for a newer version once a day. It asks you before it downloads anything.',
  noLinks: 'cashu: links don’t open here',
  noLinksHint:
    'Your desktop doesn’t know this AppImage. Integrate it with Gear Lever or AppImageLauncher, or install the .deb or .rpm package.',
  notificationsSection: 'System notifications',
  notifications: {
    payments: 'Payment received',
    attention: 'Payment needs attention',
    mint: 'Mint isn’t answering',
    budgets: 'Budget reached',
    sales: 'Sales',
    updates: 'Update ready',
  },
  notificationHints: {
    payments: 'Several payments within a few seconds share one notification.',
    attention: 'A payment failed after the caller got its answer, or has been pending for ten minutes.',
    mint: 'The mint hasn’t answered for five minutes.',
    budgets: 'An agent has used 80% or all of a limit.',
    sales: 'An agent did work for a customer, or failed and refunded it. At most one a minute.',
    updates: 'A new version of dot-mi was downloaded.',
  },
  noNotifications: 'This system doesn’t show notifications. On Linux, install libnotify.',
  openLogs: 'Open logs',
  preferenceFailed: 'dot-mi couldn’t change this setting',
} as const;
