import { isOnlyVariables, mayHoldSecret, variableInstead } from '../../pi/mcp-secrets.ts';
import { BUILT_IN_PROVIDERS, PROVIDERS_WITH_MODELS } from '../../pi/providers.ts';
import type { ShownValue } from '../../shared/api/form-files.ts';
import type { JsonFile } from '../../shared/api/json-files.ts';
import type {
  AgentModels,
  PiModel,
  PiModelCost,
  PiModelOverride,
  PiProvider,
} from '../../shared/api/pi-models.ts';
import { COST_KEYS, MODEL_INPUTS } from '../../shared/api/pi-models.ts';
import { type JsonDocument, parseJson } from '../../shared/json-document.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';
import { nameOf, refusedValues } from '../platform/json-problems.ts';
import { modelsSchema } from '../platform/pi-schemas.ts';
import { quoted } from '../platform/words.ts';

/** A models.json that contains an object, with its providers. */
export interface ModelsFile {
  readonly document: JsonDocument;
  readonly value: JsonObject;
  readonly providers: JsonObject;
}

/** A code for why a models.json can't be read. */
type Unreadable = 'not_json' | 'not_object' | 'too_large';

/** Parses a models.json as pi does, with comments and trailing commas. */
export const parseModels = (text: string): ModelsFile | Unreadable => {
  const document = parseJson(text, { comments: true });
  const { value, root, error } = document;
  if (!root) return error ? 'not_json' : 'too_large';
  if (!isJsonObject(value)) return 'not_object';
  const { providers = {} } = value;
  return isJsonObject(providers) ? { document, value, providers } : 'not_object';
};

/** Explains why a models.json can't be read. */
export const UNREADABLE: Readonly<Record<Unreadable, string>> = {
  not_json: 'models.json is not valid JSON, so pi ignores all of it. Correct it in another program.',
  not_object:
    'pi ignores models.json unless it is an object that contains a "providers" object. Correct the file.',
  too_large: 'models.json is too large or nested too deeply to be shown here. Open it in another program.',
};

/** Where a problem is: the file, a provider, or one of its models or overrides. */
type Place =
  | readonly []
  | readonly [string]
  | readonly [string, 'models', number]
  | readonly [string, 'modelOverrides', string];

/** A problem in a models.json. */
export interface ModelsProblem {
  readonly place: Place;
  /** A sentence about the entry, which never repeats a value. */
  readonly text: string;
  /** True if the problem makes pi ignore the entire file, false if pi ignores only the provider. */
  readonly ofFile: boolean;
}

const placeOf = ([first, provider, group, entry]: readonly (string | number)[]): Place => {
  if (first !== 'providers' || typeof provider !== 'string') return [];
  if (group === 'models' && typeof entry === 'number') return [provider, group, entry];
  return group === 'modelOverrides' && typeof entry === 'string' ? [provider, group, entry] : [provider];
};

/** Returns the models in the file, by their index in the list. */
const modelsIn = (provider: unknown): readonly unknown[] =>
  isJsonObject(provider) && Array.isArray(provider.models) ? provider.models : [];

const overridesIn = (provider: unknown): [string, unknown][] =>
  isJsonObject(provider) && isJsonObject(provider.modelOverrides)
    ? Object.entries(provider.modelOverrides)
    : [];

/** Providers whose API pi knows, but not their address. */
const WITHOUT_ADDRESS: ReadonlySet<string> = new Set(['azure']);

/** Yields what pi refuses in a provider that matches its schema (`dist/core/provider-composer.js` of 1.6.0). */
function* refusedInProvider(id: string, provider: JsonObject): Generator<ModelsProblem> {
  const { baseUrl, headers, compat, apiKey, oauth, authHeader, api } = provider;
  if (oauth && !baseUrl) yield { place: [id], text: '"oauth" needs a "baseUrl".', ofFile: false };
  const models = modelsIn(provider);
  const isEmpty =
    models.length + overridesIn(provider).length === 0 &&
    ![baseUrl, headers, compat, apiKey, oauth].some(Boolean) &&
    authHeader === undefined;
  if (isEmpty)
    yield { place: [id], text: 'It needs a "baseUrl", an "apiKey", "headers" or "models".', ofFile: false };
  const isKnown = PROVIDERS_WITH_MODELS.has(id) || oauth === 'radius';
  for (const [index, model] of models.entries()) {
    if (!isJsonObject(model)) continue;
    const refused = (text: string) => ({ place: [id, 'models', index], text, ofFile: false }) as const;
    if (!isKnown && !(model.api ?? api)) yield refused('It needs an "api", here or in the provider.');
    const hasAddress = (isKnown && !WITHOUT_ADDRESS.has(id)) || model.baseUrl || baseUrl;
    if (!hasAddress) yield refused('It needs a "baseUrl", here or in the provider.');
  }
}

/** Yields everything pi refuses in a models.json. */
export function* problemsIn({ document, providers }: ModelsFile): Generator<ModelsProblem> {
  for (const { path, is } of refusedValues(document, modelsSchema())) {
    const place = placeOf(path);
    const rest = place.length === 0 ? path : path.slice(place.length + 1);
    yield { place, text: `${rest.length === 0 ? 'It' : nameOf(rest)} ${is}.`, ofFile: true };
  }
  for (const [id, provider] of Object.entries(providers))
    if (isJsonObject(provider)) yield* refusedInProvider(id, provider);
}

const isText = (value: unknown): value is string => typeof value === 'string';

// SECURITY: a response can contain only what the next functions return, numbers, and the names of keys.

const shownText = (value: unknown): ShownValue | undefined =>
  isText(value) ? (mayHoldSecret(value) ? { hidden: 'text' } : value) : undefined;

const shownUrl = (value: unknown): ShownValue | undefined => {
  const shown = shownText(value);
  if (!isText(value) || isText(shown) || !URL.canParse(value)) return shown;
  const { protocol, host } = new URL(value);
  return { hidden: 'text', shown: `${protocol}//${host}` };
};

/** Shows a key or header only if pi reads it from the environment or a command. */
const shownSecret = (value: unknown, instead: string | undefined): ShownValue | undefined => {
  if (!isText(value)) return undefined;
  if (isOnlyVariables(value) && !mayHoldSecret(value)) return value;
  if (value.startsWith('!')) return { hidden: 'command' };
  return { hidden: 'text', ...(instead === undefined ? {} : { instead }) };
};

const shownHeaders = (provider: string, headers: unknown): PiProvider['headers'] =>
  isJsonObject(headers)
    ? Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => {
          const shown = shownSecret(value, variableInstead(provider, ['headers', name], String(value)));
          return shown === undefined ? [] : [[name, shown]];
        }),
      )
    : undefined;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const numberIn = (value: unknown): number | undefined => (isNumber(value) ? value : undefined);

const booleanIn = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

const costIn = (cost: unknown): PiModelCost | undefined =>
  isJsonObject(cost)
    ? {
        ...Object.fromEntries(COST_KEYS.flatMap((key) => (isNumber(cost[key]) ? [[key, cost[key]]] : []))),
        ...(Array.isArray(cost.tiers) && cost.tiers.length > 0 ? { hasTiers: true } : {}),
      }
    : undefined;

const inputsIn = (value: unknown): PiModel['input'] =>
  Array.isArray(value) ? MODEL_INPUTS.filter((each) => value.includes(each)) : undefined;

const OF_MODEL = ['name', 'reasoning', 'input', 'contextWindow', 'maxTokens', 'cost'];

const otherKeys = (fields: JsonObject, known: readonly string[]): string[] =>
  Object.keys(fields).filter((key) => !known.includes(key));

const modelFields = (fields: JsonObject) => ({
  name: shownText(fields.name),
  reasoning: booleanIn(fields.reasoning),
  input: inputsIn(fields.input),
  contextWindow: numberIn(fields.contextWindow),
  maxTokens: numberIn(fields.maxTokens),
  cost: costIn(fields.cost),
});

/** Returns the providers and models in a models.json, without possible secrets. */
export const entriesOf = (text: string): Pick<AgentModels, 'providers' | 'problem' | 'otherKeys'> => {
  const file = parseModels(text);
  if (typeof file === 'string') return { providers: [], otherKeys: [], problem: UNREADABLE[file] };
  const problems = [...problemsIn(file)];
  const ofFile = problems.find((problem) => problem.ofFile);
  const at = (place: Place): { problem?: string } => {
    const key = JSON.stringify(place);
    const found = problems.filter((problem) => JSON.stringify(problem.place) === key);
    return found.length === 0 ? {} : { problem: found.map((problem) => problem.text).join(' ') };
  };
  const providers = Object.entries(file.providers).map(([id, value]): PiProvider => {
    const fields = isJsonObject(value) ? value : {};
    const accepted = !ofFile && !problems.some(({ place }) => place[0] === id);
    const models = modelsIn(value).map((each, index, all): PiModel => {
      const model = isJsonObject(each) ? each : {};
      const isReplaced = all.some(
        (other, later) => later > index && isJsonObject(other) && isText(model.id) && other.id === model.id,
      );
      return {
        id: isText(model.id) ? model.id : '',
        ...(isReplaced
          ? { problem: 'A later model has the same id, so pi uses that one.' }
          : at([id, 'models', index])),
        accepted: accepted && !isReplaced,
        ...modelFields(model),
        api: shownText(model.api),
        baseUrl: shownUrl(model.baseUrl),
        otherKeys: otherKeys(model, ['id', 'api', 'baseUrl', ...OF_MODEL]),
      };
    });
    const modelOverrides = overridesIn(value).map(([model, each]): PiModelOverride => {
      const override = isJsonObject(each) ? each : {};
      return {
        id: model,
        ...at([id, 'modelOverrides', model]),
        accepted,
        ...modelFields(override),
        otherKeys: otherKeys(override, OF_MODEL),
      };
    });
    return {
      id,
      ...at([id]),
      accepted,
      isBuiltIn: BUILT_IN_PROVIDERS.has(id),
      name: shownText(fields.name),
      baseUrl: shownUrl(fields.baseUrl),
      api: shownText(fields.api),
      apiKey: shownSecret(fields.apiKey, variableInstead(id, ['env', `${id}_API_KEY`], '')),
      authHeader: booleanIn(fields.authHeader),
      headers: shownHeaders(id, fields.headers),
      models,
      modelOverrides,
      otherKeys: otherKeys(fields, [
        ...['name', 'baseUrl', 'api', 'apiKey', 'authHeader', 'headers', 'models', 'modelOverrides'],
      ]),
    };
  });
  return {
    ...(ofFile ? { problem: `pi ignores all of models.json: ${sentenceOf(file, ofFile)}` } : {}),
    providers,
    otherKeys: otherKeys(file.value, ['$schema', 'providers']),
  };
};

/** Returns a problem's sentence, which names the entry. */
export const sentenceOf = ({ providers }: ModelsFile, { place, text }: ModelsProblem): string => {
  const [provider, group, entry] = place;
  if (provider === undefined) return text;
  const model = typeof entry === 'number' ? modelsIn(providers[provider])[entry] : undefined;
  const id = isJsonObject(model) && isText(model.id) ? quoted(model.id) : `number ${Number(entry) + 1}`;
  const name =
    group === undefined
      ? `provider ${quoted(provider)}`
      : group === 'models'
        ? `model ${id} of ${quoted(provider)}`
        : `override ${quoted(String(entry))} of ${quoted(provider)}`;
  return `${name}: ${text}`;
};

/** Returns what pi refuses in a models.json. */
export const problemsOf = (text: string): JsonFile['problems'] => {
  const file = parseModels(text);
  if (typeof file === 'string') return [{ path: [], message: UNREADABLE[file] }];
  return Array.from(problemsIn(file), ({ place, text: message }) => ({
    path: place.length === 0 ? [] : ['providers', ...place],
    message,
  }));
};
