import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

const rootCheck = z
  .object({
    path: z.string().describe('Its absolute path, with "~" replaced.'),
    exists: z.boolean().describe('True if it is a directory.'),
    empty: z.boolean().describe('True if it holds nothing that a person put there.'),
    agents: z
      .int()
      .nonnegative()
      .nullable()
      .describe('The number of its agents. Null when it has no folder "agents".'),
    setupScript: z.boolean().describe('True if it has a script that creates agents.'),
  })
  .meta({ id: 'RootCheck' });

/** The answer of {@link checkRoot}. */
export type RootCheck = z.infer<typeof rootCheck>;

/** What a folder holds, before it becomes the root. */
export const checkRoot = defineEndpoint({
  id: 'root.check',
  method: 'GET',
  path: '/api/root/check',
  summary: 'Check whether a folder can be the root, and what it lacks',
  access: 'operator',
  keys: 'none',
  query: z.object({ path: z.string().min(1).describe('An absolute path, or one that starts with "~/".') }),
  success: { status: 200, body: rootCheck },
  errors: [],
});

/** Adds to a folder what a root needs. */
export const setUpRoot = defineEndpoint({
  id: 'root.setUp',
  method: 'POST',
  path: '/api/root/setup',
  summary: 'Set a folder up as a root',
  description:
    'Adds the setup script, "agents" and "shared" of the starter root, each only where the folder lacks it. A folder without any of them also gets two sample agents. Nothing is overwritten. The script that dot-mi adds is trusted.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    path: z
      .string()
      .min(1)
      .optional()
      .describe('The folder. It is created if only its last part is missing. Default: the current root.'),
  }),
  success: {
    status: 200,
    body: z.object({
      path: z.string().describe('Its absolute path.'),
      created: z.array(z.string()).describe('The names that were added, sorted.'),
    }),
  },
  errors: ['not_a_directory'],
});
