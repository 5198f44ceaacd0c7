import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { type EventStream, type EventStreamOptions, followEvents } from './events.ts';
import { EVERYTHING, staleKeys } from './invalidations.ts';
import { type SearchProgress, searchProgressQuery } from './wallet-queries.ts';

// A git checkout changes many files at once. One refetch per burst is enough.
const BURST_MS = 40;

/** By client, the hashes of queries to refetch once their current fetch ends. */
const repeated = new WeakMap<QueryClient, Set<string>>();

/**
 * Invalidates data. A current read may get an old response, so it's repeated once it ends. It isn't cancelled: a
 * program that writes constantly would cancel every read, and no data would ever arrive.
 */
const invalidate = (client: QueryClient, queryKey: QueryKey): void => {
  const waiting = repeated.get(client) ?? new Set();
  repeated.set(client, waiting);
  for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })) {
    if (waiting.has(query.queryHash)) continue;
    waiting.add(query.queryHash);
    const again = (): void => {
      waiting.delete(query.queryHash);
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    };
    // While the query is fetching, this returns the current fetch's promise.
    query.fetch().then(again, again);
  }
  void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
};

/**
 * Shows saved data. A read that began before the save would bring back the old value, so it's cancelled.
 * That read may have found another program's newer value, which no event reports again. So the read is repeated.
 */
export const showSaved = async <T>(client: QueryClient, queryKey: QueryKey, saved: T): Promise<void> => {
  const wasReading = client.isFetching({ queryKey }) > 0;
  await client.cancelQueries({ queryKey });
  client.setQueryData<T>(queryKey, saved);
  if (wasReading) void client.invalidateQueries({ queryKey });
};

/**
 * Follows the event stream until closed, and invalidates the data that each event changed, or all data
 * after a gap.
 */
export const invalidateOnEvents = (
  client: QueryClient,
  options: Omit<EventStreamOptions, 'onEvent' | 'onReopened'>,
): EventStream => {
  let stale: QueryKey[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = (found: QueryKey[]): void => {
    stale.push(...found);
    timer ??= setTimeout(() => {
      const distinct = new Map(stale.map((key) => [JSON.stringify(key), key]));
      stale = [];
      timer = undefined;
      for (const queryKey of distinct.has('[]') ? [EVERYTHING] : distinct.values()) {
        invalidate(client, queryKey);
      }
    }, BURST_MS);
  };
  const showSearch = (progress: SearchProgress): void =>
    void client.setQueryData(searchProgressQuery().queryKey, progress);
  const stream = followEvents({
    ...options,
    onEvent: (event) => {
      if (event.name === 'wallet' && event.data.restore !== undefined) showSearch(event.data.restore);
      refresh(staleKeys(event));
    },
    onReopened: () => {
      // We may have missed the end of a search. A search that still runs reports again soon.
      showSearch(null);
      refresh([EVERYTHING]);
    },
  });
  return {
    ...stream,
    close: () => {
      stream.close();
      clearTimeout(timer);
    },
  };
};
