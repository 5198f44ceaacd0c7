import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import { needsSignIn } from '../../../../../shared/api/errors.ts';
import { attributeOperation, type HistoryEntry, reclaimToken } from '../../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../../api/client.ts';
import { after } from '../../../api/invalidations.ts';
import { lastRead } from '../../../api/read-status.ts';
import { historyQuery, redeemedQuery } from '../../../api/wallet-queries.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { reportFailure } from '../../../ui/failures.tsx';
import { notify } from '../../../ui/toast.tsx';

/** The operations, newest first. `locked` means this page was opened without the operator token. */
export type HistoryStatus =
  | { readonly status: 'loading' }
  | { readonly status: 'locked'; readonly retry: () => void }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void }
  | { readonly status: 'ready'; readonly entries: readonly HistoryEntry[]; readonly more: More | null };

/** Older operations that aren't loaded yet. */
export interface More {
  readonly load: () => void;
  readonly loading: boolean;
  /** Why the older operations couldn't be loaded. */
  readonly error: ApiError | null;
}

/** Loads the history page by page. */
export const useHistory = (): HistoryStatus => {
  const query = useInfiniteQuery(historyQuery());
  const { data, error, refetch, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage } = query;
  const pages = data?.pages.length ?? 0;
  const [wantedPages, setWantedPages] = useState(0);
  // A wallet event refetches the loaded pages, which cancels the read of the next page.
  const wasCancelled = wantedPages > pages && hasNextPage && !isFetching && !error;
  useEffect(() => {
    if (wasCancelled) void fetchNextPage();
  }, [wasCancelled, fetchNextPage]);
  const isWaiting = data?.pages[0]?.entries.some(({ spent }) => spent === false) === true;
  useQuery({ ...redeemedQuery(), enabled: isWaiting });
  const entries = useMemo(() => data?.pages.flatMap((page) => page.entries), [data]);
  const retry = (): void => void refetch();
  if (needsSignIn(error)) return { status: 'locked', retry };
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

/** The state of a reclaim, and a function that starts one. */
interface Reclaim {
  readonly run: (operationId: string) => void;
  /** The send whose token is being reclaimed. */
  readonly runningId: string | undefined;
}

/** Reclaims the unspent part of a sent token, and reports the result. */
export const useReclaim = (): Reclaim => {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (operationId: string) => call(reclaimToken, { params: { operationId } }),
    onSuccess: ({ amount, fee }) => notify(words.reclaim.done(amount, fee)),
    onError: (error: ApiError) =>
      error.code === 'redemption_pending'
        ? notify(words.reclaim.pending)
        : reportFailure(words.reclaim.failed, error),
    meta: { refresh: after.wallet() },
  });
  return {
    run: (operationId) => !isPending && mutate(operationId),
    runningId: isPending ? variables : undefined,
  };
};

/** Sets an operation's agent and label. Null removes one. */
export const useAssign = ({ id }: HistoryEntry, onDone: () => void) =>
  useMutation({
    mutationFn: (body: { readonly agent: string | null; readonly label: string | null }) =>
      call(attributeOperation, { params: { operationId: id }, body }),
    onSuccess: onDone,
    meta: { refresh: after.wallet() },
  });

const requestedId = createStore<string | null>(() => null);

/** Scrolls to a history entry and focuses it, no matter how old it is. */
export const showHistoryEntry = (id: string): void => requestedId.setState(id);

/** A sheet over the history, and how to close it. */
export interface Cover {
  readonly isCovered: boolean;
  readonly onUncover: () => void;
}

/**
 * Carries out {@link showHistoryEntry}: closes a sheet that covers the history, loads older pages until the entry
 * appears, and focuses its row.
 */
export const useShownEntry = (
  entries: readonly HistoryEntry[],
  more: More | null,
  list: RefObject<HTMLElement | null>,
  { isCovered, onUncover }: Cover,
): void => {
  const id = useSyncExternalStore(requestedId.subscribe, requestedId.getState);
  useEffect(() => {
    if (id === null) return;
    if (isCovered) return onUncover();
    const index = entries.findIndex((entry) => entry.id === id);
    const row = list.current?.children[index];
    if (row instanceof HTMLElement) {
      // Only a requested row is focusable, so that clicking a row doesn't focus it.
      row.tabIndex = -1;
      row.focus();
      row.scrollIntoView({ block: 'center' });
    } else if (more && !more.error) {
      if (!more.loading) more.load();
      return;
    } else list.current?.focus();
    requestedId.setState(null);
  }, [id, entries, more, list, isCovered, onUncover]);
};
