import { z } from 'zod';
import {
  EDITABLE_SETTINGS,
  type EditableSetting,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
  settingOf,
} from '../settings.ts';
import { defineEndpoint } from './endpoint.ts';
import { MAX_NAMES } from './fields.ts';

type Values<N extends SettingName> = z.ZodType<SettingValue<N>, SettingValue<N>>;

/** What a response says for each kind of setting. */
const VALUE: Readonly<Record<Setting['kind'], z.ZodType>> = {
  text: z.string(),
  list: z.array(z.string()),
  whole: z.int(),
  flag: z.boolean(),
};

/** Returns what a request may say about a setting. The configuration checks the values. */
const newValue = (setting: Setting): z.ZodType => {
  if (setting.kind === 'text') return z.string().min(1);
  if (setting.kind === 'whole') return z.number();
  if (setting.kind === 'flag') return z.boolean();
  const items = z.array(z.string());
  return (setting.mayBeEmpty ? items : items.min(1)).max(MAX_NAMES);
};

const described = (name: EditableSetting): z.ZodType => {
  const setting = settingOf(name);
  return setting.accepts === undefined ? newValue(setting) : newValue(setting).describe(setting.accepts);
};

/** The settings that the operator can change while dot-mi runs. */
const editable = Object.fromEntries(EDITABLE_SETTINGS.map((name) => [name, described(name)])) as {
  [N in EditableSetting]: Values<N>;
};

/** Saved settings. An absent one has its default. */
export const storedSettingsSchema = z.object(editable).partial();

/** The type of {@link storedSettingsSchema}. */
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

/** Where a setting's value comes from. An environment variable overrides a saved setting. */
const SETTING_ORIGINS = ['environment', 'settings', 'default'] as const;

const setting = <T>(value: z.ZodType<T, T>) =>
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

const shown = Object.fromEntries(
  SETTING_NAMES.map((name) => [
    name,
    setting<unknown>(VALUE[SETTINGS[name].kind]).describe(SETTINGS[name].purpose),
  ]),
) as { [N in SettingName]: ReturnType<typeof setting<SettingValue<N>>> };

const settings = z
  .object({
    settings: z
      .object({
        ...shown,
        dataDirectory: setting(z.string()).describe('The directory with dot-mi’s data.'),
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

const changed = Object.fromEntries(
  EDITABLE_SETTINGS.map((name) => [name, editable[name].nullish().describe(SETTINGS[name].purpose)]),
) as { [N in EditableSetting]: z.ZodOptional<z.ZodNullable<Values<N>>> };

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
  body: z.strictObject(changed),
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
