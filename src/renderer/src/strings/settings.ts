import type { NotificationEvent } from '../../../shared/desktop-bridge.ts';
import type { EditableSetting } from '../../../shared/settings.ts';
import type { SettingsSection } from '../routes.ts';
import { number } from './words.ts';

/** A setting's words, its section, and what else finds it. */
interface FieldWords {
  readonly label: string;
  readonly hint?: string;
  readonly section: SettingsSection;
  readonly keywords: string;
}

const fields: Readonly<Record<EditableSetting, FieldWords>> = {
  root: {
    label: 'Root folder',
    hint: 'The folder that holds agents/ and shared/.',
    section: 'general',
    keywords: 'folder choose starter agents trust setup script',
  },
  sessionDirectories: {
    label: 'More session folders',
    hint: 'Outside the root. Separate them with commas. Example: scout=~/pi-sessions.',
    section: 'general',
    keywords: 'sessions pi directory folder usage',
  },
  historyDays: { label: 'Days of history', section: 'general', keywords: 'undo changes' },
  historyMegabytes: { label: 'Megabytes of history', section: 'general', keywords: 'undo changes space' },
  historyVersions: { label: 'Versions of each file', section: 'general', keywords: 'undo history changes' },
  devMode: { label: 'Test money', section: 'wallet', keywords: 'test money simulated real ecash' },
  mintUrl: {
    label: 'Mint',
    hint: 'The wallet receives tokens only from this mint.',
    section: 'wallet',
    keywords: 'ecash cashu url',
  },
  btcRefreshIntervalSeconds: {
    label: 'Price interval',
    hint: 'How often to fetch the BTC price, in seconds.',
    section: 'pricing',
    keywords: 'btc bitcoin refresh seconds',
  },
  btcSources: {
    label: 'Price sources',
    hint: 'Separate them with commas. dot-mi tries them in this order. Example: coinbase, mempool=http://umbrel.local:3006.',
    section: 'pricing',
    keywords: 'btc bitcoin coinbase kraken bitstamp coingecko mempool',
  },
  port: {
    label: 'Port',
    hint: 'Enter 0 to use any free port.',
    section: 'server',
    keywords: 'address api network',
  },
  requireKeys: { label: 'Require a key', section: 'keys', keywords: 'agent key token api' },
};

/** Strings for the settings. */
export const settings = {
  title: 'Settings',
  fields,
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
  onlyInDesktop: 'These settings belong to the desktop app. Open them there.',
  navigation: 'Sections of the settings',
  save: 'Save',
  saveAsking: 'Save…',
  saving: 'Saving…',
  saved: (label: string): string => `${label} saved`,
  saveLabel: (label: string): string => `Save ${label}`,
  useDefault: 'Use default',
  defaultLabel: (label: string): string => `Use default for ${label}`,
  notSaved: 'The change wasn’t saved',
  /** Says why a typed value can't be saved. Each message begins with its field's label. */
  mustBeWhole: (label: string, least: number, most: number): string =>
    `${label} must be a whole number from ${number.format(least)} to ${number.format(most)}.`,
  mustBeAddress: (label: string): string =>
    `${label} must be a web address, such as https://mint.example/Bitcoin.`,
  mustBeDirectories: 'Enter each folder as agent=folder, such as scout=~/pi-sessions.',
  mustNameOne: (label: string): string => `${label} must name at least one source, such as coinbase.`,
  setBy: (variable: string): string =>
    `Set by ${variable} in the environment. Change it there and restart dot-mi.`,
  isDefault: 'default',
  tokenFirst:
    'The wallet page has a token that you haven’t received yet. Receive or remove it first, because it doesn’t move to the new port.',
  lastError: 'The last change was reverted',
  damaged: 'dot-mi couldn’t read the settings',
  damagedHint: 'dot-mi uses the defaults instead. Your old settings are kept in',

  emptyFolder: 'This folder is empty',
  noAgents: 'This folder has no agents',
  setUpHint: 'dot-mi can add agents/, shared/ and a setup script without changing your files.',
  setUp: 'Set up this folder',
  useAsItIs: 'Use it as it is',
  choose: 'Choose…',
  chooseFailed: 'The folder picker didn’t open',

  devModeOn: 'The balance is simulated, and dot-mi accepts tokens without checking them with the mint.',
  devModeOff: 'The balance is real money.',
  realQuestion: 'Use real money?',
  realDescription:
    'dot-mi will receive tokens at the mint, and the balance will be real money. Your test sats stay in a separate wallet. Write down the backup words before you receive much.',
  stayInDevMode: 'Keep test money',
  useRealMoney: 'Use real money',
  mintQuestion: {
    title: 'Use another mint?',
    description:
      'The wallet will receive tokens only from that mint. Your balance at the current mint stays there, and pending operations will finish. You can switch back at any time.',
    confirm: 'Use this mint',
  },

  portQuestion: (port: string) => ({
    title: port.trim() === '0' ? 'Move to a free port?' : `Move to port ${port.trim()}?`,
    description:
      'This page moves too. Agents and scripts that call dot-mi need the new address, and so do your bookmarks.',
    confirm: 'Move',
  }),
  history: 'History of changes',
  countSubscriptions: 'Count calls that a subscription covers',
  countSubscriptionsHint: 'With this on, they count as spent and in margins. Budgets always count them.',

  agentKeys: 'Agent keys',

  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  lineNumbers: 'Line numbers',
  zoom: (caps: string): string => `Zoom with ${caps} and + or −, and reset with ${caps} and 0.`,

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
  checkForUpdates: 'Check for updates',
  checkForUpdatesHint: 'Once a day. Downloads start only after you agree.',
  noLinks: 'cashu: links don’t open here',
  noLinksHint:
    'Integrate this AppImage with Gear Lever or AppImageLauncher, or install the .deb or .rpm package.',
  notificationsSection: 'System notifications',
  notifications: {
    payments: 'Payment received',
    attention: 'Payment needs attention',
    mint: 'Mint isn’t responding',
    budgets: 'Budget used or nearly used',
    sales: 'Sales',
    waiting: 'Agent is waiting',
    done: 'Agent is done',
    updates: 'Update ready',
  },
  /** Hints for notifications whose names aren't clear enough. */
  notificationHints: {
    attention: 'It failed after it was pending, or has been pending for ten minutes.',
    mint: 'For five minutes.',
    budgets: 'At 80% and 100% of a limit.',
    sales: 'Work that was sold or refunded, and agents that customers can’t buy from.',
    done: 'After ten seconds of work or more.',
  } as Partial<Record<NotificationEvent, string>>,
  noNotifications: 'This system doesn’t show notifications. On Linux, install libnotify.',
  openLogs: 'Open logs',
  preferenceFailed: 'dot-mi couldn’t change this setting',
} as const;
