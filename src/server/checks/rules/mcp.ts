import { type McpProblem, parseMcpFile, readMcpConfig } from '../../../pi/mcp.ts';
import { memberOf, nodeAt, rangeOf, type TextRange } from '../../../shared/json-document.ts';
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

const mcpCommandSpaces = agentRule({
  id: 'mcp-command-spaces',
  severity: 'error',
  topic: 'files',
  title: 'MCP server’s command contains arguments',
  why: 'pi doesn’t use a shell to start an MCP server, so "command" is the name or path of a program. If it also contains arguments, no such program exists, and the server never starts. Put each argument into "args".',
  *check({ agent, json }) {
    const text = textOf(agent.files[FILE]);
    const { root } = json(FILE) ?? {};
    if (text === undefined || !root) return;
    const servers = nodeAt(root, ['mcpServers']);
    for (const [name, value] of Object.entries(parseMcpFile(text)?.servers ?? {})) {
      const server = memberOf(servers, name)?.value;
      const command = memberOf(server, 'command')?.value;
      if (command?.type !== 'String' || typeof (value as { url?: unknown } | null)?.url === 'string')
        continue;
      const [program = '', ...words] = command.value.trim().split(/\s+/);
      // A path can contain spaces.
      if (words.length === 0 || /[\\/]/.test(program)) continue;
      const place = rangeOf(command);
      const content = text.slice(place.start + 1, place.end - 1);
      // SECURITY: an argument can be a secret, so the edits contain only what separates the arguments.
      const canSplit =
        memberOf(server, 'args') === undefined &&
        content === content.trim() &&
        !/["'\\$`|&;<>()]/.test(content);
      yield {
        file: FILE,
        ...place,
        message: `pi can’t start the MCP server ${quoted(name)}, because "command" contains spaces. Leave only the program in "command", and put each other word into "args".`,
        ...(canSplit
          ? {
              fix: {
                title: 'Move the arguments to "args"',
                // The server can't start now, so the fix changes nothing that works.
                safe: true,
                edits: [
                  ...Array.from(content.matchAll(/\s+/g), ({ 0: spaces, index }, at) => ({
                    start: place.start + 1 + index,
                    end: place.start + 1 + index + spaces.length,
                    text: at === 0 ? '", "args": ["' : '", "',
                  })),
                  { start: place.end, end: place.end, text: ']' },
                ],
              },
            }
          : {}),
      };
    }
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
  mcpCommandSpaces,
];
