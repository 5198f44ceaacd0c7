import { DEFAULT_TOOLS, isSince, MCP_RESOURCE_TOOLS, type PiVersion } from './flags.ts';
import type { PiArguments } from './pi-args.ts';
import texts from './pi-texts.json' with { type: 'json' };

interface BuiltInTool {
  /** The tool's line in pi's own prompt. */
  readonly snippet: string;
  /** The rules that the tool adds to pi's own prompt. */
  readonly rules: readonly string[];
}

/** pi's built-in tools, with their lines in its own prompt. */
const BUILT_IN: Readonly<Record<string, BuiltInTool>> = texts.tools;

/** The tools that every version has, in pi's order. */
const CODING_TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'];

/** Returns what pi's own prompt says about a tool. Undefined if the tool isn't built in. */
export const toolTexts = (name: string, version: PiVersion): BuiltInTool | undefined => {
  const tool = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (tool && version === '0.73' && name === 'bash') return { ...tool, rules: [] };
  return tool && isSince(version, '1.5') && name === 'edit' ? { ...tool, rules: texts.rules.edit } : tool;
};

const isModifier = (entry: string): boolean => /^[+-]/.test(entry);

/** Applies `+name` and `-name` to a list of tools, as pi does since 1.5. */
const modify = (tools: readonly string[], entries: readonly string[]): string[] => {
  const changed = new Set(tools);
  for (const entry of entries.filter(isModifier)) {
    if (entry.startsWith('-')) changed.delete(entry.slice(1));
    else if (entry.length > 1) changed.add(entry.slice(1));
  }
  return [...changed];
};

const defaultTools = (configured: readonly string[] | undefined, version: PiVersion): readonly string[] => {
  if (configured === undefined || version === '0.73') return DEFAULT_TOOLS;
  if (version === '0.87') return configured;
  const plain = configured.filter((entry) => !isModifier(entry));
  return modify(plain.length > 0 || configured.length === 0 ? plain : DEFAULT_TOOLS, configured);
};

/** The places that determine the list of tools. */
export interface ToolSources {
  readonly args: Pick<PiArguments, 'tools' | 'excludedTools' | 'noTools' | 'noBuiltinTools'>;
  /** `defaultTools` in settings.json. */
  readonly configured: readonly string[] | undefined;
  /** The tools in an AGENT.md that the agent's extension applies. */
  readonly agentFile: readonly string[] | undefined;
  /** The tools of pi's built-in extensions, which are off by default. Default: none. */
  readonly ofExtensions?: readonly string[];
  /** The tools that MCP switches on. Default: none. */
  readonly forMcp?: readonly string[];
}

/** Returns whether text matches a pattern, in which `*` matches anything. Takes linear time. */
const isMatch = (text: string, pattern: string): boolean => {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return text === pattern;
  let at = text.startsWith(start) ? start.length : -1;
  for (const part of rest) {
    const found = at === -1 ? -1 : text.indexOf(part, at);
    at = found === -1 ? -1 : found + part.length;
  }
  return at !== -1 && text.length - end.length >= at && text.endsWith(end);
};

/**
 * Returns a function that checks whether `--tools` or `--exclude-tools` lists a name. Patterns have worked since
 * 1.5.
 */
const matcher = (entries: readonly string[], version: PiVersion) => {
  const names = new Set(entries);
  const patterns = isSince(version, '1.5') ? entries.filter((entry) => entry.includes('*')) : [];
  return (name: string): boolean => names.has(name) || patterns.some((pattern) => isMatch(name, pattern));
};

/** Returns whether a list item is a pattern, or the name of a tool that only MCP adds. */
const isPatternOrMcp = (name: string): boolean =>
  name.includes('*') || name.startsWith('mcp__') || MCP_RESOURCE_TOOLS.some((tool) => tool === name);

/**
 * Returns the tools that pi starts with, in its order. `unknown` contains names without a built-in tool. Extensions may
 * add them.
 */
export const activeTools = (
  { args, configured, agentFile, ofExtensions = [], forMcp = [] }: ToolSources,
  version: PiVersion,
) => {
  const offered = [...CODING_TOOLS, ...ofExtensions];
  const defaults = args.noTools || args.noBuiltinTools ? [] : defaultTools(configured, version);
  const named = args.tools;
  const hasModifiers = isSince(version, '1.5') && named?.some(isModifier) === true;
  const chosen = hasModifiers ? modify(defaults, named) : (named ?? defaults);
  /** The only tools that can be active. Undefined if all can. */
  const only = hasModifiers || named === undefined ? (args.noTools ? chosen : undefined) : named;
  const isNamed = only && matcher(only, version);
  const isExcluded = matcher(args.excludedTools, version);
  const started = [...chosen, ...(isNamed ? offered.filter(isNamed) : [])];
  // The extension that applies AGENT.md does the same. Since 1.5, a tool that stays on keeps its position.
  const wanted = new Set(agentFile ?? started);
  const kept = isSince(version, '1.5') ? started.filter((name) => wanted.has(name)) : [];
  // The extension and MCP can't switch on a tool that the arguments forbid.
  const active = [...new Set([...kept, ...wanted, ...forMcp])].filter(
    (name) => (isNamed?.(name) ?? true) && !isExcluded(name),
  );
  return {
    tools: active.filter((name) => offered.includes(name)),
    unknown: active.filter(
      (name) => !offered.includes(name) && !(isSince(version, '1.5') && isPatternOrMcp(name)),
    ),
  };
};
