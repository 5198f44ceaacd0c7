import {
  encodeCells,
  type FilledCell,
  type LinkMatrix,
  MAX_MISSING_NAMES,
} from '../../shared/api/links-matrix.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import { isBrokenLink, type KnownAgent, type SharedLook, usesShared } from './look-at-links.ts';

/** A shared entry as the matrix needs it. */
export interface MatrixEntry {
  readonly name: string;
  /** The name that pi knows the skill by. Undefined if pi doesn't load it, and for extensions. */
  readonly loadedAs?: string | undefined;
}

interface NamedCell {
  readonly name: string;
  readonly state: FilledCell['state'];
}

const isSame = (a: LinkMatrix, b: LinkMatrix): boolean =>
  a.missing === b.missing &&
  a.names.length === b.names.length &&
  a.agents.length === b.agents.length &&
  a.names.every((name, i) => name === b.names[i]) &&
  a.agents.every((row, i) => {
    const other = b.agents[i];
    return (
      row.id === other?.id && row.cells === other.cells && row.problem?.message === other.problem?.message
    );
  });

/** Creates the scan of one kind, which returns the same object while its result is equal. */
export const createMatrixScan = (kind: LinkKind) => {
  let last: LinkMatrix | undefined;

  /** The states of an agent's entries, in the order in which pi loads them. */
  const cellsOf = (
    agent: KnownAgent,
    entries: ReadonlyMap<string, MatrixEntry>,
    shared: SharedLook,
  ): NamedCell[] => {
    const loaded = new Set<string>();
    const cells: NamedCell[] = [];
    for (const link of agent.folders[kind].links) {
      const { name } = link;
      const entry = entries.get(name);
      if (link.isLink && isBrokenLink(agent, kind, link, shared)) {
        cells.push({ name, state: 'broken' });
      } else if (entry && usesShared(agent, kind, link, shared)) {
        const { loadedAs } = entry;
        cells.push({ name, state: loadedAs !== undefined && loaded.has(loadedAs) ? 'shadowed' : 'linked' });
        if (loadedAs !== undefined) loaded.add(loadedAs);
      } else {
        if (entry) cells.push({ name, state: 'local' });
        loaded.add(name);
      }
    }
    return cells;
  };

  return (shared: readonly MatrixEntry[], agents: Iterable<KnownAgent>, look: SharedLook): LinkMatrix => {
    const entries = new Map(shared.map((entry) => [entry.name, entry]));
    const rows = Array.from(agents, (agent) => ({ agent, cells: cellsOf(agent, entries, look) }));
    const missing = new Set<string>();
    for (const { cells } of rows) {
      for (const { name } of cells)
        if (!entries.has(name) && missing.size < MAX_MISSING_NAMES) missing.add(name);
    }
    const names = [...[...entries.keys()].sort(), ...[...missing].sort()];
    const columns = new Map(names.map((name, column) => [name, column]));
    const now: LinkMatrix = {
      kind,
      names,
      missing: missing.size,
      agents: rows.map(({ agent, cells }) => {
        const { problem } = agent.folders[kind];
        const filled = cells.flatMap(({ name, state }): FilledCell[] => {
          const column = columns.get(name);
          return column === undefined ? [] : [{ column, state }];
        });
        filled.sort((a, b) => a.column - b.column);
        return { id: agent.id, cells: encodeCells(filled), ...(problem ? { problem } : {}) };
      }),
    };
    if (!last || !isSame(last, now)) last = now;
    return last;
  };
};
