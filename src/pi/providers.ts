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
