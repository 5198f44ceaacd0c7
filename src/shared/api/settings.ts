import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { MAX_NAMES } from './fields.ts';

/** The value of `root` for the starter root. */
export const STARTER_ROOT = 'starter';

/** The shortest refresh interval for the BTC price that the settings accept, in seconds. */
export const MIN_REFRESH_INTERVAL_SECONDS = 30;

/** The least and the greatest value of each setting of the history. */
export const HISTORY_LIMITS = {
  historyDays: [1, 3_650],
  historyMegabytes: [10, 10_000],
  historyVersions: [1, 1_000],
} as const satisfies Record<string, readonly [least: number, most: number]>;

/** Each setting's purpose. */
const PURPOSE = {
  root: 'The directory that contains the agents and shared entries.',
  port: 'The port of the page and the API.',
  mintUrl: 'The URL of the mint.',
  devMode: 'True: dot-mi accepts ecash without checking it, and the sats aren’t real.',
  requireKeys: 'True: every program needs an agent key or the operator token.',
  btcRefreshIntervalSeconds: 'How often dot-mi fetches the BTC price, in seconds.',
  btcSources: 'The sources of the BTC price, in the order in which dot-mi tries them.',
  sessionDirectories: 'More directories with sessions, each as `agent=directory`.',
  historyDays: 'How long the history keeps entries, in days.',
  historyMegabytes: 'How much space the history uses, in megabytes. The oldest entries go first.',
  historyVersions: 'How many versions of each file the history keeps.',
  walletDirectory: 'The directory of the wallet.',
  modelPricingPath: 'The path of the models file.',
  dataDirectory: 'The directory with dot-mi’s data.',
};

/** The settings that the operator can change while dot-mi runs. The configuration checks their values. */
const editable = {
  root: z
    .string()
    .min(1)
    .describe(`An absolute path, a path that starts with "~/", or "${STARTER_ROOT}" for the starter root.`),
  port: z
    .number()
    .describe('With 0, dot-mi picks a free port. If the server already runs, 0 keeps its current port.'),
  mintUrl: z.string().min(1),
  devMode: z.boolean().describe('False: dot-mi uses real ecash from the mint.'),
  requireKeys: z
    .boolean()
    .describe(
      'True: requests need an agent key or the operator token. GET /api/health, the OpenAPI document and the page need neither.',
    ),
  btcRefreshIntervalSeconds: z
    .number()
    .describe(`At least ${MIN_REFRESH_INTERVAL_SECONDS}. Only an environment variable can set less.`),
  btcSources: z
    .array(z.string())
    .min(1)
    .max(MAX_NAMES)
    .describe(
      'The names of the sources, each optionally followed by "=url", in the order in which dot-mi tries them.',
    ),
  sessionDirectories: z
    .array(z.string())
    .max(MAX_NAMES)
    .describe(
      'Additional directories in which pi stores sessions, each as `agent=directory`. They are outside the agent’s own directory.',
    ),
  historyDays: z.number(),
  historyMegabytes: z.number(),
  historyVersions: z.number(),
};

/** The names of the settings that {@link changeSettings} changes. */
export const EDITABLE_SETTINGS = [
  'root',
  'port',
  'mintUrl',
  'devMode',
  'requireKeys',
  'btcRefreshIntervalSeconds',
  'btcSources',
  'sessionDirectories',
  'historyDays',
  'historyMegabytes',
  'historyVersions',
] as const satisfies readonly (keyof typeof editable)[];

/** One of {@link EDITABLE_SETTINGS}. */
export type EditableSetting = (typeof EDITABLE_SETTINGS)[number];

/** Saved settings. An absent one has its default. */
export const storedSettingsSchema = z.object(editable).partial();

/** The type of {@link storedSettingsSchema}. */
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

/** Where a setting's value comes from. An environment variable overrides a saved setting. */
const SETTING_ORIGINS = ['environment', 'settings', 'default'] as const;

const setting = <T extends z.ZodType>(value: T) =>
  z.object({
    value: value.describe('The current value.'),
    origin: z
      .enum(SETTING_ORIGINS)
      .describe('The source of the value: an environment variable, the saved settings or the default.'),
    variable: z
      .string()
      .nullable()
      .describe('The environment variable for this setting. Null if there is none.'),
    editable: z
      .boolean()
      .describe('True if PUT can change the setting. False if an environment variable sets it.'),
  });

const settings = z
  .object({
    settings: z
      .object({
        root: setting(z.string()).describe(PURPOSE.root),
        port: setting(z.int()).describe(PURPOSE.port),
        mintUrl: setting(z.string()).describe(PURPOSE.mintUrl),
        devMode: setting(z.boolean()).describe(PURPOSE.devMode),
        requireKeys: setting(z.boolean()).describe(PURPOSE.requireKeys),
        btcRefreshIntervalSeconds: setting(z.int()).describe(PURPOSE.btcRefreshIntervalSeconds),
        btcSources: setting(z.array(z.string())).describe(PURPOSE.btcSources),
        sessionDirectories: setting(z.array(z.string())).describe(PURPOSE.sessionDirectories),
        historyDays: setting(z.int()).describe(PURPOSE.historyDays),
        historyMegabytes: setting(z.int()).describe(PURPOSE.historyMegabytes),
        historyVersions: setting(z.int()).describe(PURPOSE.historyVersions),
        walletDirectory: setting(z.string()).describe(PURPOSE.walletDirectory),
        modelPricingPath: setting(z.string()).describe(PURPOSE.modelPricingPath),
        dataDirectory: setting(z.string()).describe(PURPOSE.dataDirectory),
      })
      .describe('The settings, each with its value and origin.'),
    starterRoot: z.string().describe('The path of the starter root, even if it doesn’t exist yet.'),
    firstRun: z.boolean().describe('True until somebody chooses a root or the starter root.'),
    lastError: z
      .string()
      .nullable()
      .describe(
        'Why dot-mi reverted the last change: the server couldn’t start with it. Null if it started.',
      ),
    damagedFile: z
      .string()
      .nullable()
      .describe(
        'The path of a settings file that dot-mi couldn’t read, so it started with the defaults. Null if there is none.',
      ),
  })
  .meta({ id: 'Settings' });

/** The response of {@link getSettings}. */
export type Settings = z.infer<typeof settings>;

/** The settings, and the origin of each. */
export const getSettings = defineEndpoint({
  id: 'settings.get',
  method: 'GET',
  path: '/api/settings',
  summary: 'Get the settings',
  access: 'operator',
  keys: 'none',
  success: { status: 200, body: settings },
  errors: [],
});

/** Changes settings, and restarts the server with them if needed. */
export const changeSettings = defineEndpoint({
  id: 'settings.change',
  method: 'PUT',
  path: '/api/settings',
  summary: 'Change settings',
  description:
    'Absent fields keep their values. Null restores the default. If necessary, the server restarts in the same process right after it responds. Running requests finish first. If the server can’t start with the new settings, it restores the old ones, and `lastError` says why.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    root: editable.root.nullish().describe(PURPOSE.root),
    port: editable.port.nullish().describe(PURPOSE.port),
    mintUrl: editable.mintUrl.nullish().describe(PURPOSE.mintUrl),
    devMode: editable.devMode.nullish().describe(PURPOSE.devMode),
    requireKeys: editable.requireKeys.nullish().describe(PURPOSE.requireKeys),
    btcRefreshIntervalSeconds: editable.btcRefreshIntervalSeconds
      .nullish()
      .describe(PURPOSE.btcRefreshIntervalSeconds),
    btcSources: editable.btcSources.nullish().describe(PURPOSE.btcSources),
    sessionDirectories: editable.sessionDirectories.nullish().describe(PURPOSE.sessionDirectories),
    historyDays: editable.historyDays.nullish().describe(PURPOSE.historyDays),
    historyMegabytes: editable.historyMegabytes.nullish().describe(PURPOSE.historyMegabytes),
    historyVersions: editable.historyVersions.nullish().describe(PURPOSE.historyVersions),
  }),
  success: {
    status: 200,
    body: z.object({
      ...settings.shape,
      restarting: z.boolean().describe('True if dot-mi is restarting to apply the change.'),
      url: z.string().describe('The address of the server after the change, or after the restart.'),
      pageToken: z
        .string()
        .optional()
        .describe('The page token for the new address. Absent if the address stays the same.'),
    }),
  },
  errors: ['setting_overridden', 'port_in_use', 'restarting', 'disk_full'],
});

/** The body of {@link changeSettings}. */
export type SettingsChange = z.input<typeof changeSettings.body>;

/** The response of {@link changeSettings}. */
export type ChangedSettings = z.infer<typeof changeSettings.success.body>;
