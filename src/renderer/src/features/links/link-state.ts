import type { LinkEntry } from '../../../../shared/api/links.ts';
import { links as words } from '../../strings/links.ts';

/**
 * The kind of an agent's entry: a link to a shared entry, a link to another target, a broken link, or a local
 * entry. The API never touches a local entry.
 */
type LinkState = 'shared' | 'elsewhere' | 'broken' | 'local';

/** Finds an entry's kind. */
export const linkState = (entry: LinkEntry): LinkState => {
  if (entry.kind !== 'symlink') return 'local';
  if (entry.broken) return 'broken';
  return entry.linksToShared ? 'shared' : 'elsewhere';
};

/** The label of an entry's kind, and whether it is switched off. */
export const linkLabel = (entry: LinkEntry): string => {
  const state = linkState(entry);
  return entry.switchedOff && state !== 'broken' ? words.switchedOff[state] : words.state[state];
};

/** A shared entry that can be linked, or could be if its name were free. */
export interface Offer<T> {
  readonly shared: T;
  /** The kind of the agent's entry that already has the name, if any. */
  readonly takenBy: Exclude<LinkState, 'shared'> | null;
}

/** The shared entries that an agent doesn't link to yet. */
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
