import { ArrowDownLeft, ArrowUpRight, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ErrorCode } from '../../../../shared/api/errors.ts';
import type { Balance } from '../../../../shared/api/wallet.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { useAction } from '../../intents/requested-action.ts';
import { wallet as words } from '../../strings/wallet.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import { BackupSheet } from './backup/backup-sheet.tsx';
import { restoreStore } from './backup/restore-store.ts';
import { BalanceSection } from './balance-section.tsx';
import { HistorySection } from './history/history-section.tsx';
import { MintLine } from './mint-line.tsx';
import { ReceiveSheet } from './receive/receive-sheet.tsx';
import { TestTokensNotice } from './receive/test-tokens.tsx';
import { useTokenDrop } from './receive/token-file.tsx';
import { useHoldsTokens } from './receive/unreceived-tokens.ts';
import { addText, usePastedText } from './receive/use-pasted-text.ts';
import { useTokenQueue } from './receive/use-token-queue.ts';
import { SendSheet } from './send/send-sheet.tsx';
import { useIsOperator } from './use-operator.ts';
import { type MintKnowledge, useWallet } from './use-wallet.ts';

const RealMoneySheet = lazyView(async () => (await import('./real-money-sheet.tsx')).RealMoneySheet);
const SeedDialog = lazyView(async () => (await import('./backup/seed-dialog.tsx')).SeedDialog);

/** The sheets of the page. At most one is open. */
type SheetName = 'receive' | 'send' | 'backup' | 'realMoney';

/** Errors of a wallet that only a restart opens. */
const RESTARTABLE: ReadonlySet<string> = new Set<ErrorCode>(['wallet_locked', 'wallet_damaged']);

/** The wallet: its balance, its history and its mint, and sheets to receive, send and back up. */
export const WalletPage = () => {
  const state = useWallet();
  const [sheet, setSheet] = useState<SheetName | null>(null);
  return (
    <Page
      title={words.heading}
      description={words.description}
      toolbar={state.status === 'ready' && <Toolbar balance={state.balance} onSheet={setSheet} />}
    >
      {state.status === 'loading' && <Loading />}
      {state.status === 'error' && (
        <ErrorState error={state.error} onRetry={state.retry}>
          {RESTARTABLE.has(state.error.code) && <Restart />}
        </ErrorState>
      )}
      {state.status === 'ready' && (
        <Content balance={state.balance} mint={state.mint} sheet={sheet} onSheet={setSheet} />
      )}
    </Page>
  );
};

/** The desktop opens the keychain and the database only when it starts. Empty in a browser. */
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

interface ToolbarProps {
  readonly balance: Balance;
  readonly onSheet: (sheet: SheetName) => void;
}

/** Test money, or whether the words are backed up. */
const Toolbar = ({ balance, onSheet }: ToolbarProps) => {
  const isOperator = useIsOperator();
  if (balance.devMode) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone="warn">{words.testMoney}</Badge>
        {isOperator && <Button onClick={() => onSheet('realMoney')}>{words.realMoney.open}</Button>}
      </div>
    );
  }
  if (isOperator === false) return null;
  const isBackedUp = balance.backedUpAt !== undefined && balance.seed === 'present';
  const Icon = isBackedUp ? ShieldCheck : ShieldAlert;
  return (
    <Button onClick={() => onSheet('backup')}>
      <Icon aria-hidden="true" className={cx('size-4', isBackedUp ? 'text-ok' : 'text-warn')} />
      <span className={cx(!isBackedUp && 'text-warn')}>
        {isBackedUp ? words.backup.backedUp : words.backup.notBackedUp}
      </span>
    </Button>
  );
};

interface ContentProps {
  readonly balance: Balance;
  readonly mint: MintKnowledge;
  readonly sheet: SheetName | null;
  readonly onSheet: (sheet: SheetName | null) => void;
}

const Content = ({ balance, mint, sheet, onSheet }: ContentProps) => {
  const isOperator = useIsOperator();
  const seedMissing = balance.seed === 'missing';
  // Stays open once the words exist, because it still shows them.
  const [fixesSeed, setFixesSeed] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);
  const fixSeed = (): void => {
    opener.current = document.activeElement;
    onSheet(null);
    restoreStore.clear();
    setFixesSeed(true);
  };
  const openReceive = (): void => onSheet('receive');
  useAction('fix-seed', () => seedMissing && isOperator !== false && fixSeed());
  useAction('receive-token', openReceive);
  const waiting = useTokenQueue(openReceive);
  const onText = (text: string): void => {
    addText(text);
    openReceive();
  };
  usePastedText(onText);
  const drop = useTokenDrop(onText);
  // The pressed button is gone once the words exist.
  const afterFix = (): HTMLElement | null =>
    opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : place.current;
  const sheetProps = (name: SheetName) => ({
    open: sheet === name,
    onOpenChange: (open: boolean): void => onSheet(open ? name : null),
  });
  const holdsTokens = useHoldsTokens();
  const canSend = !balance.devMode && isOperator !== false;
  return (
    <div
      ref={place}
      tabIndex={-1}
      // Drops on the sheets arrive here too: events of a portal bubble through its React parents.
      {...drop.handlers}
      className={cx('flex min-h-full flex-col outline-none', drop.isOver && 'bg-selected')}
    >
      {isOperator && !balance.devMode && <TestTokensNotice seedMissing={seedMissing} />}
      <div className="mx-auto flex w-full max-w-192 flex-1 flex-col gap-5 px-6 pt-6 pb-8">
        <BalanceSection balance={balance} showsChart={isOperator === true}>
          <div className="flex flex-wrap gap-2">
            <Button variant="primary" onClick={openReceive}>
              <ArrowDownLeft aria-hidden="true" className="size-4" />
              {words.receive.heading}
            </Button>
            {canSend && (
              <Button onClick={() => onSheet('send')}>
                <ArrowUpRight aria-hidden="true" className="size-4" />
                {words.send.heading}
              </Button>
            )}
            {holdsTokens && <p className="self-center text-warn">{words.receive.unreceived}</p>}
          </div>
        </BalanceSection>
        <HistorySection isCovered={sheet !== null} onUncover={() => onSheet(null)} />
      </div>
      <MintLine url={balance.mint} knowledge={mint} />
      <ReceiveSheet
        {...sheetProps('receive')}
        devMode={balance.devMode}
        seedMissing={seedMissing}
        onFixSeed={fixSeed}
        waiting={waiting}
        isDropTarget={drop.isOver}
      />
      {canSend && <SendSheet {...sheetProps('send')} balance={balance.balance} />}
      {canSend && <BackupSheet {...sheetProps('backup')} balance={balance} />}
      {sheet === 'realMoney' && (
        <RealMoneySheet {...sheetProps('realMoney')} balance={balance} fallback={place} />
      )}
      {fixesSeed && <SeedDialog onOpenChange={setFixesSeed} finalFocus={afterFix} />}
    </div>
  );
};
