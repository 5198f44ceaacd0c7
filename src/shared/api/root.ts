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

/** The response of {@link checkRoot}. */
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
    'Adds the setup script, "agents" and "shared" of the starter root, each only where the folder lacks it. A folder without any of them also gets three sample agents. Nothing is overwritten. The script that dot-mi adds is trusted.',
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

/** How much of a setup script is shown. */
export const SHOWN_SCRIPT_BYTES = 64 * 1024;

const setupScript = z
  .object({
    name: z.string().describe('"dotpi" or "setup.sh", whichever New agent runs.'),
    sha256: z.string().describe('SHA-256 of its bytes, in hex. Trust covers only these bytes.'),
    size: z.int().nonnegative().describe('Bytes.'),
    text: z
      .string()
      .nullable()
      .describe(`Its first ${SHOWN_SCRIPT_BYTES} bytes. Null when it is not UTF-8 text.`),
    truncated: z.boolean().describe('True when the script is longer than `text`.'),
  })
  .meta({ id: 'RootSetupScript' });

const rootTrust = z
  .object({
    trusted: z.boolean().describe('True if dot-mi may run the agents of this root and its setup script.'),
    reason: z
      .enum(['new', 'script_changed'])
      .optional()
      .describe(
        'Why not: nobody has trusted this root, or its script has changed or appeared since. Absent when the root is trusted.',
      ),
    root: z.string().describe('Absolute path of the trusted folder: the root with its symlinks resolved.'),
    script: setupScript.nullable().describe('The current script. Null when the root has none.'),
  })
  .meta({ id: 'RootTrust' });

/** The response of {@link getRootTrust}. */
export type RootTrust = z.infer<typeof rootTrust>;

/** Whether the operator trusts the root, and the script that would run. */
export const getRootTrust = defineEndpoint({
  id: 'trust.get',
  method: 'GET',
  path: '/api/root/trust',
  summary: 'Check whether the root is trusted',
  description:
    "A root can come from anywhere, and its agents and its setup script run with the operator's rights. dot-mi runs them only after the operator trusts the root. A script is trusted by its exact bytes, and a root without one by its path.",
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
    'Trust covers this folder, with the script that has this hash. If the script changes or appears, dot-mi asks again. `script_changed` means that it already has, so read it first.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  body: z.strictObject({
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex, as GET /api/root/trust reports it')
      .nullable()
      .describe('The hash of the script you read. Null for a root without a script.'),
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
  description:
    'dot-mi asks again before it runs an agent or the setup script. Existing agents do not change.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_failed', 'disk_full'],
});
