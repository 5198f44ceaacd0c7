import { KeyRound } from 'lucide-react';
import { useId } from 'react';
import { SignInForm } from '../../../sign-in/sign-in-form.tsx';
import { wallet as words } from '../../../strings/wallet.ts';
import { PurseArt } from '../../../ui/empty-art.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { HistoryList } from './history-list.tsx';
import { type HistoryStatus, useHistory } from './use-history.ts';
import type { Cover } from './use-shown-entry.ts';

/** The history of the wallet, for people who have the operator token. */
export const HistorySection = (cover: Cover) => {
  const state = useHistory();
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-1 flex-col">
      {/* Each day has a visible heading. */}
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
