import { list } from './words.ts';

/** Texts of the settings. Not in `strings`: they load with their page. */
export const settings = {
  title: 'Settings',
  description: 'A change of the server counts at once: it starts again in place, and this page stays.',
  save: 'Save',
  saving: 'Saving…',
  saved: (label: string): string => `${label} saved`,
  saveLabel: (label: string): string => `Save ${label}`,
  useDefault: 'Use default',
  defaultLabel: (label: string): string => `Use default for ${label}`,
  notSaved: 'That was not saved',
  notWhole: 'A whole number.',
  setBy: (variable: string): string =>
    `Set by ${variable} in the environment. Change it there and start dot-mi again.`,
  isDefault: 'default',
  unsavedFirst: (agents: readonly string[]): string =>
    `There is unsaved text in ${list.format(agents)}. Save or discard it first: it belongs to what is open now.`,
  typedFirst: (labels: readonly string[]): string =>
    `${list.format(labels)} ${labels.length === 1 ? 'is' : 'are'} typed and not saved. Save or undo that first: another port is another address, and this page moves there without it.`,
  tokenFirst:
    'There is a token in the wallet that is not received. Receive it or take it away first: another port is another address, and this page moves there without it.',
  lastError: 'The last change was taken back',
  damaged: 'The settings could not be read',
  damagedHint: 'The defaults serve instead. What was there is kept in',

  rootSection: 'Root',
  root: 'Root directory',
  rootHint: 'The absolute path of the directory with your agents and what they share.',
  choose: 'Choose…',
  chooseFailed: 'No directory could be chosen',

  moneySection: 'Ecash',
  devMode: 'DEV MODE',
  devModeOn:
    'Tokens are accepted without asking the mint, and the balance is simulated. Nothing here is money.',
  devModeOff: 'Tokens are redeemed at the mint. The balance is real money.',
  realQuestion: 'Use real money?',
  realDescription:
    'Without DEV MODE tokens are redeemed at the mint and the balance is real money. What was simulated stays apart and is not lost. Write down the backup words of the wallet before you receive much.',
  stayInDevMode: 'Stay in DEV MODE',
  useRealMoney: 'Use real money',
  mint: 'Mint',
  mintHint:
    'The wallet receives tokens of this mint only. If you change it, pending operations at the previous mint still finish, and the wallet keeps showing the balance there.',

  serverSection: 'Server',
  port: 'Port',
  portHint: 'Where the page and the API answer on this machine. 0 takes a free one.',
  interval: 'Price interval',
  intervalHint: 'Seconds between two questions for the BTC price.',
  sources: 'Price sources',
  sourcesHint:
    'Asked in this order, with commas between. “mempool=http://umbrel.local:3006” asks there instead.',

  lookSection: 'Appearance',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  zoom: (caps: string): string => `Zoom with ${caps} and + or −; ${caps} and 0 goes back.`,

  dataSection: 'Data',
  dataFolder: 'Data folder',
  wallet: 'Wallet',
  models: 'Model prices',
  version: 'Version',
  copyPath: (label: string): string => `Copy the path of: ${label}`,
  openFolder: 'Open data folder',
  openFailed: 'The folder could not be opened',

  desktopSection: 'Desktop',
  closeToTray: 'Close to tray',
  closeToTrayHint: 'The API keeps running when the window is closed.',
  startAtLogin: 'Start at login',
  startAtLoginHint: 'dot-mi starts when you log in to this computer.',
  checkForUpdates: 'Look for updates',
  checkForUpdatesHint:
    'Asks the release page once a day whether there is a newer version. Nothing is fetched before you say so.',
  openLogs: 'Open logs',
  preferenceFailed: 'The desktop could not keep that',
} as const;

/** Texts of the first run. */
export const firstRun = {
  title: 'Welcome to dot-mi',
  description: 'dot-mi manages the agents of one directory, the root. Which is yours?',
  ownHeading: 'I have a root',
  ownHint: 'The absolute path of a directory with agents/ and shared/.',
  ownUse: 'Use this root',
  using: 'One moment…',
  starterHeading: 'Start with an example',
  starterHint: 'Two agents, extensions and skills to look at and change. It is yours, and is here:',
  starterUse: 'Use the starter root',
  laterHint: 'You can change this at any time in the settings.',
  later: 'Look around first',
} as const;
