/** Public price lists as they really look, cut down, with what is odd in the real ones. */

/** models.dev: providers in no order, who sells for a subscription names 0, and many models have no cost. */
export const MODELS_DEV = {
  'ollama-cloud': {
    id: 'ollama-cloud',
    env: ['OLLAMA_API_KEY'],
    npm: '@ai-sdk/openai-compatible',
    name: 'Ollama Cloud',
    models: {
      'claude-x': { id: 'claude-x', name: 'Claude X', limit: { context: 262_144, output: 262_144 } },
      'no-cost-anywhere': { id: 'no-cost-anywhere', name: 'None' },
    },
  },
  'github-copilot': {
    id: 'github-copilot',
    name: 'GitHub Copilot',
    models: {
      'claude-x': { id: 'claude-x', cost: { input: 0, output: 0 } },
      'gpt-x': { id: 'gpt-x', cost: { input: 0, output: 0 } },
      'reseller-only': { id: 'reseller-only', cost: { input: 0, output: 0 } },
      'always-free': { id: 'always-free', cost: { input: 0, output: 0 } },
    },
  },
  reseller: {
    id: 'reseller',
    name: 'Reseller',
    models: {
      'claude-x': { id: 'claude-x', cost: { input: 6, output: 30 } },
      'reseller-only': { id: 'reseller-only', cost: { input: 0.15, output: 0.6 } },
      'gemma-x': { id: 'gemma-x', cost: { input: 0.2, output: 0.2 } },
    },
  },
  anthropic: {
    id: 'anthropic',
    env: ['ANTHROPIC_API_KEY'],
    name: 'Anthropic',
    models: {
      'claude-x': {
        id: 'claude-x',
        name: 'Claude X',
        reasoning: true,
        cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
      },
    },
  },
  openai: {
    id: 'openai',
    models: {
      'gpt-x': { id: 'gpt-x', cost: { input: 1.25, output: 10 } },
      'odd-text': { id: 'odd-text', cost: { input: '1', output: '2' } },
      'odd-null': { id: 'odd-null', cost: null },
      'odd-half': { id: 'odd-half', cost: { input: 1 } },
      'odd-negative': { id: 'odd-negative', cost: { input: -1, output: 1 } },
    },
  },
  google: { id: 'google', models: { 'gemma-x': { id: 'gemma-x', cost: { input: 0, output: 0 } } } },
  empty: { id: 'empty', models: {} },
  broken: { id: 'broken' },
  none: null,
};

/** What is to come of {@link MODELS_DEV}. */
export const MODELS_DEV_PRICES = {
  'claude-x': [3, 15, 0.3, 3.75],
  'gpt-x': [1.25, 10],
  'gemma-x': [0, 0],
  'reseller-only': [0.15, 0.6],
  'always-free': [0, 0],
} as const;

/** LiteLLM: USD per token, one object; its first entry explains the others. */
export const LITELLM = {
  sample_spec: {
    input_cost_per_token: 0,
    output_cost_per_token: 0,
    litellm_provider: 'one of https://docs.litellm.ai/docs/providers',
    max_tokens: 'LEGACY parameter',
  },
  'gpt-4o': { input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001, mode: 'chat' },
  'gpt-4o-mini': { input_cost_per_token: 1.5e-7, output_cost_per_token: 6e-7, mode: 'chat' },
  'claude-3-haiku': {
    input_cost_per_token: 2.5e-7,
    output_cost_per_token: 0.00000125,
    cache_read_input_token_cost: 'unknown',
  },
  'anthropic.claude-x-v1:0': {
    input_cost_per_token: 0.000003,
    output_cost_per_token: 0.000015,
    cache_read_input_token_cost: 3e-7,
    cache_creation_input_token_cost: 0.00000375,
  },
  'deepseek-x': {
    input_cost_per_token: 2.8e-8,
    output_cost_per_token: 4.2e-7,
    cache_read_input_token_cost: 2.8e-9,
  },
  'text-embedding-3-small': { input_cost_per_token: 2e-8, output_cost_per_token: 0, mode: 'embedding' },
  'gpt-5-pro': { input_cost_per_token: 0.000015, output_cost_per_token: 0.00012 },
  'dall-e-3': { input_cost_per_pixel: 3.81469e-8, output_cost_per_pixel: 0 },
  'whisper-1': { input_cost_per_second: 0.0001, output_cost_per_second: 0.0001 },
  'odd-text': { input_cost_per_token: '0.000001', output_cost_per_token: '0.000002' },
  'odd-null': { input_cost_per_token: null, output_cost_per_token: 0.000001 },
  'odd-half': { input_cost_per_token: 0.000001 },
  'odd-negative': { input_cost_per_token: -0.000001, output_cost_per_token: 0.000001 },
  'odd-entry': null,
};

/** What is to come of {@link LITELLM}. */
export const LITELLM_PRICES = {
  'gpt-4o': [2.5, 10],
  'gpt-4o-mini': [0.15, 0.6],
  'claude-3-haiku': [0.25, 1.25],
  'anthropic.claude-x-v1:0': [3, 15, 0.3, 3.75],
  'deepseek-x': [0.028, 0.42, 0.0028],
  'text-embedding-3-small': [0.02, 0],
  'gpt-5-pro': [15, 120],
} as const;

/** OpenRouter: decimal strings of USD per token, -1 where it depends. */
export const OPENROUTER = {
  data: [
    { id: 'openrouter/auto', name: 'Auto Router', pricing: { prompt: '-1', completion: '-1' } },
    { id: 'openai/gpt-4o', pricing: { prompt: '0.0000025', completion: '0.00001', image: '0.003613' } },
    {
      id: 'deepseek/deepseek-x',
      pricing: { prompt: '0.000000028', completion: '0.00000042', input_cache_read: '-1' },
    },
    {
      id: 'anthropic/claude-x',
      pricing: {
        prompt: '0.000003',
        completion: '0.000015',
        request: '0',
        input_cache_read: '0.0000003',
        input_cache_write: '0.00000375',
      },
    },
    { id: 'meta/llama-x:free', pricing: { prompt: '0', completion: '0' } },
    { id: 'openai/gpt-5-pro', pricing: { prompt: '0.000015', completion: '0.00012' } },
    { id: 'mistral/small', pricing: { prompt: '0.00000006', completion: '0.00000018' } },
    { id: 'odd/number', pricing: { prompt: 0.000001, completion: 0.000001 } },
    { id: 'odd/null', pricing: { prompt: null, completion: '0.000001' } },
    { id: 'odd/empty', pricing: { prompt: '', completion: '' } },
    { id: 'odd/comma', pricing: { prompt: '0,000001', completion: '0,000001' } },
    { id: 'odd/none' },
    { pricing: { prompt: '0.000001', completion: '0.000001' } },
    { id: 7, pricing: { prompt: '0.000001', completion: '0.000001' } },
    null,
    'x',
  ],
};

/** What is to come of {@link OPENROUTER}. */
export const OPENROUTER_PRICES = {
  'openai/gpt-4o': [2.5, 10],
  'deepseek/deepseek-x': [0.028, 0.42],
  'anthropic/claude-x': [3, 15, 0.3, 3.75],
  'meta/llama-x:free': [0, 0],
  'openai/gpt-5-pro': [15, 120],
  'mistral/small': [0.06, 0.18],
} as const;
