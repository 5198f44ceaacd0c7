/** What every setting has. */
interface Common {
  /** The environment variable that overrides the saved value. */
  readonly variable: string;
  /** True if the operator can change it while dot-mi runs. */
  readonly editable: boolean;
  /** What the API's documentation says about it. */
  readonly purpose: string;
  /** What the API's documentation says about a new value. */
  readonly accepts?: string;
}

/** A setting of the server: a text, a list of texts, a whole number or a switch. */
export type Setting = Common &
  (
    | { readonly kind: 'text' }
    | { readonly kind: 'list'; readonly mayBeEmpty: boolean }
    | {
        readonly kind: 'whole';
        readonly fallback: number;
        readonly range: readonly [least: number, most: number];
        /** The least value that can be saved. Only an environment variable can set less. */
        readonly leastSaved?: number;
      }
    | { readonly kind: 'flag'; readonly fallback: boolean }
  );

/** The value of `root` for the starter root. */
export const STARTER_ROOT = 'starter';

/** The settings of the server. The configuration, the API and the Settings page are made from this table. */
export const SETTINGS = {
  root: {
    kind: 'text',
    variable: 'DOT_MI_ROOT',
    editable: true,
    purpose: 'The directory that contains the agents and shared entries.',
    accepts: `An absolute path, a path that starts with "~/", or "${STARTER_ROOT}" for the starter root.`,
  },
  port: {
    kind: 'whole',
    variable: 'PORT',
    fallback: 8000,
    range: [0, 65_535],
    editable: true,
    purpose: 'The port of the page and the API.',
    accepts: 'With 0, dot-mi picks a free port. If the server already runs, 0 keeps its current port.',
  },
  mintUrl: { kind: 'text', variable: 'MINT_URL', editable: true, purpose: 'The URL of the mint.' },
  devMode: {
    kind: 'flag',
    variable: 'DEV_MODE',
    fallback: true,
    editable: true,
    purpose: 'True: dot-mi accepts ecash without checking it, and the sats aren’t real.',
    accepts: 'False: dot-mi uses real ecash from the mint.',
  },
  requireKeys: {
    kind: 'flag',
    variable: 'REQUIRE_KEYS',
    fallback: false,
    editable: true,
    purpose: 'True: every program needs an agent key or the operator token.',
    accepts:
      'True: requests need an agent key or the operator token. GET /api/health, the OpenAPI document and the page need neither.',
  },
  btcRefreshIntervalSeconds: {
    kind: 'whole',
    variable: 'BTC_PRICE_REFRESH_INTERVAL',
    fallback: 300,
    range: [1, 86_400],
    // Public price sources limit how often they can be asked.
    leastSaved: 30,
    editable: true,
    purpose: 'How often dot-mi fetches the BTC price, in seconds.',
    accepts: 'At least 30. Only an environment variable can set less.',
  },
  btcSources: {
    kind: 'list',
    mayBeEmpty: false,
    variable: 'BTC_PRICE_SOURCES',
    editable: true,
    purpose: 'The sources of the BTC price, in the order in which dot-mi tries them.',
    accepts:
      'The names of the sources, each optionally followed by "=url", in the order in which dot-mi tries them.',
  },
  sessionDirectories: {
    kind: 'list',
    mayBeEmpty: true,
    variable: 'SESSION_DIRECTORIES',
    editable: true,
    purpose: 'More directories with sessions, each as `agent=directory`.',
    accepts:
      'Additional directories in which pi stores sessions, each as `agent=directory`. They are outside the agent’s own directory.',
  },
  historyDays: {
    kind: 'whole',
    variable: 'HISTORY_DAYS',
    fallback: 90,
    range: [1, 3_650],
    editable: true,
    purpose: 'How long the history keeps entries, in days.',
  },
  historyMegabytes: {
    kind: 'whole',
    variable: 'HISTORY_MEGABYTES',
    fallback: 500,
    range: [10, 10_000],
    editable: true,
    purpose: 'How much space the history uses, in megabytes. The oldest entries go first.',
  },
  historyVersions: {
    kind: 'whole',
    variable: 'HISTORY_VERSIONS',
    fallback: 100,
    range: [1, 1_000],
    editable: true,
    purpose: 'How many versions of each file the history keeps.',
  },
  walletDirectory: {
    kind: 'text',
    variable: 'WALLET_DB_PATH',
    editable: false,
    purpose: 'The directory of the wallet.',
  },
  modelPricingPath: {
    kind: 'text',
    variable: 'MODEL_PRICING_PATH',
    editable: false,
    purpose: 'The path of the models file.',
  },
} as const satisfies Record<string, Setting>;

/** The name of a setting. */
export type SettingName = keyof typeof SETTINGS;

type NamesWith<T> = { [N in SettingName]: (typeof SETTINGS)[N] extends T ? N : never }[SettingName];

/** A setting that the operator can change while dot-mi runs. */
export type EditableSetting = NamesWith<{ editable: true }>;

/** A setting that is a whole number. */
export type WholeSetting = NamesWith<{ kind: 'whole' }>;

/** A setting that is a number or a switch, so that the table says all about its value. */
export type PlainSetting = WholeSetting | NamesWith<{ kind: 'flag' }>;

/** The type of a setting's value. */
export type SettingValue<N extends SettingName> = {
  text: string;
  list: string[];
  whole: number;
  flag: boolean;
}[(typeof SETTINGS)[N]['kind']];

/** The names of all settings. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The names of the settings that the operator can change. */
export const EDITABLE_SETTINGS = SETTING_NAMES.filter((name) => SETTINGS[name].editable) as EditableSetting[];

/** Returns a setting by its name, as a record of any kind. */
export const settingOf = (name: SettingName): Setting => SETTINGS[name];

/** Returns the least and the greatest number that can be saved for a setting. */
export const savedRange = (name: WholeSetting): readonly [least: number, most: number] => {
  const { range, leastSaved }: Extract<Setting, { kind: 'whole' }> = SETTINGS[name];
  return [leastSaved ?? range[0], range[1]];
};
