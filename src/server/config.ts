import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Environment } from '../pi/environment.ts';
import { isAgentId } from '../shared/api/names.ts';
import type { StoredSettings } from '../shared/api/settings.ts';
import { isLoopbackHost } from '../shared/page-host.ts';
import {
  EDITABLE_SETTINGS,
  type PlainSetting,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingValue,
  STARTER_ROOT,
  settingOf,
} from '../shared/settings.ts';
import { expandHome } from './platform/home.ts';
import { LOG_LEVELS, type LogLevel } from './platform/logger.ts';

/** Thrown for an invalid setting. `message` is one line that names the variable. */
export class ConfigError extends Error {
  readonly variable: string;

  constructor(variable: string, message: string) {
    super(message);
    this.variable = variable;
  }
}

/** A setting's origin, and the variable that can override it. */
interface SettingOrigin {
  origin: 'environment' | 'settings' | 'default';
  variable: string;
}

/** A source for the BTC price. `url` replaces its default URL. */
export interface BtcSource {
  name: string;
  url?: string;
}

/** All server settings. Paths are absolute. */
export interface Config extends Readonly<{ [N in PlainSetting]: SettingValue<N> }> {
  dataDirectory: string;
  /** The directory that replaces "~" in paths. */
  homeDirectory: string;
  origins: Readonly<Record<SettingName, SettingOrigin>>;
  mintUrl: string;
  walletDirectory: string;
  host: string;
  /** The host names to allow in addition to loopback, in lowercase. */
  allowedHosts: string[];
  apiToken: string | undefined;
  logLevel: LogLevel;
  /** The configured root. Undefined for the starter root in the data directory. */
  rootPath: string | undefined;
  starterRootPath: string;
  btcSources: BtcSource[];
  modelPricingPath: string;
  /** Directories where pi stores agents' sessions outside the agents' own directories. */
  sessionDirectories: { agent: string; path: string }[];
  /** The URL of Vite's page in development, which electron-vite sets. Only an unpackaged window uses it. */
  devPageUrl: string | undefined;
  /** The path of the running AppImage, if any. Its program is in a mount that disappears on exit. */
  appImagePath: string | undefined;
  appImageMount: string | undefined;
  /** The path of the running portable Windows program, if any. It unpacks into a directory that is deleted on exit. */
  portablePath: string | undefined;
  /** The Windows directory. */
  systemRoot: string;
  /** The setup script's environment, except for the root. */
  scriptEnvironment: Record<string, string>;
}

/** Returns this process's environment, for services and for terminals opened from the desktop. */
export const ownEnvironment = (): Environment => process.env;

/** The BTC price sources, in the order dot-mi tries them. */
const BTC_SOURCE_NAMES = ['coinbase', 'kraken', 'bitstamp', 'coingecko', 'mempool'] as const;

const ROOT_VARIABLES = ['DOT_MI_ROOT', 'DOT_MI_DIR', 'DOT_PI_ROOT', 'DOT_PI_DIR'] as const;
const SCRIPT_VARIABLES = ['PATH', 'HOME', 'LANG', 'TERM'] as const;
/** Returns whether a host name always means this computer. */
const isLoopbackName = (name: string): boolean => isLoopbackHost(name) || name.endsWith('.localhost');
const HOST_NAME = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/;
/** The shortest API token. Shorter ones can be guessed. */
const MIN_API_TOKEN_LENGTH = 16;

/** Converts saved settings to environment variables, so that the same rules validate both. */
const asVariables = (stored: StoredSettings): Environment =>
  Object.fromEntries(EDITABLE_SETTINGS.map((name) => [SETTINGS[name].variable, stored[name]?.toString()]));

/**
 * Reads the settings. Environment variables override settings that were saved in the window. An empty variable counts
 * as unset.
 *
 * Relative paths start at `dataDirectory`, and `~` is the home directory. Throws {@link ConfigError} for the first
 * invalid value.
 */
export const readConfig = (
  dataDirectory: string,
  environment: Environment = process.env,
  stored: StoredSettings = {},
): Config => {
  const kept = asVariables(stored);
  const named = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const text = (name: string): string | undefined => named(name) ?? (kept[name]?.trim() || undefined);
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');

  const wrong = (name: string, expected: string) =>
    new ConfigError(name, `${name} must be ${expected}, not "${text(name)}".`);

  const flag = (name: string, fallback: boolean): boolean => {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (value === 'true' || value === '1') return true;
    if (value === 'false' || value === '0') return false;
    throw wrong(name, '"true" or "false"');
  };

  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw wrong(name, `a whole number from ${min} to ${max}`);
  };

  const webUrl = (name: string, value: string): string => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return value;
    throw wrong(name, 'an http or https URL');
  };

  const mintUrl = (): string => {
    const value = webUrl('MINT_URL', text('MINT_URL') ?? 'https://mint.minibits.cash/Bitcoin');
    const { username, password, search, hash } = new URL(value);
    if (username || password || search || hash) {
      throw wrong('MINT_URL', 'a URL without a user, password, query or fragment');
    }
    return value;
  };

  const logLevel = (): LogLevel => {
    const value = text('LOG_LEVEL') ?? 'info';
    const level = LOG_LEVELS.find((known) => known === value);
    if (level) return level;
    throw wrong('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  };

  const btcSources = (): BtcSource[] => {
    const items = list('BTC_PRICE_SOURCES');
    if (items.length === 0) return BTC_SOURCE_NAMES.map((name) => ({ name }));
    const names = items.map((item) => item.split('=')[0]);
    if (new Set(names).size < names.length)
      throw wrong('BTC_PRICE_SOURCES', 'a comma-separated list that names each source only once');
    return items.map((item) => {
      const [name = '', ...rest] = item.split('=');
      if (!(BTC_SOURCE_NAMES as readonly string[]).includes(name)) {
        throw wrong(
          'BTC_PRICE_SOURCES',
          `a comma-separated list of ${BTC_SOURCE_NAMES.join(', ')}, each optionally followed by "=url"`,
        );
      }
      return rest.length === 0 ? { name } : { name, url: webUrl('BTC_PRICE_SOURCES', rest.join('=')) };
    });
  };

  const sessionDirectories = () =>
    list('SESSION_DIRECTORIES').map((item) => {
      const [, agent = '', directory = ''] = /^([^=]*)=(.*)$/.exec(item) ?? [];
      if (isAgentId(agent) && directory !== '') return { agent, path: pathOf(directory) };
      throw wrong('SESSION_DIRECTORIES', 'a comma-separated list of "agent=directory"');
    });

  const homeDirectory = named(process.platform === 'win32' ? 'USERPROFILE' : 'HOME') ?? homedir();
  const pathOf = (text: string): string => resolve(dataDirectory, expandHome(text, homeDirectory));
  const path = (name: string, fallback: string): string => pathOf(text(name) ?? fallback);

  const plainValue = (name: SettingName): (readonly [SettingName, number | boolean])[] => {
    const setting = settingOf(name);
    if (setting.kind === 'flag') return [[name, flag(setting.variable, setting.fallback)]];
    if (setting.kind === 'whole')
      return [[name, integer(setting.variable, setting.fallback, ...setting.range)]];
    return [];
  };
  const plain = Object.fromEntries(SETTING_NAMES.flatMap(plainValue)) as {
    [N in PlainSetting]: SettingValue<N>;
  };
  const { requireKeys } = plain;

  const rootVariable = ROOT_VARIABLES.find(named);
  const host = text('HOST') ?? '127.0.0.1';
  const apiToken = text('API_TOKEN');
  const allowedHosts = list('ALLOWED_HOSTS').map((name) => name.toLowerCase());

  if (apiToken !== undefined && /\s/.test(apiToken)) {
    throw new ConfigError(
      'API_TOKEN',
      "API_TOKEN contains whitespace, which can't be sent in a header. Remove the whitespace.",
    );
  }
  // SECURITY: programs of other users reach loopback too.
  if (apiToken !== undefined && apiToken.length < MIN_API_TOKEN_LENGTH) {
    throw new ConfigError(
      'API_TOKEN',
      `API_TOKEN is too short. Use at least ${MIN_API_TOKEN_LENGTH} characters, for example from "openssl rand -hex 32".`,
    );
  }
  // SECURITY: beyond loopback, anyone on the network can call the API.
  if (!isLoopbackHost(host) && apiToken === undefined && !requireKeys) {
    throw new ConfigError(
      'HOST',
      `HOST is "${host}", which other computers can reach. Also set API_TOKEN or REQUIRE_KEYS=true, or remove HOST.`,
    );
  }
  if (!allowedHosts.every((name) => HOST_NAME.test(name))) {
    throw wrong('ALLOWED_HOSTS', 'a comma-separated list of host names without ports');
  }
  // SECURITY: a proxy or tunnel forwards anyone's requests for such a name to loopback.
  const publicName = allowedHosts.find((name) => !isLoopbackName(name));
  if (publicName !== undefined && apiToken === undefined && !requireKeys) {
    throw new ConfigError(
      'ALLOWED_HOSTS',
      `ALLOWED_HOSTS names "${publicName}", where other computers can reach dot-mi. Also set API_TOKEN or REQUIRE_KEYS=true, or remove the name.`,
    );
  }

  const rootPath = (): string | undefined => {
    if (rootVariable !== undefined) return path(rootVariable, '.');
    return stored.root === undefined || stored.root === STARTER_ROOT ? undefined : pathOf(stored.root);
  };

  const originOf = (variable: string): SettingOrigin => {
    if (named(variable) !== undefined) return { origin: 'environment', variable };
    return { origin: kept[variable]?.trim() ? 'settings' : 'default', variable };
  };
  const origins = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, originOf(SETTINGS[name].variable)]),
  ) as Record<SettingName, SettingOrigin>;

  return {
    ...plain,
    dataDirectory,
    homeDirectory,
    origins: rootVariable === undefined ? origins : { ...origins, root: originOf(rootVariable) },
    mintUrl: mintUrl(),
    walletDirectory: path('WALLET_DB_PATH', 'data/wallet'),
    host,
    allowedHosts,
    apiToken,
    logLevel: logLevel(),
    rootPath: rootPath(),
    starterRootPath: resolve(dataDirectory, 'data/dot-mi-root'),
    btcSources: btcSources(),
    sessionDirectories: sessionDirectories(),
    modelPricingPath: path('MODEL_PRICING_PATH', 'data/model_pricing.json'),
    devPageUrl: text('ELECTRON_RENDERER_URL'),
    appImagePath: named('APPIMAGE'),
    appImageMount: named('APPDIR'),
    portablePath: named('PORTABLE_EXECUTABLE_FILE'),
    systemRoot: named('SystemRoot') ?? 'C:\\Windows',
    scriptEnvironment: Object.fromEntries(
      SCRIPT_VARIABLES.flatMap((name) => {
        const value = environment[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
};
