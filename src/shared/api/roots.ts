import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

const knownRoot = z
  .object({
    path: z.string().describe('The absolute path.'),
    agents: z
      .int()
      .nonnegative()
      .nullable()
      .describe('The number of directories in `agents`. Null if `agents` is missing or unreadable.'),
    openedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the operator last chose it. Null if dot-mi found it.'),
    current: z.boolean().describe('True for the root that dot-mi manages now.'),
  })
  .meta({ id: 'KnownRoot' });

/** A directory that can be the root. */
export type KnownRoot = z.infer<typeof knownRoot>;

/** Lists the directories that the operator chose recently, and others that look like roots. */
export const listRoots = defineEndpoint({
  id: 'roots.list',
  method: 'GET',
  path: '/api/roots',
  summary: 'List recent roots, and directories that look like a root',
  description:
    'Lists the current root first, and then the others that the operator chose, newest first. `~/dot-mi` and `~/.pi` follow if they contain `agents`. Leaves out missing directories. To open a root, change the setting `root`.',
  access: 'operator',
  keys: 'none',
  success: {
    status: 200,
    body: z.object({ roots: z.array(knownRoot).describe('The roots, with the current one first.') }),
  },
  errors: [],
});
