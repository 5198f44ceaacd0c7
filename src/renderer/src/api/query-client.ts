import { QueryClient } from '@tanstack/react-query';
import { type ApiError, connectRoot } from './client.ts';
import { healthQuery, keys } from './queries.ts';

declare module '@tanstack/react-query' {
  interface Register {
    // `call` throws nothing else, so a query's error needs no narrowing.
    defaultError: ApiError;
  }
}

/**
 * The cache of the API's answers. The event stream says when something is stale. Refetching when the window
 * gets the focus covers file systems that report no changes.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // A refused call would be refused again. The event stream handles a lost connection: it reconnects
        // and invalidates everything.
        retry: false,
        // The API is on this machine, so being offline says nothing about it.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** What was read from the root. The rest of the cache doesn't depend on it. */
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
 * Names the root of the last health answer in every call that is for a root. When the server manages another
 * root, what was read from the one before is forgotten.
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
