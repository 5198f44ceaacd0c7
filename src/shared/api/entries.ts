import { z } from 'zod';
import { ENTRY_ROLES } from '../pi/entry-roles.ts';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { name } from './fields.ts';
import { entryProblemSchema } from './problem.ts';

/** The most entries of a directory that are listed. */
export const MAX_ENTRIES = 1_000;

const agentEntry = z
  .object({
    name,
    kind: z
      .enum(['file', 'directory', 'symlink', 'other'])
      .describe('`other`: a pipe, a socket or a device.'),
    role: z.enum(ENTRY_ROLES).describe('Its purpose for pi or dot-mi, by its name.'),
    size: z.int().nonnegative().optional().describe('In bytes. Files only.'),
    modifiedAt: z.iso.datetime().optional().describe('When it was last written.'),
    linkTarget: z
      .string()
      .optional()
      .describe("The symlink's text. Absent if the target is outside the root, or can't be resolved."),
    isOutside: z
      .literal(true)
      .optional()
      .describe('A symlink to a place outside the root. dot-mi says nothing else about its target.'),
    broken: z.literal(true).optional().describe("A symlink in the root whose target doesn't exist."),
    problem: entryProblemSchema.optional(),
  })
  .meta({ id: 'AgentEntry' });

/** A file, directory or symlink of an agent's directory. */
export type AgentEntry = z.infer<typeof agentEntry>;

/** Everything in an agent's directory, one level deep. No content is read. */
export const listEntries = defineEndpoint({
  id: 'files.entries',
  method: 'GET',
  path: '/api/agents/:id/entries',
  summary: "List everything in an agent's directory",
  description:
    `One level deep, sorted by name. Reads no content. Lists at most ${MAX_ENTRIES.toLocaleString('en')} entries, ` +
    'and always those that pi or dot-mi know by name.',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  success: {
    status: 200,
    body: z.object({
      entries: z.array(agentEntry).describe('The entries of this page of the list.'),
      isTruncated: z.boolean().describe('The directory has more entries than are listed.'),
    }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable'],
});

/** The entries of an agent's directory. */
export type AgentEntries = z.infer<typeof listEntries.success.body>;
