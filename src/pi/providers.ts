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
 * pi's built-in providers (`dist/core/model-resolver.js` of 0.87.1 and 1.6.0). Their models change with each
 * release, so dot-mi doesn't know them all.
 */
export const BUILT_IN_PROVIDERS: ReadonlySet<string> = new Set([
  ...PROVIDERS_WITH_MODELS,
  ...['azure-openai-responses', 'google-antigravity', 'google-gemini-cli', 'llama', 'typesafe'],
]);
