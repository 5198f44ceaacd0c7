import type { CallableApi, FoundModels } from '../../shared/api/pi-models.ts';
import { TEST_TOKENS } from '../../shared/api/pi-models.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';

/** A request to a provider. Its path follows the address in models.json. */
interface ProviderRequest {
  readonly path: string;
  readonly body?: JsonObject;
}

/** How to list and call the models of an API. */
export interface ProviderApi {
  readonly list: ProviderRequest;
  headers(key: string): Readonly<Record<string, string>>;
  /** A request with a short prompt. `host` is the provider's. */
  test(model: string, host: string): ProviderRequest;
  /** Returns the text in a response. Undefined if it isn't a response of this API. */
  textIn(body: unknown): string | undefined;
}

const PROMPT = 'Say hello in one short sentence.';

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (found, step) => (typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined),
    value,
  );

const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** OpenAI refuses `max_tokens` for newer models, and other servers may know only that. */
const OPENAI_HOST = 'api.openai.com';

/** The APIs that most servers have, as pi calls them. */
export const PROVIDER_APIS: Readonly<Record<CallableApi, ProviderApi>> = {
  'openai-completions': {
    list: { path: '/models' },
    headers: bearer,
    test: (model, host) => ({
      path: '/chat/completions',
      body: {
        model,
        messages: [{ role: 'user', content: PROMPT }],
        [host === OPENAI_HOST ? 'max_completion_tokens' : 'max_tokens']: TEST_TOKENS.output,
      },
    }),
    textIn(body) {
      const message = at(body, 'choices', 0, 'message');
      return isJsonObject(message) ? textOf(message.content) : undefined;
    },
  },
  'openai-responses': {
    list: { path: '/models' },
    headers: bearer,
    test: (model) => ({
      path: '/responses',
      body: { model, input: PROMPT, max_output_tokens: TEST_TOKENS.output, store: false },
    }),
    textIn(body) {
      if (!Array.isArray(at(body, 'output'))) return undefined;
      return listAt(body, 'output')
        .flatMap((item) => listAt(item, 'content'))
        .map((part) => textOf(at(part, 'text')))
        .join('');
    },
  },
  'anthropic-messages': {
    list: { path: '/v1/models' },
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    test: (model) => ({
      path: '/v1/messages',
      body: { model, max_tokens: TEST_TOKENS.output, messages: [{ role: 'user', content: PROMPT }] },
    }),
    textIn(body) {
      if (!Array.isArray(at(body, 'content'))) return undefined;
      return listAt(body, 'content')
        .map((part) => textOf(at(part, 'text')))
        .join('');
    },
  },
};

type FoundModel = FoundModels['models'][number];

/** Where servers report a context window, the one in use first: LM Studio, vLLM, OpenRouter, Groq, Mistral, llama.cpp. */
const WINDOWS: readonly (readonly string[])[] = [
  ['loaded_context_length'],
  ['max_model_len'],
  ['context_length'],
  ['context_window'],
  ['max_context_length'],
  ['max_input_tokens'],
  ['meta', 'n_ctx'],
  ['meta', 'n_ctx_train'],
];

const isWindow = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const windowIn = (model: unknown): number | undefined =>
  WINDOWS.map((path) => at(model, ...path)).find(isWindow);

/** An id that models.json and pi-args can contain. */
const MODEL_ID = /^[^\s\p{C}]{1,500}$/u;
const MOST_MODELS = 5_000;

/** Returns the models in a provider's list. Undefined if it isn't a list of models. */
export const modelsIn = (body: unknown): FoundModels | undefined => {
  const list = at(body, 'data') ?? at(body, 'models');
  if (!Array.isArray(list)) return undefined;
  const found = new Map<string, FoundModel>();
  for (const entry of list as unknown[]) {
    const id = at(entry, 'id');
    if (typeof id !== 'string' || !MODEL_ID.test(id) || found.size >= MOST_MODELS) continue;
    const contextWindow = windowIn(entry);
    found.set(id, { id, ...(contextWindow === undefined ? {} : { contextWindow }) });
  }
  return { models: [...found.values()], leftOut: list.length - found.size };
};

/** The routes in which local servers report more: LM Studio, Ollama for loaded models, and llama.cpp. */
export const LOCAL_ROUTES = ['/api/v0/models', '/api/ps', '/props'] as const;

/** Completes models with what {@link LOCAL_ROUTES} responded, in their order. */
export const withLocalFacts = (
  { models, leftOut }: FoundModels,
  [lmStudio, ollama, llamaCpp]: readonly unknown[],
): FoundModels => {
  const ofLmStudio = new Map(listAt(lmStudio, 'data').map((entry) => [at(entry, 'id'), entry]));
  const ofOllama = new Map(listAt(ollama, 'models').map((entry) => [at(entry, 'name'), entry]));
  const ofLlamaCpp = at(llamaCpp, 'default_generation_settings', 'n_ctx');
  const chat = models.filter(({ id }) => at(ofLmStudio.get(id), 'type') !== 'embeddings');
  return {
    models: chat.map(({ id, contextWindow }) => {
      const actual =
        windowIn(ofLmStudio.get(id)) ??
        windowIn(ofOllama.get(id)) ??
        (isWindow(ofLlamaCpp) ? ofLlamaCpp : contextWindow);
      return { id, ...(actual === undefined ? {} : { contextWindow: actual }) };
    }),
    leftOut: leftOut + models.length - chat.length,
  };
};

/** Returns the sentence with which a provider refused a request. Empty if there's none. */
export const refusalIn = (body: unknown): string => {
  const one = Array.isArray(body) ? body[0] : body;
  const paths = [['error', 'message'], ['error'], ['message'], ['detail']];
  return paths.map((path) => textOf(at(one, ...path))).find((text) => text !== '') ?? '';
};
