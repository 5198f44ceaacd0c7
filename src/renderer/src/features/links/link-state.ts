import type { LinkEntry } from '../../../../shared/api/links.ts';

/**
 * What an entry of an agent is: a link to the catalog, a link to another place, a link to nothing, or a file or
 * directory of the agent's own, which the API never touches.
 */
export type LinkState = 'shared' | 'elsewhere' | 'broken' | 'local';

/** Says which of the four an entry is. */
export const linkState = (entry: LinkEntry): LinkState => {
  if (entry.kind !== 'symlink') return 'local';
  if (entry.broken) return 'broken';
  return entry.linksToShared ? 'shared' : 'elsewhere';
};

/** A shared entry that can be linked, or could be if its name were free. */
export interface Offer<T> {
  readonly shared: T;
  /** What has the name in the agent, when something else has. */
  readonly takenBy: Exclude<LinkState, 'shared'> | null;
}

/** The shared entries an agent does not have yet. */
export const offersOf = <T extends { readonly name: string }>(
  catalog: readonly T[],
  entries: readonly LinkEntry[],
): Offer<T>[] => {
  const states = new Map(entries.map((entry) => [entry.name, linkState(entry)]));
  return catalog.flatMap((shared) => {
    const takenBy = states.get(shared.name) ?? null;
    return takenBy === 'shared' ? [] : [{ shared, takenBy }];
  });
};
