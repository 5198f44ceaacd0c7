import { ArrowLeft, FileX } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentSession, SessionEntry } from '../../../../shared/api/sessions.ts';
import { readStatus } from '../../api/read-status.ts';
import { common } from '../../strings/common.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { EntryView } from './entry-view.tsx';
import { SessionActions, sessionName } from './session-actions.tsx';
import { costOfSession, visible } from './session-texts.ts';
import { useDeleteSession, useTranscript } from './use-sessions.ts';

interface TranscriptProps {
  readonly agent: AgentSummary;
  readonly session: string;
  readonly listPath: string;
  readonly onDeleted: () => void;
}

/**
 * A session's transcript. SECURITY: anyone may have written its content, so it's shown only as text: nothing in it
 * runs, loads or opens.
 */
export const Transcript = ({ agent, session, listPath, onDeleted }: TranscriptProps) => {
  const { query, isGone, isReplaced, reread } = useTranscript(agent.id, session);
  const remove = useDeleteSession(agent.id, onDeleted);
  if (isGone && !remove.isPending && !remove.isSuccess)
    return (
      <EmptyState announce icon={FileX} title={words.gone} hint={words.goneHint}>
        <Link href={listPath} className={buttonClass('secondary')}>
          {words.all}
        </Link>
      </EmptyState>
    );
  const read = readStatus(query);
  if (read.status === 'loading') return <Loading />;
  if (read.status === 'error' && !isReplaced) return <ErrorState error={read.error} onRetry={read.retry} />;
  const pages = read.status === 'ready' ? read.data.pages : [];
  const entries = pages.flatMap((page) => page.entries);
  // The last page is the newest response.
  const known = pages.at(-1)?.session;
  return (
    <div className="flex flex-col">
      {known && (
        <Header session={known} listPath={listPath}>
          <SessionActions
            agent={agent}
            id={session}
            name={sessionName(known)}
            isOfSale={known.ofSale === true}
            onDelete={() => remove.mutate({ id: session, name: sessionName(known) })}
          />
        </Header>
      )}
      {isReplaced && (
        <Notice tone="warn" title={words.replaced}>
          <Button size="small" onClick={reread}>
            {common.tryAgain}
          </Button>
        </Notice>
      )}
      {entries.length === 0 && <p className="px-4 py-6 text-center text-muted">{words.empty}</p>}
      <ol aria-label={words.transcript} className="flex flex-col gap-3 px-4 py-3">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only added at the end, and ids can repeat
          <li key={index} className="min-w-0 [contain-intrinsic-size:auto_6rem] [content-visibility:auto]">
            {isBranch(entry, entries[index - 1]) && (
              <p className="mb-3 border-t border-line pt-1 text-center text-sm text-muted">{words.branch}</p>
            )}
            <EntryView entry={entry} />
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <More isLoading={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
      )}
    </div>
  );
};

/** Returns whether an entry starts a branch instead of continuing the previous entry. */
const isBranch = (entry: SessionEntry, before: SessionEntry | undefined): boolean =>
  before?.id != null && entry.parentId !== null && entry.parentId !== before.id;

interface HeaderProps {
  readonly session: AgentSession;
  readonly listPath: string;
  readonly children: React.ReactNode;
}

const Header = ({ session, listPath, children }: HeaderProps) => {
  const cost = costOfSession(session);
  return (
    <header
      data-details-row
      className="sticky top-0 z-1 flex items-center gap-2 border-b border-line bg-canvas px-4 py-2"
    >
      <Link
        href={listPath}
        aria-label={words.all}
        // Focusing the link shows the header's cut-off text, which can't get focus itself.
        data-shows-row
        className="rounded p-1 text-muted hover:bg-hover hover:text-ink"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
      </Link>
      <div className="min-w-0 flex-1">
        <h2 className="flex min-w-0 items-center gap-2 font-semibold">
          <bdi className="truncate" data-details="">
            {sessionName(session)}
          </bdi>
          {session.forkOf !== undefined && (
            <span data-details={words.forkHint(session.forkOf)}>
              <Badge>{words.fork}</Badge>
            </span>
          )}
        </h2>
        <p data-details="" className="truncate text-sm text-muted tabular-nums">
          {session.startedAt !== null && (
            <>
              <TimeAgo at={session.startedAt} text={words.started} />
              {' · '}
            </>
          )}
          {words.calls(session.calls)} · {words.tokens(session.tokens)} ·{' '}
          <span data-details={cost.hint}>
            {[cost.usd, cost.sats].filter((text) => text !== undefined).join(' · ')}
          </span>
          {session.cwd !== null && <span className="font-mono"> · {visible(session.cwd)}</span>}
        </p>
      </div>
      {children}
    </header>
  );
};

/** Loads the next page once it comes into view. */
const More = ({ isLoading, onMore }: { readonly isLoading: boolean; readonly onMore: () => void }) => {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    const seen = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && !isLoading && latest.current(),
    );
    if (end.current) seen.observe(end.current);
    return () => seen.disconnect();
  }, [isLoading]);
  return (
    <div ref={end} className="flex justify-center pb-4">
      <Button size="small" disabled={isLoading} onClick={onMore}>
        {isLoading ? words.loadingMore : words.more}
      </Button>
    </div>
  );
};
