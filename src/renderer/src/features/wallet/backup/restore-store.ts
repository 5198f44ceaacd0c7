import { createStore } from 'zustand/vanilla';
import { readDetails, titleOf } from '../../../../../shared/api/errors.ts';
import type { Restored } from '../../../../../shared/api/wallet.ts';
import type { ApiError } from '../../../api/client.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { reportFailure } from '../../../ui/failures.tsx';
import { notify } from '../../../ui/toast.tsx';

/** The search at the mint: `restore` uses typed words, `rescan` the wallet's own words. */
export type SearchKind = 'restore' | 'rescan';

/** The result of a search. */
export type SearchEnd =
  | { readonly status: 'done'; readonly kind: SearchKind; readonly restored: Restored }
  | { readonly status: 'failed'; readonly kind: SearchKind; readonly error: ApiError };

/** The last search that this page requested. */
export type SearchState =
  | { readonly status: 'idle' }
  | { readonly status: 'running'; readonly kind: SearchKind }
  | SearchEnd;

/** Runs searches, and outlives the dialog that starts them. SECURITY: it never stores the words. */
interface RestoreStore {
  readonly get: () => SearchState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Runs a search to its end. Does nothing while one is running. */
  readonly run: (kind: SearchKind, search: () => Promise<Restored>) => Promise<void>;
  /** Clears the last search's result. */
  readonly clear: () => void;
  /** Registers a view that shows the results of a kind of search, until the returned function is called. */
  readonly watch: (kind: SearchKind) => () => void;
}

/** Creates a store. `onUnwatched` gets a result that no view shows. */
export const createRestoreStore = (onUnwatched: (end: SearchEnd) => void): RestoreStore => {
  const { getState, setState, subscribe } = createStore<SearchState>(() => ({ status: 'idle' }));
  const watchers: SearchKind[] = [];
  const change = (next: SearchState): void => setState(next, true);
  const end = (next: SearchEnd): void => {
    change(next);
    if (!watchers.includes(next.kind)) onUnwatched(next);
  };
  return {
    get: getState,
    subscribe,
    run: async (kind, search) => {
      if (getState().status === 'running') return;
      change({ status: 'running', kind });
      try {
        end({ status: 'done', kind, restored: await search() });
      } catch (error) {
        // `call` throws nothing else.
        end({ status: 'failed', kind, error: error as ApiError });
      }
    },
    clear: () => {
      if (getState().status !== 'running') change({ status: 'idle' });
    },
    watch: (kind) => {
      watchers.push(kind);
      return () => void watchers.splice(watchers.indexOf(kind), 1);
    },
  };
};

/**
 * Returns the headline of a successful search. Only a search for the wallet's own words succeeds without results.
 * If keysets were skipped, the headline can't say that nothing is missing.
 */
export const headlineOf = (kind: SearchKind, { found, amount, pending, skipped }: Restored): string => {
  if (amount > 0) return kind === 'restore' ? words.search.restored(amount) : words.search.found(amount);
  if (pending > 0) return words.search.notYet(pending);
  if (found > 0) return words.search.notCredited(found);
  return skipped.length > 0 ? words.search.incomplete : words.search.noneMissing;
};

/** Returns the title of a failed search. */
export const failureTitleOf = (kind: SearchKind, { code }: Pick<ApiError, 'code'>): string =>
  words.search.titles[code] ?? titleOf(code) ?? words.search.failed[kind];

/** Returns the keysets skipped by a search that found nothing. */
export const skippedOf = ({ code, details }: Pick<ApiError, 'code' | 'details'>): Restored['skipped'] =>
  (code === 'nothing_found' && readDetails(code, details)?.skipped) || [];

/** The page's only restore store. */
export const restoreStore: RestoreStore = createRestoreStore((end) => {
  if (end.status === 'done') notify(headlineOf(end.kind, end.restored));
  else reportFailure(failureTitleOf(end.kind, end.error), end.error);
});
