import { z } from 'zod';
import { RUN_WARNING_CODES, type RunCommand } from '../run-command.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, codeOf, message, ok } from './fields.ts';
import { agentIdSchema, EDITABLE_FILES, editableFileSchema, LEFT_OUT_OF_COPIES } from './names.ts';
import { entryProblemSchema } from './problem.ts';

/** Params of every route below one agent. */
export const agentParams = z.strictObject({ id: agentIdSchema });

const agentListEntry = z
  .object({
    id: agentId,
    workspace: z.boolean().describe('True when workspace.conf exists.'),
    changedAt: z.iso
      .datetime()
      .optional()
      .describe(
        'When a file or directory in it was last added, replaced or removed, or one of its editable files was ' +
          "written. While nobody follows the events, a write that doesn't replace the file may be missed. " +
          "Absent when its directory can't be examined.",
      ),
    missingFiles: z
      .array(editableFileSchema)
      .optional()
      .describe('SYSTEM.md, if it is missing. Absent otherwise. pi needs none of the other files.'),
    problem: entryProblemSchema.optional().describe("Why the agent can't be read, or can't run."),
  })
  .meta({ id: 'AgentListEntry' });

/** One agent in the list. */
export type AgentListEntry = z.infer<typeof agentListEntry>;

const fileInfo = z
  .object({
    exists: z.boolean().describe('True if the file exists.'),
    size: z
      .int()
      .nonnegative()
      .nullable()
      .describe('Size in bytes. Null when the file cannot be read as text.'),
    modifiedAt: z.iso.datetime().nullable().describe('When it was last written. Null if it does not exist.'),
    etag: z
      .string()
      .nullable()
      .describe('The same as the ETag header of the file. Null when the file cannot be read as text.'),
  })
  .meta({ id: 'FileInfo' });

/** One editable file in a summary. */
export type FileInfo = z.infer<typeof fileInfo>;

const agentSummary = z
  .object({
    id: agentId,
    path: z.string().describe('Absolute path of the agent directory.'),
    workspace: z
      .boolean()
      .describe('True if each run gets a new workspace directory: workspace.conf exists.'),
    optionalFiles: z
      .object({
        appendSystem: z.boolean().describe('True if APPEND_SYSTEM.md exists.'),
        agentMd: z.boolean().describe('True if AGENT.md exists.'),
      })
      .describe('The optional files that exist.'),
    files: z
      .object(
        Object.fromEntries(EDITABLE_FILES.map((name) => [name, fileInfo])) as Record<
          (typeof EDITABLE_FILES)[number],
          typeof fileInfo
        >,
      )
      .describe('The files, by name.'),
  })
  .meta({ id: 'AgentSummary' });

/** The response of {@link getAgent}. */
export type AgentSummary = z.infer<typeof agentSummary>;

const hiddenFolder = z
  .object({
    name: z.string().describe('Its name in the folder "agents".'),
    problem: entryProblemSchema,
  })
  .meta({ id: 'HiddenFolder' });

/** A folder that isn't listed as an agent, and why. */
export type HiddenFolder = z.infer<typeof hiddenFolder>;

/** The agents of the root, sorted by id. */
export const listAgents = defineEndpoint({
  id: 'agents.list',
  method: 'GET',
  path: '/api/agents',
  summary: 'List the agents',
  description: "An agent that can't be read is listed with its `problem`. The other agents are not affected.",
  task: 'List agents',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({
      agents: z.array(agentListEntry).describe('The agents, by id.'),
      hidden: z
        .array(hiddenFolder)
        .optional()
        .describe(
          'Folders that are not agents because of their name, and linked folders. Absent when there are none.',
        ),
    }),
  },
  errors: ['root_unavailable'],
});

/** One agent and the state of its editable files. */
export const getAgent = defineEndpoint({
  id: 'agents.get',
  method: 'GET',
  path: '/api/agents/:id',
  summary: 'Summarize an agent',
  task: "See an agent's files and etags",
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  success: { status: 200, body: agentSummary },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable'],
});

/** The schema of a run command. */
export const runCommandSchema = z
  .object({
    posix: z.string().describe('One command for bash, dash, zsh and other POSIX shells.'),
    powershell: z.string().describe('One command for Windows PowerShell 5.1 and PowerShell 7.'),
    argv: z.array(z.string()).describe('`pi` and its arguments, for programs that start it without a shell.'),
    env: z
      .record(z.string(), z.string())
      .describe('The environment variables to set for pi, in addition to your own.'),
    cwd: z
      .string()
      .nullable()
      .describe(
        'The new workspace of a run that starts now, which nothing has created yet. Null for an agent without a workspace: it runs where you start it.',
      ),
    directories: z
      .array(z.string())
      .describe('The directories of workspace.conf to create in the workspace, relative to it.'),
    warnings: z
      .array(z.object({ code: codeOf(RUN_WARNING_CODES), message }))
      .describe('Warnings about this command.'),
  })
  .meta({ id: 'RunCommand' }) satisfies z.ZodType<RunCommand>;

/** How to run an agent, with its pi-args and its workspace. */
export const getRunCommand = defineEndpoint({
  id: 'agents.runCommand',
  method: 'GET',
  path: '/api/agents/:id/run-command',
  summary: 'Build the command that runs an agent',
  description:
    'pi itself reads neither pi-args nor workspace.conf. This command passes the arguments of pi-args. ' +
    'For an agent with workspace.conf it creates `<root>/workspaces/<id>/<date and time>/` anew for each run. ' +
    'For an agent with a budget, the command first checks that the budget isn’t used up, and starts nothing otherwise. ' +
    'Nothing is run or created by this request.',
  task: 'Get the command that runs an agent',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  success: { status: 200, body: runCommandSchema },
  errors: [
    'invalid_agent_id',
    'agent_not_found',
    'file_not_found',
    'outside_root',
    'not_text',
    'not_a_file',
    'file_too_large',
    'root_unavailable',
  ],
});

const agentMade = {
  status: 201,
  body: z.object({ ok, id: agentId }),
  headers: {
    Location: {
      description: 'The path of the new agent.',
      from: (body: { id: string }) => `/api/agents/${body.id}`,
    },
  },
} as const;

/** Creates an agent with the root's setup script. */
export const createAgent = defineEndpoint({
  id: 'agents.create',
  method: 'POST',
  path: '/api/agents',
  summary: "Create an agent with the root's setup script",
  description:
    'Runs `<root>/dotpi` or `<root>/setup.sh` (the first that exists) as `create-agent [--workspace] <name>`, for at most 30 s. ' +
    'Fails with `root_not_trusted` until the operator trusts that script (`PUT /api/root/trust`). `reason` is "new" or "script_changed". ' +
    'If the run fails, everything it created is moved to the trash.',
  task: 'Create an agent',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  body: z.strictObject({
    name: agentIdSchema.describe('The id of the new agent.'),
    workspace: z
      .boolean()
      .optional()
      .describe('True if each run gets a new workspace directory: workspace.conf exists.'),
  }),
  success: agentMade,
  errors: [
    'invalid_agent_id',
    'agent_exists',
    'setup_script_missing',
    'root_not_trusted',
    'setup_script_failed',
    'setup_script_timeout',
    'root_unavailable',
  ],
});

/** Duplicates an agent under a new id. */
export const duplicateAgent = defineEndpoint({
  id: 'agents.duplicate',
  method: 'POST',
  path: '/api/agents/:id/duplicate',
  summary: 'Copy an agent under a new id',
  description:
    'Copies files and directories with their bytes and modes, and symlinks as symlinks without following them. ' +
    'Other programs see the complete copy or nothing. Pipes, sockets and devices are left out. ' +
    `So are secrets and the files that runs leave behind: ${LEFT_OUT_OF_COPIES.join(', ')}.`,
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({ name: agentIdSchema.describe('The id of the copy.') }),
  success: {
    ...agentMade,
    body: agentMade.body.extend({
      leftOut: z
        .array(z.string())
        .describe('The names of files and directories of the agent that are not in the copy.'),
    }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'agent_exists', 'root_unavailable'],
});

/** Moves an agent to the trash, from where it can be restored. */
export const deleteAgent = defineEndpoint({
  id: 'agents.delete',
  method: 'DELETE',
  path: '/api/agents/:id',
  summary: 'Move an agent to the trash, where it can be restored for 30 days',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({
    confirm: z
      .string()
      .describe('The id of the agent, repeated to confirm.')
      .meta({ examples: ['scout'] }),
  }),
  success: {
    status: 200,
    body: z.object({
      ok,
      entry: z.string().describe('The name of its trash entry, for restoring it.'),
    }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'confirm_mismatch', 'root_unavailable'],
});
