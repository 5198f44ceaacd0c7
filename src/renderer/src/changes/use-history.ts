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

/** What a person can do with an entry: the direction, and the change that must be undone for it. */
export interface EntryAction {
  readonly way: Way;
  readonly id: string;
  /** What is undone or redone. */
  readonly said: string;
}

/** Where an entry stands: whether it's undone, and what a person can do with it. */
interface Standing {
  readonly isUndone: boolean;
  /** Null if the entry changed nothing. */
  readonly action: EntryAction | null;
}

/**
 * Returns where an entry stands. An undo is an entry of its own, and undoing that is a redo. So a change, its undo, that
 * undo's undo and so on are one chain, of which only the last can be undone. `byId` has the loaded entries.
 */
export const standingOf = (change: Change, byId: ReadonlyMap<string, Change>): Standing => {
  let first = change;
  let isUndoing = false;
  for (;;) {
    const earlier = first.undoes === undefined ? undefined : byId.get(first.undoes);
    if (!earlier) break;
    first = earlier;
    isUndoing = !isUndoing;
  }
  let last: Pick<Change, 'id' | 'undoneBy' | 'applied'> = change;
  let isUndone = false;
  while (last.undoneBy !== undefined) {
    last = byId.get(last.undoneBy) ?? { id: last.undoneBy, applied: 1 };
    isUndone = !isUndone;
  }
  const way = isUndoing === isUndone ? 'undo' : 'redo';
  return { isUndone, action: last.applied > 0 ? { way, id: last.id, said: first.label } : null };
};

/** Undoes or redoes an entry. */
export const takeEntry = ({ way, id, said }: EntryAction): Promise<void> => takeChange(way, id, said);

const useWhole = (
  endpoint: typeof restoreChange | typeof finishChange,
  said: (label: string) => string,
  failed: (label: string) => string,
) =>
  useChange({
    make: ({ id }: Change) => callForChange(endpoint, { params: { change: id } }),
    said: ({ applied }, { label }) => (applied > 0 ? said(label) : null),
    failed: ({ label }) => failed(label),
    problem: ({ refused }, { label }) =>
      refused[0] ? { title: failed(label), error: refused[0].error } : null,
    refresh: after.undo(),
  });

/** Writes files and links again as they were after a change. */
export const useRestore = () => useWhole(restoreChange, words.restored, words.restoreFailed);

/** Makes the rest of a change that was interrupted. */
export const useFinish = () => useWhole(finishChange, words.finished, words.finishFailed);
