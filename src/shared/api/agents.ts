import { z } from 'zod';
import { RUN_WARNING_CODES, type RunCommand } from '../run-command.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, codeOf, message, ok } from './fields.ts';
import { agentIdSchema, EDITABLE_FILES, editableFileSchema, LEFT_OUT_OF_COPIES } from './names.ts';
import { entryProblemSchema } from './problem.ts';

/** The path parameters of every route under `/api/agents/:id`. */
export const agentParams = z.strictObject({ id: agentIdSchema });

const agentListEntry = z
  .object({
    id: agentId,
    workspace: z.boolean().describe('True if workspace.conf exists, so each run gets a new workspace.'),
    changedAt: z.iso
      .datetime()
      .optional()
      .describe(
        'When a file or directory of the agent was last added, replaced or removed, or an editable file was written. ' +
          'While no program follows GET /api/events, dot-mi can miss a write that doesn’t replace the file. ' +
          'Absent if dot-mi can’t read the directory.',
      ),
    missingFiles: z
      .array(editableFileSchema)
      .optional()
      .describe(
        'SYSTEM.md, if it is missing. pi doesn’t need the other files. Absent if the agent has SYSTEM.md.',
      ),
    problem: entryProblemSchema
      .optional()
      .describe('Why dot-mi can’t read the agent, or pi can’t run it. Absent if there is no problem.'),
  })
  .meta({ id: 'AgentListEntry' });

/** One agent in the response of {@link listAgents}. */
export type AgentListEntry = z.infer<typeof agentListEntry>;

const fileInfo = z
  .object({
    exists: z.boolean().describe('True if the file exists.'),
    size: z
      .int()
      .nonnegative()
      .nullable()
      .describe('The size in bytes. Null if the file doesn’t exist or isn’t a regular file.'),
    modifiedAt: z.iso
      .datetime()
      .nullable()
      .describe('When it was last written. Null if the file doesn’t exist or isn’t a regular file.'),
  })
  .meta({ id: 'FileInfo' });

/** One editable file in an {@link AgentSummary}. */
export type FileInfo = z.infer<typeof fileInfo>;

const agentSummary = z
  .object({
    id: agentId,
    path: z.string().describe('The absolute path of the agent’s directory.'),
    workspace: z.boolean().describe('True if workspace.conf exists, so each run gets a new workspace.'),
    optionalFiles: z
      .object({
        appendSystem: z.boolean().describe('True if APPEND_SYSTEM.md exists.'),
        agentMd: z.boolean().describe('True if AGENT.md exists.'),
      })
      .describe('The optional files, each true if it exists.'),
    files: z
      .object(
        Object.fromEntries(EDITABLE_FILES.map((name) => [name, fileInfo])) as Record<
          (typeof EDITABLE_FILES)[number],
          typeof fileInfo
        >,
      )
      .describe('The editable files, by name.'),
  })
  .meta({ id: 'AgentSummary' });

/** The response of {@link getAgent}. */
export type AgentSummary = z.infer<typeof agentSummary>;

const hiddenFolder = z
  .object({
    name: z.string().describe('The name of the directory in "agents".'),
    problem: entryProblemSchema,
  })
  .meta({ id: 'HiddenFolder' });

/** A directory that isn't listed as an agent, and why. */
export type HiddenFolder = z.infer<typeof hiddenFolder>;

/** Lists the root's agents, sorted by id. */
export const listAgents = defineEndpoint({
  id: 'agents.list',
  method: 'GET',
  path: '/api/agents',
  summary: 'List the agents',
  description: 'If dot-mi can’t read an agent, `problem` says why. The other agents aren’t affected.',
  task: 'List agents',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({
      agents: z.array(agentListEntry).describe('The agents, sorted by id.'),
      hidden: z
        .array(hiddenFolder)
        .optional()
        .describe(
          'The directories that `agents` leaves out: linked ones, and those whose names can’t be agent ids. Absent if there are none.',
        ),
    }),
  },
  errors: ['root_unavailable'],
});

/** Returns one agent and the state of its editable files. */
export const getAgent = defineEndpoint({
  id: 'agents.get',
  method: 'GET',
  path: '/api/agents/:id',
  summary: 'Summarize an agent',
  task: 'List an agent’s files',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  success: { status: 200, body: agentSummary },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable'],
});

/** The schema of a run command, for POSIX shells and PowerShell. */
export const runCommandSchema = z
  .object({
    posix: z.string().describe('The command for bash, dash, zsh and other POSIX shells.'),
    powershell: z.string().describe('The command for Windows PowerShell 5.1 and PowerShell 7.'),
    argv: z.array(z.string()).describe('`pi` and its arguments, for programs that start it without a shell.'),
    env: z
      .record(z.string(), z.string())
      .describe('The environment variables to set for pi, in addition to your own.'),
    cwd: z
      .string()
      .nullable()
      .describe(
        'The workspace of a run that starts now. The command creates it. Null if the agent has no workspace.conf. The run then uses your current directory.',
      ),
    directories: z
      .array(z.string())
      .describe(
        'The directories in workspace.conf, which the command creates in the workspace. Relative to the workspace.',
      ),
    warnings: z
      .array(z.object({ code: codeOf(RUN_WARNING_CODES), message }))
      .describe('Warnings about this command.'),
  })
  .meta({ id: 'RunCommand' }) satisfies z.ZodType<RunCommand>;

/** Returns an agent's run command, with its pi-args and its workspace. */
export const getRunCommand = defineEndpoint({
  id: 'agents.runCommand',
  method: 'GET',
  path: '/api/agents/:id/run-command',
  summary: 'Build an agent’s run command',
  description:
    'pi itself reads neither pi-args nor workspace.conf. The command passes the arguments in pi-args to pi. ' +
    'If the agent has a workspace.conf, the command creates `<root>/workspaces/<id>/<date and time>/` for each run. ' +
    'If the agent has a budget, the command checks it first, and won’t start an agent over budget. ' +
    'This request itself doesn’t run or create anything.',
  task: 'Get the run command of an agent',
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
  summary: 'Create an agent with the root’s setup script',
  description:
    'Runs `<root>/dotpi create-agent [--workspace] <name>`, for at most 30 s. If there is no `dotpi`, runs `setup.sh` instead. ' +
    'Until the operator trusts that script (`PUT /api/root/trust`), the error is `root_not_trusted`. ' +
    'If the script fails, dot-mi moves everything that it created to the trash.',
  task: 'Create an agent',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  body: z.strictObject({
    name: agentIdSchema.describe('The id of the new agent.'),
    workspace: z
      .boolean()
      .optional()
      .describe('True: create a workspace.conf, so that each run gets a new workspace.'),
  }),
  records: true,
  success: { ...agentMade },
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
  summary: 'Duplicate an agent under a new id',
  description:
    'Copies files and directories with their bytes and modes. Symlinks stay symlinks. ' +
    'Other programs see either the complete copy or nothing. The copy leaves out pipes, sockets and devices. ' +
    `It also leaves out secrets and the files that runs create: ${LEFT_OUT_OF_COPIES.join(', ')}.`,
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({ name: agentIdSchema.describe('The id of the copy.') }),
  records: true,
  success: {
    ...agentMade,
    body: agentMade.body.extend({
      leftOut: z.array(z.string()).describe('The names of files and directories that weren’t copied.'),
    }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'agent_exists', 'root_unavailable'],
});

/** Moves an agent to the trash. */
export const deleteAgent = defineEndpoint({
  id: 'agents.delete',
  method: 'DELETE',
  path: '/api/agents/:id',
  summary: 'Move an agent to the trash, where it stays for 30 days',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({
    confirm: z
      .string()
      .describe('The id of the agent again, as a confirmation.')
      .meta({ examples: ['scout'] }),
  }),
  records: true,
  success: {
    status: 200,
    body: z.object({
      ok,
      entry: z.string().describe('The name of the trash item. Use it to restore the agent.'),
    }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'confirm_mismatch', 'root_unavailable'],
});
