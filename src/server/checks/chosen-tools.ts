import { NEWEST_PI } from '../../pi/flags.ts';
import { namesIn } from '../../pi/pi-args.ts';
import { activeTools, type ToolSources } from '../../pi/tools.ts';
import type { TextRange } from '../../shared/checked-text.ts';
import { nodeAt, rangeOf } from '../../shared/json-document.ts';
import { agentMdTools } from './agent-md.ts';
import type { AgentContext } from './context.ts';
import { lastUse, rangeOfArg } from './pi-args-of-agent.ts';

/** The tools an agent starts with. */
interface ChosenTools {
  readonly tools: ReadonlySet<string>;
  /** The place in the agent's files that sets the tools. Undefined for pi's defaults. */
  readonly place?: (TextRange & { readonly file: string }) | undefined;
}

const toolsOf = (sources: ToolSources): string[] => {
  const { tools, unknown } = activeTools(sources, NEWEST_PI);
  return [...tools, ...unknown];
};

/** Returns an agent's tools: from settings.json, overridden by pi-args and then AGENT.md. */
export const chosenTools = (context: AgentContext): ChosenTools => {
  const settings = context.json('settings.json');
  const node = nodeAt(settings?.root, ['defaultTools']);
  const value = (settings?.value as { defaultTools?: unknown } | undefined)?.defaultTools;
  const configured = node && Array.isArray(value) ? value.map(String) : undefined;
  const noTools = lastUse(context, '--no-tools');
  const none = noTools ?? lastUse(context, '--no-builtin-tools');
  const named = lastUse(context, '--tools')?.value;
  const excluded = lastUse(context, '--exclude-tools')?.value;
  const wanted = agentMdTools(context);
  const sources: ToolSources = {
    args: {
      ...(named ? { tools: namesIn(named.text) } : {}),
      excludedTools: [],
      noTools: noTools !== undefined,
      noBuiltinTools: none !== undefined,
    },
    configured,
    agentFile: wanted?.value,
  };
  const allowed = toolsOf(sources);
  const excludedTools = namesIn(excluded?.text ?? '');
  const tools = toolsOf({ ...sources, args: { ...sources.args, excludedTools } });
  const inArgs = (arg: Parameters<typeof rangeOfArg>[0]) => ({ file: 'pi-args', ...rangeOfArg(arg) });

  let place: ChosenTools['place'];
  if (excluded && tools.length < allowed.length) place = inArgs(excluded);
  else if (wanted && (!noTools || named)) place = { file: 'AGENT.md', ...wanted.place };
  else if (named) place = inArgs(named);
  else if (none) place = inArgs(none.arg);
  else if (node && configured) place = { file: 'settings.json', ...rangeOf(node) };
  return { tools: new Set(tools), place };
};
