import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

const rootCheck = z
  .object({
    path: z.string().describe('The absolute path, with "~" replaced.'),
    exists: z.boolean().describe('True if the path is a directory.'),
    empty: z.boolean().describe('True if the directory contains nothing that a person created.'),
    agents: z
      .int()
      .nonnegative()
      .nullable()
      .describe('The number of agents. Null if it has no directory "agents".'),
    setupScript: z.boolean().describe('True if it has a setup script.'),
  })
  .meta({ id: 'RootCheck' });

/** The response of {@link checkRoot}. */
export type RootCheck = z.infer<typeof rootCheck>;

/** Inspects a directory before it becomes the root. */
export const checkRoot = defineEndpoint({
  id: 'root.check',
  method: 'GET',
  path: '/api/root/check',
  summary: 'Inspect a directory before making it the root',
  access: 'operator',
  keys: 'none',
  query: z.object({ path: z.string().min(1).describe('An absolute path, or one that starts with "~/".') }),
  success: { status: 200, body: rootCheck },
  errors: [],
});

/** Turns a directory into a root by adding the missing parts. */
export const setUpRoot = defineEndpoint({
  id: 'root.setUp',
  method: 'POST',
  path: '/api/root/setup',
  summary: 'Set up a directory as a root',
  description:
    'Adds the starter root’s setup script, "agents" and "shared", each only if it is missing. If all are missing, dot-mi also adds three sample agents. It overwrites nothing. The script that it adds is trusted.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    path: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The path of the directory. dot-mi creates it if its parent exists. Default: the current root.',
      ),
  }),
  success: {
    status: 200,
    body: z.object({
      path: z.string().describe('The absolute path of the directory.'),
      created: z.array(z.string()).describe('The names that dot-mi added, sorted.'),
    }),
  },
  errors: ['not_a_directory'],
});

/** How much of a setup script the API shows, in bytes. */
export const SHOWN_SCRIPT_BYTES = 64 * 1024;

const setupScript = z
  .object({
    name: z.string().describe('The name of the script that creates agents: "dotpi" or "setup.sh".'),
    sha256: z
      .string()
      .describe('The SHA-256 hash of the script, in hex. Trust ends when the script changes.'),
    size: z.int().nonnegative().describe('The size in bytes.'),
    text: z
      .string()
      .nullable()
      .describe(`The first ${SHOWN_SCRIPT_BYTES} bytes. Null if the script isn’t UTF-8 text.`),
    truncated: z.boolean().describe('True if the script is longer than `text`.'),
  })
  .meta({ id: 'RootSetupScript' });

const rootTrust = z
  .object({
    trusted: z.boolean().describe('True if dot-mi can run this root’s agents and its setup script.'),
    reason: z
      .enum(['new', 'script_changed'])
      .optional()
      .describe(
        '`new`: nobody has trusted this root yet. `script_changed`: its script has changed or appeared since the operator trusted the root. Absent if the root is trusted.',
      ),
    root: z.string().describe('The absolute path of the root, with symlinks resolved.'),
    script: setupScript.nullable().describe('The current setup script. Null if the root has none.'),
  })
  .meta({ id: 'RootTrust' });

/** The response of {@link getRootTrust}. */
export type RootTrust = z.infer<typeof rootTrust>;

/** Returns whether the operator trusts the root, and its setup script. */
export const getRootTrust = defineEndpoint({
  id: 'trust.get',
  method: 'GET',
  path: '/api/root/trust',
  summary: 'Check whether the root is trusted',
  description:
    'A root can come from anywhere, and its agents and setup script run with the operator’s permissions. So dot-mi runs them only after the operator trusts the root. Trust ends if the setup script changes. For a root without a script, trust applies to its path.',
  access: 'operator',
  keys: 'none',
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_failed'],
});

/** Trusts the root with its setup script. */
export const trustRoot = defineEndpoint({
  id: 'trust.put',
  method: 'PUT',
  path: '/api/root/trust',
  summary: 'Trust the root',
  description:
    'Trusts this root with this setup script. If the script changes or appears later, dot-mi asks again. The error `script_changed` means that the script has already changed, so read it again first.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  body: z.strictObject({
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash in lower-case hex, as in GET /api/root/trust')
      .nullable()
      .describe('The hash of the script that you read. Null for a root without a script.'),
  }),
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_missing', 'setup_script_failed', 'script_changed'],
});

/** Withdraws trust in the root. */
export const withdrawRootTrust = defineEndpoint({
  id: 'trust.delete',
  method: 'DELETE',
  path: '/api/root/trust',
  summary: 'Stop trusting the root',
  description: 'dot-mi asks again before it runs an agent or the setup script. Existing agents don’t change.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_failed', 'disk_full'],
});
