import { MutationCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { type ApiError, connectRoot } from './client.ts';
import { refreshAfter } from './invalidations.ts';
import { healthQuery, keys } from './queries.ts';

declare module '@tanstack/react-query' {
  interface Register {
    // `call` throws nothing else, so a query's error needs no narrowing.
    defaultError: ApiError;
    /** What to refetch once the mutation succeeded or failed. It stays pending until then. */
    mutationMeta: { refresh?: readonly QueryKey[] };
  }
}

/**
 * Creates the cache of API responses. The event stream reports stale data. Refetching when the window gets focus
 * covers file systems that don't report changes.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    mutationCache: new MutationCache({
      onSettled: (_data, _error, _variables, _result, { meta }, { client }) =>
        meta?.refresh && refreshAfter(client, meta.refresh),
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // A refused call would be refused again. The event stream handles a lost connection: it reconnects and
        // invalidates everything.
        retry: false,
        // The API is on this computer, so it doesn't depend on the network.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** Data that was read from the root. The rest of the cache doesn't depend on the root. */
const OF_ROOT = [
  keys.agentList,
  keys.agents,
  keys.allLinks,
  keys.linkCounts,
  keys.catalogs,
  keys.allUsage,
  keys.checks,
  keys.earnings,
  keys.allSessions,
  keys.transcripts,
  keys.trash,
  keys.drafts,
  keys.rootTrust,
];

/**
 * Adds the last health response's root to every call that concerns a root. If the server manages another root, discards
 * the data of the previous one.
 */
export const followManagedRoot = (client: QueryClient): void => {
  const shownId = () => client.getQueryData(healthQuery().queryKey)?.rootId;
  let before: string | undefined;
  connectRoot({
    id: shownId,
    onChanged: () => void client.invalidateQueries({ queryKey: keys.health }),
  });
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== keys.health[0]) return;
    const now = shownId();
    if (now === undefined || now === before) return;
    if (before !== undefined) for (const queryKey of OF_ROOT) void client.resetQueries({ queryKey });
    before = now;
  });
};
