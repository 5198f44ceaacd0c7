import { useQuery } from '@tanstack/react-query';
import type { Diagnostic } from '../../../../shared/api/catalog.ts';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { catalogQuery } from '../../api/catalog-queries.ts';
import type { ApiError } from '../../api/client.ts';
import { linksQuery } from '../../api/queries.ts';
import { type LinkActions, useLinkActions } from '../../changes/link-changes.ts';
import { linkWords as words } from '../../strings/links.ts';

/**
 * The state of an agent's entry: a link to a shared entry, a link to another target, a broken link, or a local entry.
 * The API never changes a local entry.
 */
type LinkState = 'shared' | 'elsewhere' | 'broken' | 'local';

/** Returns an entry's state. */
export const linkState = (entry: LinkEntry): LinkState => {
  if (entry.kind !== 'symlink') return 'local';
  if (entry.broken) return 'broken';
  return entry.linksToShared ? 'shared' : 'elsewhere';
};

/** Returns the label for an entry's state, including whether it's switched off. */
export const linkLabel = (entry: LinkEntry): string => {
  const state = linkState(entry);
  return entry.switchedOff && state !== 'broken' ? words.switchedOff[state] : words.state[state];
};

/** A shared entry that can be linked, or could be if its name were free. */
export interface Offer<T> {
  readonly shared: T;
  /** The state of the agent's entry that already has the name, if any. */
  readonly takenBy: Exclude<LinkState, 'shared'> | null;
}

/** Returns the shared entries that an agent doesn't link to yet. */
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

/** The parts of a shared entry that linking needs. */
export interface SharedEntry {
  readonly name: string;
  readonly description?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** An agent's links, and the shared entries that it could link to. */
type LinksStatus =
  | { readonly status: 'loading' }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void }
  | {
      readonly status: 'ready';
      readonly entries: readonly LinkEntry[];
      /** The catalog by name, for a linked entry's description and problems. */
      readonly catalog: ReadonlyMap<string, SharedEntry>;
      readonly offers: readonly Offer<SharedEntry>[];
    };

/** Loads and changes an agent's links of one kind. */
export const useLinks = (id: string, kind: LinkKind): LinksStatus & { readonly actions: LinkActions } => {
  const entries = useQuery(linksQuery(id, kind));
  const catalog = useQuery(catalogQuery(kind));
  const actions = useLinkActions(id, kind);
  const error = entries.error ?? catalog.error;
  if (entries.data && catalog.data && (!error || error.code === 'offline')) {
    return {
      status: 'ready',
      entries: entries.data,
      catalog: new Map(catalog.data.map((shared) => [shared.name, shared])),
      offers: offersOf(catalog.data, entries.data),
      actions,
    };
  }
  if (!error) return { status: 'loading', actions };
  const retry = (): void => {
    void entries.refetch();
    void catalog.refetch();
  };
  return { status: 'error', error, retry, actions };
};
