import { infiniteQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import {
  deleteSession,
  getResumeCommand,
  listSessions,
  readSession,
  type SessionTranscript,
} from '../../../../shared/api/sessions.ts';
import { isWindowsPath } from '../../../../shared/run-command.ts';
import { call, callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { keys } from '../../api/queries.ts';
import { useChange } from '../../changes/changes.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { copyText } from '../../ui/clipboard.ts';
import { reportFailure } from '../../ui/failures.tsx';

const PAGE_SESSIONS = 100;
const PAGE_ENTRIES = 100;
/** The refetch interval while session files are still being read. */
const READING_INTERVAL_MS = 1_500;

/** Returns an agent's sessions that match a search, newest first. */
export const useSessionList = (agent: string, search: string) =>
  useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [...keys.sessionsOf(agent), 'list', search],
      queryFn: ({ signal, pageParam }) =>
        call(
          listSessions,
          { params: { id: agent }, query: { cursor: pageParam, limit: PAGE_SESSIONS, q: search } },
          signal,
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
      placeholderData: (before) => before,
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ reading }) => reading) ? READING_INTERVAL_MS : false,
    }),
  );

/** Loads a session page by page, and adds new entries from pi. */
export const useTranscript = (agent: string, session: string) => {
  const client = useQueryClient();
  // This key isn't below any key that events invalidate, because only new entries are fetched.
  const queryKey = [...keys.transcripts, agent, session];
  const read = (cursor: string | undefined, signal: AbortSignal) =>
    call(readSession, { params: { session }, query: { agent, cursor, limit: PAGE_ENTRIES } }, signal);
  const query = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey,
      queryFn: ({ signal, pageParam }) => read(pageParam, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
  );
  const last = query.data?.pages.at(-1);
  const end = last && last.nextCursor === undefined ? last.endCursor : undefined;
  const grown = useQuery({
    queryKey: [...keys.sessionsOf(agent), 'grown', session, end],
    queryFn: ({ signal }) => read(end, signal),
    enabled: end !== undefined,
    gcTime: 0,
  });
  const added = grown.data;
  useEffect(() => {
    if (!added || end === undefined || added.entries.length === 0) return;
    client.setQueryData<{ pages: SessionTranscript[]; pageParams: unknown[] }>(queryKey, (before) =>
      before?.pages.at(-1)?.endCursor === end
        ? { pages: [...before.pages, added], pageParams: [...before.pageParams, end] }
        : before,
    );
  });
  const changed = grown.error?.code;
  return {
    query,
    /** True if the file was replaced. */
    isReplaced: changed === 'session_changed' || query.error?.code === 'session_changed',
    isGone: query.error?.code === 'session_not_found' || changed === 'session_not_found',
    reread: () => void client.resetQueries({ queryKey }),
  };
};

/** Copies the command that resumes a session. */
export const copyResumeCommand = async (agent: string, path: string, session: string): Promise<void> => {
  try {
    const { posix, powershell, warnings } = await call(getResumeCommand, {
      params: { session },
      query: { agent },
    });
    const said = [`${words.resumeCopied}.`, ...warnings.map(({ message }) => message)];
    await copyText(
      isWindowsPath(path) ? powershell : posix,
      warnings.length === 0 ? words.resumeCopied : said.join(' '),
    );
  } catch (error) {
    reportFailure(words.resumeFailed, error);
  }
};

/** Deletes a session, and offers Undo. */
export const useDeleteSession = (agent: string, onDeleted?: () => void) =>
  useChange({
    make: ({ id }: { readonly id: string; readonly name: string }) =>
      callForChange(deleteSession, { params: { session: id }, query: { agent } }),
    said: (_, { name }) => words.deleted(name),
    failed: ({ name }) => words.deleteFailed(name),
    onMade: onDeleted,
    refresh: after.session(agent),
  });
