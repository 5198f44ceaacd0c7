import { History, KeyRound } from 'lucide-react';
import { useId } from 'react';
import { wallet as texts } from '../../../strings/wallet.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { HistoryList } from './history-list.tsx';
import { type HistoryStatus, useHistory } from './use-history.ts';

const words = texts.history;

/** The history of the wallet, for people who have the operator token. */
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
      return state.entries.length === 0 ? (
        <EmptyState level={3} icon={History} title={words.none} hint={words.noneHint} />
      ) : (
        <HistoryList state={state} />
      );
  }
};
