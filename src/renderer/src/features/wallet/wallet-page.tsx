import { strings } from '../../strings.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { BalanceSection } from './balance-section.tsx';
import { HistorySection } from './history-section.tsx';
import { MintSection } from './mint-section.tsx';
import { ReceiveSection } from './receive-section.tsx';
import { useWallet } from './use-wallet.ts';

const words = strings.wallet;

/** The wallet: what is in it, the mint it is of, a way in for tokens, and what happened. */
export const WalletPage = () => {
  const state = useWallet();
  return (
    <Page title={words.heading} description={words.description}>
      {state.status === 'loading' && <Loading />}
      {state.status === 'error' && <ErrorState error={state.error} onRetry={state.retry} />}
      {state.status === 'ready' && (
        <div className="flex min-h-full flex-col wide:h-full wide:min-h-0 wide:flex-row">
          <div className="flex flex-col divide-y divide-line wide:w-104 wide:shrink-0 wide:overflow-y-auto wide:border-r wide:border-line">
            <BalanceSection balance={state.balance} />
            <ReceiveSection devMode={state.balance.devMode} />
            <MintSection url={state.balance.mint} knowledge={state.mint} />
          </div>
          <HistorySection />
        </div>
      )}
    </Page>
  );
};
