import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import { FORM_READ_ERRORS, formEtag, formEtagHeader } from './form-files.ts';
import { byKind, LINK_KINDS } from './names.ts';

/** dot-mi reads at most this many entries of `packages`. */
export const MAX_PACKAGES = 500;

const patterns = z.array(z.string());

const resource = z.object({
  name: z.string().describe('The name of the file or directory.'),
  path: z.string().describe('The path in the package, as in a filter.'),
  isOff: z.literal(true).optional().describe('True if a filter leaves it out. Otherwise absent.'),
  isWhole: z
    .literal(true)
    .optional()
    .describe(
      'True if it is the package itself: one file, or a directory with an index file. No filter leaves it out. Otherwise absent.',
    ),
});

const agentPackage = z
  .object({
    index: z.int().nonnegative().describe('The index in `packages`, from 0.'),
    source: z
      .string()
      .nullable()
      .describe(
        'The npm name, git URL or path. `…` replaces a user, password or query. Null if it isn’t text.',
      ),
    kind: z
      .enum(['npm', 'git', 'path'])
      .nullable()
      .describe('The kind of source. Null if pi can’t read the source.'),
    requested: z
      .string()
      .nullable()
      .describe('The version, range, tag, branch or commit in the source. Null if there is none.'),
    place: z
      .enum(['inside', 'outside'])
      .nullable()
      .describe(
        '`inside`: pi stores the package in the root. `outside`: elsewhere, where dot-mi never looks. Null if pi can’t read the source.',
      ),
    directory: z
      .string()
      .nullable()
      .describe(
        'The path of the package’s directory in the root. Null if it is outside the root, or if part of the source is hidden.',
      ),
    installed: z
      .object({ version: z.string().nullable().describe('The version. Null if its package.json has none.') })
      .nullable()
      .describe(
        'The installed copy that pi would load. Null if there is none, or if it is outside the root.',
      ),
    autoload: z
      .literal(false)
      .optional()
      .describe('False if pi loads only what a filter names. Otherwise absent.'),
    filters: z
      .object(byKind((kind) => patterns.optional().describe(`The patterns for ${kind}.`)))
      .describe(
        'The filters, each a list of patterns. With an absent filter, pi loads everything. With `[]`, pi loads nothing.',
      ),
    adds: z
      .object(byKind((kind) => z.array(resource).describe(`The ${kind} in the package.`)))
      .nullable()
      .describe(
        'The files and directories that the package adds. Null if it isn’t installed, or if it is outside the root.',
      ),
    unlisted: z
      .array(z.enum(LINK_KINDS))
      .optional()
      .describe(
        'The kinds that package.json doesn’t list. pi loads them only once the entry has a filter. To prevent that, add the filter `[]` for each. Absent if there are none.',
      ),
    problem: message
      .optional()
      .describe('Why pi ignores the package or fails. Absent if there is no problem.'),
    install: z
      .object({
        posix: z.string().describe('The command for sh, bash and zsh.'),
        powershell: z.string().describe('The command for PowerShell.'),
      })
      .nullable()
      .describe(
        'The command that installs the package for this agent. Null for a path, or if part of the source is hidden.',
      ),
  })
  .meta({ id: 'AgentPackage' });

/** A package in an agent's settings.json. */
export type AgentPackage = z.infer<typeof agentPackage>;

const agentPackages = z
  .object({
    exists: z.boolean().describe('True if the agent has a settings.json.'),
    etag: formEtag('settings.json'),
    problem: message.optional().describe('Why dot-mi can’t read the list. Absent if it can.'),
    packages: z
      .array(agentPackage)
      .describe(`The packages, in the order of the file, at most ${MAX_PACKAGES}.`),
  })
  .meta({ id: 'AgentPackages' });

/** The pi packages of an agent. */
export type AgentPackages = z.infer<typeof agentPackages>;

/** Lists the pi packages of an agent. */
export const getPackages = defineEndpoint({
  id: 'packages.get',
  method: 'GET',
  path: '/api/agents/:id/packages',
  summary: 'List an agent’s pi packages',
  description:
    'Lists the packages in the agent’s settings.json, which of them are installed, and what they add. pi stores npm packages in ' +
    'the agent’s `npm/node_modules/`, and cloned repositories in its `git/`. dot-mi reads nothing outside the root, and installs nothing. ' +
    'Without the operator token, it lists only how many packages of which kind there are.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentPackages, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});
