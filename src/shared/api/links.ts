import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, name, ok, okBody } from './fields.ts';
import { agentIdSchema, entryNameSchema, type LinkKind, linkKindSchema, linkNameSchema } from './names.ts';
import { entryProblemSchema } from './problem.ts';

const linkEntry = z
  .object({
    name,
    kind: z.enum(['symlink', 'directory', 'file']).describe('The kind of entry.'),
    linkTarget: z.string().optional().describe("The symlink's text, as stored on disk."),
    junction: z
      .boolean()
      .optional()
      .describe(
        'True for a junction: Windows without Developer Mode refuses symlinks, so dot-mi creates junctions to directories. `linkTarget` is then an absolute path, and the link breaks when the root moves.',
      ),
    linksToShared: z.boolean().describe('The link points directly to the shared entry of this name.'),
    sharedRelative: z
      .string()
      .optional()
      .describe('The link text that points to the shared entry of this name, if that entry exists.'),
    broken: z.boolean().describe("A symlink whose target doesn't exist."),
    switchedOff: z
      .literal(true)
      .optional()
      .describe(
        "The agent's settings.json switches the entry off, so pi doesn't load it. Absent if it doesn't.",
      ),
    problem: entryProblemSchema
      .optional()
      .describe("Why dot-mi can't read the entry. `broken` and `linksToShared` are then false."),
  })
  .meta({ id: 'LinkEntry' });

/** An entry of an agent's `extensions` or `skills` directory. */
export type LinkEntry = z.infer<typeof linkEntry>;

const linkEndpoints = <K extends LinkKind>(kind: K) => {
  const collection = `/api/agents/:id/links/${kind}` as const;
  return {
    list: defineEndpoint({
      id: `links.${kind}.list`,
      method: 'GET',
      path: collection,
      summary: `List the entries in an agent's ${kind} directory`,
      ...(kind === 'skills' ? { task: 'List the skills of an agent' } : {}),
      access: 'api',
      keys: ['read-agents'],
      params: agentParams,
      success: {
        status: 200,
        body: z.object({ entries: z.array(linkEntry).describe('The entries of this page of the list.') }),
      },
      errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'not_a_directory', 'root_unavailable'],
    }),
    create: defineEndpoint({
      id: `links.${kind}.create`,
      method: 'POST',
      path: collection,
      summary: `Link a shared entry into an agent's ${kind} directory`,
      ...(kind === 'skills' ? { task: 'Link a skill (replaceBroken repairs)' } : {}),
      access: 'api',
      keys: ['write-agent'],
      ownAgent: true,
      ofRoot: true,
      params: agentParams,
      body: z.strictObject({
        name: linkNameSchema,
        replaceBroken: z
          .boolean()
          .optional()
          .describe('Replace a broken link of this name instead of refusing the request.'),
      }),
      success: { status: 201, body: z.object({ ok, entry: linkEntry }) },
      errors: [
        'invalid_agent_id',
        'invalid_name',
        'agent_not_found',
        'outside_root',
        'shared_entry_not_found',
        'link_exists',
        'not_a_directory',
        'root_unavailable',
      ],
    }),
    remove: defineEndpoint({
      id: `links.${kind}.remove`,
      method: 'DELETE',
      path: `${collection}/:name`,
      summary: `Remove a symlink from an agent's ${kind} directory`,
      description:
        'Removes only symlinks, whether broken or not. A local file or directory is never removed.',
      ...(kind === 'skills' ? { task: 'Unlink a skill' } : {}),
      access: 'api',
      keys: ['write-agent'],
      ownAgent: true,
      ofRoot: true,
      params: z.strictObject({ id: agentIdSchema, name: entryNameSchema }),
      success: { status: 200, body: okBody },
      errors: [
        'invalid_agent_id',
        'invalid_name',
        'agent_not_found',
        'link_not_found',
        'not_a_link',
        'not_a_directory',
        'root_unavailable',
      ],
    }),
    restore: defineEndpoint({
      id: `links.${kind}.restore`,
      method: 'POST',
      path: `${collection}/:name/restore`,
      summary: `Restore a symlink that was removed from an agent's ${kind} directory`,
      description:
        'Creates a link exactly as it was, broken or not, if this dot-mi removed it since its last start.',
      access: 'api',
      keys: ['write-agent'],
      ownAgent: true,
      params: z.strictObject({ id: agentIdSchema, name: entryNameSchema }),
      success: { status: 201, body: z.object({ ok, entry: linkEntry }) },
      errors: [
        'invalid_agent_id',
        'invalid_name',
        'agent_not_found',
        'link_not_found',
        'link_exists',
        'not_a_directory',
        'root_unavailable',
      ],
    }),
  };
};

const brokenLink = z
  .object({
    kind: linkKindSchema,
    name,
    repairable: z
      .boolean()
      .describe(
        'True if `shared` has an entry of this name, so that creating the link with `replaceBroken` repairs it. Otherwise, remove the link.',
      ),
  })
  .meta({ id: 'BrokenLink' });

/** A link of an agent whose target doesn't exist. */
export type BrokenLink = z.infer<typeof brokenLink>;

const agentLinkCounts = z
  .object({
    id: agentId,
    links: z
      .int()
      .nonnegative()
      .describe('The number of symlinks in its extensions and skills, including broken ones.'),
    brokenLinks: z.int().nonnegative().describe('How many links are broken.'),
    broken: z.array(brokenLink).optional().describe('The broken ones. Absent if there are none.'),
    problem: entryProblemSchema
      .optional()
      .describe("Why its extensions or skills can't be read. Their links are then not counted."),
  })
  .meta({ id: 'AgentLinkCounts' });

/** The number of links of an agent. */
export type AgentLinkCounts = z.infer<typeof agentLinkCounts>;

/** The number of links of every agent. */
export const countLinks = defineEndpoint({
  id: 'links.count',
  method: 'GET',
  path: '/api/links',
  summary: 'Count the links of each agent, and name the broken ones',
  description: 'Leaves out agents without links and without a problem.',
  task: 'Count links and find broken ones',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ agents: z.array(agentLinkCounts).describe('The agents, by id.') }),
  },
  errors: ['root_unavailable'],
});

/** The link routes of each kind. */
export const links = { extensions: linkEndpoints('extensions'), skills: linkEndpoints('skills') };
