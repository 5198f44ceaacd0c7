import { History, KeyRound } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { HistoryEntry } from '../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../strings/wallet.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { HistoryRow } from './history-row.tsx';
import { ReclaimQuestion } from './reclaim-question.tsx';
import { type HistoryStatus, type More, useHistory } from './use-history.ts';
import { useReclaim } from './use-reclaim.ts';

const words = texts.history;

/** What happened in the wallet, for whoever has the operator token. */
export const HistorySection = () => {
  const state = useHistory();
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="flex min-w-0 flex-1 flex-col border-line max-wide:border-t wide:overflow-y-auto"
    >
      <h2 id={id} className="px-6 pt-4 pb-2 font-semibold">
        {words.heading}
      </h2>
      <div className="flex-1">
        <HistoryContent state={state} />
      </div>
    </section>
  );
};

const HistoryContent = ({ state }: { readonly state: HistoryStatus }) => {
  switch (state.status) {
    case 'loading':
      return <Loading />;
    case 'error':
      return <ErrorState error={state.error} onRetry={state.retry} />;
    case 'locked':
      return (
        <EmptyState level={3} icon={KeyRound} title={words.locked} hint={words.lockedHint}>
          <Button onClick={state.retry}>{strings.common.tryAgain}</Button>
        </EmptyState>
      );
    case 'ready':
      return <HistoryList state={state} />;
  }
};

const HistoryList = ({ state }: { readonly state: Extract<HistoryStatus, { status: 'ready' }> }) => {
  const { entries, more } = state;
  const list = useRef<HTMLUListElement>(null);
  const reclaim = useReclaim();
  /** The send that one is asked about. */
  const opener = useRef<HTMLElement>(null);
  const [asked, setAsked] = useState<HistoryEntry | null>(null);
  useFocusAfterRemoval(list);
  const ask = (entry: HistoryEntry, pressed: HTMLElement): void => {
    opener.current = pressed;
    setAsked(entry);
  };
  const hadMore = useRef(more !== null);
  useEffect(() => {
    // The button goes with the last page, and the focus with it.
    if (hadMore.current && !more && document.activeElement === document.body) list.current?.focus();
    hadMore.current = more !== null;
  }, [more]);
  if (entries.length === 0) {
    return <EmptyState level={3} icon={History} title={words.none} hint={words.noneHint} />;
  }
  return (
    <>
      <ul
        ref={list}
        tabIndex={-1}
        aria-label={words.label}
        className="divide-y divide-line border-t border-line outline-none"
      >
        {entries.map((entry) => (
          <HistoryRow
            key={entry.id}
            entry={entry}
            isReclaiming={reclaim.runningId === entry.id}
            onReclaim={ask}
          />
        ))}
      </ul>
      {more && <ShowMore more={more} />}
      <ReclaimQuestion
        entry={asked}
        // The button is gone as soon as the token is taken back.
        finalFocus={() => (opener.current?.isConnected ? opener.current : list.current)}
        onCancel={() => setAsked(null)}
        onConfirm={({ id }) => {
          setAsked(null);
          reclaim.run(id);
        }}
      />
    </>
  );
};

const ShowMore = ({ more }: { readonly more: More }) => (
  <div className="flex flex-col items-center gap-2 border-t border-line px-6 py-4">
    {more.error && (
      <p role="alert" className="text-center text-danger">
        {words.moreFailed} {more.error.message}
      </p>
    )}
    <Button disabled={more.loading} onClick={more.load}>
      {more.loading ? strings.common.loading : words.more}
    </Button>
  </div>
);
