import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { id, ok, okBody } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { entryProblemSchema } from './problem.ts';

/** How long something deleted can be restored, in days. */
export const TRASH_DAYS = 30;

/** A deleted session, as its record in the trash says. */
export const trashedSession = z.object({
  id,
  name: z.string().nullable().describe('The name that the session was given, if any.'),
  path: z.string().describe('The former path of its file, relative to the root.'),
});

const trashEntry = z
  .object({
    entry: z.string().describe('The name of this trash entry, for restoring or removing it.'),
    id: z
      .string()
      .describe(
        'The id of the deleted agent, or of the agent of the deleted session. Of a preset, its name.',
      ),
    session: trashedSession.optional().describe('Present if a session was deleted, and not its agent.'),
    preset: z
      .string()
      .optional()
      .describe('The name of the deleted preset. Present only if a preset was deleted.'),
    deletedAt: z.iso.datetime().describe('When it was deleted.'),
    problem: entryProblemSchema
      .optional()
      .describe("Why it can't be restored. `id` and `deletedAt` are then those of its name."),
  })
  .meta({ id: 'TrashEntry' });

/** A deleted agent, session or preset that can still be restored. */
export type TrashEntry = z.infer<typeof trashEntry>;

// Not refined, because an unknown name is simply not found.
const entryParams = z.strictObject({ entry: z.string().describe('The name of an entry in the trash.') });

/** The deleted agents, sessions and presets, newest first. */
export const listTrash = defineEndpoint({
  id: 'trash.list',
  method: 'GET',
  path: '/api/trash',
  summary: 'List the deleted agents, sessions and presets',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    body: z.object({ entries: z.array(trashEntry).describe('The entries of this page of the list.') }),
  },
  errors: ['root_unavailable'],
});

/** Restores a deleted agent, session or preset exactly as it was. */
export const restoreFromTrash = defineEndpoint({
  id: 'trash.restore',
  method: 'POST',
  path: '/api/trash/:entry/restore',
  summary: 'Restore a deleted agent, session or preset',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params: entryParams,
  query: z.object({
    name: agentIdSchema
      .optional()
      .describe(
        'Another id for the restored agent, if its own is taken. Default: its own id. Ignored for a session or preset.',
      ),
  }),
  success: { status: 200, body: z.object({ ok, id }) },
  errors: [
    'invalid_agent_id',
    'trash_entry_not_found',
    'trash_entry_unreadable',
    'agent_exists',
    'session_exists',
    'preset_exists',
    'session_outside_root',
    'agent_not_found',
    'not_a_directory',
    'root_unavailable',
  ],
});

/** Removes a deleted agent, session or preset permanently. */
export const removeFromTrash = defineEndpoint({
  id: 'trash.remove',
  method: 'DELETE',
  path: '/api/trash/:entry',
  summary: 'Remove a deleted agent, session or preset permanently',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params: entryParams,
  success: { status: 200, body: okBody },
  errors: ['trash_entry_not_found', 'root_unavailable'],
});
