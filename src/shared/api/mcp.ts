import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, message } from './fields.ts';
import { FORM_READ_ERRORS, formEtag, formEtagHeader, shownValueSchema } from './form-files.ts';
import { entryProblemSchema } from './problem.ts';

/** The transports that pi supports. */
const TRANSPORTS = ['stdio', 'http'] as const;

/** How the model can reach a server's tools. */
export const MCP_EXPOSURES = ['codemode', 'deferred', 'direct', 'hidden'] as const;

const mcpServer = z
  .object({
    name: z.string().describe('The name of the server.'),
    enabled: z.boolean().describe('False if pi doesn’t start the server.'),
    transport: z
      .enum(TRANSPORTS)
      .nullable()
      .describe('`stdio`: pi starts a command. `http`: pi connects to a URL. Null if the entry has neither.'),
    problem: message.optional().describe('Why pi leaves out the server. Absent if pi accepts it.'),
    command: shownValueSchema.optional().describe('The command that pi starts.'),
    args: z.array(shownValueSchema).optional().describe('The arguments of the command.'),
    cwd: shownValueSchema
      .optional()
      .describe('The working directory. A relative path starts at the session’s working directory.'),
    env: z.record(z.string(), shownValueSchema).optional().describe('The environment variables, by name.'),
    url: shownValueSchema.optional().describe('The URL that pi connects to.'),
    headers: z
      .record(z.string(), shownValueSchema)
      .optional()
      .describe('The headers of each request, by name.'),
    description: shownValueSchema
      .optional()
      .describe('The description of the server. pi adds its first line to the prompt.'),
    exposure: z
      .enum(MCP_EXPOSURES)
      .optional()
      .describe('How the model reaches the server’s tools. Default: codemode.'),
    timeout: z.number().optional().describe('How long pi waits for a response, in seconds. Default: 60.'),
    otherKeys: z
      .array(z.string())
      .describe('Other keys of the entry, without their values. A change keeps them.'),
    signsIn: z
      .boolean()
      .describe(
        'True if pi signs in with OAuth when the server requires it. To sign in, run `pi mcp login <name>`.',
      ),
  })
  .meta({ id: 'McpServer' });

/** A server in an mcp.json. */
export type McpServerEntry = z.infer<typeof mcpServer>;

const agentMcp = z
  .object({
    exists: z.boolean().describe('True if the agent has an mcp.json.'),
    etag: formEtag('mcp.json'),
    problem: message.optional().describe('Why pi ignores the whole file. Absent if pi uses it.'),
    servers: z.array(mcpServer).describe('The servers, in the order of the file.'),
    hasSignIns: z
      .boolean()
      .describe(
        'True if pi has stored a sign-in in mcp-auth.json. dot-mi never reads that file, so it doesn’t know for which server.',
      ),
  })
  .meta({ id: 'AgentMcp' });

/** An agent's MCP servers. */
export type AgentMcp = z.infer<typeof agentMcp>;

/** Lists an agent's MCP servers. */
export const getMcp = defineEndpoint({
  id: 'mcp.get',
  method: 'GET',
  path: '/api/agents/:id/mcp',
  summary: 'List an agent’s MCP servers',
  description:
    'Lists the entries of the agent’s mcp.json, which pi 1.5 and later read. dot-mi hides environment ' +
    'variables and headers, unless they only name a variable such as `$TOKEN`. It also hides other values that look like secrets. Without the operator token, it hides all values. `otherKeys` then also names the fields that aren’t text.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentMcp, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});

const agents = z.array(agentId);

const mcpDefinition = z
  .object({
    transport: mcpServer.shape.transport,
    target: z
      .string()
      .describe('The command with its arguments, or the URL, shortened. `•••` replaces a hidden value.'),
    copyable: z
      .boolean()
      .describe(
        'False if the definition contains a secret as text. You then can’t copy it to another agent.',
      ),
    on: agents.describe('The agents where this definition is on.'),
    off: agents.describe('The agents where this definition is off.'),
    refused: agents.describe('The agents where pi leaves it out. GET /api/agents/:id/mcp says why.'),
  })
  .meta({ id: 'McpDefinition' });

/** One definition of a server, and the agents that have it. */
export type McpDefinition = z.infer<typeof mcpDefinition>;

const mcpUse = z
  .object({
    name: z.string().describe('The name of the server.'),
    definitions: z
      .array(mcpDefinition)
      .describe(
        'The different definitions, the most common one first. Agents with the same definition can still differ in whether it is on, and in hidden values.',
      ),
  })
  .meta({ id: 'McpUse' });

const mcpOverview = z
  .object({
    servers: z.array(mcpUse).describe('The servers, sorted by name.'),
    agents: z
      .array(
        z.object({
          id: agentId,
          etag: z
            .string()
            .nullable()
            .describe('The etag of the agent’s mcp.json. Null if dot-mi couldn’t read it.'),
          problem: entryProblemSchema
            .optional()
            .describe(
              'Why pi can’t use the agent’s mcp.json. Absent if pi can use it or the file doesn’t exist.',
            ),
        }),
      )
      .describe('All agents, sorted by id.'),
  })
  .meta({ id: 'McpOverview' });

/** The response of {@link listMcp}. */
export type McpOverview = z.infer<typeof mcpOverview>;

/** The most servers that {@link listMcp} names for one agent. */
export const MAX_LISTED_SERVERS = 200;

/** Lists which agents have which MCP servers. */
export const listMcp = defineEndpoint({
  id: 'mcp.list',
  method: 'GET',
  path: '/api/mcp',
  summary: 'Show which agents have which MCP servers',
  description:
    'Reads each agent’s mcp.json. If agents define a server in different ways, it has several definitions. ' +
    'Without the operator token, a server has one definition for each transport, without its target.',
  access: 'api',
  keys: ['read-agents'],
  success: { status: 200, conditional: true, body: mcpOverview },
  errors: ['root_unavailable'],
});
