import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that programs need to run and to reach the network. Windows ignores case, so these are in uppercase.
 */
const SYSTEM_VARIABLES = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  // Windows
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

/** The keys and settings of the providers that pi supports (`env-api-keys.js` of pi-ai 0.73.1, 0.87.1 and 1.5.2). */
const PROVIDER_VARIABLES = new Set([
  'AI_GATEWAY_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_OAUTH_TOKEN',
  'ANT_LING_API_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_DEFAULT_REGION',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AZURE_OPENAI_API_KEY',
  'AZURE_OPENAI_API_VERSION',
  'AZURE_OPENAI_BASE_URL',
  'AZURE_OPENAI_DEPLOYMENT_NAME_MAP',
  'AZURE_OPENAI_ENDPOINT',
  'AZURE_OPENAI_RESOURCE_NAME',
  'BASETEN_API_KEY',
  'CEREBRAS_API_KEY',
  'CLOUDFLARE_ACCOUNT_ID',
  'CLOUDFLARE_API_KEY',
  'CLOUDFLARE_GATEWAY_ID',
  'COPILOT_GITHUB_TOKEN',
  'DEEPSEEK_API_KEY',
  'FIREWORKS_API_KEY',
  'GCLOUD_PROJECT',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLOUD_API_KEY',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_QUOTA_PROJECT',
  'GROQ_API_KEY',
  'HF_TOKEN',
  'KIMI_API_KEY',
  'LLAMA_API_KEY',
  'LLAMA_BASE_URL',
  'META_API_KEY',
  'MINIMAX_API_KEY',
  'MINIMAX_CN_API_KEY',
  'MISTRAL_API_KEY',
  'MOONSHOT_API_KEY',
  'NVIDIA_API_KEY',
  'OPENAI_API_KEY',
  'OPENCODE_API_KEY',
  'OPENROUTER_API_KEY',
  'QWEN_TOKEN_PLAN_API_KEY',
  'QWEN_TOKEN_PLAN_CN_API_KEY',
  'RADIUS_API_KEY',
  'TOGETHER_API_KEY',
  'XAI_API_KEY',
  'XIAOMI_API_KEY',
  'XIAOMI_TOKEN_PLAN_AMS_API_KEY',
  'XIAOMI_TOKEN_PLAN_CN_API_KEY',
  'XIAOMI_TOKEN_PLAN_SGP_API_KEY',
  'ZAI_API_KEY',
  'ZAI_CODING_CN_API_KEY',
]);

/** The agent's files whose values can name variables, such as `"apiKey": "MY_KEY"` in models.json. */
const FILES_WITH_VARIABLES = ['models.json', 'auth.json', 'mcp.json'];
const MOST_FILE_BYTES = 2 ** 20;

/**
 * Returns whether a variable is dot-mi's own: `DOT_MI_KEY`, `DOT_MI_URL`, the operator's `API_TOKEN` and all others
 * that begin with DOT_MI_.
 *
 * SECURITY: a customer's prompt reaches the agent, and must not reach the API or the wallet through it.
 */
const isOwn = (name: string): boolean => /^(DOT_MI_.*|API_TOKEN)$/i.test(name);

const isForPi = (name: string): boolean => {
  const upper = name.toUpperCase();
  return SYSTEM_VARIABLES.has(upper) || PROVIDER_VARIABLES.has(upper) || /^(PI|LC)_/.test(upper);
};

/** Reads a small file's text. Empty if it's missing. Never waits for a pipe. */
const smallText = async (path: string): Promise<string> => {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const info = await file.stat();
      return info.isFile() && info.size <= MOST_FILE_BYTES ? await file.readFile('utf8') : '';
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
};

const namesInFilesOf = async (agentDirectory: string | undefined): Promise<ReadonlySet<string>> => {
  if (agentDirectory === undefined) return new Set();
  const texts = await Promise.all(FILES_WITH_VARIABLES.map((name) => smallText(join(agentDirectory, name))));
  return new Set(texts.flatMap((text) => text.match(/\b[A-Z][A-Z0-9_]{2,}\b/g) ?? []));
};

/** The environment of an agent for sale. */
export interface AgentEnvironment {
  readonly variables: Record<string, string>;
  /** Values that no log may contain. */
  readonly secrets: readonly string[];
}

/** The shortest value that counts as a secret. Shorter ones could occur inside ordinary words. */
const LEAST_SECRET_CHARACTERS = 8;

/**
 * Returns the environment of an agent for sale: what programs need, the keys of pi's providers, the variables named
 * in the agent's own models.json, auth.json and mcp.json, and those of its run. It has none of dot-mi's variables.
 */
export const agentEnvironment = async (
  environment: Environment,
  run: Readonly<Record<string, string>>,
): Promise<AgentEnvironment> => {
  const named = await namesInFilesOf(run.PI_CODING_AGENT_DIR);
  const inherited = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && !isOwn(name) && (isForPi(name) || named.has(name)) ? [[name, value]] : [],
  );
  const own = Object.entries(run).filter(([name]) => !isOwn(name));
  return {
    variables: Object.fromEntries([...inherited, ...own]),
    secrets: inherited.flatMap(([name, value]) =>
      SYSTEM_VARIABLES.has(name.toUpperCase()) || value.length < LEAST_SECRET_CHARACTERS ? [] : [value],
    ),
  };
};
