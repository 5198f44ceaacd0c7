import { mayHoldSecret } from '../../pi/mcp-secrets.ts';
import type { JsonFile } from '../../shared/api/json-files.ts';
import { type AgentPiSettings, getPiSettings, type PiSetting } from '../../shared/api/pi-settings.ts';
import { parseJson } from '../../shared/json-document.ts';
import {
  changesOfEdits,
  editJson,
  type JsonEdit,
  JsonEditError,
  type JsonPath,
} from '../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';
import type { Feature } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { type Caller, readerOf } from '../platform/caller.ts';
import { type FormFiles, shownEtag, type TaggedText } from '../platform/form-file.ts';
import { nameOf, refusedValues } from '../platform/json-problems.ts';
import { settingsSchema } from '../platform/pi-schemas.ts';
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

const IGNORED = 'settings.json is not a JSON object, so pi ignores it. Correct it in another program.';

const toAnswer = (file: TaggedText | undefined, caller: Caller): AgentPiSettings => {
  const settings = file && parse(file.content);
  const known = new Set<string | undefined>([
    'packages',
    ...settingFields().map(({ setting }) => setting.path[0]),
  ]);
  return {
    exists: file !== undefined,
    etag: shownEtag(caller, file),
    ...(file && !settings ? { problem: IGNORED } : {}),
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

const unknownSetting = (path: JsonPath) =>
  new AppError(
    'pi_setting_unknown',
    `pi has no setting ${quoted(path.join('.'))} that can be changed here. GET /api/agents/:id/settings lists the ones that you can change.`,
  );

/** Returns the setting that a path is in. Undefined if there's none. */
const fieldAt = (path: JsonPath): SettingField | undefined =>
  settingFields().find(
    ({ setting }) =>
      setting.path.every((step, at) => step === path[at]) &&
      (path.length === setting.path.length || setting.kind === 'list' || setting.kind === 'json'),
  );

const PACKAGES = 'packages';

/** Refuses edits that set what pi doesn't know. */
const requireKnown = (edits: readonly JsonEdit[]): void => {
  for (const { path, value, rename } of edits) {
    const isKnown = path[0] === PACKAGES || fieldAt(path) !== undefined;
    if (rename !== undefined || (!isKnown && value !== undefined)) throw unknownSetting(path);
  }
};

/** Refuses the values that edits leave in settings which don't accept them. */
const requireAccepted = (settings: JsonObject, edits: readonly JsonEdit[]): void => {
  for (const { path } of edits) {
    const field = fieldAt(path);
    const after = field && valueAt(settings, field.setting.path);
    if (field && after !== undefined && !field.accepts(after))
      throw new AppError(
        'pi_setting_refused',
        `${field.setting.path.join('.')} must be ${acceptedBy(field.setting)}.`,
      );
  }
};

/** Refuses changes of `packages` that pi couldn't use. */
type RequirePackages = (before: unknown, after: unknown) => void;

/**
 * Returns a settings.json with these edits. Keeps every other byte. An undefined `text` means that the file is
 * missing. An object that becomes empty stays, because pi treats it as missing.
 *
 * Throws `pi_settings_unreadable`, `pi_setting_unknown`, `pi_setting_refused` and `package_refused`.
 */
const editedSettings = (
  text: string | undefined,
  edits: readonly JsonEdit[],
  requirePackages: RequirePackages,
): string => {
  requireKnown(edits);
  const before = text ?? '{}\n';
  const settings = parse(before);
  if (!settings)
    throw unreadable(
      'settings.json is not a JSON object, so pi ignores it and dot-mi doesn’t change it. Correct it in another program.',
    );
  try {
    const after = editJson(before, changesOfEdits(edits));
    const changed = parse(after) ?? {};
    requireAccepted(changed, edits);
    requirePackages(settings[PACKAGES], changed[PACKAGES]);
    return after;
  } catch (error) {
    if (!(error instanceof JsonEditError)) throw error;
    throw unreadable(
      'settings.json can’t be changed here, because it is too large or has another kind of value where pi expects an object. Edit it in another program.',
      error,
    );
  }
};

/** Returns what pi refuses in a settings.json. */
const problemsOf = (text: string): JsonFile['problems'] =>
  parse(text)
    ? Array.from(refusedValues(parseJson(text), settingsSchema()), ({ path, is }) => ({
        path: [...path],
        message: `${nameOf(path)} ${is}.`,
      }))
    : [{ path: [], message: IGNORED }];

/** Creates the route for agents' pi settings. */
export const createPiSettings = ({
  files,
  requirePackages,
}: {
  readonly files: Pick<FormFiles, 'readTagged'>;
  readonly requirePackages: RequirePackages;
}): Feature & {
  /** Returns a settings.json with these edits. Throws the errors of {@link editedSettings}. */
  edited(text: string | undefined, edits: readonly JsonEdit[]): string;
  readonly problemsOf: typeof problemsOf;
} => ({
  edited: (text, edits) => editedSettings(text, edits, requirePackages),
  problemsOf,
  routes(bind) {
    bind(getPiSettings, async ({ params: { id } }, caller) =>
      toAnswer(await files.readTagged(id, 'settings.json', readerOf(caller)), caller),
    );
  },
});
