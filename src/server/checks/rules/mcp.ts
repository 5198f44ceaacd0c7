import { type McpProblem, parseMcpFile, readMcpConfig } from '../../../shared/pi/mcp.ts';
import { memberOf, nodeAt, rangeOf, type TextRange } from '../../platform/json-document.ts';
import { quoted } from '../../platform/words.ts';
import type { AgentContext } from '../context.ts';
import { type AgentRule, agentRule, type Rule } from '../rule.ts';
import { textOf } from '../snapshot.ts';

const FILE = 'mcp.json';

const mcpJsonSyntax = agentRule({
  id: 'mcp-json-syntax',
  severity: 'error',
  topic: 'files',
  title: 'mcp.json is not valid JSON',
  why: "pi starts no server of mcp.json if it can't parse the file. Unlike models.json, it may have no comments and no commas after the last value.",
  *check({ json }) {
    const error = json(FILE)?.error;
    if (!error) return;
    const message = 'mcp.json is not valid JSON from here on, so pi ignores all of it. Correct it.';
    yield { file: FILE, ...error, message };
  },
});

/** What pi refuses in the file itself. */
function* fileProblems({ json }: AgentContext): Generator<TextRange & { readonly message: string }> {
  const { root, value } = json(FILE) ?? {};
  if (!root) return;
  const servers = nodeAt(root, ['mcpServers']);
  if (root.type !== 'Object' || (servers && servers.type !== 'Object')) {
    const message = 'pi ignores mcp.json unless it is an object with an object "mcpServers". Correct it.';
    yield { ...rangeOf(servers ?? root), message };
  }
  const switched = nodeAt(root, ['autoEnableCodemode']);
  if (switched && typeof (value as { autoEnableCodemode: unknown }).autoEnableCodemode !== 'boolean')
    yield { ...rangeOf(switched), message: '"autoEnableCodemode" must be true or false.' };
}

/** The servers that pi leaves out for a reason of one kind. */
function* serverProblems(
  { agent, json }: AgentContext,
  kind: McpProblem['kind'],
): Generator<TextRange & { readonly message: string }> {
  const text = textOf(agent.files[FILE]);
  const { root } = json(FILE) ?? {};
  if (text === undefined || !root || !parseMcpFile(text)) return;
  const servers = nodeAt(root, ['mcpServers']);
  for (const [name, problem] of readMcpConfig([{ text, isProject: false }]).refused) {
    const member = memberOf(servers, name);
    if (problem.kind !== kind || !member) continue;
    const place = problem.path.length > 0 ? nodeAt(member.value, problem.path) : undefined;
    const message = `pi leaves out the MCP server ${quoted(name)}. ${problem.message}`;
    yield { ...rangeOf(place ?? member.name), message };
  }
}

const serverRule = (
  kind: McpProblem['kind'],
  { title, why }: Pick<AgentRule, 'title' | 'why'>,
  more: (context: AgentContext) => Iterable<TextRange & { readonly message: string }> = () => [],
): AgentRule =>
  agentRule({
    id: `mcp-server-${kind}`,
    severity: 'error',
    topic: 'files',
    title,
    why,
    *check(context) {
      for (const problem of more(context)) yield { file: FILE, ...problem };
      for (const problem of serverProblems(context, kind)) yield { file: FILE, ...problem };
    },
  });

/** The rules about mcp.json, but for its secrets. */
export const mcpRules: readonly Rule[] = [
  mcpJsonSyntax,
  serverRule('name', {
    title: 'An MCP server with a name that pi refuses',
    why: 'The names of tools contain the name of their server, so it can have only letters, digits, "_" and "-". In them, "-" becomes "_", so of two names that differ only there pi keeps the first.',
  }),
  serverRule('transport', {
    title: 'An MCP server that pi cannot reach',
    why: 'pi starts a "command" or connects to a "url" with streamable HTTP. It does not support SSE. Servers with an SSE address often have another one, commonly /mcp instead of /sse.',
  }),
  serverRule(
    'value',
    {
      title: 'An MCP server with a wrong value',
      why: 'pi leaves out a server if it does not accept one of its values. The other servers still work. Keys that it does not know are left alone.',
    },
    fileProblems,
  ),
];
