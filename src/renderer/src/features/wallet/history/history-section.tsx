import { KeyRound } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';
import { SignInForm } from '../../../shell/sign-in.tsx';
import { common } from '../../../strings/common.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Question } from '../../../ui/dialog.tsx';
import { PurseArt } from '../../../ui/empty-art.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { useToday } from '../../../ui/time-ago.tsx';
import { useFocusAfterRemoval } from '../../../ui/use-focus-after-removal.ts';
import { ChargeSheet } from './charge-sheet.tsx';
import { AssignDialog, ReleaseDialog } from './history-dialogs.tsx';
import { dayOf, startsDay } from './history-entry.ts';
import { HistoryRow } from './history-row.tsx';
import {
  type Cover,
  type HistoryStatus,
  type More,
  useHistory,
  useReclaim,
  useShownEntry,
} from './use-history.ts';

interface HistoryListProps {
  readonly state: Extract<HistoryStatus, { status: 'ready' }>;
  readonly cover: Cover;
}

/** Lists the operations by day, with the dialogs that confirm a reclaim or a release. */
const HistoryList = ({ state, cover }: HistoryListProps) => {
  const { entries, more } = state;
  const list = useRef<HTMLUListElement>(null);
  const reclaim = useReclaim();
  const todayMs = useToday();
  const opener = useRef<HTMLElement>(null);
  const [reclaimed, setReclaimed] = useState<HistoryEntry | null>(null);
  const [assigned, setAssigned] = useState<HistoryEntry | null>(null);
  const [sale, setSale] = useState<HistoryEntry | null>(null);
  const [released, setReleased] = useState<HistoryEntry | null>(null);
  useFocusAfterRemoval(list);
  useShownEntry(entries, more, list, cover);
  const asks =
    (set: (entry: HistoryEntry) => void) =>
    (entry: HistoryEntry, pressed: HTMLElement): void => {
      opener.current = pressed;
      set(entry);
    };
  // The button disappears once its operation is over.
  const finalFocus = (): HTMLElement | null => (opener.current?.isConnected ? opener.current : list.current);
  const hadMore = useRef(more !== null);
  useEffect(() => {
    // The button disappears after the last page, and takes focus with it.
    if (hadMore.current && !more && document.activeElement === document.body) list.current?.focus();
    hadMore.current = more !== null;
  }, [more]);
  return (
    <>
      <ul ref={list} tabIndex={-1} aria-label={words.history.label} className="outline-none">
        {entries.map((entry, index) => (
          <HistoryRow
            key={entry.id}
            entry={entry}
            day={startsDay(entries, index) ? dayOf(Date.parse(entry.createdAt), todayMs) : null}
            isReclaiming={reclaim.runningId === entry.id}
            onReclaim={asks(setReclaimed)}
            onRelease={asks(setReleased)}
            onAssign={asks(setAssigned)}
            onCharge={asks(setSale)}
          />
        ))}
      </ul>
      {more && <ShowMore more={more} />}
      <ReclaimQuestion
        entry={reclaimed}
        finalFocus={finalFocus}
        onCancel={() => setReclaimed(null)}
        onConfirm={({ id }) => {
          setReclaimed(null);
          reclaim.run(id);
        }}
      />
      {assigned && (
        <AssignDialog entry={assigned} finalFocus={finalFocus} onClose={() => setAssigned(null)} />
      )}
      {sale?.charge && (
        <ChargeSheet id={sale.charge.id} finalFocus={finalFocus} onClose={() => setSale(null)} />
      )}
      <ReleaseDialog
        // Remount for each operation, so that it doesn't show another one's error.
        key={released?.id}
        entry={released}
        finalFocus={finalFocus}
        onClose={() => setReleased(null)}
      />
    </>
  );
};

const ShowMore = ({ more }: { readonly more: More }) => (
  <div className="flex flex-col items-center gap-2 py-4">
    {more.error && <Failure title={words.history.moreFailed} message={more.error.message} />}
    <Button disabled={more.loading} onClick={more.load}>
      {more.loading ? common.loading : words.history.more}
    </Button>
  </div>
);

interface ReclaimQuestionProps {
  /** The send to reclaim. Null if the dialog is closed. */
  readonly entry: HistoryEntry | null;
  readonly onCancel: () => void;
  readonly onConfirm: (entry: HistoryEntry) => void;
  /** The element that gets focus afterwards. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Asks for confirmation, because a reclaim makes a sent token worthless. */
const ReclaimQuestion = ({ entry, onCancel, onConfirm, finalFocus }: ReclaimQuestionProps) => {
  // Keep the question's text while the dialog fades.
  const last = useRef(entry);
  if (entry) last.current = entry;
  return (
    <Question
      open={entry !== null}
      onCancel={onCancel}
      title={words.reclaim.title(last.current?.amount ?? 0)}
      description={words.reclaim.description}
      finalFocus={finalFocus}
    >
      <Button onClick={onCancel}>{common.cancel}</Button>
      <Button variant="primary" onClick={() => entry && onConfirm(entry)}>
        {words.reclaim.confirm}
      </Button>
    </Question>
  );
};

/** The wallet's history. Needs the operator token. */
export const HistorySection = (cover: Cover) => {
  const state = useHistory();
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-1 flex-col">
      {/* The visible headings are the days. */}
      <h2 id={id} className="sr-only">
        {words.history.heading}
      </h2>
      <HistoryContent state={state} cover={cover} />
    </section>
  );
};

interface HistoryContentProps {
  readonly state: HistoryStatus;
  readonly cover: Cover;
}

const HistoryContent = ({ state, cover }: HistoryContentProps) => {
  switch (state.status) {
    case 'loading':
      return <Loading />;
    case 'error':
      return <ErrorState error={state.error} onRetry={state.retry} />;
    case 'locked':
      return (
        <EmptyState level={3} icon={KeyRound} title={words.history.locked} hint={words.history.lockedHint}>
          <SignInForm />
        </EmptyState>
      );
    case 'ready':
      return state.entries.length === 0 ? (
        <EmptyState level={3} art={<PurseArt />} title={words.history.none} hint={words.history.noneHint} />
      ) : (
        <HistoryList state={state} cover={cover} />
      );
  }
};
