import {
  changesOfEdits,
  editJson,
  type JsonEdit,
  JsonEditError,
  type JsonPath,
  renamesIn,
  typedTexts,
} from '../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';
import { AppError } from '../platform/app-error.ts';
import { keptSecretIn, keptSecretSentence } from '../platform/kept-secrets.ts';
import { quoted } from '../platform/words.ts';
import {
  type ModelsFile,
  type ModelsProblem,
  parseModels,
  problemsIn,
  sentenceOf,
  UNREADABLE,
} from './models-entries.ts';

const EMPTY = '{\n  "providers": {}\n}\n';

type Kind = 'provider' | 'model' | 'override';

const refuse = (message: string) => new AppError('model_refused', message);

const unreadable = (message: string, cause?: unknown) =>
  new AppError('models_unreadable', message, {}, cause);

const parsed = (text: string): ModelsFile => {
  const file = parseModels(text);
  if (typeof file === 'string') throw unreadable(UNREADABLE[file]);
  return file;
};

/** Rules for ids that pi-args can contain. */
const NEW_ID: Readonly<Record<Kind, readonly [rule: RegExp, sentence: string]>> = {
  provider: [
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'A provider id must start with a letter or digit and contain only letters, digits, ".", "_" and "-".',
  ],
  model: [/^[^\s\p{C}]{1,500}$/u, 'A model id can’t contain spaces.'],
  override: [/^[^\s\p{C}]{1,500}$/u, 'A model id can’t contain spaces.'],
};

const objectIn = (value: unknown, key: string): JsonObject => {
  const found = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isJsonObject(found) ? found : {};
};

/** Returns the ids of a provider's models, in the order of the file. An entry without an id has none. */
const idsIn = (provider: unknown): (string | undefined)[] =>
  (isJsonObject(provider) && Array.isArray(provider.models) ? provider.models : []).map((model: unknown) =>
    isJsonObject(model) && typeof model.id === 'string' ? model.id : undefined,
  );

/** The earlier names of what edits rename. Everything else keeps its name. */
interface Earlier {
  provider(name: string): string;
  /** `provider` is the new name of the provider. */
  entry(provider: string, group: string | undefined, name: unknown): unknown;
}

const PROVIDERS = ['providers'] as const;

/** Refuses new names of entries that don't exist, and names that are taken. */
const requireRenames = (kind: Kind, entries: JsonObject, renames: ReadonlyMap<string, string>): void => {
  for (const [name, newName] of renames) {
    if (!Object.hasOwn(entries, name))
      throw new AppError(
        'model_not_found',
        `models.json has no ${kind} ${quoted(name)} in that place. Reload the list of models.`,
      );
    if (newName !== name && Object.hasOwn(entries, newName))
      throw new AppError(
        'model_exists',
        `models.json already has a ${kind} ${quoted(newName)} in that place. Choose another id.`,
      );
  }
};

const inverted = (renames: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(Array.from(renames, ([name, newName]) => [newName, name]));

/** Returns the ids that edits give to models of a provider, with the earlier ones. */
const newModelIds = (provider: unknown, name: string, edits: readonly JsonEdit[]): Map<unknown, unknown> => {
  const ids = idsIn(provider);
  return new Map(
    edits.flatMap(({ path: [first, second, group, index, key, ...more], value }): [unknown, unknown][] =>
      first === PROVIDERS[0] &&
      second === name &&
      group === 'models' &&
      typeof index === 'number' &&
      key === 'id' &&
      more.length === 0
        ? [[value, ids[index]]]
        : [],
    ),
  );
};

/** Reads what edits rename. Throws `model_not_found`, `model_exists` and `model_refused`. */
const earlierNames = ({ providers }: ModelsFile, edits: readonly JsonEdit[]): Earlier => {
  const renamed = renamesIn(edits, PROVIDERS);
  requireRenames('provider', providers, renamed);
  const earlier = inverted(renamed);
  let known = renamed.size;
  const entries = new Map<string, ReadonlyMap<unknown, unknown>>();
  for (const [name, provider] of Object.entries(providers)) {
    const overrides = renamesIn(edits, [...PROVIDERS, name, 'modelOverrides']);
    requireRenames('override', objectIn(provider, 'modelOverrides'), overrides);
    known += overrides.size;
    entries.set(`${name} modelOverrides`, inverted(overrides));
    entries.set(`${name} models`, newModelIds(provider, name, edits));
  }
  if (edits.filter(({ rename }) => rename !== undefined).length !== known)
    throw refuse('Only providers and overrides can get another id this way. For a model, set its "id".');
  const ofProvider = (name: string): string => earlier.get(name) ?? name;
  return {
    provider: ofProvider,
    entry: (provider, group, name) => entries.get(`${ofProvider(provider)} ${group}`)?.get(name) ?? name,
  };
};

/** Identifies a problem regardless of its model's position and of new names. */
const keyOf = (
  { providers }: ModelsFile,
  { place: [provider, group, entry], text }: ModelsProblem,
  earlier: Earlier | undefined,
): string => {
  const id = typeof entry === 'number' && provider !== undefined ? idsIn(providers[provider])[entry] : entry;
  if (provider === undefined || !earlier) return JSON.stringify([provider, group, id, text]);
  return JSON.stringify([earlier.provider(provider), group, earlier.entry(provider, group, id), text]);
};

/** Refuses a change that would make pi refuse something it accepted before. */
const checkResult = (before: ModelsFile, after: ModelsFile, earlier: Earlier): void => {
  const known = new Set([...problemsIn(before)].map((problem) => keyOf(before, problem, undefined)));
  for (const problem of problemsIn(after))
    if (!known.has(keyOf(after, problem, earlier)))
      throw refuse(`pi would refuse ${sentenceOf(after, problem)}`);
};

const requireId = (kind: Kind, id: unknown): void => {
  const [rule, sentence] = NEW_ID[kind];
  if (typeof id === 'string' && !rule.test(id)) throw refuse(sentence);
};

/** Refuses new ids that pi-args can't contain, and a model with the id of another. */
const requireIds = (before: ModelsFile, after: ModelsFile, earlier: Earlier): void => {
  for (const [name, provider] of Object.entries(after.providers)) {
    if (!Object.hasOwn(before.providers, name)) requireId('provider', name);
    const oldName = earlier.provider(name);
    const old = Object.hasOwn(before.providers, oldName) ? before.providers[oldName] : undefined;
    const oldOverrides = objectIn(old, 'modelOverrides');
    for (const id of Object.keys(objectIn(provider, 'modelOverrides')))
      if (!Object.hasOwn(oldOverrides, id)) requireId('override', id);
    const countOf = (ids: readonly unknown[], id: unknown) => ids.filter((each) => each === id).length;
    const ids = idsIn(provider);
    for (const id of new Set(ids)) {
      const earlierCount = countOf(idsIn(old), id);
      if (earlierCount === 0) requireId('model', id);
      if (id !== undefined && countOf(ids, id) > Math.max(earlierCount, 1))
        throw new AppError(
          'model_exists',
          `models.json already has a model ${quoted(id)} in that place. Choose another id.`,
        );
    }
  }
};

/** Returns the addresses to which pi sends a provider's key and headers. */
const addressesOf = ({ providers }: ModelsFile, id: string): ReadonlySet<unknown> => {
  const provider = Object.hasOwn(providers, id) ? providers[id] : undefined;
  if (!isJsonObject(provider)) return new Set();
  const { baseUrl = { builtIn: id }, models } = provider;
  const ofModels: unknown[] = (Array.isArray(models) ? models : []).flatMap((model: unknown) =>
    isJsonObject(model) && model.baseUrl !== undefined ? [model.baseUrl] : [],
  );
  return new Set([baseUrl, ...ofModels].map((address) => JSON.stringify(address)));
};

/** Refuses an address for a provider's requests while the provider keeps values which the API hides. */
const requireSecretsAgain = (
  before: ModelsFile,
  after: ModelsFile,
  earlier: Earlier,
  typed: ReadonlySet<unknown>,
): void => {
  for (const [name, provider] of Object.entries(after.providers)) {
    const known = addressesOf(before, earlier.provider(name));
    if (known.size === 0 || [...addressesOf(after, name)].every((address) => known.has(address))) continue;
    const place = keptSecretIn(provider, typed);
    if (place !== undefined)
      throw refuse(keptSecretSentence(`This adds an address to ${quoted(name)}`, place));
  }
};

const edited = (text: string, edits: readonly JsonEdit[]): string => {
  const isNoRename = ({ path, rename }: JsonEdit) => rename !== (path as JsonPath).at(-1);
  try {
    return editJson(text, changesOfEdits(edits.filter(isNoRename)), { comments: true });
  } catch (error) {
    if (!(error instanceof JsonEditError)) throw error;
    throw unreadable(
      'models.json can’t be changed here, because it has another kind of value where pi expects an object or a list. Edit it in another program.',
      error,
    );
  }
};

/**
 * Returns a models.json with these edits. Every other byte stays the same. An undefined `text` means that the file is
 * missing.
 *
 * Throws `models_unreadable`, `model_refused`, `model_exists` and `model_not_found`.
 */
export const editedModels = (text: string | undefined, edits: readonly JsonEdit[]): string => {
  const source = text ?? EMPTY;
  const before = parsed(source);
  const earlier = earlierNames(before, edits);
  const result = edited(source, edits);
  const after = parsed(result);
  requireIds(before, after, earlier);
  checkResult(before, after, earlier);
  requireSecretsAgain(before, after, earlier, typedTexts(edits));
  return result;
};
