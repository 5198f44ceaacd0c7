import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { entryFileOf, type IsOff, type SwitchedOff, type Switches } from '../../pi/switched-off.ts';
import { encodeCells, type FilledCell, type LinkMatrix, MAX_MISSING_NAMES } from '../../shared/api/links.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import type { Root } from '../platform/root.ts';
import type { ScanContext } from '../root-model/coverage.ts';
import type { Kept } from '../root-model/kept.ts';
import {
  type AgentFolders,
  type FoundFolder,
  type FoundLink,
  isBrokenLink,
  linksIn,
  type SharedStates,
  usesShared,
} from '../root-model/link-folders.ts';
import { isSwitchedOff, rulesOf, watchedOnly } from '../root-model/switched-off.ts';

/** A shared entry in the form that the matrix needs. */
interface MatrixEntry {
  readonly name: string;
  /**
   * The name pi knows it by. Undefined if pi doesn't load it, or if its kind allows duplicate names, as
   * extensions do.
   */
  readonly loadedAs?: string | undefined;
}

type Row = LinkMatrix['agents'][number];

/** A row and the rules that it depends on. */
interface KeptRow {
  readonly row: Row;
  readonly switchedOff: SwitchedOff | undefined;
}

interface NamedCell {
  readonly name: string;
  readonly state: FilledCell['state'];
}

/** A row whose columns aren't known yet. */
interface NewRow {
  readonly agent: AgentFolders;
  readonly switchedOff: SwitchedOff | undefined;
  readonly problem: EntryProblem | undefined;
  readonly cells: readonly NamedCell[];
}

/**
 * Creates the scan of one kind, which returns the same object until its result changes.
 *
 * Reuses an unchanged directory's row while the shared entries and the agent's settings.json are unchanged, but
 * only if all its entries are links, which depend on nothing else.
 */
export const createMatrixScan = (root: Root, kind: LinkKind, localNames?: Kept<string>) => {
  let last: LinkMatrix | undefined;
  let lastSignature: string | undefined;
  let keptRows = new WeakMap<AgentFolders, KeptRow>();
  /** The paths of the local names that a scan needs. */
  const needed = new Set<string>();

  const localNameAt = (path: string, at: ScanContext): string | undefined => {
    needed.add(path);
    return localNames?.one(path, at);
  };

  /** Returns whether an entry is switched off. Scans only extensions' files: the catalog has read the others. */
  const isOff = (
    rules: IsOff,
    { path }: AgentFolders,
    name: string,
    loadedAs: string | undefined,
    at: ScanContext,
  ): boolean =>
    kind === 'extensions'
      ? isSwitchedOff(root, rules, path, kind, name, watchedOnly(at))
      : loadedAs !== undefined && rules(entryFileOf(kind, name));

  /** Returns the states of an agent's entries, in pi's load order. */
  const cellsOf = (
    agent: AgentFolders,
    links: readonly FoundLink[],
    rules: IsOff | undefined,
    entries: ReadonlyMap<string, string | undefined>,
    shared: SharedStates,
    at: ScanContext,
  ): NamedCell[] => {
    const loaded = new Set<string>();
    const cells: NamedCell[] = [];
    // Only a linked entry can be shadowed, so without a link no local name needs to be read.
    const readsNames = localNames !== undefined && links.some(({ isLink }) => isLink);
    for (const link of links) {
      const { name } = link;
      const isShared = entries.has(name);
      if (link.isLink && isBrokenLink(link, shared)) {
        cells.push({ name, state: 'broken' });
        continue;
      }
      const isLinked = isShared && usesShared(link, shared);
      const loadedAs = isLinked
        ? entries.get(name)
        : readsNames
          ? localNameAt(join(agent.path, kind, name), at)
          : undefined;
      if (rules && isOff(rules, agent, name, loadedAs, at)) {
        if (isShared) cells.push({ name, state: isLinked ? 'switchedOff' : 'local' });
        continue;
      }
      const isShadowed = loadedAs !== undefined && loaded.has(loadedAs);
      if (isLinked) cells.push({ name, state: isShadowed ? 'shadowed' : 'linked' });
      else if (isShared) cells.push({ name, state: 'local' });
      if (loadedAs !== undefined) loaded.add(loadedAs);
    }
    return cells;
  };

  return (
    shared: readonly MatrixEntry[],
    agents: readonly AgentFolders[],
    switches: ReadonlyMap<string, Switches>,
    states: SharedStates,
    at: ScanContext,
  ): LinkMatrix => {
    const entries = new Map(shared.map(({ name, loadedAs }) => [name, loadedAs]));
    const signature = JSON.stringify(
      Array.from(entries, ([name, loadedAs]) => [name, loadedAs ?? null, states.get(name)]),
    );
    if (signature !== lastSignature) keptRows = new WeakMap();
    lastSignature = signature;

    const canKeep = (folder: FoundFolder): boolean =>
      !('problem' in folder) && folder.links.every(({ name, isLink }) => isLink && entries.has(name));

    const rows = agents.map((agent): NewRow | { kept: Row } => {
      const found = switches.get(agent.id);
      const kept = keptRows.get(agent);
      if (kept && kept.switchedOff === found?.[kind]) return { kept: kept.row };
      const rules = found && rulesOf(found, kind, agent.path);
      let problem: EntryProblem | undefined;
      const links = linksIn(agent.folders[kind], (reason) => {
        problem = reason;
      });
      const cells = cellsOf(agent, links, rules, entries, states, at);
      return { agent, switchedOff: found?.[kind], problem, cells };
    });
    localNames?.keep(needed);
    needed.clear();
    const missing = new Set<string>();
    for (const row of rows) {
      for (const { name } of 'kept' in row ? [] : row.cells)
        if (!entries.has(name) && missing.size < MAX_MISSING_NAMES) missing.add(name);
    }
    const names = [...[...entries.keys()].sort(), ...[...missing].sort()];
    const columns = new Map(names.map((name, column) => [name, column]));
    const toRow = ({ agent, switchedOff, problem, cells }: NewRow): Row => {
      const filled = cells.flatMap(({ name, state }): FilledCell[] => {
        const column = columns.get(name);
        return column === undefined ? [] : [{ column, state }];
      });
      filled.sort((a, b) => a.column - b.column);
      const row = { id: agent.id, cells: encodeCells(filled), ...(problem ? { problem } : {}) };
      // The shared entries' columns come first, so they keep their positions when another broken link appears.
      if (canKeep(agent.folders[kind]) && (kind !== 'extensions' || !switchedOff))
        keptRows.set(agent, { row, switchedOff });
      return row;
    };
    const now: LinkMatrix = {
      kind,
      names,
      missing: missing.size,
      agents: rows.map((row) => ('kept' in row ? row.kept : toRow(row))),
    };
    if (!isDeepStrictEqual(last, now)) last = now;
    return last ?? now;
  };
};
