import { SearchX, Terminal } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentSession } from '../../../../shared/api/sessions.ts';
import { readStatus } from '../../api/read-status.ts';
import { paths } from '../../routes.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { useRows } from '../../ui/use-rows.ts';
import { SessionActions, sessionName } from './session-actions.tsx';
import { costOfSession, visible } from './session-texts.ts';
import { Transcript } from './transcript.tsx';
import { useDeleteSession, useSessionList } from './use-sessions.ts';

const ROW_HEIGHT_PX = 52;

/** An agent's sessions, newest first, with a search. Only visible rows are in the DOM. */
const SessionList = ({ agent }: { readonly agent: AgentSummary }) => {
  const [search, setSearch] = useState('');
  const query = useSessionList(agent.id, useDeferredValue(search.trim()));
  const read = readStatus(query);
  if (read.status === 'loading') return <Loading />;
  if (read.status === 'error') return <ErrorState error={read.error} onRetry={read.retry} />;
  const found = read.data.pages.flatMap(({ sessions }) => sessions);
  const isReading = read.data.pages.some(({ reading }) => reading);
  const isPartial = read.data.pages.some(({ notCounted }) => notCounted);
  if (found.length === 0 && search === '')
    return (
      <EmptyState
        icon={Terminal}
        title={isReading ? words.reading : words.none}
        hint={!isReading && (isPartial ? words.notListed : words.noneHint)}
      />
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
        <div className="w-60 max-w-full">
          <SearchField label={words.search} value={search} onValueChange={setSearch} />
        </div>
        <p role="status" className="text-sm text-muted">
          {isReading ? words.reading : words.count(found.length, !query.hasNextPage)}
          {isPartial && `. ${words.notListed}`}
        </p>
      </div>
      {found.length === 0 ? (
        <EmptyState icon={SearchX} title={words.noneFound(search)} />
      ) : (
        <Rows
          agent={agent}
          sessions={found}
          onEnd={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
        />
      )}
    </div>
  );
};

interface RowsProps {
  readonly agent: AgentSummary;
  readonly sessions: readonly AgentSession[];
  readonly onEnd: () => void;
}

const Rows = ({ agent, sessions, onEnd }: RowsProps) => {
  const { setScroller, height, rows } = useRows(sessions.length, ROW_HEIGHT_PX);
  const remove = useDeleteSession(agent.id);
  const isAtEnd = (rows.at(-1)?.index ?? 0) >= sessions.length - 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows move the end
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, sessions.length]);
  return (
    <div ref={setScroller} className="min-h-0 flex-1 overflow-y-auto border-t border-line">
      <ul aria-label={words.listLabel(agent.id)} className="relative" style={{ height }}>
        {rows.map(({ index, start }) => {
          const session = sessions[index];
          return (
            session && (
              <li
                key={session.id}
                data-index={index}
                className="absolute inset-x-0 border-b border-line hover:bg-hover"
                style={{ height: ROW_HEIGHT_PX, transform: `translateY(${start}px)` }}
              >
                <Row
                  agent={agent}
                  session={session}
                  onDelete={() => remove.mutate({ id: session.id, name: sessionName(session) })}
                />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
};

interface RowProps {
  readonly agent: AgentSummary;
  readonly session: AgentSession;
  readonly onDelete: () => void;
}

const Row = ({ agent, session, onDelete }: RowProps) => {
  const name = sessionName(session);
  const cost = costOfSession(session);
  const models = session.models.map(visible).join(', ');
  return (
    <div data-details-row className="relative flex h-full items-center gap-3 px-4">
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          <Link
            href={paths.session(agent.id, session.id)}
            data-shows-row=""
            data-details=""
            className="min-w-0 truncate font-medium after:absolute after:inset-0"
          >
            <bdi>{name}</bdi>
          </Link>
          {session.forkOf !== undefined && (
            <span data-details={words.forkHint(session.forkOf)}>
              <Badge>{words.fork}</Badge>
            </span>
          )}
          {session.ofSale && (
            <span data-details={words.ofSaleHint}>
              <Badge>{words.ofSale}</Badge>
            </span>
          )}
          {session.errors > 0 && <Badge tone="danger">{words.failed(session.errors)}</Badge>}
        </div>
        <p data-details="" className="truncate text-sm text-muted">
          {session.startedAt !== null && (
            <>
              <TimeAgo at={session.startedAt} text={words.started} isInRow />
              {' · '}
            </>
          )}
          {models === '' ? words.noModel : models}
          {session.cwd !== null && <span className="font-mono"> · {visible(session.cwd)}</span>}
        </p>
      </div>
      <div className="shrink-0 text-right text-sm tabular-nums" data-details={cost.hint}>
        <p>
          {cost.usd}
          {cost.sats !== undefined && <span className="text-muted max-icons:hidden"> · {cost.sats}</span>}
        </p>
        <p className="text-muted">
          {words.calls(session.calls)}
          <span className="max-icons:hidden"> · {words.tokens(session.tokens)}</span>
        </p>
      </div>
      <div className="relative flex shrink-0 gap-0.5">
        <SessionActions
          agent={agent}
          id={session.id}
          name={name}
          isOfSale={session.ofSale === true}
          onDelete={onDelete}
        />
      </div>
    </div>
  );
};

interface SessionsSectionProps {
  readonly agent: AgentSummary;
  /** The id of the open session. */
  readonly session: string | null;
}

/** An agent's sessions, or the transcript of one of them. */
export const SessionsSection = ({ agent, session }: SessionsSectionProps) => {
  const [, navigate] = useLocation();
  const list = paths.agent(agent.id, { kind: 'sessions', session: null });
  return session === null ? (
    <SessionList agent={agent} />
  ) : (
    <Transcript
      key={session}
      agent={agent}
      session={session}
      listPath={list}
      onDeleted={() => navigate(list)}
    />
  );
};
