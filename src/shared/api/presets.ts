import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { etag, name, ok, okBody } from './fields.ts';
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

/** The most bytes of the file of a preset: 64 KiB. */
export const MAX_PRESET_BYTES = 64 * 1024;

/** The longest name of a preset, in characters. */
const MAX_PRESET_NAME_LENGTH = 64;

/** One sentence that describes the name of a preset. */
export const PRESET_NAME_RULE =
  'The name of a preset has up to 64 characters: no "/", "\\", ":" or NUL, no "." at the start, no "." or space at the end, and no Windows device name.';

/** Whether `text` can name a preset: a link name that is short enough for a file name with any ending. */
export const isPresetName = (text: string): boolean =>
  isLinkName(text) && text.trim() === text && text.length <= MAX_PRESET_NAME_LENGTH;

const presetName = z
  .string()
  .refine(isPresetName, { message: PRESET_NAME_RULE, params: { code: 'invalid_name' } })
  .meta({ description: 'The name, one path segment.', examples: ['research'] });

const mcpEntries = z.record(z.string(), z.record(z.string(), z.json()));

const preset = z
  .object({
    name,
    description: z.string().optional().describe('A description in one or two sentences.'),
    skills: z.array(z.string()).describe('Names of shared skills.'),
    extensions: z.array(z.string()).describe('Names of shared extensions.'),
    prompts: z.array(z.string()).describe('Names of shared prompt templates, such as `review.md`.'),
    themes: z.array(z.string()).describe('Names of shared themes, such as `quiet.json`.'),
    mcpServers: mcpEntries.describe('MCP servers by name, as in an mcp.json. They hold no secrets.'),
    missing: z
      .array(z.object({ kind: linkKindSchema, name }))
      .describe('Those of its names that are not in the catalog now.'),
    etag: z.string().nullable().describe('A strong ETag. Null if the file was not read.'),
    problem: entryProblemSchema
      .optional()
      .describe("Why the file can't be used. The lists are then empty. Other presets aren't affected."),
  })
  .meta({ id: 'Preset' });

/** A named set of shared entries and MCP servers. */
export type Preset = z.infer<typeof preset>;

const content = z.strictObject({
  description: z.string().max(1000).optional().describe('A description in one or two sentences.'),
  skills: z.array(linkNameSchema).default([]).describe('Names of shared skills.'),
  extensions: z.array(linkNameSchema).default([]).describe('Names of shared extensions.'),
  prompts: z
    .array(linkNameSchema)
    .default([])
    .describe('Names of shared prompt templates, such as `review.md`.'),
  themes: z.array(linkNameSchema).default([]).describe('Names of shared themes, such as `quiet.json`.'),
  mcpServers: mcpEntries
    .default({})
    .describe(
      'MCP servers by name, as in an mcp.json. Environment variables and headers can be only variables, such as `$TOKEN`.',
    ),
});

const writtenContent = content.extend({
  mcpServersFrom: z
    .record(mcpNameSchema, agentIdSchema)
    .default({})
    .describe('More MCP servers, by name: the agents whose entries are copied into the preset.'),
});

/** A preset as a caller sends it. */
export type WrittenPreset = z.output<typeof writtenContent>;

/** What a caller writes into a preset. */
export type PresetContent = z.output<typeof content>;

const params = z.strictObject({ name: presetName });
const ifMatch = etagHeaderSchema.describe('Only if the file still has one of these etags.');

/** Lists the presets of the root, sorted by name. */
export const listPresets = defineEndpoint({
  id: 'presets.list',
  method: 'GET',
  path: '/api/presets',
  summary: 'List the presets',
  description: 'Reads `shared/presets/<name>.json`. A file that is damaged has a `problem`.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ presets: z.array(preset).describe('The presets, by name.') }),
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
    'Keeps the fields of the file that dot-mi does not know. Send `If-Match` with the etag you read, or `If-None-Match: *` to ' +
    'create it only if there is none.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params,
  headers: z.object({
    'if-match': ifMatch,
    'if-none-match': etagHeaderSchema.describe('`*`: only if there is no such preset.'),
  }),
  body: writtenContent,
  success: {
    status: 200,
    body: z.object({ ok, etag, created: z.boolean().describe('True if the file did not exist before.') }),
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
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params,
  headers: z.object({ 'if-match': ifMatch }),
  body: z.strictObject({ name: presetName }),
  success: { status: 200, body: z.object({ ok, name }) },
  errors: [...FILE_ERRORS, 'preset_exists', 'file_changed'],
});

/** Moves a preset to the trash. {@link restorePreset} undoes it. */
export const deletePreset = defineEndpoint({
  id: 'presets.delete',
  method: 'DELETE',
  path: '/api/presets/:name',
  summary: 'Delete a preset',
  description: 'Moves it to the trash, and changes no link.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params,
  headers: z.object({ 'if-match': ifMatch }),
  success: {
    status: 200,
    body: okBody.extend({ entry: z.string().describe('The name of the trash entry, for restoring it.') }),
  },
  errors: [...FILE_ERRORS, 'file_changed'],
});

/** Restores a deleted preset, byte for byte. */
export const restorePreset = defineEndpoint({
  id: 'presets.restore',
  method: 'POST',
  path: '/api/presets/:name/restore',
  summary: 'Restore a deleted preset',
  description: 'Restores the one of this name that was deleted last, from the trash.',
  access: 'api',
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
      .describe('Names of the preset that are not in the catalog, so no agent got them.'),
    mcp: bulkMcpResult.describe('The result for its MCP servers. It has an undo of its own.'),
  })
  .meta({ id: 'AppliedPreset' });

/** The response of {@link applyPreset}. */
export type AppliedPreset = z.infer<typeof applied>;

/** Gives agents the shared entries of a preset. */
export const applyPreset = defineEndpoint({
  id: 'presets.apply',
  method: 'POST',
  path: '/api/presets/:name/apply',
  summary: 'Apply a preset to agents',
  description:
    'One bulk change of links: each name has its own result, and `POST /api/links/bulk/:undo/undo` undoes all of it. Broken links ' +
    'of the names are replaced. Local entries stay. MCP servers are added in another bulk change, which ' +
    '`POST /api/mcp/bulk/:undo/undo` undoes. An agent that has another server of the name keeps it.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params,
  body: z.strictObject({
    agents: z.array(agentIdSchema).describe('The ids of the agents.'),
    unlinkOthers: z.boolean().optional().describe('Also remove the links that the preset does not name.'),
  }),
  success: { status: 200, body: applied },
  errors: [...FILE_ERRORS, 'invalid_agent_id', 'preset_unreadable', 'mcp_server_refused', 'outside_root'],
});
