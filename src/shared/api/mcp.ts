import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
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

/** The name of a server that pi accepts. */
export const mcpNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'The name of an MCP server can have only letters, digits, "_" and "-".');

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
