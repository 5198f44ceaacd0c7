import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

const knownRoot = z
  .object({
    path: z.string().describe('Absolute path.'),
    agents: z
      .int()
      .nonnegative()
      .nullable()
      .describe('The number of folders in its `agents`. Null if that folder is missing or unreadable.'),
    openedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the operator last chose it. Null for a folder that dot-mi found.'),
    current: z.boolean().describe('True for the root that dot-mi manages now.'),
  })
  .meta({ id: 'KnownRoot' });

/** A folder that can be the root. */
export type KnownRoot = z.infer<typeof knownRoot>;

/** The folders that the operator chose recently, and others that look like roots. */
export const listRoots = defineEndpoint({
  id: 'roots.list',
  method: 'GET',
  path: '/api/roots',
  summary: 'List recent roots, and folders that look like one',
  description:
    'The current root is first, and then the others that the operator chose, newest first. `~/dot-mi` and `~/.pi` follow if they hold an `agents` folder. Missing folders are left out. To open a root, change the setting `root`.',
  access: 'operator',
  keys: 'none',
  success: {
    status: 200,
    body: z.object({ roots: z.array(knownRoot).describe('The roots, the most recent first.') }),
  },
  errors: [],
});
