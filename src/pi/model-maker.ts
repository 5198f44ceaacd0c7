/** The prefix of a maker's model names, and pi's id for the maker's own provider, if that offers them (pi 1.6.0). */
const PREFIXES: readonly (readonly [prefix: RegExp, maker: string, provider?: string])[] = [
  [/^claude/, 'Anthropic', 'anthropic'],
  [/^gpt-oss/, 'OpenAI'],
  [/^(gpt|chatgpt|codex|o\d)/, 'OpenAI', 'openai'],
  [/^gemini/, 'Google', 'google'],
  [/^gemma/, 'Google'],
  [/^grok/, 'xAI', 'xai'],
  [/^deepseek/, 'DeepSeek', 'deepseek'],
  [/^(mistral|ministral|magistral|devstral|codestral|pixtral)/, 'Mistral', 'mistral'],
  [/^glm/, 'Z.ai', 'zai'],
  [/^kimi/, 'Moonshot AI', 'moonshotai'],
  [/^minimax/, 'MiniMax', 'minimax'],
  [/^(qwen|qwq)/, 'Qwen'],
  [/^(llama|meta-llama)/, 'Meta'],
];

/** Makers' names in lists of `provider/model`, if they differ from the names above. */
const ALIASES: Readonly<Record<string, string>> = {
  'x-ai': 'xAI',
  mistralai: 'Mistral',
  'z-ai': 'Z.ai',
};

/** Returns a model's maker, according to its name: `anthropic/…`, `claude-…`. Undefined if the name doesn't say. */
export const makerOf = (name: string): string | undefined => {
  const lower = name.toLowerCase();
  const known = PREFIXES.find(([prefix]) => prefix.test(lower))?.[1];
  if (known !== undefined) return known;
  const slash = lower.indexOf('/');
  if (slash <= 0) return undefined;
  const owner = lower.slice(0, slash);
  const alias = Object.hasOwn(ALIASES, owner) ? ALIASES[owner] : undefined;
  const named = PREFIXES.find(([prefix, , provider]) => provider === owner || prefix.test(owner))?.[1];
  return alias ?? named ?? name.slice(0, slash);
};

/**
 * Returns a model's name with its maker's own provider in front, such as `anthropic/claude-opus-5`. pi refuses a name
 * without a provider if several offer it. Unchanged if it has a provider, or if pi lacks the maker's provider.
 */
export const withMakersProvider = (name: string): string => {
  if (name.includes('/')) return name;
  const lower = name.toLowerCase();
  const provider = PREFIXES.find(([prefix]) => prefix.test(lower))?.[2];
  return provider === undefined ? name : `${provider}/${name}`;
};
