import { isDeepStrictEqual } from 'node:util';
import { COST_KEYS, type PiModelsChange, type PiModelsEntryChange } from '../../shared/api/pi-models.ts';
import {
  changesOfEdits,
  editJson,
  isTypedIn,
  type JsonChange,
  type JsonEdit,
  JsonEditError,
  type JsonPath,
} from '../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';
import { AppError } from '../platform/app-error.ts';
import { groupChanges, isHidden } from '../platform/form-values.ts';
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

const OF_MODEL = ['reasoning', 'input', 'contextWindow', 'maxTokens', 'cost'] as const;

/** The fields of each kind, in the order used for new entries. */
const FIELDS = {
  provider: ['name', 'baseUrl', 'api', 'apiKey', 'authHeader', 'headers'],
  model: ['name', 'api', 'baseUrl', ...OF_MODEL],
  override: ['name', ...OF_MODEL],
} as const satisfies Readonly<Record<Kind, readonly (keyof PiModelsEntryChange)[]>>;

const refuse = (message: string) => new AppError('model_refused', message);

const nothingToKeep = (place: string) =>
  refuse(
    `There is no saved value at ${quoted(place)} to keep. Reload the list of models, or send the value itself.`,
  );

const unreadable = (message: string, cause?: unknown) =>
  new AppError('models_unreadable', message, {}, cause);

const parsed = (text: string): ModelsFile => {
  const file = parseModels(text);
  if (typeof file === 'string') throw unreadable(UNREADABLE[file]);
  return file;
};

/** The entry that a request changes. */
interface Target {
  readonly kind: Kind;
  readonly id: string;
  /** The entry's position, or the position for a new entry. */
  readonly path: JsonPath;
  /** Undefined if it doesn't exist. */
  readonly old: unknown;
  readonly exists: boolean;
  /** The positions of models that pi overrides because of a duplicate id, last first. */
  readonly replaced: readonly JsonPath[];
  /** True if pi would refuse the provider without this entry, because nothing else is in it. */
  readonly isAllOfProvider: boolean;
  /** True for a model whose provider doesn't have a `models` list yet. */
  readonly isNewList: boolean;
  has(id: string): boolean;
}

const targetOf = ({ providers }: ModelsFile, { provider, model, override }: PiModelsChange): Target => {
  const path = ['providers', provider];
  const found = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const fields = isJsonObject(found) ? found : {};
  const models: readonly unknown[] = Array.isArray(fields.models) ? fields.models : [];
  const overrides = isJsonObject(fields.modelOverrides) ? fields.modelOverrides : {};
  const isAllOfProvider = (others: number): boolean =>
    others === 0 && Object.keys(fields).every((key) => key === 'models' || key === 'modelOverrides');
  if (model !== undefined) {
    const idAt = (at: number): unknown => {
      const each = models[at];
      return isJsonObject(each) ? each.id : undefined;
    };
    const places = [...models.keys()].filter((at) => idAt(at) === model).reverse();
    const [index = models.length, ...earlier] = places;
    const placeOf = (at: number): JsonPath => [...path, 'models', at];
    return {
      kind: 'model',
      id: model,
      path: placeOf(index),
      old: models[index],
      exists: places.length > 0,
      replaced: earlier.map(placeOf),
      isAllOfProvider: isAllOfProvider(models.length - places.length + Object.keys(overrides).length),
      isNewList: fields.models === undefined,
      has: (id) => models.some((_, at) => idAt(at) === id),
    };
  }
  if (override !== undefined)
    return {
      kind: 'override',
      id: override,
      path: [...path, 'modelOverrides', override],
      old: Object.hasOwn(overrides, override) ? overrides[override] : undefined,
      exists: Object.hasOwn(overrides, override),
      replaced: [],
      isAllOfProvider: isAllOfProvider(models.length + Object.keys(overrides).length - 1),
      isNewList: false,
      has: (id) => Object.hasOwn(overrides, id),
    };
  return {
    kind: 'provider',
    id: provider,
    path,
    old: found,
    exists: Object.hasOwn(providers, provider),
    replaced: [],
    isAllOfProvider: false,
    isNewList: false,
    has: (id) => Object.hasOwn(providers, id),
  };
};

/** Returns the prices of a new cost. pi refuses a model whose cost lacks a price. */
const newCost = (cost: NonNullable<PiModelsEntryChange['cost']>, kind: Kind): JsonObject =>
  Object.fromEntries(
    COST_KEYS.flatMap((key): [string, number][] => {
      const price = cost[key] ?? (kind === 'model' ? 0 : undefined);
      return price === undefined ? [] : [[key, price]];
    }),
  );

function* costChanges(
  path: JsonPath,
  old: unknown,
  cost: NonNullable<PiModelsEntryChange['cost']>,
  kind: Kind,
): Generator<JsonChange> {
  if (!isJsonObject(old)) {
    const made = newCost(cost, kind);
    if (Object.keys(made).length > 0) yield { path, set: made };
    return;
  }
  for (const key of COST_KEYS) {
    const price = cost[key];
    if (price === null && Object.hasOwn(old, key)) yield { path: [...path, key], remove: true };
    else if (typeof price === 'number' && price !== old[key]) yield { path: [...path, key], set: price };
  }
}

/** Adds and removes entries of a list, keeping comments between the others. */
function* listChanges(path: JsonPath, old: unknown, list: readonly string[]): Generator<JsonChange> {
  if (!Array.isArray(old)) {
    yield { path, set: list };
    return;
  }
  const gone = [...old.keys()].filter((at) => !list.includes(String(old[at])));
  for (const at of gone.reverse()) yield { path: [...path, at], remove: true };
  const added = list.filter((each) => !old.includes(each));
  for (const [at, each] of added.entries())
    yield { path: [...path, old.length - gone.length + at], set: each };
}

/** Yields the field changes for an existing entry. */
function* fieldChanges(
  { kind, path }: Target,
  old: JsonObject,
  change: PiModelsEntryChange,
): Generator<JsonChange> {
  for (const key of FIELDS[kind]) {
    const value = change[key];
    const at = [...path, key];
    if (value === undefined) continue;
    if (value === null) {
      if (Object.hasOwn(old, key)) yield { path: at, remove: true };
    } else if (key === 'headers') yield* groupChanges(at, old[key], value as JsonObject, nothingToKeep);
    else if (key === 'cost') yield* costChanges(at, old[key], change.cost ?? {}, kind);
    else if (key === 'input') yield* listChanges(at, old[key], change.input ?? []);
    else if (isHidden(value)) {
      if (old[key] === undefined) throw nothingToKeep(key);
    } else if (!isDeepStrictEqual(old[key], value)) yield { path: at, set: value };
  }
}

/** Returns the fields of a new entry. */
const newEntry = ({ kind, id }: Pick<Target, 'kind' | 'id'>, change: PiModelsEntryChange): JsonObject => {
  const entries = FIELDS[kind].flatMap((key): [string, unknown][] => {
    const value = change[key];
    if (value === undefined || value === null) return [];
    if (isHidden(value)) throw nothingToKeep(key);
    if (key === 'cost') return [[key, newCost(change.cost ?? {}, kind)]];
    if (key !== 'headers') return [[key, value]];
    const headers = Object.entries(value as JsonObject).filter(([, each]) => each !== null);
    const hidden = headers.find(([, each]) => isHidden(each));
    if (hidden) throw nothingToKeep(`headers.${hidden[0]}`);
    return headers.length === 0 ? [] : [[key, Object.fromEntries(headers)]];
  });
  return Object.fromEntries(kind === 'model' ? [['id', id], ...entries] : entries);
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

const requireNewId = ({ kind }: Target, id: string): void => {
  const [rule, sentence] = NEW_ID[kind];
  if (!rule.test(id)) throw refuse(sentence);
};

const requireOwnFields = (kind: Kind, change: PiModelsEntryChange): void => {
  const known: readonly string[] = FIELDS[kind];
  const wrong = Object.keys(change).find((key) => !known.includes(key));
  if (wrong !== undefined)
    throw refuse(
      `dot-mi can’t set ${quoted(wrong)} for ${kind === 'override' ? 'an override' : `a ${kind}`}.`,
    );
};

/** Yields a request's changes to a file. */
function* changesOf(target: Target, { newId, change }: PiModelsChange): Generator<JsonChange> {
  const { kind, id, path, old, exists, replaced, isAllOfProvider } = target;
  if (!exists && (change === null || newId !== undefined))
    throw new AppError(
      'model_not_found',
      `models.json has no ${kind} ${quoted(id)} in that place. Reload the list of models.`,
    );
  if (change === null) {
    if (newId !== undefined) throw refuse('Rename the entry or remove it, not both.');
    if (isAllOfProvider) yield { path: path.slice(0, 2), remove: true };
    else for (const place of [path, ...replaced]) yield { path: place, remove: true };
    return;
  }
  requireOwnFields(kind, change);
  const isRenamed = newId !== undefined && newId !== id;
  if (isRenamed && target.has(newId))
    throw new AppError(
      'model_exists',
      `models.json already has a ${kind} ${quoted(newId)} in that place. Choose another id.`,
    );
  if (!exists || isRenamed) requireNewId(target, newId ?? id);
  if (isJsonObject(old)) yield* fieldChanges(target, old, change);
  else {
    const entry = newEntry(target, change);
    yield target.isNewList ? { path: path.slice(0, -1), set: [entry] } : { path, set: entry };
  }
  if (!isRenamed) return;
  if (kind !== 'model') yield { path, rename: newId };
  else {
    yield { path: [...path, 'id'], set: newId };
    // Remove the duplicates of the old id, which pi would otherwise use again.
    for (const place of replaced) yield { path: place, remove: true };
  }
}

const GROUPS = { provider: undefined, model: 'models', override: 'modelOverrides' } as const;

/** Identifies a problem regardless of its model's position and the entry's earlier name. */
const keyOf = (
  { providers }: ModelsFile,
  { place: [provider, group, entry], text }: ModelsProblem,
  { kind, id, path }: Pick<Target, 'kind' | 'id' | 'path'>,
  newId: string | undefined,
): string => {
  const fields = provider === undefined ? undefined : providers[provider];
  const model: unknown =
    isJsonObject(fields) && Array.isArray(fields.models) && typeof entry === 'number'
      ? fields.models[entry]
      : undefined;
  const name = isJsonObject(model) ? String(model.id) : entry;
  const isRenamed =
    newId !== undefined &&
    (kind === 'provider'
      ? provider === newId
      : provider === path[1] && group === GROUPS[kind] && name === newId);
  const names = !isRenamed
    ? [provider, group, name]
    : kind === 'provider'
      ? [id, group, name]
      : [provider, group, id];
  return JSON.stringify([...names, text]);
};

/** Refuses a change that would make pi refuse something it accepted before. */
const checkResult = (
  before: ModelsFile,
  after: ModelsFile,
  target: Pick<Target, 'kind' | 'id' | 'path'>,
  newId: string | undefined,
): void => {
  const known = new Set([...problemsIn(before)].map((problem) => keyOf(before, problem, target, undefined)));
  for (const problem of problemsIn(after))
    if (!known.has(keyOf(after, problem, target, newId)))
      throw refuse(`pi would refuse ${sentenceOf(after, problem)}`);
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

/** Returns whether a provider's requests go to an address that they didn't go to before. */
const addsAddress = (before: ModelsFile, after: ModelsFile, earlier: string, name: string): boolean => {
  const known = addressesOf(before, earlier);
  return known.size > 0 && [...addressesOf(after, name)].some((address) => !known.has(address));
};

/** Refuses an address for a provider's requests while the provider keeps values which the API hides. */
const requireSecretsAgain = (before: ModelsFile, after: ModelsFile, request: PiModelsChange): void => {
  const { provider, model, override, newId, change } = request;
  if (change === null) return;
  const isOfProvider = model === undefined && override === undefined;
  const name = isOfProvider ? (newId ?? provider) : provider;
  if (!addsAddress(before, after, provider, name)) return;
  const place = keptSecretIn(after.providers[name], ([group, key = '']) =>
    isOfProvider && group === 'headers'
      ? typeof change.headers?.[key] === 'string'
      : isOfProvider && group === 'apiKey' && typeof change.apiKey === 'string',
  );
  if (place !== undefined) throw refuse(keptSecretSentence(`This adds an address to ${quoted(name)}`, place));
};

const edit = (text: string, changes: readonly JsonChange[]): string => {
  try {
    return editJson(text, changes, { comments: true });
  } catch (error) {
    if (!(error instanceof JsonEditError)) throw error;
    throw unreadable(
      'models.json can’t be changed here, because it has another kind of value where pi expects an object or a list. Edit it in another program.',
      error,
    );
  }
};

/** No entry. Edits by path rename nothing. */
const NO_TARGET = { kind: 'provider', id: '', path: [] } as const;

/**
 * Returns a models.json with values set or removed by their paths. Every other byte stays. Throws `models_unreadable` and
 * `model_refused`.
 */
export const editedModels = (text: string | undefined, edits: readonly JsonEdit[]): string => {
  const source = text ?? EMPTY;
  const before = parsed(source);
  const after = edit(source, changesOfEdits(edits));
  const result = parsed(after);
  checkResult(before, result, NO_TARGET, undefined);
  for (const [name, provider] of Object.entries(result.providers)) {
    if (!addsAddress(before, result, name, name)) continue;
    const place = keptSecretIn(provider, (path) => isTypedIn(edits, ['providers', name, ...path]));
    if (place !== undefined)
      throw refuse(keptSecretSentence(`This adds an address to ${quoted(name)}`, place));
  }
  return after;
};

/**
 * Returns a models.json with one provider, model or override changed, added or removed. Every other byte stays. An
 * undefined `text` means that the file is missing.
 *
 * Throws `models_unreadable`, `model_refused`, `model_exists` and `model_not_found`.
 */
export const changedModels = (text: string | undefined, request: PiModelsChange): string => {
  const source = text ?? EMPTY;
  const before = parsed(source);
  const target = targetOf(before, request);
  const after = edit(source, [...changesOf(target, request)]);
  const result = parsed(after);
  checkResult(before, result, target, request.newId);
  requireSecretsAgain(before, result, request);
  return after;
};
