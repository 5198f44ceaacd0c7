import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { HistoryEntry } from '../../../../shared/api/wallet.ts';
import type { ApiError } from '../../api/client.ts';
import { historyQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';

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
  const { data, error, refetch, isFetchNextPageError, isFetchingNextPage, hasNextPage, fetchNextPage } =
    query;
  const entries = useMemo(() => data?.pages.flatMap((page) => page.entries), [data]);
  const retry = (): void => void refetch();
  if (error?.code === 'unauthorized') return { status: 'locked', retry };
  if (entries && (lastRead(query) || isFetchNextPageError)) {
    const more: More = {
      load: () => void fetchNextPage(),
      loading: isFetchingNextPage,
      error: isFetchNextPageError ? error : null,
    };
    return { status: 'ready', entries, more: hasNextPage ? more : null };
  }
  return error ? { status: 'error', error, retry } : { status: 'loading' };
};
