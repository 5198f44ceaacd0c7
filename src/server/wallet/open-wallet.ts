import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EventData } from '../../shared/api/events.ts';
import type { Balance } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { createDevWallet } from './dev-wallet.ts';
import { createBalanceHistory, createHistory } from './history.ts';
import { createIdempotency } from './idempotency.ts';
import { createMintThread } from './mint/mint-thread.ts';
import { normalizeMintUrl } from './mint/token-text.ts';
import { createBalanceView } from './operations/balance.ts';
import { createMintWallet, type MintWallet } from './operations/mint-wallet.ts';
import { createRestorer } from './operations/restore.ts';
import { createSentStates } from './operations/sent-states.ts';
import type { OnStep } from './operations/swap-attempt.ts';
import { createOtherWallets } from './other-wallets.ts';
import { openSeed } from './seed/seed.ts';
import type { SeedVault } from './seed/seed-vault.ts';
import type { Operation } from './store/operation.ts';
import { openWalletStore } from './store/wallet-store.ts';
import { createTestTokens, DEV_DATABASE_NAME } from './test-tokens.ts';
import { createWalletService, type WalletService } from './wallet.service.ts';
import { type OnWalletEvent, reportOf, summaryOf, sumsOf } from './wallet-events.ts';

/** The wallet to open. */
interface WalletConfig {
  walletDirectory: string;
  mintUrl: string;
  devMode: boolean;
}

/** Dependencies of a wallet. The deadlines and steps are for tests. */
export interface WalletDeps {
  workerUrl: URL;
  clock: Clock;
  logger: Logger;
  publish(event: EventData<'wallet'>): void;
  onWalletEvent?: OnWalletEvent | undefined;
  mintTimeoutMs?: number | undefined;
  requestDeadlineMs?: number | undefined;
  confirmAfterMs?: number | undefined;
  onStep?: OnStep | undefined;
  seedVault?: (() => Promise<SeedVault | undefined>) | undefined;
}

/** An open wallet. Nobody else can open it until it is closed. */
export interface OpenWallet {
  service: WalletService;
  /** Why no route of the wallet works, for the operator alone. It contains paths. */
  problem?: string;
  /** Resumes what an earlier process left, and asks the mint what it signed for the wallet's words. */
  start(): void;
  /** Closes the wallet. Pending operations continue at the next start. */
  close(): Promise<void>;
}

/** The metadata key of a database's mint, so that its wallet can be opened after MINT_URL changed. */
const MINT_KEY = 'mint';

/** One file per mint, so that sats of two mints, or real and simulated ones, can never mix. */
const fileOf = (mintUrl: string): string => {
  const { host, pathname } = new URL(mintUrl);
  const name = `${host}${pathname}`.replaceAll(/[^A-Za-z0-9.-]+/g, '-').replace(/-+$/, '');
  const hash = createHash('sha256').update(mintUrl).digest('hex').slice(0, 8);
  return `wallet-${name.slice(0, 60)}-${hash}.sqlite`;
};

const openDevWallet = async (
  { walletDirectory }: WalletConfig,
  mintUrl: string,
  { clock, workerUrl, publish, onWalletEvent, mintTimeoutMs }: WalletDeps,
): Promise<OpenWallet> => {
  const store = await openWalletStore(join(walletDirectory, DEV_DATABASE_NAME), clock);
  const thread = createMintThread(workerUrl, { mintUrl, timeoutMs: mintTimeoutMs, keysets: [] });
  const view = createBalanceView({
    store,
    clock,
    mintUrl,
    devMode: true,
    hasSeed: () => true,
    backedUpAt: () => undefined,
    otherMints: () => [],
  });
  return {
    service: createDevWallet({
      store,
      mint: thread,
      mintUrl,
      idempotency: createIdempotency(store),
      history: createHistory(store),
      balance: view.read,
      balanceHistory: createBalanceHistory(store, clock),
      onChange(operation) {
        view.changed();
        publish({ ...sumsOf(view.read()), operation: summaryOf(operation) });
        onWalletEvent?.({ name: 'operation', operation: reportOf(operation) });
      },
      onChanged: () => publish({ ...sumsOf(view.read()), operation: null }),
    }),
    start: () => onWalletEvent?.({ name: 'opened', mintUrl, isSimulated: true, pending: [] }),
    async close() {
      await thread.close();
      store.close();
    },
  };
};

/** Opens one mint's database with its seed. */
const openMintWallet = async (
  { walletDirectory }: WalletConfig,
  { databaseName, mintUrl }: { databaseName: string; mintUrl?: string },
  deps: WalletDeps,
  onChange: (operation: Operation | null) => void,
  otherMints: () => NonNullable<Balance['otherMints']>,
  onMintHeard?: (isReachable: boolean) => void,
): Promise<
  { wallet: MintWallet; seed: Awaited<ReturnType<typeof openSeed>>; mintUrl: string } | undefined
> => {
  const store = await openWalletStore(join(walletDirectory, databaseName), deps.clock);
  try {
    const mint = mintUrl ?? store.metadata.get(MINT_KEY);
    const isLeft =
      store.proofs.balance() > 0 ||
      store.operations.hasUnfinished() ||
      store.operations.nextRecheckAt() !== undefined;
    if (mint === undefined || (mintUrl === undefined && !isLeft)) {
      store.close();
      return undefined;
    }
    if (mintUrl !== undefined && store.metadata.get(MINT_KEY) !== mintUrl)
      store.metadata.set(MINT_KEY, mintUrl);
    const vault = await deps.seedVault?.();
    const seed = await openSeed({ walletDirectory, databaseName, mintUrl: mint, store, vault });
    const { workerUrl, clock, logger, mintTimeoutMs, requestDeadlineMs, confirmAfterMs, onStep } = deps;
    const wallet = createMintWallet({
      workerUrl,
      mintUrl: mint,
      store,
      seed,
      clock,
      logger,
      onChange,
      onMintHeard,
      otherMints,
      mintTimeoutMs,
      requestDeadlineMs,
      confirmAfterMs,
      onStep,
    });
    return { wallet, seed, mintUrl: mint };
  } catch (error) {
    store.close();
    throw error;
  }
};

/**
 * Opens the wallet of a configuration, or creates it if there is none. In DEV_MODE, it is the simulated one.
 *
 * Throws {@link DatabaseUnavailableError} if its database or seed can't be used, and
 * `VaultUnavailableError` while the keychain is locked.
 */
export const openWallet = async (config: WalletConfig, deps: WalletDeps): Promise<OpenWallet> => {
  const { clock, logger, publish, onWalletEvent } = deps;
  const mintUrl = normalizeMintUrl(config.mintUrl);
  if (config.devMode) return openDevWallet(config, mintUrl, deps);

  const databaseName = fileOf(mintUrl);
  const sums = () => sumsOf(wallet.balance.read());
  const publishChange = (operation: Operation | null) => {
    publish({ ...sums(), operation: operation && summaryOf(operation) });
    if (operation) onWalletEvent?.({ name: 'operation', operation: reportOf(operation) });
  };
  const onOtherChange = () => {
    wallet.balance.changed();
    publishChange(null);
  };
  const others = createOtherWallets({
    walletDirectory: config.walletDirectory,
    currentName: databaseName,
    open: async (name) =>
      (await openMintWallet(config, { databaseName: name }, deps, onOtherChange, () => []))?.wallet,
    onChange: onOtherChange,
    clock,
    logger,
  });
  const opened = await openMintWallet(
    config,
    { databaseName, mintUrl },
    deps,
    publishChange,
    others.balances,
    (isReachable) => onWalletEvent?.({ name: 'mint', isReachable }),
  );
  if (!opened) throw new Error('a named wallet was not opened');
  const { wallet, seed } = opened;
  const { context } = wallet;
  const { store, mint, recovery, reconciler } = context;

  const restorer = createRestorer({
    store,
    mint,
    seed,
    receiver: wallet.receiver,
    reconciler,
    clock,
    logger,
    publish: (restore) => publish({ ...sums(), operation: null, restore }),
    onChange: onOtherChange,
    onPending: recovery.schedule,
  });
  const sentStates = createSentStates({
    store,
    mint,
    clock,
    pausedForMs: wallet.watch.pausedForMs,
    onChange: publishChange,
  });
  const service: WalletService = createWalletService({
    context,
    mintUrl,
    receiver: wallet.receiver,
    spender: wallet.spender,
    idempotency: createIdempotency(store),
    history: createHistory(store, sentStates),
    watch: wallet.watch,
    seed,
    restorer,
    testTokens: createTestTokens({
      walletDirectory: config.walletDirectory,
      mintUrl,
      redeem: (token) => service.receive(token, undefined),
      logger,
    }),
    spentElsewhere: others.spent,
    balance: wallet.balance.read,
    balanceHistory: createBalanceHistory(store, clock),
    onChanged: onOtherChange,
  });

  return {
    service,
    start() {
      const pending = store.operations.pending().map(reportOf);
      onWalletEvent?.({ name: 'opened', mintUrl, isSimulated: false, pending });
      wallet.start();
      restorer.resume();
      others.open();
    },
    async close() {
      const stopped = restorer.stop();
      // First, because they report their balances to the main wallet.
      await others.close();
      await wallet.close();
      await stopped;
    },
  };
};
