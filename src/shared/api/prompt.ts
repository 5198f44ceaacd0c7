import { z } from 'zod';
import { PI_VERSIONS } from '../pi/flags.ts';
import { agentParams } from './agents.ts';
import { tokenizerSchema, unreadableFilesSchema } from './cost.ts';
import { defineEndpoint } from './endpoint.ts';
import { codeOf } from './fields.ts';
import { editableFileSchema } from './names.ts';

/** The names of the parts of a prompt, in their order. `agent` comes from AGENT.md, `mcp_servers` from mcp.json. */
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

/** One of {@link SECTION_NAMES}. */
export type SectionName = (typeof SECTION_NAMES)[number];

const tokens = z.int().nonnegative().describe('How many model tokens.');

const sectionSource = z
  .object({
    kind: z
      .enum(['file', 'argument', 'pi', 'files', 'skills', 'directory', 'mcp'])
      .describe(
        'The origin of the section: one file, an argument in pi-args, pi itself, the context files, the skills, the working directory, or the mcp.json files.',
      ),
    path: z.string().optional().describe('The absolute path of a single file.'),
    file: editableFileSchema.optional().describe("The file's name, if it is an editable file of the agent."),
  })
  .meta({ id: 'PromptSource' });

/** Where a section of a prompt comes from. */
export type PromptSource = z.infer<typeof sectionSource>;

const promptSection = z
  .object({
    name: z.enum(SECTION_NAMES).describe('The name of the section.'),
    source: sectionSource,
    text: z.string().describe('The section as in the prompt, with its tags.'),
    tokens,
  })
  .meta({ id: 'PromptSection' });

const promptSkill = z
  .object({
    name: z.string().describe('The name of the skill.'),
    path: z.string().describe('The path of its file, as pi found it.'),
    from: z
      .enum(['agent', 'project', 'home', 'argument'])
      .describe(
        "The agent's directory, the working directory's project, `~/.agents/skills`, or a --skill in pi-args.",
      ),
    inPrompt: z.boolean().describe('False if the prompt leaves it out.'),
    tokens: tokens.describe('The tokens that it adds to the prompt. 0 if it is not in it.'),
  })
  .meta({ id: 'PromptSkill' });

/** A skill that pi loads for an agent. */
export type PromptSkill = z.infer<typeof promptSkill>;

const leftOutSkill = z
  .object({
    path: z.string().describe('The path of its file, as pi found it.'),
    reason: z
      .enum(['ignored', 'switched_off', 'no_frontmatter', 'no_description', 'same_file', 'same_name'])
      .describe('A code for programs that says why.'),
    winner: z.string().optional().describe('The path of the skill that is used instead.'),
  })
  .meta({ id: 'LeftOutSkill' });

const contextFile = z
  .object({
    path: z.string().describe('The path of the file, as pi found it.'),
    from: z
      .enum(['agent', 'directory'])
      .describe("The agent's directory, or the working directory and those above it."),
    tokens,
  })
  .meta({ id: 'PromptContextFile' });

const promptMcpServer = z
  .object({
    name: z.string().describe('The name of the server.'),
    tokens: tokens.describe('The tokens of its line in the section `mcp_servers`. 0 without one.'),
    complete: z
      .boolean()
      .describe('False if pi adds more that only the running server knows: its description, or its tools.'),
  })
  .meta({ id: 'PromptMcpServer' });

/** The codes of the notes of a prompt. */
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
  'mcp_unknown',
  'mcp_tools',
  'mcp_broken',
  'mcp_refused',
  'outside_left_out',
  'unreadable',
] as const;

const promptNote = z.object({
  code: codeOf(PROMPT_NOTE_CODES),
  message: z.string().describe('One or two sentences for people.'),
});

/** Something that the reader of a prompt should know. */
export type PromptNote = z.infer<typeof promptNote>;

const lastSent = z
  .object({
    at: z.iso.datetime().describe('The time, in UTC.'),
    session: z
      .string()
      .describe(
        'The path of the session file, relative to the root. Outside the root, the operator gets its absolute path and others its name.',
      ),
    cwd: z.string().optional().describe('The directory in which the session ran. Only for the operator.'),
    sections: z
      .array(
        z.object({
          name: z.string().describe('The name of the section.'),
          text: z.string().describe('The text.'),
          tokens,
        }),
      )
      .optional()
      .describe('Only for the operator, because they may quote files outside the root.'),
    tools: z.array(z.string()).describe('The names of the tools.'),
    tokens,
    partial: z
      .boolean()
      .describe('True if the session file is so long that a later change may have been missed.'),
  })
  .meta({ id: 'LastSentPrompt' });

const agentPrompt = z
  .object({
    piVersion: z.enum(PI_VERSIONS).describe('The version of pi that the prompt is for.'),
    installedPi: z
      .string()
      .nullable()
      .describe('The version of the installed pi, such as `1.5.2`. Null if dot-mi finds none on its PATH.'),
    cwd: z.string().describe('The working directory of the run.'),
    trusted: z.boolean().describe("True if pi reads the working directory's `.pi` and `.agents` files."),
    complete: z
      .boolean()
      .describe('False if something that pi would send is not in `text`. `notes` says what.'),
    unreadable: unreadableFilesSchema,
    text: z.string().describe('The whole prompt.'),
    sections: z.array(promptSection).describe('The sections of the prompt, in order.'),
    skills: z.array(promptSkill).describe('The skills that pi loads.'),
    leftOutSkills: z.array(leftOutSkill).describe('Files that look like skills, which pi leaves out.'),
    contextFiles: z.array(contextFile).describe('The context files that pi reads, such as AGENTS.md.'),
    mcpServers: z.array(promptMcpServer).describe('The MCP servers that pi starts, with what each adds.'),
    tools: z.array(z.string()).describe("pi's own tools that the agent starts with."),
    model: z
      .object({
        name: z.string().describe('The name of the model.'),
        source: z.enum(['pi-args', 'AGENT.md', 'settings.json']).describe('The file that names the model.'),
      })
      .nullable()
      .describe('The model that the agent starts with, and the file that names it. Null if none does.'),
    totalTokens: tokens.describe('The tokens of `text`. Tool definitions cost tokens in addition.'),
    tokenizer: tokenizerSchema,
    lastSent: lastSent
      .optional()
      .describe('The prompt of the newest session that recorded one. pi 0.87 and later record it.'),
    directories: z
      .array(z.string())
      .describe('Working directories to ask about: the default, the root, and those of recent sessions.'),
    notes: z.array(promptNote).describe('Notes on what the prediction leaves open.'),
  })
  .meta({ id: 'AgentPrompt' });

/** The response of {@link getPrompt}. */
export type AgentPrompt = z.infer<typeof agentPrompt>;

/** The prompt that pi will send for an agent. */
export const getPrompt = defineEndpoint({
  id: 'prompt.get',
  method: 'GET',
  path: '/api/agents/:id/prompt',
  summary: 'Predict the prompt that pi sends for an agent',
  description:
    'Builds the prompt from the files on disk, as pi does, and runs nothing. Extensions can still change it. ' +
    'With the operator token, `cwd` may be any directory, and files outside the root that pi reads are included: context files above the working directory, and `~/.agents/skills`. ' +
    'Without it, `cwd` must be in the root, and what lies outside is left out (`complete` is false).',
  task: 'Predict the prompt of an agent',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  query: z.object({
    cwd: z
      .string()
      .max(4096)
      .regex(/^([A-Za-z]:[\\/]|[\\/])/, 'cwd must be an absolute path.')
      .optional()
      .describe(
        'The absolute path of the working directory. Default: a new workspace for an agent with workspace.conf, else the root.',
      ),
    piVersion: z
      .enum(PI_VERSIONS)
      .optional()
      .describe(
        'The version of pi that the prompt is for. Default: the installed version, or the newest if there is none.',
      ),
    trusted: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        'True to include the files of the project in `cwd` that need trust. Default: as pi decides without asking.',
      ),
  }),
  success: { status: 200, body: agentPrompt },
  errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'not_a_directory', 'root_unavailable'],
});
