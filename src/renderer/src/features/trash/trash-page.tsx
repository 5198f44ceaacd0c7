import { SearchX } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { TrashEntry } from '../../../../shared/api/trash.ts';
import { paths } from '../../routes.ts';
import { agents as agentWords } from '../../strings/agents.ts';
import { common } from '../../strings/common.ts';
import { trash as words } from '../../strings/trash.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { BinArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Problem } from '../../ui/failures.tsx';
import { Loading } from '../../ui/loading.tsx';
import { matcher } from '../../ui/matches.ts';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { daysLeft, trashedName, useTrash, useTrashActions } from './use-trash.ts';

/** Longer lists get a search field. */
const SEARCHED_FROM = 8;

/** Lists deleted agents, sessions and presets, with buttons to restore them or remove them permanently. */
export const TrashPage = () => {
  const state = useTrash();
  const [query, setQuery] = useState('');
  const entries = state.status === 'ready' ? state.entries : [];
  const isLong = entries.length > SEARCHED_FROM;
  const isMatch = matcher(isLong ? query : '');
  const shown = entries.filter((entry) => isMatch(`${trashedName(entry)} ${entry.id}`));
  return (
    <Page
      title={words.heading}
      description={words.description}
      toolbar={
        isLong && (
          <div className="w-60 max-w-full">
            <SearchField isMain label={words.search} value={query} onValueChange={setQuery} />
          </div>
        )
      }
    >
      {state.status === 'loading' && <Loading />}
      {state.status === 'error' && <ErrorState error={state.error} onRetry={state.retry} />}
      {state.status === 'ready' && shown.length === 0 && entries.length > 0 && (
        <EmptyState icon={SearchX} title={words.noMatch(query)}>
          <Button onClick={() => setQuery('')}>{common.clearSearch}</Button>
        </EmptyState>
      )}
      {state.status === 'ready' && (shown.length > 0 || entries.length === 0) && (
        <TrashList entries={shown} />
      )}
    </Page>
  );
};

const TrashList = ({ entries }: { readonly entries: readonly TrashEntry[] }) => {
  const [, navigate] = useLocation();
  const { restore, remove, busy } = useTrashActions((id, { session, preset }) => {
    if (preset !== undefined) return navigate(paths.matrix('skills'));
    navigate(session ? paths.session(id, session.id) : paths.agent(id));
  });
  const list = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(list);
  const [asked, setAsked] = useState<TrashEntry | null>(null);
  const [asking, setAsking] = useState(false);
  const confirm = (): void => {
    setAsking(false);
    if (asked) remove(asked);
  };
  return (
    <div ref={list} tabIndex={-1} className="h-full outline-none">
      {entries.length === 0 && (
        <EmptyState art={<BinArt />} title={words.none}>
          <Link href={paths.agents} className={buttonClass('secondary')}>
            {agentWords.all}
          </Link>
        </EmptyState>
      )}
      <ul aria-label={words.listLabel} className="divide-y divide-line">
        {entries.map((entry) => (
          <TrashRow
            key={entry.entry}
            entry={entry}
            busy={busy === entry.entry}
            onRestore={() => restore(entry)}
            onRemove={() => {
              setAsked(entry);
              setAsking(true);
            }}
          />
        ))}
      </ul>
      <Question
        open={asking}
        onCancel={() => setAsking(false)}
        title={words.confirmTitle(asked ? trashedName(asked) : '')}
        description={words.confirmBody}
      >
        <Button onClick={() => setAsking(false)}>{common.cancel}</Button>
        <Button variant="danger" onClick={confirm}>
          {words.remove}
        </Button>
      </Question>
    </div>
  );
};

interface TrashRowProps {
  readonly entry: TrashEntry;
  readonly busy: boolean;
  readonly onRestore: () => void;
  readonly onRemove: () => void;
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const TrashRow = ({ entry, busy, onRestore, onRemove }: TrashRowProps) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-6 py-2.5">
    <div className="min-w-40 flex-1">
      <p className="break-words font-medium">
        <bdi>{trashedName(entry)}</bdi>
        {entry.session && <span className="font-normal text-muted"> {words.ofAgent(entry.id)}</span>}
      </p>
      <p className="text-sm text-muted">
        {words.deleted} <time dateTime={entry.deletedAt}>{dateTime.format(new Date(entry.deletedAt))}</time>
        {' · '}
        {words.goesIn(daysLeft(entry.deletedAt, Date.now()))}
      </p>
      {entry.problem && <Problem>{entry.problem.message}</Problem>}
    </div>
    <div className="flex gap-2">
      <Button
        data-row-action="restore"
        size="small"
        disabled={busy || entry.problem !== undefined}
        aria-label={words.restoreLabel(trashedName(entry))}
        onClick={onRestore}
      >
        {words.restore}
      </Button>
      <Button
        data-row-action="remove"
        variant="quiet"
        size="small"
        disabled={busy}
        aria-label={words.removeLabel(trashedName(entry))}
        onClick={onRemove}
      >
        {words.remove}
      </Button>
    </div>
  </li>
);
