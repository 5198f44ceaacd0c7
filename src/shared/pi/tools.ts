import { DEFAULT_TOOLS, type PiVersion } from './flags.ts';
import type { PiArguments } from './pi-arguments.ts';
import texts from './pi-texts.json' with { type: 'json' };

interface BuiltInTool {
  /** What pi's own prompt says about it. */
  readonly snippet: string;
  /** The rules that it adds to pi's own prompt. */
  readonly rules: readonly string[];
}

/** The tools that pi brings, with the words of its own prompt. */
const BUILT_IN: Readonly<Record<string, BuiltInTool>> = texts.tools;

/** The words of pi's own prompt about a tool. */
export const toolTexts = (name: string, version: PiVersion): BuiltInTool | undefined => {
  const tool = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (tool && version === '0.73' && name === 'bash') return { ...tool, rules: [] };
  return tool && version === '1.5' && name === 'edit' ? { ...tool, rules: texts.rules.edit } : tool;
};

const isModifier = (entry: string): boolean => /^[+-]/.test(entry);

/** Applies `+name` and `-name` to a list of tools, as pi 1.5 does. */
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

/** Where the list of tools comes from. */
export interface ToolSources {
  readonly args: Pick<PiArguments, 'tools' | 'excludedTools' | 'noTools' | 'noBuiltinTools'>;
  /** `defaultTools` of settings.json. */
  readonly configured: readonly string[] | undefined;
  /** The tools of an AGENT.md that its extension applies. */
  readonly agentFile: readonly string[] | undefined;
}

/**
 * The tools that pi starts with, in its order. `unknown` are names that no built-in tool has: an extension may
 * add them.
 */
export const activeTools = ({ args, configured, agentFile }: ToolSources, version: PiVersion) => {
  const defaults = args.noTools || args.noBuiltinTools ? [] : defaultTools(configured, version);
  const named = args.tools;
  const hasModifiers = version === '1.5' && named?.some(isModifier) === true;
  const chosen = hasModifiers ? modify(defaults, named) : (named ?? defaults);
  const isAllowed = (name: string): boolean =>
    (hasModifiers ? !args.noTools || chosen.includes(name) : (named?.includes(name) ?? !args.noTools)) &&
    !args.excludedTools.includes(name);
  // As the extension does, which can't switch on a tool that the arguments forbid.
  const wanted = [...new Set(agentFile ?? chosen)].filter(isAllowed);
  const isKnown = (name: string) => Object.hasOwn(BUILT_IN, name);
  return { tools: wanted.filter(isKnown), unknown: wanted.filter((name) => !isKnown(name)) };
};
