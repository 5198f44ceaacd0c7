import { useQuery } from '@tanstack/react-query';
import { ArrowDownLeft, ArrowUpRight, ShieldAlert, ShieldCheck } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { ErrorCode } from '../../../../shared/api/errors.ts';
import type { Balance, MintStatus } from '../../../../shared/api/wallet.ts';
import { hostOf } from '../../../../shared/mint-url.ts';
import { SATS_PER_BTC } from '../../../../shared/sats.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { btcPriceQuery } from '../../api/queries.ts';
import { BalanceChart } from '../../money/balance-chart.tsx';
import { GetTestSats } from '../../money/test-sats.tsx';
import { useAction } from '../../shell/intents.ts';
import { wallet as words } from '../../strings/wallet.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Problem, reportFailure } from '../../ui/failures.tsx';
import { useFileDrop } from '../../ui/file-field.tsx';
import { Hint } from '../../ui/hint.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { BackupSheet } from './backup/backup-sheet.tsx';
import { restoreStore } from './backup/restore-store.ts';
import { ForeignKeysetsNotice } from './foreign-keysets.tsx';
import { HistorySection } from './history/history-section.tsx';
import { ReceiveSheet } from './receive/receive-sheet.tsx';
import { TestTokensNotice } from './receive/test-tokens.tsx';
import { readToken } from './receive/token-file.ts';
import { useHoldsTokens } from './receive/unreceived-tokens.ts';
import { addText, usePastedText, useTokenQueue } from './receive/use-token-queue.ts';
import { SendSheet } from './send/send-sheet.tsx';
import { UnconfirmedSats } from './unconfirmed-sats.tsx';
import { type MintKnowledge, useIsOperator, useWallet } from './use-wallet.ts';

const RealMoneySheet = lazyView(async () => (await import('./real-money-sheet.tsx')).RealMoneySheet);
const SeedDialog = lazyView(async () => (await import('./backup/seed-dialog.tsx')).SeedDialog);

/** Returns the value of sats in USD. Null for 0 sats, and while the BTC price is unknown or stale. */
const useUsdValue = (sats: number): number | null => {
  const { data } = useQuery(btcPriceQuery());
  if (sats === 0 || !data || data.stale) return null;
  return (sats / SATS_PER_BTC) * data.btc_price_usd;
};

/** How many characters fit the column in the largest type. */
const MOST_LARGE = 15;

interface BalanceSectionProps {
  readonly balance: Balance;
  /** True with the operator token, which the balance's history and a check need. Undefined while unknown. */
  readonly isOperator: boolean | undefined;
  /** The buttons below the balance. */
  readonly children: ReactNode;
}

/** Shows the balance, its value in USD, the pending sats, and sats that aren't counted or may be at risk. */
const BalanceSection = ({ balance, isOperator, children }: BalanceSectionProps) => {
  const { pending, held = 0, expired = 0, unlisted = 0, dust = 0, otherMints = [] } = balance;
  const isUnchecked = !balance.devMode && balance.balance > 0 && balance.checkedAt === undefined;
  const sats = words.balance.sats(balance.balance);
  const place = useRef<HTMLElement>(null);
  // A button disappears once there are no more sats for it to act on.
  useFocusAfterRemoval(place);
  // Test money has no value.
  const usd = useUsdValue(balance.devMode ? 0 : balance.balance);
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label={words.balance.heading}
      className="flex min-w-0 flex-col gap-4 outline-none"
    >
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <div className="flex min-w-0 flex-col gap-1">
          <p
            className={cx(
              'min-w-0 font-semibold break-words tabular-nums',
              sats.length > MOST_LARGE ? 'text-2xl' : 'text-3xl',
            )}
          >
            {sats} <span className="text-xl font-normal text-muted">{words.balance.unit}</span>
          </p>
          {held > 0 && <p className="text-pretty text-muted">{words.balance.held(held)}</p>}
          {(usd !== null || pending > 0 || isUnchecked) && (
            <p className="flex flex-wrap gap-x-4 text-muted tabular-nums">
              {usd !== null && <span>{words.balance.usd(usd)}</span>}
              {pending > 0 && (
                <Hint className="text-warn" label={words.balance.pendingHint}>
                  {words.balance.pending(pending)}
                </Hint>
              )}
              {isUnchecked && <span>{words.balance.unchecked}</span>}
            </p>
          )}
        </div>
        {/* The chart is calculated from operations, which don't include sats that expired. */}
        {isOperator === true && expired === 0 && <BalanceChart />}
      </div>
      {children}
      <UnconfirmedSats balance={balance} canCheck={isOperator !== false} />
      {expired > 0 && (
        <Callout tone="warn" title={words.balance.expired(expired)}>
          <p>{words.balance.expiredHint}</p>
        </Callout>
      )}
      {dust > 0 && <p className="text-pretty text-muted">{words.balance.dust(dust)}</p>}
      {unlisted > 0 && <Callout tone="warn">{words.balance.unlisted(unlisted)}</Callout>}
      {otherMints.length > 0 && <OtherMints mints={otherMints} />}
    </section>
  );
};

/** The sats that the wallet still holds at earlier mints. */
const OtherMints = ({ mints }: { readonly mints: NonNullable<Balance['otherMints']> }) => (
  <Callout tone="note" title={words.balance.otherMints}>
    <p>{words.balance.otherMintsHint}</p>
    <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5">
      {mints.map(({ mint, balance, pending }) => (
        <div key={mint} className="contents">
          <dt className="break-all text-muted">
            <bdi>{mint}</bdi>
          </dt>
          <dd className="text-right tabular-nums">
            {words.sats(balance)}
            {pending > 0 && (
              <span className="block text-sm text-warn">{words.balance.otherPending(pending)}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  </Callout>
);

/** Colors for the dot and words of each state. */
const TONES = {
  reachable: { dot: 'bg-ok', text: 'text-muted' },
  unreachable: { dot: 'bg-danger', text: 'text-danger' },
  error: { dot: 'bg-danger', text: 'text-danger' },
  simulated: { dot: 'bg-line-strong', text: 'text-muted' },
  asking: { dot: 'bg-line-strong', text: 'text-muted' },
} as const;

interface MintLineProps {
  /** The wallet's mint, known even while it's unreachable. */
  readonly url: string;
  readonly knowledge: MintKnowledge;
}

/** Shows the address and status of the wallet's mint, at the bottom of the page. */
const MintLine = ({ url, knowledge }: MintLineProps) => {
  const state = knowledge.status === 'known' ? knowledge.mint.state : knowledge.status;
  const tone = TONES[state];
  return (
    <section
      aria-label={words.mint.heading}
      className="sticky bottom-0 mt-auto flex min-w-0 flex-col border-t border-line bg-canvas px-6 py-1.5 text-sm"
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-2">
        <span aria-hidden="true" className={cx('size-2 shrink-0 rounded-full', tone.dot)} />
        <bdi className="font-medium">{hostOf(url)}</bdi>
        <span className={tone.text}>{words.mint.states[state]}</span>
        <div className="ml-auto flex min-w-0 items-center gap-1 text-muted">
          <code className="min-w-0 text-xs wrap-anywhere select-all">{url}</code>
          <CopyButton label={words.mint.copy} text={url} />
        </div>
      </div>
      {knowledge.status === 'error' && <Problem>{knowledge.error.message}</Problem>}
      {knowledge.status === 'known' && <MintWords mint={knowledge.mint} />}
    </section>
  );
};

/**
 * The mint's name and version, or its problem. A stranger wrote these words, so they're shown as plain text, separate
 * from ours.
 */
const MintWords = ({ mint: { state, name, version, checkedAt, message } }: { readonly mint: MintStatus }) => {
  const isBad = state === 'unreachable' || state === 'error';
  return (
    <>
      {message && (
        <p className={cx('line-clamp-3 break-words', isBad ? 'text-danger' : 'text-muted')}>
          <bdi>{message}</bdi>
        </p>
      )}
      {(name || version || checkedAt) && (
        <p className="flex flex-wrap gap-x-2 text-xs text-muted">
          {name && <bdi className="min-w-0 truncate">{name}</bdi>}
          {version && <bdi className="min-w-0 truncate">{version}</bdi>}
          {checkedAt && (
            <span>
              {words.mint.checked} <TimeAgo at={checkedAt} />
            </span>
          )}
        </p>
      )}
    </>
  );
};

/** The page's sheets. At most one is open. */
type SheetName = 'receive' | 'send' | 'backup' | 'realMoney';

/** Errors of a wallet that only a restart can open. */
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

/** Offers a restart, because the desktop app opens the keychain and database only at startup. Empty in a browser. */
const Restart = () => {
  const restart = desktopBridge()?.restart;
  if (!restart) return null;
  const press = (): void => {
    restart().catch((error: unknown) => reportFailure(words.restartFailed, error));
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

/** Shows whether this is test money, or whether the words are backed up. */
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
  // The dialog stays open once the words exist, because it still shows them.
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
  useAction('send-sats', () => isOperator !== false && onSheet('send'));
  const waiting = useTokenQueue(openReceive);
  const onText = (text: string): void => {
    addText(text);
    openReceive();
  };
  usePastedText(onText);
  const drop = useFileDrop((file) => void readToken(file, onText));
  // The clicked button is gone once the words exist.
  const afterFix = (): HTMLElement | null =>
    opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : place.current;
  const sheetProps = (name: SheetName) => ({
    open: sheet === name,
    onOpenChange: (open: boolean): void => onSheet(open ? name : null),
  });
  const holdsTokens = useHoldsTokens();
  const canSend = isOperator !== false;
  return (
    <div
      ref={place}
      tabIndex={-1}
      // Drops on the sheets arrive here too, because a portal's events bubble through its React parents.
      {...drop.handlers}
      className={cx('flex min-h-full flex-col outline-none', drop.isOver && 'bg-selected')}
    >
      {isOperator && !balance.devMode && <TestTokensNotice seedMissing={seedMissing} />}
      <div className="flex w-full max-w-192 flex-1 flex-col gap-5 px-6 pt-6 pb-8">
        {mint.status === 'known' && (
          <ForeignKeysetsNotice mints={mint.mint.foreignKeysets ?? []} canChange={canSend} />
        )}
        <BalanceSection balance={balance} isOperator={isOperator}>
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
            {balance.devMode && <GetTestSats />}
            {holdsTokens && <p className="self-center text-warn">{words.receive.unreceived}</p>}
          </div>
        </BalanceSection>
        <HistorySection isCovered={sheet !== null} onUncover={() => onSheet(null)} />
      </div>
      <MintLine url={balance.mint} knowledge={mint} />
      <ReceiveSheet
        {...sheetProps('receive')}
        ownMint={balance.mint}
        devMode={balance.devMode}
        seedMissing={seedMissing}
        onFixSeed={fixSeed}
        waiting={waiting}
        isDropTarget={drop.isOver}
      />
      {canSend && <SendSheet {...sheetProps('send')} balance={balance.balance} />}
      {canSend && !balance.devMode && <BackupSheet {...sheetProps('backup')} balance={balance} />}
      {sheet === 'realMoney' && (
        <RealMoneySheet {...sheetProps('realMoney')} balance={balance} fallback={place} />
      )}
      {fixesSeed && <SeedDialog onOpenChange={setFixesSeed} finalFocus={afterFix} />}
    </div>
  );
};
