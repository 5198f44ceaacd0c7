import { z } from 'zod';
import { MAX_SOURCE } from '../pi/packages.ts';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import { FORM_READ_ERRORS, FORM_WRITE_ERRORS, formEtag, formEtagHeader, formHeaders } from './form-files.ts';
import { byKind } from './names.ts';

/** The most entries of `packages` that dot-mi reads. */
export const MAX_PACKAGES = 500;

const patterns = z.array(z.string());

const resource = z.object({
  name: z.string().describe('The name of its file or directory.'),
  path: z.string().describe('Its path in the package, as a filter names it.'),
  isOff: z.literal(true).optional().describe('A filter leaves it out.'),
});

const agentPackage = z
  .object({
    index: z.int().nonnegative().describe('Its place in `packages`, from 0.'),
    source: z
      .string()
      .nullable()
      .describe(
        'Its npm name, git address or path, with `…` in place of a user, a password or a query. Null if it is not a text.',
      ),
    kind: z
      .enum(['npm', 'git', 'path'])
      .nullable()
      .describe('How pi reads the source. Null if pi can’t read it.'),
    requested: z
      .string()
      .nullable()
      .describe('The version, range, tag, branch or commit in the source. Null if it names none.'),
    place: z
      .enum(['inside', 'outside'])
      .nullable()
      .describe(
        '`inside`: pi keeps it in the root. dot-mi never looks outside. Null if pi can’t read the source.',
      ),
    directory: z
      .string()
      .nullable()
      .describe(
        'The place in the root where pi keeps it. Null outside the root, or if a part of the source is hidden.',
      ),
    installed: z
      .object({ version: z.string().nullable().describe('Null if its package.json names none.') })
      .nullable()
      .describe('The copy that pi would load. Null if there is none, or it is outside the root.'),
    autoload: z.literal(false).optional().describe('Only what a filter names is loaded.'),
    filters: z
      .object(byKind((kind) => patterns.optional().describe(`The patterns of ${kind}.`)))
      .describe('The filters, each a list of patterns. An absent one loads everything, and `[]` nothing.'),
    adds: z
      .object(byKind((kind) => z.array(resource).describe(`The ${kind} in the package.`)))
      .nullable()
      .describe('The parts of the installed copy. Null if it is not installed, or outside the root.'),
    problem: message.optional().describe('Why pi ignores the entry, or fails at it.'),
    install: z
      .object({
        posix: z.string().describe('For sh, bash and zsh.'),
        powershell: z.string().describe('For PowerShell.'),
      })
      .nullable()
      .describe(
        'The command that installs it for this agent. Null for a path, or if a part of the source is hidden.',
      ),
  })
  .meta({ id: 'AgentPackage' });

/** A package that an agent's settings.json names. */
export type AgentPackage = z.infer<typeof agentPackage>;

const agentPackages = z
  .object({
    exists: z.boolean().describe('True if the agent has a settings.json.'),
    etag: formEtag('settings.json'),
    problem: message.optional().describe('Why the list can’t be read.'),
    packages: z
      .array(agentPackage)
      .describe(`The entries of \`packages\` in their order, at most ${MAX_PACKAGES}.`),
  })
  .meta({ id: 'AgentPackages' });

/** The pi packages of an agent. */
export type AgentPackages = z.infer<typeof agentPackages>;

/** Lists the pi packages of an agent. */
export const getPackages = defineEndpoint({
  id: 'packages.get',
  method: 'GET',
  path: '/api/agents/:id/packages',
  summary: 'List the pi packages of an agent',
  description:
    "The entries of `packages` in the agent's settings.json, what is installed, and what it adds. pi keeps npm packages in " +
    '`npm/node_modules/` and clones in `git/` of the agent’s directory. dot-mi reads nothing outside the root, and installs nothing.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentPackages, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});

const filter = z.array(z.string().min(1).max(500)).max(200).nullable().optional();

const packageChange = z
  .strictObject({
    autoload: z.literal(false).nullable().optional().describe('False: load only what a filter names.'),
    ...byKind((kind) => filter.describe(`The filter of ${kind}. Null removes it.`)),
  })
  .meta({
    id: 'PackageChange',
    description: 'The filters that change. Absent ones stay as they are, and null removes one.',
  });

/** What changes of a package. */
export type PackageChange = z.infer<typeof packageChange>;

/** Adds, changes or removes one pi package of an agent. */
export const changePackage = defineEndpoint({
  id: 'packages.change',
  method: 'PUT',
  path: '/api/agents/:id/packages',
  summary: 'Add, change or remove a pi package of an agent',
  description:
    'Changes one entry of `packages`. Every other byte of settings.json stays. A source that is not listed yet is added, and one with ' +
    'another version replaces the entry of the same package, as `pi install` does. `package: null` removes the entry. Send ' +
    '`If-Match` with the etag you read. The response has the new list. Undo it with POST /api/agents/:id/settings/undo. pi installs what is missing when it starts.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: formHeaders('settings.json'),
  body: z.strictObject({
    source: z
      .string()
      .min(1)
      .max(MAX_SOURCE)
      .describe('The source of the package, as it is listed or in full.'),
    index: z
      .int()
      .nonnegative()
      .optional()
      .describe('The entry, if several have this source. Without it, the first one, which pi uses.'),
    package: packageChange
      .nullable()
      .describe('The filters that change. `{}` adds it as it is. Null removes it.'),
  }),
  success: { status: 200, body: agentPackages, headers: formEtagHeader },
  errors: [...FORM_WRITE_ERRORS, 'pi_settings_unreadable', 'package_refused', 'package_not_found'],
});
