import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** How much of a setup script is shown. */
export const SHOWN_SCRIPT_BYTES = 64 * 1024;

const setupScript = z
  .object({
    name: z.string().describe('"dotpi" or "setup.sh": the one that New agent would run.'),
    sha256: z.string().describe('SHA-256 of its bytes, in hex. Trust is for these bytes only.'),
    size: z.int().nonnegative().describe('Bytes.'),
    text: z
      .string()
      .nullable()
      .describe(`Its first ${SHOWN_SCRIPT_BYTES} bytes; null when it is not UTF-8 text.`),
    truncated: z.boolean().describe('Whether there is more than `text` shows.'),
  })
  .meta({ id: 'RootSetupScript' });

const rootTrust = z
  .object({
    trusted: z.boolean().describe('Whether dot-mi runs the setup script of this root.'),
    reason: z
      .enum(['new', 'script_changed'])
      .optional()
      .describe(
        'Why it does not: nobody has trusted this root, or its script changed since. Absent when it is trusted, and when there is no script.',
      ),
    root: z
      .string()
      .describe('Absolute path of the root with its symlinks resolved: the folder that trust is for.'),
    script: setupScript.nullable().describe('The script as it is now; null when the root has none.'),
  })
  .meta({ id: 'RootTrust' });

/** What {@link getRootTrust} answers. */
export type RootTrust = z.infer<typeof rootTrust>;

/** Whether a person trusted the root, and the script that would run. */
export const getRootTrust = defineEndpoint({
  id: 'trust.get',
  method: 'GET',
  path: '/api/root/trust',
  summary: 'Is the setup script of the root trusted?',
  description:
    'A root may come from anywhere, and its setup script runs with the rights of the person at this machine. dot-mi runs it only after that person said yes to these very bytes.',
  access: 'operator',
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_failed'],
});

/** Says yes to the setup script of the root. */
export const trustRoot = defineEndpoint({
  id: 'trust.put',
  method: 'PUT',
  path: '/api/root/trust',
  summary: 'Trust the setup script of the root',
  description:
    'The yes is for the script with this hash, in this folder. When the script changes, dot-mi asks again. `script_changed` means that it changed already: read it again first.',
  access: 'operator',
  body: z.strictObject({
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex, as GET /api/root/trust reports it')
      .describe('Of the script that was read.'),
  }),
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_missing', 'setup_script_failed', 'script_changed'],
});

/** Takes the yes back. */
export const withdrawRootTrust = defineEndpoint({
  id: 'trust.delete',
  method: 'DELETE',
  path: '/api/root/trust',
  summary: 'Stop trusting the root',
  description: 'dot-mi asks again before it runs the setup script. Agents that exist stay as they are.',
  access: 'operator',
  success: { status: 200, body: rootTrust },
  errors: ['root_unavailable', 'setup_script_failed', 'disk_full'],
});
