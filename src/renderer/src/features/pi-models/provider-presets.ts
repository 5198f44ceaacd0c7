import { PROVIDERS_WITH_MODELS } from '../../../../pi/providers.ts';
import type { JsonFile } from '../../../../shared/api/json-files.ts';
import {
  CALLABLE_APIS,
  type CallableApi,
  type FoundModels,
  type ModelTest,
  TEST_TOKENS,
} from '../../../../shared/api/pi-models.ts';
import type { JsonEdit } from '../../../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../../../shared/json-object.ts';
import { isLoopbackHost } from '../../../../shared/page-host.ts';
import { satsOf, usdPerToken } from '../../../../shared/sats.ts';
import type { PricedModel } from '../../api/models.ts';
import { entryChange } from '../../json-form/entry-kind.ts';
import { type Drafts, draftsOf, NEW_ENTRY, valueAt } from '../../json-form/fields.ts';
import { PROVIDER } from './entry-kinds.ts';

/** Where models can run, in the order of the form. */
export const PRESETS = ['lmstudio', 'ollama', 'llamaCpp', 'vllm', 'openrouter', 'other'] as const;

export type Preset = (typeof PRESETS)[number];

interface PresetFields {
  readonly id: string;
  readonly baseUrl: string;
  /** pi uses no provider without a key. Local servers ignore it. */
  readonly apiKey: string;
}

const FIELDS: Readonly<Record<Preset, PresetFields>> = {
  lmstudio: { id: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1', apiKey: 'lm-studio' },
  ollama: { id: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', apiKey: 'ollama' },
  // pi has its own "llama", which needs llama.cpp's router.
  llamaCpp: { id: 'llama-cpp', baseUrl: 'http://127.0.0.1:8080/v1', apiKey: 'llama-cpp' },
  vllm: { id: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1', apiKey: 'vllm' },
  openrouter: { id: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', apiKey: '$OPENROUTER_API_KEY' },
  other: { id: '', baseUrl: '', apiKey: '' },
};

/** A new provider, as typed. */
export interface NewProvider {
  readonly preset: Preset;
  readonly name: string;
  readonly drafts: Drafts;
}

/** Returns a form filled with a preset. */
export const filledWith = (preset: Preset): NewProvider => {
  const { id, baseUrl, apiKey } = FIELDS[preset];
  return {
    preset,
    name: id,
    drafts: { ...draftsOf(PROVIDER.fields, NEW_ENTRY), baseUrl, apiKey, api: 'openai-completions' },
  };
};

const typed = (drafts: Drafts, key: string): string => {
  const draft = drafts[key];
  return typeof draft === 'string' ? draft.trim() : '';
};

/** Returns whether an address is on this computer, so that its models cost nothing. */
export const isOnThisComputer = (baseUrl: string): boolean =>
  URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname);

/** A provider whose models dot-mi can fetch. */
export type CallableProvider = Omit<ModelTest, 'model'> & { readonly api: CallableApi };

/** Returns what dot-mi calls. Undefined if it has no address, or an API that dot-mi can't call. */
export const callable = (
  baseUrl: string,
  api: string,
  apiKey: string,
  provider?: string,
): CallableProvider | undefined => {
  const known = CALLABLE_APIS.find((each) => each === api);
  if (baseUrl === '' || !known) return undefined;
  return {
    baseUrl,
    api: known,
    ...(apiKey === '' ? {} : { apiKey }),
    ...(provider === undefined ? {} : { provider }),
  };
};

/** Returns what dot-mi calls for a typed provider. A list needs no key of a preset: OpenRouter's list is open to all. */
export const callableOf = (
  { preset, drafts }: NewProvider,
  isFor: 'list' | 'test',
): CallableProvider | undefined => {
  const apiKey = typed(drafts, 'apiKey');
  const isLeftOut = isFor === 'list' && apiKey === FIELDS[preset].apiKey;
  return callable(typed(drafts, 'baseUrl'), typed(drafts, 'api'), isLeftOut ? '' : apiKey);
};

type FoundModel = FoundModels['models'][number];

/** pi's own limit, if models.json has none. */
const DEFAULT_MAX_TOKENS = 16_384;
const OUTPUT_PART = 4;
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } as const;

/** Returns a model's entry in models.json. */
export const modelEntry = ({ id, contextWindow }: FoundModel, baseUrl: string): JsonObject => {
  const most = contextWindow === undefined ? DEFAULT_MAX_TOKENS : Math.floor(contextWindow / OUTPUT_PART);
  return {
    id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    // pi would ask for more output than fits, and vLLM refuses that.
    ...(most < DEFAULT_MAX_TOKENS ? { maxTokens: most } : {}),
    ...(isOnThisComputer(baseUrl) ? { cost: FREE } : {}),
  };
};

/** Returns whether pi knows a provider's models, with their prices. An entry in models.json would replace those. */
export const knowsModels = (provider: string): boolean => PROVIDERS_WITH_MODELS.has(provider);

/** Returns the edits that add a provider with models. Empty if pi needs nothing in models.json. */
export const providerAddition = (
  file: JsonFile,
  { preset, name, drafts }: NewProvider,
  models: readonly FoundModel[],
): JsonEdit[] => {
  const [added] = entryChange(PROVIDER, { oldName: null, name, choice: undefined, drafts, file });
  if (!added || !isJsonObject(added.value)) return [];
  if (!knowsModels(name)) {
    const entries = models.map((model) => modelEntry(model, typed(drafts, 'baseUrl')));
    return [{ ...added, value: { ...added.value, ...(entries.length > 0 ? { models: entries } : {}) } }];
  }
  const { baseUrl, api, ...rest } = added.value;
  const isOwnAddress = baseUrl !== FIELDS[preset].baseUrl;
  const value = { ...(isOwnAddress && baseUrl !== undefined ? { baseUrl } : {}), ...rest };
  return Object.keys(value).length === 0 ? [] : [{ ...added, value }];
};

/** Returns the edits that add models to a provider. Undefined if the provider is gone. */
export const modelsAddition = (
  { value }: JsonFile,
  provider: string,
  models: readonly FoundModel[],
): JsonEdit[] | undefined => {
  const path = ['providers', provider];
  const entry = valueAt(value, path);
  if (!isJsonObject(entry)) return undefined;
  const baseUrl = typeof entry.baseUrl === 'string' ? entry.baseUrl : '';
  const entries = models.map((model) => modelEntry(model, baseUrl));
  const { models: list } = entry;
  if (!Array.isArray(list)) return [{ path: [...path, 'models'], value: entries }];
  return entries.map((each, index) => ({ path: [...path, 'models', list.length + index], value: each }));
};

/** Returns the most that a test of a model costs. `sats` is null without a BTC price. */
export const testCost = (
  { inputUsd, outputUsd, requestUsd = 0 }: PricedModel,
  btcUsd: number | null,
): { readonly usd: number; readonly sats: number | null } => {
  const { input, output } = TEST_TOKENS;
  const usd = requestUsd + input * usdPerToken(inputUsd) + output * usdPerToken(outputUsd);
  return { usd, sats: btcUsd === null ? null : satsOf(usd, btcUsd) };
};
