import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId, message, name, ok, okBody } from './fields.ts';
import { agentIdSchema, entryNameSchema, LINK_KIND_SHAPES, type LinkKind } from './names.ts';
import { entryProblemSchema } from './problem.ts';

const diagnostic = z
  .object({
    severity: z.enum(['error', 'warning']).describe('The severity.'),
    rule: z.string().describe('The id of the rule, for programs.'),
    message,
  })
  .meta({ id: 'Diagnostic' });

/** A problem in one of the root's files. */
export type Diagnostic = z.infer<typeof diagnostic>;

const diagnostics = z.array(diagnostic).describe('The problems of this entry. Empty if there are none.');

const sharedExtension = z
  .object({
    name,
    kind: z.enum(['file', 'dir']).describe('The kind: a file or a directory.'),
    path: z.string().describe('The path, relative to the root, with "/".'),
    description: z
      .string()
      .optional()
      .describe(
        '`description` in package.json, or else the comment at the top of the entry file. Absent if there is neither.',
      ),
    diagnostics: z
      .array(diagnostic)
      .describe('Problems that keep pi from loading the extension or a part of it. Empty if there are none.'),
  })
  .meta({ id: 'SharedExtension' });

/** An entry of `shared/extensions` with its description. */
export type SharedExtension = z.infer<typeof sharedExtension>;

const sharedSkill = z
  .object({
    name: z.string().describe('The name of the directory.'),
    nameFm: z.string().optional().describe('`name` in the frontmatter. Absent if there is none.'),
    description: z.string().optional().describe('`description` in the frontmatter. Absent if there is none.'),
    frontmatter: z
      .record(z.string(), z.json())
      .describe('The YAML at the start of SKILL.md, as an object. Empty if it isn’t valid.'),
    path: z.string().describe('The path of the directory, relative to the root, with "/".'),
    diagnostics,
  })
  .meta({ id: 'SharedSkill' });

/** A directory of `shared/skills` and the content of its SKILL.md. */
export type SharedSkill = z.infer<typeof sharedSkill>;

const entryPath = z.string().describe('The path, relative to the root, with "/".');

const sharedPrompt = z
  .object({
    name: z.string().describe('The name of the file.'),
    command: z.string().describe('The slash command, without `/`: the name of the file without `.md`.'),
    description: z
      .string()
      .optional()
      .describe('`description` in the frontmatter, or else the start of the first line, as pi shows it.'),
    argumentHint: z
      .string()
      .optional()
      .describe('`argument-hint` in the frontmatter. Absent if there is none.'),
    path: entryPath,
    diagnostics,
  })
  .meta({ id: 'SharedPrompt' });

/** A file of `shared/prompts`: a prompt template, which people use by typing `/` and its name. */
export type SharedPrompt = z.infer<typeof sharedPrompt>;

const sharedTheme = z
  .object({
    name: z.string().describe('The name of the file.'),
    themeName: z
      .string()
      .optional()
      .describe('`name` in the file, for the setting `theme`. Absent if pi refuses the theme.'),
    description: z.string().optional().describe('The name, and the background that the theme is made for.'),
    path: entryPath,
    diagnostics,
  })
  .meta({ id: 'SharedTheme' });

/** A file of `shared/themes`: colors for pi's terminal. */
export type SharedTheme = z.infer<typeof sharedTheme>;

/** Lists the shared extensions and their diagnostics. */
export const listExtensions = defineEndpoint({
  id: 'catalog.extensions',
  method: 'GET',
  path: '/api/catalog/extensions',
  summary: 'List the shared extensions',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ extensions: z.array(sharedExtension).describe('The shared extensions.') }),
  },
  errors: ['root_unavailable', 'outside_root'],
});

/** Lists the shared skills and their diagnostics. */
export const listSkills = defineEndpoint({
  id: 'catalog.skills',
  method: 'GET',
  path: '/api/catalog/skills',
  summary: 'List the shared skills',
  description:
    'If a SKILL.md isn’t valid, the skill’s `diagnostics` say why. The other skills aren’t affected.',
  task: 'List shared skills',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ skills: z.array(sharedSkill).describe('The shared skills.') }),
  },
  errors: ['root_unavailable', 'outside_root'],
});

/** Lists the shared prompt templates and their diagnostics. */
export const listPromptTemplates = defineEndpoint({
  id: 'catalog.prompts',
  method: 'GET',
  path: '/api/catalog/prompts',
  summary: 'List the shared prompt templates',
  description:
    'A prompt template is a Markdown file in `shared/prompts`. In agents that link to it, it is a slash command.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ prompts: z.array(sharedPrompt).describe('The shared prompt templates.') }),
  },
  errors: ['root_unavailable', 'outside_root'],
});

/** Lists the shared themes and their diagnostics. */
export const listThemes = defineEndpoint({
  id: 'catalog.themes',
  method: 'GET',
  path: '/api/catalog/themes',
  summary: 'List the shared themes',
  description:
    'A theme is a JSON file in `shared/themes`. An agent that links to it can select it with `theme` in settings.json.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ themes: z.array(sharedTheme).describe('The shared themes.') }),
  },
  errors: ['root_unavailable', 'outside_root'],
});

const entryText = z
  .object({
    name: z.string().describe('The name of the skill, prompt template or theme.'),
    description: z
      .string()
      .optional()
      .describe('The description, as in the catalog. Absent if there is none.'),
    path: z.string().describe('The path of the file with links resolved, relative to the root, with "/".'),
    text: z.string().describe('The whole file, with its frontmatter.'),
    diagnostics,
  })
  .meta({ id: 'EntryText' });

/** The text of a shared entry, or of one agent's own entry. */
export type EntryText = z.infer<typeof entryText>;

/** The kinds whose entries each have one text file: a SKILL.md, or the entry itself. */
export type TextKind = Exclude<LinkKind, 'extensions'>;

const textEndpoint = <K extends TextKind>(kind: K) =>
  defineEndpoint({
    id: `catalog.${kind}.text`,
    method: 'GET',
    path: `/api/catalog/${kind}/:name/text` as const,
    summary: `Read the ${kind === 'skills' ? 'SKILL.md' : 'text'} of a ${LINK_KIND_SHAPES[kind].one}`,
    description:
      `With \`agent\`, reads that agent’s ${LINK_KIND_SHAPES[kind].one} with this name, linked or local. ` +
      'Reads at most 2 MiB, and nothing outside the root.',
    ...(kind === 'skills' ? { task: 'Read a skill' } : {}),
    access: 'api',
    keys: ['read-agents'],
    params: z.strictObject({ name: entryNameSchema }),
    query: z.strictObject({
      agent: agentIdSchema.optional().describe('The agent to read from. Default: the shared entry.'),
    }),
    success: { status: 200, body: entryText },
    errors: [
      'invalid_name',
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

/** The routes that read the text of an entry, by kind. */
export const readEntryText = {
  skills: textEndpoint('skills'),
  prompts: textEndpoint('prompts'),
  themes: textEndpoint('themes'),
};

/** The prefix of a team's name in a list of agents. */
export const TEAM_PREFIX = 'team:';

const sharedEntryUsage = z
  .object({
    name: z.string().describe('The name of the shared entry.'),
    agents: z
      .array(z.string())
      .describe('The ids of the agents that link to it, sorted, then the teams as `team:<name>`.'),
  })
  .meta({ id: 'SharedEntryUsage' });

/** The agents that link to one shared entry. */
export type SharedEntryUsage = z.infer<typeof sharedEntryUsage>;

const unreadAgent = z
  .object({ id: agentId, problem: entryProblemSchema })
  .meta({ id: 'UnreadAgent', description: 'An agent whose links dot-mi can’t read.' });

/** An agent whose links can't be read. */
export type UnreadAgent = z.infer<typeof unreadAgent>;

const usageEndpoint = <K extends LinkKind>(kind: K) =>
  defineEndpoint({
    id: `catalog.${kind}.usage`,
    method: 'GET',
    path: `/api/catalog/${kind}/usage`,
    summary: `List the agents that link to each shared ${LINK_KIND_SHAPES[kind].one}`,
    description: `Leaves out ${LINK_KIND_SHAPES[kind].many} that no agent links to.`,
    ...(kind === 'skills' ? { task: 'See which agents have each skill' } : {}),
    access: 'api',
    keys: ['read-agents'],
    success: {
      status: 200,
      conditional: true,
      body: z.object({
        usage: z.array(sharedEntryUsage).describe('The shared entries that agents link to.'),
        unread: z
          .array(unreadAgent)
          .optional()
          .describe('Agents whose links dot-mi can’t read. Absent if there are none.'),
      }),
    },
    errors: ['root_unavailable', 'outside_root'],
  });

/** The routes that list which agents link to shared entries, by kind. */
export const listUsage = {
  extensions: usageEndpoint('extensions'),
  skills: usageEndpoint('skills'),
  prompts: usageEndpoint('prompts'),
  themes: usageEndpoint('themes'),
};

/** The skill that ships with dot-mi. It teaches agents this API. */
export const BUNDLED_SKILL = 'dot-mi';

const path = '/api/catalog/skills/dot-mi/install';

/** Adds the skill that ships with dot-mi to the shared skills. */
export const installSkill = defineEndpoint({
  id: 'catalog.skills.install',
  method: 'POST',
  path,
  summary: 'Add the skill dot-mi to the shared skills',
  description:
    'The skill teaches agents this API. This request never overwrites another skill with this name. To link the skill to agents, use POST /api/links/bulk.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  records: true,
  success: {
    status: 200,
    body: z.object({
      ok,
      created: z.boolean().describe('True if dot-mi added the skill. False if the root already had it.'),
      path: z.string().describe('The path of the skill’s directory, relative to the root, with "/".'),
    }),
  },
  errors: ['skill_differs', 'not_a_directory', 'outside_root', 'root_unavailable'],
});

/** Removes the skill that {@link installSkill} added. */
export const uninstallSkill = defineEndpoint({
  id: 'catalog.skills.uninstall',
  method: 'DELETE',
  path,
  summary: 'Remove the skill dot-mi, if nobody changed it',
  description:
    'This breaks the agents’ links to the skill until you add it again. The skill is then the same as before, byte for byte.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  records: true,
  success: { status: 200, body: okBody },
  errors: ['skill_differs', 'shared_entry_not_found', 'outside_root'],
});

/** The extension that ships with dot-mi. It reports what runs of pi are doing. */
export const STATUS_EXTENSION = 'dot-mi-status.ts';

/** Adds the status extension to the shared extensions. */
export const installStatusExtension = defineEndpoint({
  id: 'catalog.extensions.install',
  method: 'POST',
  path: '/api/catalog/extensions/dot-mi-status.ts/install',
  summary: 'Add the extension dot-mi-status.ts to the shared extensions',
  description:
    'The extension reports whether an agent is running, waiting or done. This request never overwrites a file with this name. To link the extension to agents, use POST /api/links/bulk.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  records: true,
  success: {
    status: 200,
    body: z.object({
      ok,
      created: z
        .boolean()
        .describe('True if dot-mi added the extension. False if the root already had one with this name.'),
      path: z.string().describe('The path of the file, relative to the root, with "/".'),
    }),
  },
  errors: ['not_a_directory', 'outside_root', 'root_unavailable'],
});
