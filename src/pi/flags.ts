/** The versions of pi that dot-mi knows: 0.73.1, 0.87.1, 1.5.2 and 1.6.0. */
export const PI_VERSIONS = ['0.73', '0.87', '1.5', '1.6'] as const;

export type PiVersion = (typeof PI_VERSIONS)[number];

/** The newest of {@link PI_VERSIONS}. dot-mi assumes it where the installed version isn't known. */
export const NEWEST_PI: PiVersion = '1.6';

/** Returns whether a version of pi is `first` or newer. */
export const isSince = (version: PiVersion, first: PiVersion): boolean =>
  PI_VERSIONS.indexOf(version) >= PI_VERSIONS.indexOf(first);

/** Returns what a version of pi has in a table, which lists only the versions with a change. */
export const ofVersion = <T>(
  table: { readonly '0.73': T } & Partial<Record<PiVersion, T>>,
  version: PiVersion,
): T =>
  PI_VERSIONS.filter((each) => isSince(version, each)).reduce(
    (found, each) => table[each] ?? found,
    table['0.73'],
  );

/** A flag of pi's command line. */
export interface PiFlag {
  /** With its dashes, such as `--tools`. */
  readonly name: string;
  /** Its short form, such as `-t`. */
  readonly short?: string;
  /**
   * How pi treats the next argument. `any`: always as the value. `word`: as the value unless it starts with
   * a dash. `optional`: as the value unless it starts with `-` or `@`. Undefined: never as the value.
   */
  readonly value?: 'any' | 'word' | 'optional';
  /** The only values that pi accepts. */
  readonly values?: readonly string[];
  /** The first of {@link PI_VERSIONS} that has the flag. Undefined if all do. */
  readonly since?: PiVersion;
  /** True if pi exits immediately, without a session. */
  readonly exits?: true;
}

/** The levels of `--thinking` and of `defaultThinkingLevel` in settings.json. 0.73 has no `max`. */
export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Models that refuse the levels `off` and `minimal` at these providers (pi-ai 1.6.0, `dist/providers/data`). */
const ALWAYS_THINKING = /^(openai\/)?gpt-(6\.2-(astra|sol)|6\.1-sol|6-(astra|cyber))(-pro)?$/i;
const THEIR_PROVIDERS: ReadonlySet<string> = new Set(
  'azure cloudflare-ai-gateway github-copilot openai openai-codex opencode openrouter radius'.split(' '),
);

/**
 * Returns the thinking level that pi uses in place of one that a model refuses (`clampThinkingLevel` in pi-ai). Undefined
 * if the model accepts the level, or isn't known.
 */
export const usedThinkingLevel = (
  model: { readonly provider?: string | undefined; readonly id: string },
  level: string,
): string | undefined => {
  const { provider = 'openai', id } = model;
  const refuses = ALWAYS_THINKING.test(id) && THEIR_PROVIDERS.has(provider.toLowerCase());
  return refuses && ['off', 'minimal'].includes(level) ? 'low' : undefined;
};

/** pi's built-in tools. `powershell` exists only on Windows, `codemode` and `tool_search` since 1.5. */
export const BUILT_IN_TOOLS = [
  'read',
  'bash',
  'edit',
  'write',
  'grep',
  'find',
  'ls',
  'powershell',
  'codemode',
  'tool_search',
] as const;

/** The tools of pi 1.5 that read the resources of MCP servers. */
export const MCP_RESOURCE_TOOLS = [
  'list_mcp_resources',
  'list_mcp_resource_templates',
  'read_mcp_resource',
] as const;

/** The tools that are on by default. */
export const DEFAULT_TOOLS = ['read', 'bash', 'edit', 'write'] as const;

/**
 * The flags of pi, from `dist/cli/args.js` of @mariozechner/pi-coding-agent 0.73.1 and of
 * @earendil-works/pi-coding-agent 0.87.1, 1.5.2 and 1.6.0 (MIT).
 */
export const PI_FLAGS: readonly PiFlag[] = [
  { name: '--provider', value: 'any' },
  { name: '--model', value: 'any' },
  { name: '--api-key', value: 'any' },
  { name: '--system-prompt', value: 'any' },
  { name: '--append-system-prompt', value: 'any' },
  { name: '--mode', value: 'word', values: ['text', 'json', 'rpc'] },
  { name: '--print', short: '-p', value: 'optional' },
  { name: '--continue', short: '-c' },
  { name: '--resume', short: '-r' },
  { name: '--session', value: 'any' },
  { name: '--session-id', value: 'any', since: '0.87' },
  { name: '--fork', value: 'any' },
  { name: '--session-dir', value: 'any' },
  { name: '--no-session' },
  { name: '--name', short: '-n', value: 'any', since: '0.87' },
  { name: '--models', value: 'any' },
  { name: '--no-tools', short: '-nt' },
  { name: '--no-builtin-tools', short: '-nbt' },
  { name: '--tools', short: '-t', value: 'any' },
  { name: '--exclude-tools', short: '-xt', value: 'any', since: '0.87' },
  { name: '--thinking', value: 'any', values: THINKING_LEVELS },
  { name: '--extension', short: '-e', value: 'any' },
  { name: '--no-extensions', short: '-ne' },
  { name: '--no-mcp', since: '1.5' },
  { name: '--skill', value: 'any' },
  { name: '--no-skills', short: '-ns' },
  { name: '--prompt-template', value: 'any' },
  { name: '--no-prompt-templates', short: '-np' },
  { name: '--theme', value: 'any' },
  { name: '--use-theme', value: 'word', since: '0.87' },
  { name: '--no-themes' },
  { name: '--no-context-files', short: '-nc' },
  { name: '--export', value: 'any', exits: true },
  { name: '--list-models', value: 'optional', exits: true },
  { name: '--verbose' },
  { name: '--tui-mode', value: 'word', values: ['regular', 'fullscreen'], since: '0.87' },
  { name: '--approve', short: '-a', since: '0.87' },
  { name: '--no-approve', short: '-na', since: '0.87' },
  { name: '--offline' },
  { name: '--', since: '0.87' },
  { name: '--help', short: '-h', exits: true },
  { name: '--version', short: '-v', exits: true },
];

let flagByText: Map<string, PiFlag> | undefined;

/** Returns the flag with this long or short form. pi doesn't accept `--flag=value` for its own flags. */
export const piFlag = (text: string): PiFlag | undefined => {
  // Build the table on first use, so that pages that don't need it don't build it.
  flagByText ??= new Map(
    PI_FLAGS.flatMap((flag) => [flag.name, ...(flag.short ? [flag.short] : [])].map((key) => [key, flag])),
  );
  return flagByText.get(text);
};
