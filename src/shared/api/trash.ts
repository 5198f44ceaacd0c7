import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { id, ok, okBody } from './fields.ts';
import { agentIdSchema } from './names.ts';
import { entryProblemSchema } from './problem.ts';

/** How long an agent, session or preset stays in the trash, in days. */
export const TRASH_DAYS = 30;

/** A deleted session, as recorded in the trash. */
export const trashedSession = z.object({
  id,
  name: z.string().nullable().describe('The name of the session. Null if it has none.'),
  path: z.string().describe('The former path of its file, relative to the root.'),
});

const trashEntry = z
  .object({
    entry: z.string().describe('The name of this trash item. Use it to restore or remove the item.'),
    id: z
      .string()
      .describe('The id of the deleted agent, or of the deleted session’s agent. For a preset, its name.'),
    session: trashedSession
      .optional()
      .describe('The deleted session. Absent if the item is an agent or a preset.'),
    preset: z
      .string()
      .optional()
      .describe('The name of the deleted preset. Absent if the item isn’t a preset.'),
    deletedAt: z.iso.datetime().describe('When it was deleted.'),
    problem: entryProblemSchema
      .optional()
      .describe(
        'Why dot-mi can’t restore the item. `id` and `deletedAt` then come from the item’s name. Absent if dot-mi can restore it.',
      ),
  })
  .meta({ id: 'TrashEntry' });

/** A deleted agent, session or preset that can still be restored. */
export type TrashEntry = z.infer<typeof trashEntry>;

// Not refined, so that any unknown name gets trash_entry_not_found.
const entryParams = z.strictObject({ entry: z.string().describe('The name of a trash item.') });

/** Lists the deleted agents, sessions and presets, newest first. */
export const listTrash = defineEndpoint({
  id: 'trash.list',
  method: 'GET',
  path: '/api/trash',
  summary: 'List the deleted agents, sessions and presets',
  access: 'operator',
  keys: 'none',
  success: {
    status: 200,
    body: z.object({ entries: z.array(trashEntry).describe('The trash items, newest first.') }),
  },
  errors: ['root_unavailable'],
});

/** Restores a deleted agent, session or preset exactly as it was. */
export const restoreFromTrash = defineEndpoint({
  id: 'trash.restore',
  method: 'POST',
  path: '/api/trash/:entry/restore',
  summary: 'Restore a deleted agent, session or preset',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: entryParams,
  query: z.object({
    name: agentIdSchema
      .optional()
      .describe(
        'A new id for the restored agent, if its former id is taken. Default: its former id. Ignored for a session or preset.',
      ),
  }),
  records: true,
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
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: entryParams,
  success: { status: 200, body: okBody },
  errors: ['trash_entry_not_found', 'root_unavailable'],
});
