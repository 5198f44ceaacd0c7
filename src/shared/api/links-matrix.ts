import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId } from './fields.ts';
import { linkKindSchema } from './names.ts';
import { entryProblemSchema } from './problem.ts';

/**
 * What an agent has of a shared entry. `linked`: a link to it. `local`: an entry of its own with the same name,
 * or a link to something else. `broken`: a link whose target doesn't exist. `shadowed`: a link to it, but pi
 * loads another skill of the same name first. `switchedOff`: a link to it, but the agent's settings.json switches it off.
 */
export const CELL_STATES = ['none', 'linked', 'local', 'broken', 'shadowed', 'switchedOff'] as const;

/** One of {@link CELL_STATES}. */
export type CellState = (typeof CELL_STATES)[number];

/** One letter for each state, in the order of {@link CELL_STATES}. */
const LETTERS = '-lobsf';

/** A cell that isn't `none`. */
export interface FilledCell {
  /** The position of the shared entry in `names`. */
  readonly column: number;
  readonly state: Exclude<CellState, 'none'>;
}

/** Encodes a row: runs of equal cells, each a letter and its length unless that is 1. `cells` are in order. */
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

/** Whether an agent has a link to the shared entry, whatever pi does with it. */
export const isLinkedState = (state: CellState): boolean =>
  state === 'linked' || state === 'shadowed' || state === 'switchedOff';

const matrixRow = z
  .object({
    id: agentId,
    cells: z
      .string()
      .describe(
        'Runs of equal cells in the order of `names`: a letter, then how many if more than one. `l` linked, `o` local, ' +
          '`b` broken, `s` shadowed, `f` linked and switched off by settings.json, `-` none. Ends at the last cell that is not `-`.',
      ),
    problem: entryProblemSchema
      .optional()
      .describe("Why the agent's directory can't be read. Its cells are then unknown."),
  })
  .meta({ id: 'MatrixRow' });

const linkMatrix = z
  .object({
    kind: linkKindSchema,
    names: z.array(z.string()).describe('The shared entries, sorted, then the missing ones.'),
    missing: z
      .int()
      .nonnegative()
      .describe('How many of the last `names` are not shared entries: only broken links have these names.'),
    agents: z.array(matrixRow).describe('Every agent, sorted by id.'),
  })
  .meta({ id: 'LinkMatrix' });

/** All agents and all shared entries of a kind. */
export type LinkMatrix = z.infer<typeof linkMatrix>;

/** The cells of all agents and all shared entries of a kind, in one compact answer. */
export const getLinkMatrix = defineEndpoint({
  id: 'links.matrix',
  method: 'GET',
  path: '/api/links/matrix',
  summary: 'Show which agents have which shared entries',
  description:
    'Names each shared entry once and each agent once. A row is a short text, so 2,000 agents and 500 skills fit into ' +
    'some hundred kilobytes.',
  access: 'api',
  keys: ['read-agents'],
  query: z.strictObject({ kind: linkKindSchema }),
  success: { status: 200, conditional: true, body: linkMatrix },
  errors: ['root_unavailable', 'outside_root'],
});

/** The most names of broken links that get a column of their own. */
export const MAX_MISSING_NAMES = 500;
