import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentIdSchema } from './names.ts';
import { entryProblemSchema } from './problem.ts';

/** How long a deleted agent can be restored, in days. */
export const TRASH_DAYS = 30;

const trashEntry = z
  .object({
    entry: z.string().describe('The name of this trash entry, for restoring or removing it.'),
    id: z.string().describe('The id of the deleted agent.'),
    deletedAt: z.iso.datetime(),
    problem: entryProblemSchema
      .optional()
      .describe("Why it can't be restored. `id` and `deletedAt` are then those of its name."),
  })
  .meta({ id: 'TrashEntry' });

/** A deleted agent that can still be restored. */
export type TrashEntry = z.infer<typeof trashEntry>;

// Not refined, because an unknown name is simply not found.
const entryParams = z.strictObject({ entry: z.string() });

/** The deleted agents, newest first. */
export const listTrash = defineEndpoint({
  id: 'trash.list',
  method: 'GET',
  path: '/api/trash',
  summary: 'List the deleted agents',
  access: 'api',
  success: { status: 200, body: z.object({ entries: z.array(trashEntry) }) },
  errors: ['root_unavailable'],
});

/** Restores a deleted agent exactly as it was. */
export const restoreFromTrash = defineEndpoint({
  id: 'trash.restore',
  method: 'POST',
  path: '/api/trash/:entry/restore',
  summary: 'Restore a deleted agent',
  access: 'api',
  ofRoot: true,
  params: entryParams,
  query: z.object({
    name: agentIdSchema
      .optional()
      .describe('Another id for the restored agent, if its own is taken. Default: its own id.'),
  }),
  success: { status: 200, body: z.object({ ok: z.literal(true), id: z.string() }) },
  errors: [
    'invalid_agent_id',
    'trash_entry_not_found',
    'trash_entry_unreadable',
    'agent_exists',
    'root_unavailable',
  ],
});

/** Removes a deleted agent permanently. */
export const removeFromTrash = defineEndpoint({
  id: 'trash.remove',
  method: 'DELETE',
  path: '/api/trash/:entry',
  summary: 'Remove a deleted agent permanently',
  access: 'api',
  ofRoot: true,
  params: entryParams,
  success: { status: 200, body: z.object({ ok: z.literal(true) }) },
  errors: ['trash_entry_not_found', 'root_unavailable'],
});
