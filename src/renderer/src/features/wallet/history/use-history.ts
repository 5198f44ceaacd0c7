import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';
import type { ApiError } from '../../../api/client.ts';
import { historyQuery } from '../../../api/queries.ts';
import { lastRead } from '../../../api/read-status.ts';

/** The operations, newest first. `locked`: this page was opened without the operator token. */
export type HistoryStatus =
  | { readonly status: 'loading' }
  | { readonly status: 'locked'; readonly retry: () => void }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void }
  | { readonly status: 'ready'; readonly entries: readonly HistoryEntry[]; readonly more: More | null };

/** Older operations that are not here yet. */
export interface More {
  readonly load: () => void;
  readonly loading: boolean;
  /** Why they could not be read. */
  readonly error: ApiError | null;
}

/** Reads the history page by page. */
export const useHistory = (): HistoryStatus => {
  const query = useInfiniteQuery(historyQuery());
  const { data, error, refetch, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage } = query;
  const pages = data?.pages.length ?? 0;
  const [wantedPages, setWantedPages] = useState(0);
  // A wallet event reads the known pages again, and that cancels the read of the next one.
  const wasCancelled = wantedPages > pages && hasNextPage && !isFetching && !error;
  useEffect(() => {
    if (wasCancelled) void fetchNextPage();
  }, [wasCancelled, fetchNextPage]);
  const entries = useMemo(() => data?.pages.flatMap((page) => page.entries), [data]);
  const retry = (): void => void refetch();
  if (error?.code === 'unauthorized') return { status: 'locked', retry };
  if (entries && (lastRead(query) || isFetchNextPageError)) {
    const more: More = {
      load: () => {
        setWantedPages(pages + 1);
        void fetchNextPage();
      },
      loading: wantedPages > pages && !error,
      error: isFetchNextPageError ? error : null,
    };
    return { status: 'ready', entries, more: hasNextPage ? more : null };
  }
  return error ? { status: 'error', error, retry } : { status: 'loading' };
};
