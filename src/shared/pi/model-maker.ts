/** How the names of a maker's models begin. */
const PREFIXES: readonly (readonly [prefix: RegExp, maker: string])[] = [
  [/^claude/, 'Anthropic'],
  [/^(gpt|chatgpt|codex|o\d)/, 'OpenAI'],
  [/^(gemini|gemma)/, 'Google'],
  [/^grok/, 'xAI'],
  [/^deepseek/, 'DeepSeek'],
  [/^(mistral|ministral|magistral|devstral|codestral|pixtral)/, 'Mistral'],
  [/^glm/, 'Z.ai'],
  [/^kimi/, 'Moonshot AI'],
  [/^minimax/, 'MiniMax'],
  [/^(qwen|qwq)/, 'Qwen'],
  [/^(llama|meta-llama)/, 'Meta'],
];

/** Names of makers in lists that write `provider/model`, where they differ from a name above. */
const ALIASES: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  'x-ai': 'xAI',
  mistralai: 'Mistral',
  'z-ai': 'Z.ai',
  moonshotai: 'Moonshot AI',
};

/** Who makes a model, as its name says: `anthropic/…`, `claude-…`. Undefined if it doesn't say. */
export const makerOf = (name: string): string | undefined => {
  const lower = name.toLowerCase();
  const known = PREFIXES.find(([prefix]) => prefix.test(lower))?.[1];
  if (known !== undefined) return known;
  const slash = lower.indexOf('/');
  if (slash <= 0) return undefined;
  const owner = lower.slice(0, slash);
  const alias = Object.hasOwn(ALIASES, owner) ? ALIASES[owner] : undefined;
  return alias ?? PREFIXES.find(([prefix]) => prefix.test(owner))?.[1] ?? name.slice(0, slash);
};
