import { useRef, useState } from 'react';
import type { Balance } from '../../../../shared/api/wallet.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { useAction } from '../../commands/requested-action.ts';
import { SignInForm } from '../../sign-in/sign-in-form.tsx';
import { wallet as texts } from '../../strings/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Section } from '../../ui/section.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import { BackupSection } from './backup/backup-section.tsx';
import { restoreStore } from './backup/restore-store.ts';
import { BalanceSection } from './balance-section.tsx';
import { HistorySection } from './history/history-section.tsx';
import { MintSection } from './mint-section.tsx';
import { ReceiveSection } from './receive/receive-section.tsx';
import { TestTokensNotice } from './receive/test-tokens.tsx';
import { SendSection } from './send/send-section.tsx';
import { useIsOperator } from './use-operator.ts';
import { type MintKnowledge, useWallet } from './use-wallet.ts';

const SeedDialog = lazyView(async () => (await import('./backup/seed-dialog.tsx')).SeedDialog);

const words = texts;

/** The wallet: its balance, receiving and sending, its backup, its mint and its history. */
export const WalletPage = () => {
  const state = useWallet();
  return (
    <Page title={words.heading} description={words.description}>
      {state.status === 'loading' && <Loading />}
      {state.status === 'error' && (
        <ErrorState error={state.error} onRetry={state.retry}>
          {state.error.code === 'wallet_locked' && <Restart />}
        </ErrorState>
      )}
      {state.status === 'ready' && <Content balance={state.balance} mint={state.mint} />}
    </Page>
  );
};

/** The desktop asks the keychain only once per start. Empty in a browser. */
const Restart = () => {
  const restart = desktopBridge()?.restart;
  if (!restart) return null;
  const press = (): void => {
    restart().catch((error: unknown) => notifyFailure(words.restartFailed, error));
  };
  return (
    <Button variant="primary" onClick={press}>
      {words.restart}
    </Button>
  );
};

const Content = ({ balance, mint }: { readonly balance: Balance; readonly mint: MintKnowledge }) => {
  const isOperator = useIsOperator();
  const seedMissing = balance.seed === 'missing';
  // Stays open once the words exist, because it still shows them.
  const [fixesSeed, setFixesSeed] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);
  const fixSeed = (): void => {
    opener.current = document.activeElement;
    restoreStore.clear();
    setFixesSeed(true);
  };
  useAction('fix-seed', () => seedMissing && isOperator !== false && fixSeed());
  // The pressed button is gone once the words exist.
  const afterFix = (): HTMLElement | null =>
    opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : place.current;
  return (
    <div ref={place} tabIndex={-1} className="flex min-h-full flex-col outline-none wide:h-full wide:min-h-0">
      {isOperator && !balance.devMode && <TestTokensNotice seedMissing={seedMissing} />}
      <div className="flex min-h-0 flex-1 flex-col wide:flex-row">
        <div className="flex flex-col divide-y divide-line wide:w-104 wide:shrink-0 wide:overflow-y-auto wide:border-r wide:border-line">
          <BalanceSection balance={balance} />
          <ReceiveSection devMode={balance.devMode} seedMissing={seedMissing} onFixSeed={fixSeed} />
          <OperatorParts balance={balance} />
          <MintSection url={balance.mint} knowledge={mint} />
        </div>
        <HistorySection />
      </div>
      {fixesSeed && <SeedDialog onOpenChange={setFixesSeed} finalFocus={afterFix} />}
    </div>
  );
};

/** The parts that send money or show secrets, or why they aren't available. */
const OperatorParts = ({ balance }: { readonly balance: Balance }) => {
  const isOperator = useIsOperator();
  const heading = words.operatorParts;
  if (balance.devMode) return <Unavailable heading={heading} why="devMode" />;
  if (isOperator === false) return <Unavailable heading={heading} why="locked" />;
  // Until that is known, show the parts, so that no refusal flashes. The server still checks.
  return (
    <>
      <SendSection balance={balance.balance} />
      <BackupSection balance={balance} />
    </>
  );
};

/** Says why a part of the wallet isn't available: no operator token, or DEV MODE without real sats. */
const Unavailable = ({ heading, why }: { readonly heading: string; readonly why: 'locked' | 'devMode' }) => (
  <Section heading={heading}>
    {why === 'devMode' ? (
      <Callout tone="note">{words.send.devMode}</Callout>
    ) : (
      <Callout tone="note" title={words.locked.title}>
        <p>{words.locked.hint}</p>
        <SignInForm />
      </Callout>
    )}
  </Section>
);
