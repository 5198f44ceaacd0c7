import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

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
    trusted: z.boolean().describe('True if dot-mi may run the setup script of this root.'),
    reason: z
      .enum(['new', 'script_changed'])
      .optional()
      .describe(
        'Why not: nobody has trusted this root, or its script has changed since. Absent when the root is trusted or has no script.',
      ),
    root: z.string().describe('Absolute path of the trusted folder: the root with its symlinks resolved.'),
    script: setupScript.nullable().describe('The current script. Null when the root has none.'),
  })
  .meta({ id: 'RootTrust' });

/** The answer of {@link getRootTrust}. */
export type RootTrust = z.infer<typeof rootTrust>;

/** Whether the operator trusts the root, and the script that would run. */
export const getRootTrust = defineEndpoint({
  id: 'trust.get',
  method: 'GET',
  path: '/api/root/trust',
  summary: "Check whether the root's setup script is trusted",
  description:
    "A root can come from anywhere, and its setup script runs with the operator's rights. dot-mi runs it only after the operator trusts its exact bytes.",
  access: 'operator',
  keys: 'none',
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_failed'],
});

/** Trusts the setup script of the root. */
export const trustRoot = defineEndpoint({
  id: 'trust.put',
  method: 'PUT',
  path: '/api/root/trust',
  summary: "Trust the root's setup script",
  description:
    'Trust covers the script with this hash, in this folder. If the script changes, dot-mi asks again. `script_changed` means that it has already changed, so read it again first.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  body: z.strictObject({
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex, as GET /api/root/trust reports it')
      .describe('The hash of the script you read.'),
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
  description: 'dot-mi asks again before it runs the setup script. Existing agents do not change.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_failed', 'disk_full'],
});
