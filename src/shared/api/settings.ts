import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** The value of `root` for the starter root. */
export const STARTER_ROOT = 'starter';

/** The shortest interval between two BTC prices that the settings accept, in seconds. */
export const MIN_REFRESH_INTERVAL_SECONDS = 30;

/** What each setting is for. */
const PURPOSE = {
  root: 'The folder that holds agents and shared entries.',
  port: 'The port of the page and the API.',
  mintUrl: 'The URL of the mint.',
  devMode: 'True while dot-mi accepts ecash without checking it, so that the sats are not real.',
  requireKeys: 'True if every program needs an agent key or the operator token.',
  btcRefreshIntervalSeconds: 'How often dot-mi asks for the BTC price, in seconds.',
  btcSources: 'The sources of the BTC price, in the order in which dot-mi asks them.',
  sessionDirectories: 'Directories with more sessions, each as `agent=directory`.',
  walletDirectory: 'The directory of the wallet.',
  modelPricingPath: 'The file with the prices of models.',
  dataDirectory: 'The folder in which dot-mi keeps its data.',
};

/** Settings that the operator can change while dot-mi runs. The configuration checks their values. */
const editable = {
  root: z
    .string()
    .min(1)
    .describe(
      `Absolute path of a directory, a path that starts with "~/", or "${STARTER_ROOT}" for the starter root.`,
    ),
  port: z.number().describe('0 picks a free port. A running server keeps its port.'),
  mintUrl: z.string().min(1),
  devMode: z.boolean().describe('False: dot-mi uses real ecash from the mint.'),
  requireKeys: z
    .boolean()
    .describe(
      'True: requests need an agent key or the operator token, except those for health, the OpenAPI document and the page.',
    ),
  btcRefreshIntervalSeconds: z
    .number()
    .describe(`At least ${MIN_REFRESH_INTERVAL_SECONDS}. Only the environment may set less.`),
  btcSources: z
    .array(z.string())
    .min(1)
    .describe('Source names, each with or without "=url", in the order dot-mi asks them.'),
  sessionDirectories: z
    .array(z.string())
    .describe('Each as `agent=directory`: a directory outside the agent in which pi keeps its sessions.'),
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
] as const satisfies readonly (keyof typeof editable)[];

/** One of {@link EDITABLE_SETTINGS}. */
export type EditableSetting = (typeof EDITABLE_SETTINGS)[number];

/** Saved settings. An absent one has its default. */
export const storedSettingsSchema = z.object(editable).partial();

/** The type of {@link storedSettingsSchema}. */
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

/** Where a setting's value is from. An environment variable overrides a saved setting. */
const SETTING_ORIGINS = ['environment', 'settings', 'default'] as const;

const setting = <T extends z.ZodType>(value: T) =>
  z.object({
    value: value.describe('The value in use now.'),
    origin: z
      .enum(SETTING_ORIGINS)
      .describe('The place that sets this value: the environment, the settings file or the default.'),
    variable: z.string().nullable().describe('The environment variable for this setting.'),
    editable: z.boolean().describe('True if PUT can change it. False when the environment sets it.'),
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
        walletDirectory: setting(z.string()).describe(PURPOSE.walletDirectory),
        modelPricingPath: setting(z.string()).describe(PURPOSE.modelPricingPath),
        dataDirectory: setting(z.string()).describe(PURPOSE.dataDirectory),
      })
      .describe('The settings, each with its value and where it comes from.'),
    starterRoot: z.string().describe('Path of the starter root, whether or not it exists yet.'),
    firstRun: z.boolean().describe('True until someone names a root or chooses the starter root.'),
    lastError: z
      .string()
      .nullable()
      .describe('Why the last change was reverted: the server could not start with it.'),
    damagedFile: z
      .string()
      .nullable()
      .describe(
        'Path of a settings file that dot-mi could not use at startup. It started with the defaults.',
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
    'Absent fields keep their value, and null restores the default. If the change requires it, the server restarts in the same process right after it responds. Requests that are still running finish first. If the server cannot start with the new settings, it restores the old ones, and `lastError` says why.',
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
  }),
  success: {
    status: 200,
    body: z.object({
      ...settings.shape,
      restarting: z.boolean().describe('True if dot-mi restarts now to apply the change.'),
      url: z.string().describe('The address of the server from now on, or after the restart.'),
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
