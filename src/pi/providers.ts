import { parseObject } from './agent-model.ts';

/** pi 1.6.0's built-in providers with chat models. In a models.json, their models don't need an `api`. */
export const PROVIDERS_WITH_MODELS: ReadonlySet<string> = new Set(
  (
    'amazon-bedrock ant-ling anthropic azure baseten cerebras cloudflare-ai-gateway cloudflare-workers-ai deepseek ' +
    'fireworks github-copilot google google-vertex groq huggingface kimi-coding meta minimax minimax-cn mistral ' +
    'moonshotai moonshotai-cn nvidia openai openai-codex opencode opencode-go openrouter qwen-token-plan ' +
    'qwen-token-plan-cn qwen-token-plan-individual qwen-token-plan-individual-cn radius together vercel-ai-gateway xai ' +
    'xiaomi xiaomi-token-plan-ams xiaomi-token-plan-cn xiaomi-token-plan-sgp zai zai-coding-cn'
  ).split(' '),
);

/** The APIs that pi 1.6.0 can call. The `api` of a provider or model in models.json is one of them. */
export const APIS: ReadonlySet<string> = new Set([
  'openai-completions',
  'openai-responses',
  'openai-codex-responses',
  'azure-openai-responses',
  'anthropic-messages',
  'bedrock-converse-stream',
  'google-generative-ai',
  'google-vertex',
  'mistral-conversations',
  'pi-messages',
]);

/** The environment variable from which pi 1.6.0 reads the key of a built-in provider, if one variable is enough. */
export const KEY_VARIABLES: Readonly<Record<string, string>> = {
  'ant-ling': 'ANT_LING_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  baseten: 'BASETEN_API_KEY',
  cerebras: 'CEREBRAS_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
  fireworks: 'FIREWORKS_API_KEY',
  'github-copilot': 'COPILOT_GITHUB_TOKEN',
  google: 'GEMINI_API_KEY',
  groq: 'GROQ_API_KEY',
  huggingface: 'HF_TOKEN',
  'kimi-coding': 'KIMI_API_KEY',
  meta: 'META_API_KEY',
  minimax: 'MINIMAX_API_KEY',
  'minimax-cn': 'MINIMAX_CN_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  moonshotai: 'MOONSHOT_API_KEY',
  'moonshotai-cn': 'MOONSHOT_API_KEY',
  nvidia: 'NVIDIA_API_KEY',
  openai: 'OPENAI_API_KEY',
  opencode: 'OPENCODE_API_KEY',
  'opencode-go': 'OPENCODE_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
  radius: 'RADIUS_API_KEY',
  together: 'TOGETHER_API_KEY',
  typesafe: 'TYPESAFE_API_KEY',
  'vercel-ai-gateway': 'AI_GATEWAY_API_KEY',
  xai: 'XAI_API_KEY',
  xiaomi: 'XIAOMI_API_KEY',
  zai: 'ZAI_API_KEY',
  'zai-coding-cn': 'ZAI_CODING_CN_API_KEY',
};

/**
 * The providers whose OAuth sign-in is a subscription, so that they don't bill each call. pi 1.6.0 says so of all but the
 * last two, which only older versions have.
 */
const SUBSCRIPTION_PROVIDERS: ReadonlySet<string> = new Set([
  ...['anthropic', 'github-copilot', 'kimi-coding', 'meta', 'openai', 'openai-codex', 'xai'],
  ...['google-antigravity', 'google-gemini-cli'],
]);

/**
 * Returns the providers in the text of an auth.json that an agent uses with a subscription. Empty if pi can't read it.
 *
 * SECURITY: returns only names of pi's own providers, and no other text of the file.
 */
export const subscriptionsIn = (authJson: string | undefined): ReadonlySet<string> => {
  const signIns = parseObject(authJson);
  const isOAuth = (signIn: unknown) =>
    typeof signIn === 'object' && signIn !== null && 'type' in signIn && signIn.type === 'oauth';
  return new Set(
    [...SUBSCRIPTION_PROVIDERS].filter((name) => Object.hasOwn(signIns, name) && isOAuth(signIns[name])),
  );
};

/**
 * pi's built-in providers (`dist/core/model-resolver.js` of 0.87.1 and 1.6.0). Their models change with each
 * release, so dot-mi doesn't know them all.
 */
export const BUILT_IN_PROVIDERS: ReadonlySet<string> = new Set([
  ...PROVIDERS_WITH_MODELS,
  ...['azure-openai-responses', 'google-antigravity', 'google-gemini-cli', 'llama', 'typesafe'],
]);
