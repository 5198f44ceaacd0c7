import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { etag, MAX_AGENTS, MAX_NAMES, name, ok, okBody } from './fields.ts';
import { bulkResult } from './links.ts';
import { bulkMcpResult } from './mcp-result.ts';
import {
  agentIdSchema,
  etagHeaderSchema,
  isLinkName,
  linkKindSchema,
  linkNameSchema,
  mcpNameSchema,
} from './names.ts';
import { entryProblemSchema } from './problem.ts';

/** The size limit for a preset file: 64 KiB. */
export const MAX_PRESET_BYTES = 64 * 1024;

/** The length limit for a preset's name, in characters. */
const MAX_PRESET_NAME_LENGTH = 64;

/** The rule for preset names, as one sentence. */
export const PRESET_NAME_RULE =
  'The name of a preset has up to 64 characters, without "/", "\\", ":" or NUL. It can’t start with ".", end with "." or a space, or be a Windows device name.';

/** Returns whether `text` can name a preset: a link name that is short enough for a file name with any extension. */
export const isPresetName = (text: string): boolean =>
  isLinkName(text) && text.trim() === text && text.length <= MAX_PRESET_NAME_LENGTH;

const presetName = z
  .string()
  .refine(isPresetName, { message: PRESET_NAME_RULE, params: { code: 'invalid_name' } })
  .meta({ description: 'The name, a single path segment.', examples: ['research'] });

const mcpEntries = z.record(z.string(), z.record(z.string(), z.json()));

const preset = z
  .object({
    name,
    description: z.string().optional().describe('A sentence about the preset. Absent if there is none.'),
    skills: z.array(z.string()).describe('The names of shared skills.'),
    extensions: z.array(z.string()).describe('The names of shared extensions.'),
    prompts: z.array(z.string()).describe('The names of shared prompt templates, such as `review.md`.'),
    themes: z.array(z.string()).describe('The names of shared themes, such as `quiet.json`.'),
    mcpServers: mcpEntries.describe('The MCP servers by name, as in an mcp.json. They contain no secrets.'),
    missing: z
      .array(z.object({ kind: linkKindSchema, name }))
      .describe('The names in the preset that aren’t in the catalog now.'),
    etag: z.string().nullable().describe('The etag of the file. Null if dot-mi couldn’t read it.'),
    problem: entryProblemSchema
      .optional()
      .describe(
        'Why dot-mi can’t use the file. The lists are then empty. Other presets aren’t affected. Absent if dot-mi can use it.',
      ),
  })
  .meta({ id: 'Preset' });

/** A named set of shared entries and MCP servers. */
export type Preset = z.infer<typeof preset>;

const names = z.array(linkNameSchema).max(MAX_NAMES);

const content = z.strictObject({
  description: z.string().max(1000).optional().describe('A sentence about the preset.'),
  skills: names.default([]).describe('The names of shared skills.'),
  extensions: names.default([]).describe('The names of shared extensions.'),
  prompts: names.default([]).describe('The names of shared prompt templates, such as `review.md`.'),
  themes: names.default([]).describe('The names of shared themes, such as `quiet.json`.'),
  mcpServers: z
    .record(z.string(), z.record(z.string(), z.json()))
    .default({})
    .describe(
      'The MCP servers by name, as in an mcp.json. Environment variables and headers can only name variables, such as `$TOKEN`.',
    ),
});

const writtenContent = content.extend({
  mcpServersFrom: z
    .record(mcpNameSchema, agentIdSchema)
    .default({})
    .describe('More MCP servers, by name. Each value is the agent to copy the server from.'),
});

/** A preset in a request. */
export type WrittenPreset = z.output<typeof writtenContent>;

export type PresetContent = z.output<typeof content>;

const params = z.strictObject({ name: presetName });
const ifMatch = etagHeaderSchema.describe('Change the preset only if it still has one of these etags.');

/** Lists the root's presets, sorted by name. */
export const listPresets = defineEndpoint({
  id: 'presets.list',
  method: 'GET',
  path: '/api/presets',
  summary: 'List the presets',
  description: 'Reads `shared/presets/<name>.json`. A damaged file has a `problem`.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ presets: z.array(preset).describe('The presets, sorted by name.') }),
  },
  errors: ['not_a_directory', 'root_unavailable'],
});

/** Reads one preset. */
export const readPreset = defineEndpoint({
  id: 'presets.read',
  method: 'GET',
  path: '/api/presets/:name',
  summary: 'Read a preset',
  access: 'api',
  keys: ['read-agents'],
  params,
  success: { status: 200, body: preset },
  errors: ['invalid_name', 'preset_not_found', 'not_a_directory', 'root_unavailable'],
});

/** Creates or replaces a preset. */
export const writePreset = defineEndpoint({
  id: 'presets.write',
  method: 'PUT',
  path: '/api/presets/:name',
  summary: 'Create or replace a preset',
  description:
    'Keeps fields in the file that dot-mi doesn’t know. To replace only what you read, send its etag in `If-Match`. To ' +
    'create a preset without replacing one, send `If-None-Match: *`.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params,
  headers: z.object({
    'if-match': ifMatch,
    'if-none-match': etagHeaderSchema.describe('`*`: create the preset only if it doesn’t exist.'),
  }),
  body: writtenContent,
  records: true,
  success: {
    status: 200,
    body: z.object({ ok, etag, created: z.boolean().describe('True if the preset didn’t exist before.') }),
  },
  errors: [
    'invalid_name',
    'file_changed',
    'preset_unreadable',
    'mcp_server_not_found',
    'mcp_server_refused',
    'linked_file',
    'not_a_file',
    'file_too_large',
    'not_a_directory',
    'root_unavailable',
  ],
});

const FILE_ERRORS = [
  'invalid_name',
  'preset_not_found',
  'linked_file',
  'not_a_file',
  'file_too_large',
  'not_a_directory',
  'root_unavailable',
] as const;

/** Renames a preset. */
export const renamePreset = defineEndpoint({
  id: 'presets.rename',
  method: 'POST',
  path: '/api/presets/:name/rename',
  summary: 'Rename a preset',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params,
  headers: z.object({ 'if-match': ifMatch }),
  body: z.strictObject({ name: presetName }),
  records: true,
  success: { status: 200, body: z.object({ ok, name }) },
  errors: [...FILE_ERRORS, 'preset_exists', 'file_changed'],
});

/** Moves a preset to the trash. {@link restorePreset} undoes it. */
export const deletePreset = defineEndpoint({
  id: 'presets.delete',
  method: 'DELETE',
  path: '/api/presets/:name',
  summary: 'Delete a preset',
  description: 'Moves it to the trash. Links stay the same.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params,
  headers: z.object({ 'if-match': ifMatch }),
  records: true,
  success: {
    status: 200,
    body: okBody.extend({
      entry: z.string().describe('The name of the trash item. Use it to restore the preset.'),
    }),
  },
  errors: [...FILE_ERRORS, 'file_changed'],
});

/** Restores a deleted preset, byte for byte. */
export const restorePreset = defineEndpoint({
  id: 'presets.restore',
  method: 'POST',
  path: '/api/presets/:name/restore',
  summary: 'Restore a deleted preset',
  description:
    'Restores the preset with this name from the trash. If there are several, restores the one deleted last.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params,
  success: { status: 200, body: okBody },
  errors: ['invalid_name', 'preset_not_found', 'preset_exists', 'not_a_directory', 'root_unavailable'],
});

const applied = bulkResult
  .extend({
    missing: z
      .array(z.object({ kind: linkKindSchema, name }))
      .describe('The names in the preset that aren’t in the catalog, so no agent was linked to them.'),
    mcp: bulkMcpResult.describe(
      'The result for the MCP servers. `undo` is null, because the change of the links includes them.',
    ),
  })
  .meta({ id: 'AppliedPreset' });

/** The response of {@link applyPreset}. */
export type AppliedPreset = z.infer<typeof applied>;

/** Links agents to the shared entries of a preset, and adds its MCP servers. */
export const applyPreset = defineEndpoint({
  id: 'presets.apply',
  method: 'POST',
  path: '/api/presets/:name/apply',
  summary: 'Apply a preset to agents',
  description:
    'Links the entries and adds the MCP servers in one change. Each name has its own result, and one undo takes all of them back. ' +
    'Replaces broken links that have these names, and keeps local entries. An agent that has another server with the same name keeps it.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params,
  body: z.strictObject({
    agents: z.array(agentIdSchema).max(MAX_AGENTS).describe('The ids of the agents.'),
    unlinkOthers: z
      .boolean()
      .optional()
      .describe('True: also remove the agents’ links that the preset doesn’t name.'),
  }),
  records: true,
  success: { status: 200, body: applied },
  errors: [...FILE_ERRORS, 'invalid_agent_id', 'preset_unreadable', 'mcp_server_refused', 'outside_root'],
});
