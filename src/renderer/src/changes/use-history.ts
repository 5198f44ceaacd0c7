import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import {
  type Change,
  finishChange,
  getChange,
  listChanges,
  restoreChange,
} from '../../../shared/api/changes.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import { call, callForChange } from '../api/client.ts';
import { after } from '../api/invalidations.ts';
import { useSession } from '../api/page-session.ts';
import { keys } from '../api/queries.ts';
import { historyWords as words } from '../strings/history.ts';
import { takeChange, useChange, type Way } from './changes.ts';

/** Whose changes to list: an agent's, a shared entry's, or all. */
export interface HistoryOf {
  readonly agent?: string;
  readonly shared?: { readonly kind: LinkKind; readonly name: string };
}

const PAGE_CHANGES = 50;
/** The refetch interval while session files are still being read. */
const READING_INTERVAL_MS = 1_500;

/** Lists changes page by page, newest first. */
export const useHistory = ({ agent, shared }: HistoryOf, isShown: boolean) => {
  const entry = shared && `${shared.kind}/${shared.name}`;
  const isSignedIn = useSession() === 'signedIn';
  const query = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [...keys.changes, 'list', agent ?? null, entry ?? null],
      queryFn: ({ signal, pageParam }) =>
        call(
          listChanges,
          { query: { agent, shared: entry, cursor: pageParam, limit: PAGE_CHANGES } },
          signal,
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
      // What sessions cost isn't known yet.
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ reading }) => reading) ? READING_INTERVAL_MS : false,
      enabled: isShown && isSignedIn,
    }),
  );
  return { ...query, isSignedIn };
};

const changeQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.changes, 'entry', id],
    queryFn: ({ signal }) => call(getChange, { params: { change: id } }, signal),
  });

/** Loads a change with what was there before and after. */
export const useChangeDetail = (id: string) => useQuery(changeQuery(id));

/** What a person can do with a change: the direction, and the entry that must be undone for it. */
interface ChainAction {
  readonly way: Way;
  readonly id: string;
}

/** A change with its undo, the undo of that (a redo), and so on. */
export interface Chain {
  readonly change: Change;
  /** The last undo or redo. Undefined if there is none, or if it isn't in the list. */
  readonly last: Change | undefined;
  readonly isUndone: boolean;
  /** Null if nothing was changed. */
  readonly action: ChainAction | null;
}

/** Returns the chains of a list of entries, in the order of their changes. Only the last entry of a chain can be undone. */
export const chainsOf = (changes: readonly Change[]): Chain[] => {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const begins = ({ undoes }: Change): boolean => undoes === undefined || !byId.has(undoes);
  return changes.filter(begins).map((change) => {
    let end: Pick<Change, 'id' | 'undoneBy' | 'applied'> = change;
    let isUndone = false;
    while (end.undoneBy !== undefined) {
      end = byId.get(end.undoneBy) ?? { id: end.undoneBy, applied: 1 };
      isUndone = !isUndone;
    }
    const last = end === change ? undefined : byId.get(end.id);
    const action: ChainAction = { way: isUndone ? 'redo' : 'undo', id: end.id };
    return { change, last, isUndone, action: end.applied > 0 ? action : null };
  });
};

/** Undoes or redoes a change. */
export const takeChain = ({ way, id }: ChainAction, { label }: Change): Promise<void> =>
  takeChange(way, id, label);

/** An entry, and what is restored or finished, in words. */
interface Whole {
  readonly id: string;
  readonly what: string;
}

const useWhole = (
  endpoint: typeof restoreChange | typeof finishChange,
  said: (what: string, isNew: boolean) => string,
  failed: (what: string) => string,
) =>
  useChange({
    make: ({ id }: Whole) => callForChange(endpoint, { params: { change: id } }),
    said: ({ applied, refused }, { what }) =>
      applied > 0 || refused.length === 0 ? said(what, applied > 0) : null,
    failed: ({ what }) => failed(what),
    problem: ({ refused }, { what }) =>
      refused[0] ? { title: failed(what), error: refused[0].error } : null,
    refresh: after.undo(),
  });

/** Writes files and links again as they were after a change. */
export const useRestore = () => useWhole(restoreChange, words.restored, words.restoreFailed);

/** Makes the rest of a change that was interrupted. */
export const useFinish = () => useWhole(finishChange, words.finished, words.finishFailed);
