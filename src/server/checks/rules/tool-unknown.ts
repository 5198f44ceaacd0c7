import { BUILT_IN_TOOLS, MCP_RESOURCE_TOOLS } from '../../../shared/pi/flags.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { quoted } from '../../platform/words.ts';
import { agentMdTools } from '../agent-md.ts';
import type { AgentContext } from '../context.ts';
import { lastUse, rangeOfArg, registered } from '../pi-args-rules.ts';
import { agentRule, type RuleFinding } from '../rule.ts';

interface NamedTool {
  readonly file: 'pi-args' | 'AGENT.md';
  readonly name: string;
  readonly start: number;
}

/** The names in a comma list, with their places. */
const namesIn = (file: NamedTool['file'], text: string, from: number): NamedTool[] =>
  Array.from(text.matchAll(/[^,\s"'[\]]+/g), ({ 0: name, index }) => ({ file, name, start: from + index }));

const namedTools = (context: AgentContext): NamedTool[] => {
  const value = lastUse(context, '--tools')?.value;
  const inArgs = value ? namesIn('pi-args', value.text, rangeOfArg(value).start) : [];
  const field = agentMdTools(context);
  const agentMd = context.text('AGENT.md')?.text ?? '';
  const inFile = field
    ? namesIn('AGENT.md', agentMd.slice(field.place.start, field.place.end), field.place.start)
    : [];
  return [
    ...inArgs.map((tool) => {
      const isChange = /^[+-]/.test(tool.name);
      return isChange ? { ...tool, name: tool.name.slice(1), start: tool.start + 1 } : tool;
    }),
    ...inFile.filter(({ name }) => field?.value.includes(name)),
  ];
};

export const toolUnknown = agentRule({
  id: 'tool-unknown',
  severity: 'warning',
  topic: 'files',
  title: 'A tool that does not exist',
  why: 'pi ignores the name of a tool that neither pi nor a linked extension has, so the agent works without it. If an agent loads code that dot-mi could not read, only a near miss of a tool of pi is reported.',
  *check(context): Iterable<RuleFinding> {
    const added = registered(context, 'tools');
    const known = new Set<string>([...BUILT_IN_TOOLS, ...MCP_RESOURCE_TOOLS, ...added.names]);
    for (const { file, name, start } of namedTools(context)) {
      // Tools of MCP servers and patterns can't be known here.
      if (known.has(name) || name === '' || name.includes('*') || name.startsWith('mcp__')) continue;
      const near = nearestName(name, known);
      if (!near && !added.isComplete) continue;
      const range = { start, end: start + name.length };
      yield {
        file,
        ...range,
        message: `No tool is called ${quoted(name)}. ${
          near ? `Did you mean "${near}"?` : 'Remove it, or link the extension that has it.'
        }`,
        ...(near
          ? { fix: { title: `Change it to "${near}"`, safe: false, edits: [{ ...range, text: near }] } }
          : {}),
      };
    }
  },
});
