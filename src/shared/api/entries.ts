import { z } from 'zod';
import { ENTRY_ROLES } from '../../pi/entry-roles.ts';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { name } from './fields.ts';
import { entryProblemSchema } from './problem.ts';

/** The most entries listed for a directory. */
export const MAX_ENTRIES = 1_000;

const agentEntry = z
  .object({
    name,
    kind: z
      .enum(['file', 'directory', 'symlink', 'other'])
      .describe('The kind of entry. `other`: a pipe, a socket or a device.'),
    role: z.enum(ENTRY_ROLES).describe('The purpose of an entry with this name, for pi or dot-mi.'),
    size: z.int().nonnegative().optional().describe('The size in bytes. Absent unless it is a file.'),
    modifiedAt: z.iso
      .datetime()
      .optional()
      .describe('When it was last written. Absent if dot-mi can’t read it.'),
    linkTarget: z
      .string()
      .optional()
      .describe(
        'The target of the symlink, as stored on disk. Absent if it is outside the root or can’t be resolved.',
      ),
    isOutside: z
      .literal(true)
      .optional()
      .describe('True for a symlink to a path outside the root. The API doesn’t show that path.'),
    broken: z
      .literal(true)
      .optional()
      .describe('True for a symlink whose target, inside the root, doesn’t exist.'),
    isHidden: z
      .literal(true)
      .optional()
      .describe(
        'True if you can’t see the content of this entry, or where this symlink leads. Only its name, kind and role are shown.',
      ),
    problem: entryProblemSchema.optional(),
  })
  .meta({ id: 'AgentEntry' });

/** A file, directory or symlink in an agent's directory. */
export type AgentEntry = z.infer<typeof agentEntry>;

/** Lists everything in an agent's directory, one level deep, without reading any content. */
export const listEntries = defineEndpoint({
  id: 'files.entries',
  method: 'GET',
  path: '/api/agents/:id/entries',
  summary: 'List everything in an agent’s directory',
  description:
    `Lists one level, sorted by name, and reads no content. Lists at most ${MAX_ENTRIES.toLocaleString('en')} entries, ` +
    'but never leaves out entries that pi or dot-mi uses.',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  success: {
    status: 200,
    body: z.object({
      entries: z.array(agentEntry).describe('The entries of the directory.'),
      isTruncated: z.boolean().describe('True if the directory has more entries.'),
    }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable'],
});

/** The entries of an agent's directory. */
export type AgentEntries = z.infer<typeof listEntries.success.body>;
