import {
  CELL_STATES,
  type CellState,
  decodeCells,
  isLinkedState,
  type LinkMatrix,
  stateOf,
} from '../../../shared/api/links.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import type { PresetContent } from '../../../shared/api/presets.ts';
import { SHOWN_KINDS } from '../strings/link-kinds.ts';

/** A preset's effect on one entry: how many of the selected agents are in each case. */
export interface PreviewedName {
  readonly kind: LinkKind;
  readonly name: string;
  /** True if the catalog doesn't have the entry, so no agent gets the link. */
  readonly isMissing: boolean;
  /** Agents that get a new link, or one that replaces a broken link. */
  readonly added: number;
  readonly replaced: number;
  /** Agents that already have the link. */
  readonly linked: number;
  /** Agents with their own entry of this name, which stays. */
  readonly kept: number;
}

/** The changes that applying a preset would make. */
export interface PresetPreview {
  readonly names: readonly PreviewedName[];
  /** Links that the preset doesn't contain, with the number of agents that lose them. */
  readonly removed: readonly { readonly kind: LinkKind; readonly name: string; readonly agents: number }[];
  /** The number of links that are added or replaced, and of those that are removed. */
  readonly links: number;
  readonly unlinks: number;
  /** The number of agents whose directory can't be read. */
  readonly unread: number;
}

/** The number of agents in each state, for each column. */
type Counts = readonly ReadonlyMap<CellState, number>[];

const countStates = ({ names, agents }: LinkMatrix, chosen: ReadonlySet<string>): Counts => {
  const counts = names.map(() => new Map<CellState, number>());
  for (const { id, cells, problem } of agents) {
    if (!chosen.has(id) || problem) continue;
    const states = decodeCells(cells, names.length);
    for (const [column, count] of counts.entries()) {
      const state = stateOf(states, column);
      count.set(state, (count.get(state) ?? 0) + 1);
    }
  }
  return counts;
};

const LINKED_STATES = CELL_STATES.filter(isLinkedState);

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Calculates what `POST /api/presets/:name/apply` would change in the agents with these ids. */
export const previewPreset = (
  preset: Pick<PresetContent, LinkKind>,
  matrices: Readonly<Record<LinkKind, LinkMatrix>>,
  ids: readonly string[],
  unlinkOthers: boolean,
): PresetPreview => {
  const chosen = new Set(ids);
  const names: PreviewedName[] = [];
  const removed: PresetPreview['removed'][number][] = [];
  for (const kind of SHOWN_KINDS) {
    const matrix = matrices[kind];
    const counts = countStates(matrix, chosen);
    const firstMissing = matrix.names.length - matrix.missing;
    const columnOf = new Map(matrix.names.map((name, column) => [name, column]));
    for (const name of preset[kind]) {
      const column = columnOf.get(name);
      const isMissing = column === undefined || column >= firstMissing;
      const count = (state: CellState): number => (isMissing ? 0 : (counts[column]?.get(state) ?? 0));
      names.push({
        kind,
        name,
        isMissing,
        added: count('none'),
        replaced: count('broken'),
        linked: sum(LINKED_STATES.map(count)),
        kept: count('local'),
      });
    }
    if (!unlinkOthers) continue;
    const wanted = new Set(preset[kind]);
    for (const [column, name] of matrix.names.entries()) {
      const count = counts[column];
      const agents = sum([...LINKED_STATES, 'broken' as const].map((state) => count?.get(state) ?? 0));
      if (!wanted.has(name) && agents > 0) removed.push({ kind, name, agents });
    }
  }
  return {
    names,
    removed,
    links: sum(names.map(({ added, replaced }) => added + replaced)),
    unlinks: sum(removed.map(({ agents }) => agents)),
    unread: matrices.skills.agents.filter(({ id, problem }) => chosen.has(id) && problem).length,
  };
};
