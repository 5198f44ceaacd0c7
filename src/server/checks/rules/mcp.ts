import { type McpProblem, parseMcpFile, readMcpConfig } from '../../../pi/mcp.ts';
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
  title: 'mcp.json isn’t valid JSON',
  why: 'If pi can’t parse mcp.json, it starts none of its servers. Unlike models.json, the file can’t have comments or trailing commas.',
  *check({ json }) {
    const error = json(FILE)?.error;
    if (!error) return;
    const message = 'mcp.json has a JSON syntax error here, so pi ignores the whole file. Correct it.';
    yield { file: FILE, ...error, message };
  },
});

/** Yields the problems that make pi refuse the whole file. */
function* fileProblems({ json }: AgentContext): Generator<TextRange & { readonly message: string }> {
  const { root, value } = json(FILE) ?? {};
  if (!root) return;
  const servers = nodeAt(root, ['mcpServers']);
  if (root.type !== 'Object' || (servers && servers.type !== 'Object')) {
    const message =
      'pi ignores mcp.json unless it is an object that contains an "mcpServers" object. Correct the file.';
    yield { ...rangeOf(servers ?? root), message };
  }
  const switched = nodeAt(root, ['autoEnableCodemode']);
  if (switched && typeof (value as { autoEnableCodemode: unknown }).autoEnableCodemode !== 'boolean')
    yield { ...rangeOf(switched), message: '"autoEnableCodemode" must be true or false.' };
}

/** Yields the servers that pi skips because of one kind of problem. */
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
    const message = `pi skips the MCP server ${quoted(name)}. ${problem.message}`;
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

/** Rules about mcp.json, except those about secrets. */
export const mcpRules: readonly Rule[] = [
  mcpJsonSyntax,
  serverRule('name', {
    title: 'pi doesn’t accept the name of this MCP server',
    why: 'A server’s name becomes part of its tools’ names. So it can have only letters, digits, "_" and "-". In the tools’ names, pi turns "-" into "_". If two servers then have the same name, pi keeps the first.',
  }),
  serverRule('transport', {
    title: 'pi can’t connect to this MCP server',
    why: 'pi starts a "command" or connects to a "url" with streamable HTTP. It doesn’t support SSE. A server that has an SSE address often has a streamable HTTP address too, usually /mcp instead of /sse.',
  }),
  serverRule(
    'value',
    {
      title: 'MCP server has an invalid value',
      why: 'pi skips a server with an invalid value. The other servers still work. This check ignores keys that pi doesn’t know.',
    },
    fileProblems,
  ),
];
