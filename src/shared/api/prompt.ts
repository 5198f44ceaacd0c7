import { z } from 'zod';
import { PI_VERSIONS } from '../../pi/flags.ts';
import { agentParams } from './agents.ts';
import { tokenizerSchema, unreadableFilesSchema } from './cost.ts';
import { defineEndpoint } from './endpoint.ts';
import { codeOf } from './fields.ts';
import { editableFileSchema } from './names.ts';

/** The names of a prompt's sections, in order. `agent` comes from AGENT.md, `mcp_servers` from mcp.json. */
export const SECTION_NAMES = [
  'preamble',
  'tools',
  'rules',
  'docs',
  'addendum',
  'project_context',
  'skills',
  'cwd',
  'agent',
  'mcp_servers',
] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

const tokens = z.int().nonnegative().describe('The number of model tokens.');

const sectionSource = z
  .object({
    kind: z
      .enum(['file', 'argument', 'pi', 'files', 'skills', 'directory', 'mcp'])
      .describe(
        'The source of the section. `file`: one file. `argument`: an argument in pi-args. `pi`: pi itself. `files`: the context files. `skills`: the skills. `directory`: the working directory. `mcp`: the mcp.json files.',
      ),
    path: z
      .string()
      .optional()
      .describe('The absolute path of the file. Absent unless the source is one file.'),
    file: editableFileSchema
      .optional()
      .describe('The name of the file. Absent unless it is an editable file of the agent.'),
  })
  .meta({ id: 'PromptSource' });

/** Where a section of a prompt comes from. */
export type PromptSource = z.infer<typeof sectionSource>;

const promptSection = z
  .object({
    name: z.enum(SECTION_NAMES).describe('The name of the section.'),
    source: sectionSource,
    text: z.string().describe('The text of the section, with its tags.'),
    tokens,
  })
  .meta({ id: 'PromptSection' });

const promptSkill = z
  .object({
    name: z.string().describe('The name of the skill.'),
    path: z.string().describe('The path of the skill’s file, as pi finds it.'),
    from: z
      .enum(['agent', 'project', 'home', 'package', 'argument'])
      .describe(
        'The source of the skill. `agent`: the agent’s directory. `project`: the project in the working directory. `home`: `~/.agents/skills`. `package`: a pi package that settings.json names. `argument`: a `--skill` in pi-args.',
      ),
    inPrompt: z.boolean().describe('False if the prompt doesn’t contain the skill.'),
    tokens: tokens.describe(
      'The model tokens that the skill adds to the prompt. 0 if the prompt doesn’t contain it.',
    ),
  })
  .meta({ id: 'PromptSkill' });

/** A skill that pi loads for an agent. */
export type PromptSkill = z.infer<typeof promptSkill>;

const leftOutSkill = z
  .object({
    path: z.string().describe('The path of the skill’s file, as pi finds it.'),
    reason: z
      .enum(['ignored', 'switched_off', 'no_frontmatter', 'no_description', 'same_file', 'same_name'])
      .describe('Why pi leaves out the file. `same_file` and `same_name`: pi uses `winner` instead.'),
    winner: z
      .string()
      .optional()
      .describe('The path of the skill that pi uses instead. Absent if there is none.'),
  })
  .meta({ id: 'LeftOutSkill' });

const contextFile = z
  .object({
    path: z.string().describe('The path of the file, as pi finds it.'),
    from: z
      .enum(['agent', 'directory'])
      .describe(
        'The source of the file. `agent`: the agent’s directory. `directory`: the working directory or one above it.',
      ),
    tokens,
  })
  .meta({ id: 'PromptContextFile' });

const promptMcpServer = z
  .object({
    name: z.string().describe('The name of the server.'),
    tokens: tokens.describe(
      'The model tokens of the server’s line in the section `mcp_servers`. 0 if it has none.',
    ),
    complete: z
      .boolean()
      .describe('False if pi adds more, such as a description or tools that only the running server knows.'),
  })
  .meta({ id: 'PromptMcpServer' });

/** The codes that a {@link PromptNote} can have. */
const PROMPT_NOTE_CODES = [
  'default_prompt',
  'pi_directory_unknown',
  'extensions',
  'agent_md_unused',
  'agent_md_differs',
  'append_unused',
  'unknown_tools',
  'project_not_trusted',
  'settings_unread',
  'packages_unread',
  'mcp_unknown',
  'mcp_tools',
  'mcp_broken',
  'mcp_refused',
  'outside_left_out',
  'hidden',
  'unreadable',
] as const;

const promptNote = z.object({
  code: codeOf(PROMPT_NOTE_CODES),
  message: z.string().describe('A sentence or two for people.'),
});

/** Something that a reader of the prompt should know. */
export type PromptNote = z.infer<typeof promptNote>;

const lastSent = z
  .object({
    at: z.iso.datetime().describe('When pi recorded the prompt, in UTC.'),
    session: z
      .string()
      .describe(
        'The path of the session file, relative to the root. For a file outside the root, its absolute path.',
      ),
    cwd: z.string().optional().describe('The working directory of the session.'),
    sections: z
      .array(
        z.object({
          name: z.string().describe('The name of the section.'),
          text: z.string().describe('The text of the section.'),
          tokens,
        }),
      )
      .optional()
      .describe('The sections.'),
    tools: z.array(z.string()).describe('The names of the tools.'),
    tokens,
    partial: z
      .boolean()
      .describe('True if the session file is so long that dot-mi may have missed a later change.'),
  })
  .meta({ id: 'LastSentPrompt' });

const agentPrompt = z
  .object({
    piVersion: z.enum(PI_VERSIONS).describe('The version of pi that the prompt is for.'),
    installedPi: z
      .string()
      .nullable()
      .describe(
        'The version of the installed pi, such as `1.6.0`. Null if dot-mi can’t find pi on its PATH.',
      ),
    cwd: z.string().describe('The working directory of the run.'),
    trusted: z.boolean().describe('True if pi reads the `.pi` and `.agents` files of the working directory.'),
    complete: z.boolean().describe('False if `text` lacks something that pi would send. `notes` says what.'),
    unreadable: unreadableFilesSchema,
    text: z.string().describe('The whole prompt.'),
    sections: z.array(promptSection).describe('The sections of the prompt, in order.'),
    skills: z.array(promptSkill).describe('The skills that pi loads.'),
    leftOutSkills: z.array(leftOutSkill).describe('Files that look like skills, but that pi leaves out.'),
    contextFiles: z.array(contextFile).describe('The context files that pi reads, such as AGENTS.md.'),
    mcpServers: z
      .array(promptMcpServer)
      .describe('The MCP servers that pi starts, and what each adds to the prompt.'),
    tools: z.array(z.string()).describe('The built-in tools of pi that the agent starts with.'),
    model: z
      .object({
        name: z.string().describe('The name of the model.'),
        source: z.enum(['pi-args', 'AGENT.md', 'settings.json']).describe('The file that names the model.'),
      })
      .nullable()
      .describe('The model that the agent starts with. Null if no file names one.'),
    totalTokens: tokens.describe('The model tokens of `text`. Tool definitions cost extra.'),
    tokenizer: tokenizerSchema,
    lastSent: lastSent
      .optional()
      .describe(
        'The prompt that the newest session recorded. pi 0.87 and later record it. Absent if no session has one. Only the operator gets it.',
      ),
    directories: z
      .array(z.string())
      .describe('Working directories to choose from: the default, the root, and those of recent sessions.'),
    notes: z.array(promptNote).describe('Notes on what dot-mi can’t predict.'),
  })
  .meta({ id: 'AgentPrompt' });

/** The response of {@link getPrompt}. */
export type AgentPrompt = z.infer<typeof agentPrompt>;

/** Predicts the prompt that pi will send for an agent. */
export const getPrompt = defineEndpoint({
  id: 'prompt.get',
  method: 'GET',
  path: '/api/agents/:id/prompt',
  summary: 'Predict the prompt that pi sends for an agent',
  description:
    'Builds the prompt from the files on disk, as pi does, and runs nothing. Extensions can still change it. ' +
    'With the operator token, `cwd` can be any directory. The prompt then includes files outside the root that pi reads, such as context files above the working directory and `~/.agents/skills`. ' +
    'Without the token, `cwd` must be in the root. The prompt then leaves out files outside the root, and `complete` is false. ' +
    'Text that only the operator sees counts, and `[hidden: <path>]` replaces it.',
  task: 'Predict the prompt of an agent',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  query: z.object({
    cwd: z
      .string()
      .max(4096)
      .regex(/^([A-Za-z]:[\\/]|[\\/])[^\0]*$/, 'cwd must be an absolute path.')
      .optional()
      .describe(
        'The absolute path of the working directory. Default: a new workspace if the agent has a workspace.conf, or else the root.',
      ),
    piVersion: z
      .enum(PI_VERSIONS)
      .optional()
      .describe(
        'The version of pi that the prompt is for. Default: the installed version, or else the newest.',
      ),
    trusted: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        '`true` includes the project files in `cwd` that need trust. Default: what pi decides without asking.',
      ),
  }),
  success: { status: 200, body: agentPrompt },
  errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'not_a_directory', 'root_unavailable'],
});
