import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { ERROR_CODES } from './errors.ts';
import { agentId, codeOf, MAX_AGENTS, MAX_NAMES, message, name, ok, okBody } from './fields.ts';
import { agentIdSchema, entryNameSchema, type LinkKind, linkKindSchema, linkNameSchema } from './names.ts';
import { entryProblemSchema } from './problem.ts';

const linkEntry = z
  .object({
    name,
    kind: z
      .enum(['symlink', 'directory', 'file'])
      .describe('`symlink`, or a `directory` or `file` that only this agent has.'),
    linkTarget: z.string().optional().describe('The target of the symlink, as stored on disk.'),
    junction: z
      .boolean()
      .optional()
      .describe(
        'True for a junction. On Windows without Developer Mode, dot-mi creates one instead of a symlink to a directory. `linkTarget` is then absolute, so the link breaks when the root moves.',
      ),
    linksToShared: z
      .boolean()
      .describe('True if the link points directly to the shared entry with this name.'),
    sharedRelative: z
      .string()
      .optional()
      .describe(
        'The target that a relative link to the shared entry with this name would have. Absent if there is no such entry.',
      ),
    broken: z.boolean().describe('True if the target of the symlink doesn’t exist.'),
    switchedOff: z
      .literal(true)
      .optional()
      .describe(
        'True if the agent’s settings.json switches the entry off, so that pi doesn’t load it. Otherwise absent.',
      ),
    problem: entryProblemSchema
      .optional()
      .describe(
        'Why dot-mi can’t read the entry. `broken` and `linksToShared` are then false. Absent if dot-mi can read it.',
      ),
  })
  .meta({ id: 'LinkEntry' });

/** An entry in one of an agent's link directories. */
export type LinkEntry = z.infer<typeof linkEntry>;

const linkEndpoints = <K extends LinkKind>(kind: K) => {
  const collection = `/api/agents/:id/links/${kind}` as const;
  return {
    list: defineEndpoint({
      id: `links.${kind}.list`,
      method: 'GET',
      path: collection,
      summary: `List the entries in an agent’s ${kind} directory`,
      ...(kind === 'skills' ? { task: 'List the skills of an agent' } : {}),
      access: 'api',
      keys: ['read-agents'],
      params: agentParams,
      success: {
        status: 200,
        body: z.object({ entries: z.array(linkEntry).describe('The entries of the directory.') }),
      },
      errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'not_a_directory', 'root_unavailable'],
    }),
    create: defineEndpoint({
      id: `links.${kind}.create`,
      method: 'POST',
      path: collection,
      summary: `Link a shared entry into an agent’s ${kind} directory`,
      ...(kind === 'skills' ? { task: 'Link a skill (replaceBroken: repair it)' } : {}),
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
          .describe('True: if a broken link has this name, replace it instead of refusing the request.'),
      }),
      records: true,
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
      summary: `Remove a symlink from an agent’s ${kind} directory`,
      description: 'Removes only symlinks, broken or not. Never removes a local file or directory.',
      ...(kind === 'skills' ? { task: 'Unlink a skill' } : {}),
      access: 'api',
      keys: ['write-agent'],
      ownAgent: true,
      ofRoot: true,
      params: z.strictObject({ id: agentIdSchema, name: entryNameSchema }),
      records: true,
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
  };
};

const brokenLink = z
  .object({
    kind: linkKindSchema,
    name,
    repairable: z
      .boolean()
      .describe(
        'True if `shared` has an entry with this name. To repair the link, create it with `replaceBroken`. If `repairable` is false, remove the link.',
      ),
  })
  .meta({ id: 'BrokenLink' });

/** An agent's link whose target doesn't exist. */
export type BrokenLink = z.infer<typeof brokenLink>;

const agentLinkCounts = z
  .object({
    id: agentId,
    links: z
      .int()
      .nonnegative()
      .describe(
        'The number of symlinks to extensions, skills, prompt templates and themes, including broken ones.',
      ),
    brokenLinks: z.int().nonnegative().describe('The number of broken links.'),
    broken: z.array(brokenLink).optional().describe('The broken links. Absent if there are none.'),
    problem: entryProblemSchema
      .optional()
      .describe(
        'Why dot-mi can’t read one of the agent’s directories. Links in that directory aren’t counted. Absent if dot-mi can read them all.',
      ),
  })
  .meta({ id: 'AgentLinkCounts' });

/** An agent's link counts, with its broken links. */
export type AgentLinkCounts = z.infer<typeof agentLinkCounts>;

/** Counts every agent's links. */
export const countLinks = defineEndpoint({
  id: 'links.count',
  method: 'GET',
  path: '/api/links',
  summary: 'Count the links of each agent, and name the broken ones',
  description: 'Leaves out agents that have neither links nor a problem.',
  task: 'Count links and find broken ones',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ agents: z.array(agentLinkCounts).describe('The agents, sorted by id.') }),
  },
  errors: ['root_unavailable'],
});

/** The link routes of each kind. */
export const links = {
  extensions: linkEndpoints('extensions'),
  skills: linkEndpoints('skills'),
  prompts: linkEndpoints('prompts'),
  themes: linkEndpoints('themes'),
};

/**
 * An agent's state for a shared entry. `linked`: a link to it. `local`: a local entry with the same name,
 * or a link to something else. `broken`: a link whose target doesn't exist. `shadowed`: a link to it, but pi
 * loads another skill or theme with the same name first. `switchedOff`: a link to it, but the agent's settings.json
 * switches it off.
 */
export const CELL_STATES = ['none', 'linked', 'local', 'broken', 'shadowed', 'switchedOff'] as const;

export type CellState = (typeof CELL_STATES)[number];

/** One letter for each state, in the order of {@link CELL_STATES}. */
const LETTERS = '-lobsf';

/** A cell that isn't `none`. */
export interface FilledCell {
  /** The position of the shared entry in `names`. */
  readonly column: number;
  readonly state: Exclude<CellState, 'none'>;
}

/** Encodes a row: each run of equal cells is a letter, then the run's length unless it's 1. `cells` are in order. */
export const encodeCells = (cells: Iterable<FilledCell>): string => {
  let text = '';
  let run = '';
  let length = 0;
  let next = 0;
  const add = (letter: string, count: number): void => {
    if (letter === run) {
      length += count;
      return;
    }
    if (length > 0) text += length === 1 ? run : `${run}${length}`;
    run = letter;
    length = count;
  };
  for (const { column, state } of cells) {
    if (column > next) add('-', column - next);
    add(LETTERS.charAt(CELL_STATES.indexOf(state)), 1);
    next = column + 1;
  }
  if (length > 0) text += length === 1 ? run : `${run}${length}`;
  return text;
};

/** Decodes a row into indexes of {@link CELL_STATES}, one for each of `columns`. The inverse of {@link encodeCells}. */
export const decodeCells = (text: string, columns: number): Uint8Array => {
  const cells = new Uint8Array(columns);
  let column = 0;
  for (const [, letter = '', count] of text.matchAll(/([-lobsf])(\d*)/g)) {
    const end = column + Number(count || 1);
    cells.fill(LETTERS.indexOf(letter), column, end);
    column = end;
  }
  return cells;
};

/** The state of one cell of a decoded row. */
export const stateOf = (cells: Uint8Array, column: number): CellState =>
  CELL_STATES[cells[column] ?? 0] ?? 'none';

/** Returns whether an agent has a link to the shared entry, even if pi doesn't load it. */
export const isLinkedState = (state: CellState): boolean =>
  state === 'linked' || state === 'shadowed' || state === 'switchedOff';

const matrixRow = z
  .object({
    id: agentId,
    cells: z
      .string()
      .describe(
        'The states in the order of `names`. Equal states in a row are one letter and a count, without the count if it is 1. ' +
          '`l`: linked. `o`: local entry. `b`: broken link. `s`: linked, but pi loads another entry with this name. ' +
          '`f`: linked, but settings.json switches it off. `-`: none. Trailing `-` are left out.',
      ),
    problem: entryProblemSchema
      .optional()
      .describe(
        'Why dot-mi can’t read the agent’s directory. Its cells are then unknown. Absent if dot-mi can read it.',
      ),
  })
  .meta({ id: 'MatrixRow' });

const linkMatrix = z
  .object({
    kind: linkKindSchema,
    names: z.array(z.string()).describe('The shared entries, sorted, then the missing names.'),
    missing: z
      .int()
      .nonnegative()
      .describe(
        'The number of names at the end of `names` that only broken links have. No shared entry has them.',
      ),
    agents: z.array(matrixRow).describe('All agents, sorted by id.'),
  })
  .meta({ id: 'LinkMatrix' });

/** All agents and all shared entries of a kind. */
export type LinkMatrix = z.infer<typeof linkMatrix>;

/** Returns the cells of all agents and all shared entries of a kind, in one compact response. */
export const getLinkMatrix = defineEndpoint({
  id: 'links.matrix',
  method: 'GET',
  path: '/api/links/matrix',
  summary: 'Show which agents have which shared entries',
  description:
    'Names each shared entry and each agent once. Rows are short, so 2,000 agents and 500 skills fit into a few hundred kilobytes.',
  access: 'api',
  keys: ['read-agents'],
  query: z.strictObject({ kind: linkKindSchema }),
  success: { status: 200, conditional: true, body: linkMatrix },
  errors: ['root_unavailable', 'outside_root'],
});

/** The limit for names of broken links that get their own column. */
export const MAX_MISSING_NAMES = 500;

const failed = z.array(
  z.object({
    name,
    code: codeOf(ERROR_CODES),
    error: message,
  }),
);

const changedLinks = z
  .object({
    agent: agentId,
    kind: linkKindSchema,
    done: z.array(z.string()).describe('The names that changed.'),
    unchanged: z
      .array(z.string())
      .describe('The names that were already linked to the shared entry, or already had no link.'),
    failed: failed.describe('The names that didn’t change, each with its error.'),
  })
  .meta({
    id: 'ChangedLinks',
    description: 'The results for one agent. Each requested name is in exactly one list.',
  });

/** The results of a bulk request for one agent. */
export type ChangedLinks = z.infer<typeof changedLinks>;

export const bulkResult = z
  .object({
    undo: z
      .string()
      .nullable()
      .describe(
        'The id of the change in the history, for `POST /api/changes/:change/undo`. Null if nothing changed, or if it can’t be undone.',
      ),
    link: z.array(changedLinks).describe('The results for the links to create.'),
    unlink: z.array(changedLinks).describe('The results for the links to remove.'),
  })
  .meta({ id: 'BulkLinks' });

/** The response of {@link changeLinks}. */
export type BulkLinks = z.infer<typeof bulkResult>;

/** The most links that a request can change. The page sends all selected cells of its matrix at once. */
const MAX_CHANGED_LINKS = 100_000;

const namesIn = (groups: readonly { readonly names: readonly string[] }[]): number =>
  groups.reduce((sum, { names }) => sum + names.length, 0);

const groupsOf = (nameSchema: typeof linkNameSchema) => {
  const names = z.array(nameSchema).max(MAX_NAMES).describe('Names of shared entries.');
  return z
    .array(z.strictObject({ agent: agentIdSchema, kind: linkKindSchema, names }))
    .max(MAX_AGENTS)
    .default([]);
};

const changes = z
  .strictObject({
    link: groupsOf(linkNameSchema).describe('The links to create.'),
    unlink: groupsOf(entryNameSchema).describe('The links to remove.'),
    replaceBroken: z
      .boolean()
      .optional()
      .describe('True: replace broken links that have one of these names.'),
  })
  .refine(({ link, unlink }) => namesIn(link) + namesIn(unlink) <= MAX_CHANGED_LINKS, {
    message: `A request can change at most ${MAX_CHANGED_LINKS} links. Send several requests.`,
  });

/** The links to change. */
export type LinkChanges = z.output<typeof changes>;

/** Links and unlinks many shared entries in many agents. */
export const changeLinks = defineEndpoint({
  id: 'links.bulk',
  method: 'POST',
  path: '/api/links/bulk',
  summary: 'Link and unlink many entries at once',
  description:
    'Each name has its own result. If one fails, the others still change. For each agent, dot-mi first removes links, ' +
    'and then creates them. It removes only symlinks.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  body: changes,
  records: true,
  success: { status: 200, body: bulkResult },
  errors: ['invalid_agent_id', 'invalid_name', 'root_unavailable'],
});
