import { mayHoldSecret } from '../../pi/mcp-secrets.ts';
import type { AgentPiSettings, PiSetting, PiSettingChange } from '../../shared/api/pi-settings.ts';
import { changePiSettings, getPiSettings } from '../../shared/api/pi-settings.ts';
import { editJson, type JsonEdit, JsonEditError } from '../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';
import type { Feature } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { type Caller, readerOf } from '../platform/caller.ts';
import { type FormFile, shownEtag, type TaggedText } from '../platform/form-file.ts';
import { quoted } from '../platform/words.ts';
import { type SettingField, settingFields } from './setting-fields.ts';

/** pi skips a byte order mark in settings.json, and ignores the file if it isn't an object. */
const parse = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const valueAt = (settings: JsonObject, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    settings,
  );

/** Returns whether any string in a value may contain a secret. */
const hasSecret = (value: unknown): boolean =>
  typeof value === 'string'
    ? mayHoldSecret(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasSecret);

const shown = ({ setting, accepts }: SettingField, settings: JsonObject, showsValues: boolean): PiSetting => {
  const value = valueAt(settings, setting.path);
  if (value === undefined) return setting;
  // SECURITY: whether pi refuses it says something about the value.
  if (!showsValues) return { ...setting, isHidden: true };
  return {
    ...setting,
    ...(hasSecret(value) ? { isHidden: true } : { value: value as PiSetting['value'] }),
    ...(accepts(value) ? {} : { isRefused: true }),
  };
};

const toAnswer = (file: TaggedText | undefined, caller: Caller): AgentPiSettings => {
  const settings = file && parse(file.content);
  const known = new Set<string | undefined>([
    'packages',
    ...settingFields().map(({ setting }) => setting.path[0]),
  ]);
  return {
    exists: file !== undefined,
    etag: shownEtag(caller, file),
    ...(file && !settings
      ? {
          problem: 'settings.json is not a JSON object, so pi ignores it. Correct it in another program.',
        }
      : {}),
    settings: settingFields().map((field) => shown(field, settings ?? {}, caller.kind === 'operator')),
    otherKeys: Object.keys(settings ?? {}).filter((key) => !known.has(key)),
  };
};

const unreadable = (message: string, cause?: unknown) =>
  new AppError('pi_settings_unreadable', message, {}, cause);

/** Describes what a field accepts, for people. */
const acceptedBy = ({ kind, options, minimum, maximum, isInteger }: PiSetting): string => {
  const listed = options?.map((option) => JSON.stringify(option)).join(', ');
  if (kind === 'switch') return 'true or false';
  if (kind === 'list') return 'a list of strings';
  if (kind === 'text') return 'a string';
  if (kind === 'choice') return `one of ${listed}`;
  if (kind === 'json') return 'a value that matches pi’s schema';
  const limits = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
  ];
  return [`a ${isInteger ? 'whole ' : ''}number`, ...limits, ...(listed ? [`or ${listed}`] : [])].join(' ');
};

const requireAccepted = ({ path, value }: PiSettingChange): void => {
  const name = path.join('.');
  const field = settingFields().find(({ setting }) => setting.path.join('\0') === path.join('\0'));
  if (!field)
    throw new AppError(
      'pi_setting_unknown',
      `pi has no setting ${quoted(name)} that can be changed here. GET /api/agents/:id/settings lists the ones that you can change.`,
    );
  if (value !== undefined && !field.accepts(value))
    throw new AppError('pi_setting_refused', `${name} must be ${acceptedBy(field.setting)}.`);
};

/**
 * Returns a settings.json with these changes. Keeps every other byte. An undefined `text` means that the file is
 * missing. An object that becomes empty stays, because pi treats it as missing.
 *
 * Throws `pi_settings_unreadable`, `pi_setting_unknown` and `pi_setting_refused`.
 */
export const changedSettings = (text: string | undefined, changes: readonly PiSettingChange[]): string => {
  for (const change of changes) requireAccepted(change);
  const before = text ?? '{}\n';
  if (!parse(before))
    throw unreadable(
      'settings.json is not a JSON object, so pi ignores it and dot-mi doesn’t change it. Correct it in another program.',
    );
  try {
    return editJson(
      before,
      changes.map(({ path, value }) => (value === undefined ? { path, remove: true } : { path, set: value })),
    );
  } catch (error) {
    if (!(error instanceof JsonEditError)) throw error;
    throw unreadable(
      'settings.json can’t be changed here, because it is too large or has another kind of value where pi expects an object. Edit it in another program.',
      error,
    );
  }
};

const written = (file: TaggedText | undefined) => ({ ok: true as const, etag: file?.etag ?? null });

/** Creates the routes for agents' pi settings. */
export const createPiSettings = ({
  settingsFile: form,
}: {
  readonly settingsFile: FormFile;
}): Feature & {
  /** Returns a settings.json with these edits. Throws the errors of {@link changedSettings}. */
  edited(text: string | undefined, edits: readonly JsonEdit[]): string;
} => {
  return {
    edited: (text, edits) => changedSettings(text, edits as readonly PiSettingChange[]),
    routes(bind) {
      bind(getPiSettings, async ({ params }, caller) =>
        toAnswer(await form.read(params.id, readerOf(caller)), caller),
      );
      bind(changePiSettings, async ({ params, headers, body }) =>
        written(
          (
            await form.change(
              params.id,
              { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] },
              (text) => changedSettings(text, body.changes),
            )
          ).file,
        ),
      );
    },
  };
};
