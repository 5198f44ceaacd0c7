import type { SettingsSection } from '../routes.ts';
import { settings as words } from '../strings/settings.ts';
import { signIn } from '../strings/sign-in.ts';

/** A setting as the search finds it. */
interface IndexedSetting {
  /** Its `data-setting` on the page. */
  readonly id: string;
  readonly section: SettingsSection;
  readonly label: string;
  /** Other words that find it. */
  readonly keywords: string;
}

const of = (section: SettingsSection, id: string, label: string, keywords: string): IndexedSetting => ({
  id,
  section,
  label,
  keywords,
});

/** The settings that every page has. */
export const SETTINGS_INDEX: readonly IndexedSetting[] = [
  of('general', 'root', words.root, 'folder choose starter agents trust setup script'),
  of('appearance', 'theme', words.theme, 'appearance dark light system colour color mode zoom'),
  of('appearance', 'lineNumbers', words.lineNumbers, 'editor files prompts gutter'),
  of('wallet', 'devMode', words.devMode, 'test money simulated real ecash'),
  of('wallet', 'mintUrl', words.mint, 'ecash cashu url'),
  of('pricing', 'btcRefreshIntervalSeconds', words.interval, 'btc bitcoin refresh seconds'),
  of('general', 'sessionDirectories', words.sessionDirectories, 'sessions pi directory folder usage'),
  of('pricing', 'btcSources', words.sources, 'btc bitcoin coinbase kraken bitstamp coingecko mempool'),
  of('server', 'port', words.port, 'address api network'),
  of('keys', 'agentKeys', words.agentKeys, 'create revoke agent key scope limit spend dmk'),
  of('keys', 'requireKeys', words.requireKeys, 'agent key token api'),
  of('keys', 'browsers', signIn.section, 'sign in sign out keep page key'),
  of('keys', 'operatorToken', signIn.operatorToken, 'renew api scripts'),
  of('about', 'version', words.version, 'about release'),
  of('about', 'dataFolder', words.dataFolder, 'path files wallet directory model prices'),
];

/** The settings that only the desktop program has. */
export const DESKTOP_INDEX: readonly IndexedSetting[] = [
  of('desktop', 'closeToTray', words.closeToTray, 'window background'),
  of('desktop', 'startAtLogin', words.startAtLogin, 'autostart'),
  of('desktop', 'checkForUpdates', words.checkForUpdates, 'version release'),
  of('desktop', 'notifications', words.notificationsSection, 'payment mint update'),
];
