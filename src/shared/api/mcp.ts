import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, message } from './fields.ts';
import {
  changedTextSchema,
  changedValueSchema,
  FORM_READ_ERRORS,
  FORM_WRITE_ERRORS,
  formEtag,
  formEtagHeader,
  formHeaders,
  hiddenValueSchema,
  shownValueSchema,
} from './form-files.ts';
import { bulkMcpResult, mcpFailure } from './mcp-result.ts';
import { agentIdSchema, mcpNameSchema } from './names.ts';
import { entryProblemSchema } from './problem.ts';

/** The transports that pi has. */
const TRANSPORTS = ['stdio', 'http'] as const;

/** How the model reaches the tools of a server. */
export const MCP_EXPOSURES = ['codemode', 'deferred', 'direct', 'hidden'] as const;

const mcpServer = z
  .object({
    name: z.string().describe('The name of the server.'),
    enabled: z.boolean().describe('False if pi keeps the entry but does not start the server.'),
    transport: z
      .enum(TRANSPORTS)
      .nullable()
      .describe('`stdio`: pi starts a command. `http`: pi connects to a URL. Null if it can do neither.'),
    problem: message.optional().describe('Why pi leaves out the server. Absent if it accepts it.'),
    command: shownValueSchema.optional().describe('The program.'),
    args: z.array(shownValueSchema).optional().describe('Its arguments.'),
    cwd: shownValueSchema.optional().describe('Its directory. A relative one is in that of the session.'),
    env: z.record(z.string(), shownValueSchema).optional().describe('Its environment variables, by name.'),
    url: shownValueSchema.optional().describe('The address.'),
    headers: z
      .record(z.string(), shownValueSchema)
      .optional()
      .describe('The headers of each request, by name.'),
    description: shownValueSchema
      .optional()
      .describe('A text about the server. pi puts its first line into the prompt.'),
    exposure: z
      .enum(MCP_EXPOSURES)
      .optional()
      .describe('How the model reaches its tools. Default: codemode.'),
    timeout: z.number().optional().describe('How long pi waits for a response, in seconds. Default: 60.'),
    otherKeys: z
      .array(z.string())
      .describe('The other keys of the entry, without their values. A change keeps them.'),
    signsIn: z
      .boolean()
      .describe('True if pi signs in with OAuth when the server wants it: run `pi mcp login <name>`.'),
  })
  .meta({ id: 'McpServer' });

/** An entry of an mcp.json. */
export type McpServerEntry = z.infer<typeof mcpServer>;

const agentMcp = z
  .object({
    exists: z.boolean().describe('True if the agent has an mcp.json.'),
    etag: formEtag('mcp.json'),
    problem: message.optional().describe('Why pi ignores the whole file. Absent if it reads it.'),
    servers: z.array(mcpServer).describe('The servers, in the order of the file.'),
    hasSignIns: z
      .boolean()
      .describe(
        'True if pi has kept a sign-in to a server in mcp-auth.json. dot-mi never reads it, so it can’t say to which.',
      ),
  })
  .meta({ id: 'AgentMcp' });

/** The MCP servers of an agent. */
export type AgentMcp = z.infer<typeof agentMcp>;

/** Reads the MCP servers of an agent. */
export const getMcp = defineEndpoint({
  id: 'mcp.get',
  method: 'GET',
  path: '/api/agents/:id/mcp',
  summary: 'List the MCP servers of an agent',
  description:
    "The entries of the agent's mcp.json, which pi 1.5 reads. Values that may be secrets are hidden: every environment " +
    'variable and header that is more than a variable such as `$TOKEN`, and what looks like a secret elsewhere.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentMcp, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});

const serverChange = z
  .strictObject({
    enabled: z.boolean().optional().describe('False keeps the entry, but pi does not start the server.'),
    command: changedValueSchema.optional().describe('The program.'),
    args: z
      .array(
        z.union([
          changedTextSchema,
          hiddenValueSchema.extend({
            index: z.int().nonnegative().optional().describe('The place of the argument that is kept.'),
          }),
        ]),
      )
      .nullable()
      .optional()
      .describe(
        'All arguments. A hidden one keeps the argument at its `index`, or else at its own place, and needs If-Match.',
      ),
    cwd: changedValueSchema.optional().describe('Its directory.'),
    env: z
      .record(z.string().min(1), changedValueSchema)
      .optional()
      .describe('Variables that change, by name.'),
    url: changedValueSchema.optional().describe('The address.'),
    headers: z
      .record(z.string().min(1), changedValueSchema)
      .optional()
      .describe('Headers that change, by name.'),
    description: changedValueSchema.optional().describe('A description of the server.'),
    exposure: z.enum(MCP_EXPOSURES).nullable().optional().describe('How the model reaches its tools.'),
    timeout: z.number().positive().nullable().optional().describe('How long pi waits, in seconds.'),
  })
  .meta({
    id: 'McpServerChange',
    description: 'The fields that change. Absent ones stay as they are, and null removes one.',
  });

/** What changes of a server. */
export type McpServerChange = z.infer<typeof serverChange>;

/** Adds, changes, renames or removes one MCP server of an agent. */
export const changeMcp = defineEndpoint({
  id: 'mcp.change',
  method: 'PUT',
  path: '/api/agents/:id/mcp',
  summary: 'Add, change or remove an MCP server of an agent',
  description:
    'Changes only the fields that the body names, in one server. Every other byte of mcp.json stays, and `server: null` ' +
    'removes the entry. Send `If-Match` with the etag you read, so that you don’t overwrite the edit of another program. ' +
    'The response has the new list. pi reads mcp.json when it starts, and with /reload.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: formHeaders('mcp.json'),
  body: z.strictObject({
    name: z.string().min(1).describe('The server. A new name adds one.'),
    newName: mcpNameSchema.optional().describe('Renames the server. pi then needs a new sign-in.'),
    server: serverChange.nullable().describe('The fields that change. Null removes the server.'),
  }),
  success: { status: 200, body: agentMcp, headers: formEtagHeader },
  errors: [
    ...FORM_WRITE_ERRORS,
    'mcp_unreadable',
    'mcp_server_refused',
    'mcp_server_exists',
    'mcp_server_not_found',
  ],
});

/** Undoes the last change of an mcp.json. */
export const undoMcp = defineEndpoint({
  id: 'mcp.undo',
  method: 'POST',
  path: '/api/agents/:id/mcp/undo',
  summary: 'Undo a change of the MCP servers of an agent',
  description:
    'Puts mcp.json back byte for byte, if it has not changed since. dot-mi remembers the last changes until it ends.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({ etag: z.string().describe('The etag in the response of the change.') }),
  success: { status: 200, body: agentMcp, headers: formEtagHeader },
  errors: [...FORM_WRITE_ERRORS, 'nothing_to_undo'],
});

const agents = z.array(agentId);

const mcpDefinition = z
  .object({
    transport: mcpServer.shape.transport,
    target: z
      .string()
      .describe('The command with its arguments, or the URL, shortened. `•••` stands for a hidden value.'),
    copyable: z
      .boolean()
      .describe('False if the entry holds a secret as text, so that it can’t be copied to another agent.'),
    on: agents.describe('The agents in which it is on.'),
    off: agents.describe('The agents in which it is off.'),
    refused: agents.describe('The agents in which pi leaves it out. GET /api/agents/:id/mcp says why.'),
  })
  .meta({ id: 'McpDefinition' });

/** One way in which agents define a server. */
export type McpDefinition = z.infer<typeof mcpDefinition>;

const mcpUse = z
  .object({
    name: z.string().describe('The name of the server.'),
    definitions: z
      .array(mcpDefinition)
      .describe(
        'Its different entries, that of most agents first. On, off and hidden values make no difference.',
      ),
  })
  .meta({ id: 'McpUse' });

const mcpOverview = z
  .object({
    servers: z.array(mcpUse).describe('The servers, by name.'),
    agents: z
      .array(
        z.object({
          id: agentId,
          etag: z.string().nullable().describe('The etag of its mcp.json. Null if that was not read.'),
          problem: entryProblemSchema
            .optional()
            .describe('Why its mcp.json can’t be used. Absent if it can, or if there is none.'),
        }),
      )
      .describe('Every agent, by id.'),
  })
  .meta({ id: 'McpOverview' });

/** The MCP servers of all agents. */
export type McpOverview = z.infer<typeof mcpOverview>;

/** The most servers of an agent that {@link listMcp} names. */
export const MAX_LISTED_SERVERS = 200;

/** Says which agents have which MCP servers. */
export const listMcp = defineEndpoint({
  id: 'mcp.list',
  method: 'GET',
  path: '/api/mcp',
  summary: 'Show which agents have which MCP servers',
  description:
    'Reads the mcp.json of each agent. A server that agents define in different ways has several definitions.',
  access: 'api',
  keys: ['read-agents'],
  success: { status: 200, conditional: true, body: mcpOverview },
  errors: ['root_unavailable'],
});

/** What {@link changeAllMcp} does with servers. */
export const MCP_ACTIONS = ['copy', 'on', 'off', 'remove'] as const;

const mcpStep = z
  .strictObject({
    action: z
      .enum(MCP_ACTIONS)
      .describe(
        '`copy`: adds the entries of the agent `from`, switched on. `on`, `off`: switches entries. `remove`: removes them.',
      ),
    names: z.array(z.string().min(1)).describe('The servers.'),
    agents: z.array(agentIdSchema).describe('The agents that change.'),
    from: agentIdSchema.optional().describe('For `copy`: the agent that has the entries.'),
  })
  .refine(({ action, from }) => (action === 'copy') === (from !== undefined), {
    message: 'Send "from" with the action "copy", and with no other.',
    path: ['from'],
  });

const mcpChanges = z.strictObject({
  steps: z.array(mcpStep).describe('Done in this order in each agent.'),
  etags: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'By agent id, also of `from`: the change of an agent needs its mcp.json to have this etag still.',
    ),
});

/** What changes in the MCP servers of many agents. */
export type McpChanges = z.output<typeof mcpChanges>;

/** Copies, switches and removes MCP servers in many agents. */
export const changeAllMcp = defineEndpoint({
  id: 'mcp.bulk',
  method: 'POST',
  path: '/api/mcp/bulk',
  summary: 'Copy, switch or remove MCP servers in many agents',
  description:
    'dot-mi copies an entry from file to file, so nobody needs to know its hidden values. It never replaces one: an ' +
    'agent that has another entry of the name keeps it. It doesn’t copy an entry that holds a secret as text: write it as ' +
    '`$NAME` first. Each server has its own result, and one that fails keeps no other from being done.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  body: mcpChanges,
  success: { status: 200, body: bulkMcpResult },
  errors: ['invalid_agent_id', 'root_unavailable'],
});

/** Undoes a bulk change of MCP servers. */
export const undoAllMcp = defineEndpoint({
  id: 'mcp.bulkUndo',
  method: 'POST',
  path: '/api/mcp/bulk/:undo/undo',
  summary: 'Undo a bulk change of MCP servers',
  description:
    'Puts each mcp.json back byte for byte. One that has changed since stays as it is and is named in `failed`.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params: z.strictObject({ undo: z.string().describe('The id of the change to undo.') }),
  success: {
    status: 200,
    body: z
      .object({
        undone: z.int().nonnegative().describe('How many agents have their mcp.json as before.'),
        failed: z
          .array(z.object({ id: agentId, ...mcpFailure }))
          .describe('The agents that were not changed.'),
      })
      .meta({ id: 'UndoneMcp' }),
  },
  errors: ['nothing_to_undo', 'root_unavailable'],
});
