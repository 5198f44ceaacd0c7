import { many, number } from './words.ts';

type Kind = 'provider' | 'model' | 'override';

const KINDS = { provider: 'provider', model: 'model', override: 'change of a model' } as const;

/** Strings for an agent's providers and models. */
export const piModels = {
  heading: 'Providers and models',
  label: (id: string): string => `Providers of ${id}`,
  modelsOf: (provider: string): string => `Models of ${provider}`,
  none: 'This agent has no models of its own',
  noneHint:
    'It uses the models that come with pi. Add a provider to use others, such as those of a server on your computer.',
  prices: 'Prices are per million model tokens.',
  add: 'Add provider',
  addModel: 'Add model',
  addModelTo: (provider: string): string => `Add model to ${provider}`,
  addOverride: 'Change a model',
  addOverrideOf: (provider: string): string => `Change a model of ${provider}`,
  edit: 'Edit',
  editLabel: (name: string): string => `Edit ${name}`,
  remove: 'Remove',
  removeLabel: (name: string): string => `Remove ${name}`,
  choose: 'Use this model',
  used: 'In use',
  chooseLabel: (name: string): string => `Use this model: ${name}`,
  builtIn: 'built into pi',
  leftOut: 'pi skips this provider until its models are fixed.',
  override: 'changed',
  unnamed: 'No id',
  hidden: '•••',
  key: {
    none: 'no key',
    text: 'hidden key',
    command: 'key from a command',
    variable: (text: string): string => `key ${text}`,
  },
  window: (tokens: number): string => `${many(tokens, 'token', 'tokens')} of context`,
  most: (tokens: number): string => `up to ${number.format(tokens)} output tokens`,
  thinks: 'reasoning',
  images: 'reads images',
  noCost: 'no price',
  usd: (input: string, output: string): string => `${input} in, ${output} out`,
  sats: (input: string, output: string): string => `${input} sat in, ${output} sat out`,
  tiers: 'Long requests have different prices',
  otherKeys: (keys: readonly string[]): string => `Also sets ${keys.join(', ')}`,
  removal: (name: string): string => `Remove ${name.slice(0, 100)}`,
  removed: (name: string): string => `Removed ${name}`,
  failed: (name: string): string => `${name} wasn’t changed`,
  dialog: {
    addTitle: (kind: Kind, provider: string): string =>
      kind === 'provider'
        ? 'Add a provider'
        : kind === 'model'
          ? `Add a model to ${provider}`
          : `Change a model of ${provider}`,
    editTitle: (name: string): string => `Edit ${name}`,
    id: 'Id',
    idHint: {
      provider:
        'A new id, such as ollama. To change a provider that is built into pi, enter its id, such as openai.',
      model: 'The provider knows the model by this id.',
      override: 'An id that pi already knows, such as gpt-5.4.',
    },
    idRule: {
      provider: 'Start with a letter or digit. Use letters, digits, “.”, “_” and “-”.',
      model: 'An id can’t have spaces.',
      override: 'An id can’t have spaces.',
    },
    idTaken: (kind: Kind): string => `There is already a ${KINDS[kind]} with this id.`,
    name: 'Name (optional)',
    baseUrl: { provider: 'URL', model: 'URL, if different from the provider’s' },
    api: { provider: 'API', model: 'API, if different from the provider’s' },
    apiHint: 'Such as openai-completions, openai-responses, anthropic-messages or google-generative-ai.',
    apiKey: 'API key',
    apiKeyHint: 'Use a variable, such as $MY_KEY. models.json stores any other text as is.',
    removeKey: 'Remove the key',
    thinking: 'Reasoning',
    images: 'Reads images',
    contextWindow: 'Context window, in model tokens',
    maxTokens: 'Longest answer, in model tokens',
    notTokens: 'Enter a whole number above 0.',
    prices: {
      input: 'Input, USD per million',
      output: 'Output, USD per million',
      cacheRead: 'Cached input, USD per million',
      cacheWrite: 'Cache writes, USD per million',
    },
    notPrice: 'Enter a price, such as 2.5.',
  },
} as const;
