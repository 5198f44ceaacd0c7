import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventData } from '../../shared/api/events.ts';
import { AppError } from '../platform/app-error.ts';
import { OPERATOR } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { type ChargeBook, type ChargeService, createChargeBook } from './charges/charge-book.ts';
import { createBalanceHistory, createHistory } from './history.ts';
import { createIdempotency } from './idempotency.ts';
import { normalizeMintUrl } from './mint/token-text.ts';
import type { DecisionTimes, OnStep } from './operations/decide.ts';
import { createMintWallet, type MintWallet } from './operations/mint-wallet.ts';
import { withAppErrors } from './operations/problems.ts';
import { createRestorer } from './operations/restore.ts';
import { createSentStates } from './operations/sent-states.ts';
import { openSeed } from './seed/seed.ts';
import type { SeedVault } from './seed/seed-vault.ts';
import { openTestSeed } from './seed/test-seed.ts';
import type { Operation } from './store/operation.ts';
import { openWalletDatabase, type WalletDatabase, type WalletStore } from './store/wallet-store.ts';
import { createTestMoney, createTestReceiver } from './test-money.ts';
import { createTestTokens, openDevDatabase, TEST_MINT } from './test-tokens.ts';
import { createWalletService, type WalletService } from './wallet.service.ts';
import { type OnWalletEvent, reportOf, summaryOf, sumsOf } from './wallet-events.ts';

interface WalletConfig {
  walletDirectory: string;
  mintUrl: string;
  devMode: boolean;
}

/** The dependencies of a wallet. Tests change the deadlines and steps. */
export interface WalletDeps {
  workerUrl: URL;
  clock: Clock;
  logger: Logger;
  publish(event: EventData<'wallet'>): void;
  publishCharge(event: EventData<'charge'>): void;
  onWalletEvent?: OnWalletEvent | undefined;
  mintTimeoutMs?: number | undefined;
  requestDeadlineMs?: number | undefined;
  decisionTimes?: Partial<DecisionTimes> | undefined;
  onStep?: OnStep | undefined;
  seedVault?: (() => Promise<SeedVault | undefined>) | undefined;
}

/** An open wallet, which no other process can open until it's closed. */
export interface OpenWallet {
  service: WalletService;
  /** Why the wallet's routes don't work, only for the operator, because it contains paths. */
  problem?: string;
  /** Resumes an earlier process's operations, and fetches the mint's signatures for the wallet's words. */
  start(): void;
  /** Closes the wallet. Pending operations continue at the next start. */
  close(): Promise<void>;
}

/** The name of the database in a wallet directory, which all mints' wallets share. */
const DATABASE_NAME = 'wallet.sqlite';

/** The name of the file with the books of test money's mint. */
const TEST_MONEY_MINT_NAME = 'test-money-mint.sqlite';

/** Opens one mint's wallet in the database, with its seed. */
const openMintWallet = async (
  database: WalletDatabase,
  { walletDirectory }: WalletConfig,
  mintUrl: string,
  deps: WalletDeps,
  hooks: Pick<
    Parameters<typeof createMintWallet>[0],
    'onChange' | 'otherMints' | 'beforeClaim' | 'onMintHeard'
  >,
) => {
  const store = database.ofMint(mintUrl);
  const vault = await deps.seedVault?.();
  const seed = await openSeed({ walletDirectory, mintUrl, store, vault });
  return openWithBook({ ...deps, ...hooks, mintUrl, store, seed });
};

/** Opens the wallet of test money, whose mint is in this process. */
const openTestWallet = (
  database: WalletDatabase,
  { walletDirectory, mintUrl }: WalletConfig,
  deps: WalletDeps,
  hooks: Pick<Parameters<typeof createMintWallet>[0], 'onChange'>,
) => {
  const store = database.ofMint(TEST_MINT);
  const seed = openTestSeed(store);
  const mint = { path: join(walletDirectory, TEST_MONEY_MINT_NAME), secret: seed.secret };
  return openWithBook({
    ...deps,
    ...hooks,
    mintUrl: TEST_MINT,
    store,
    seed,
    otherMints: () => [],
    testMoney: { mint, mintUrl: normalizeMintUrl(mintUrl) },
  });
};

/** Creates a mint's wallet with its charges. */
const openWithBook = (parts: Parameters<typeof createMintWallet>[0] & Pick<WalletDeps, 'publishCharge'>) => {
  const mintWallet = createMintWallet({
    ...parts,
    onChange(operation) {
      parts.onChange(operation);
      if (operation && operation.state !== 'pending') book.operationEnded(operation);
    },
  });
  const wallet = parts.testMoney ? { ...mintWallet, receiver: createTestReceiver(mintWallet) } : mintWallet;
  const book = createChargeBook({
    wallet,
    logger: parts.logger,
    publish: parts.publishCharge,
    onOwedChanged: wallet.balance.changed,
  });
  return { wallet, seed: parts.seed, book };
};

/** Joins all mints' books into one. New charges go to `main`, the book of the mint that the wallet uses now. */
const joinBooks = (
  main: ChargeBook,
  others: () => readonly ChargeBook[],
  sales: ChargeService['sales'],
): ChargeService => {
  const bookOf = (id: string) => others().find((book) => book.has(id)) ?? main;
  const prepaidOf = (key: string) => others().find(({ prepaid }) => prepaid.has(key)) ?? main;
  return {
    create: (...order) => withAppErrors(() => main.create(...order)),
    quote: (...order) => withAppErrors(() => main.quote(...order)),
    pay: (caller, id, token) => withAppErrors(async () => bookOf(id).pay(caller, id, token)),
    openAndPay: (...order) => withAppErrors(() => main.openAndPay(...order)),
    settle: (caller, id, use) => withAppErrors(async () => bookOf(id).settle(caller, id, use)),
    release: (caller, id, use) => withAppErrors(async () => bookOf(id).release(caller, id, use)),
    refund: (...parameters) =>
      withAppErrors(async () => {
        for (const book of others()) {
          const refunded = await book.refund(...parameters).catch((error: unknown) => {
            if (error instanceof AppError && error.code === 'charge_not_found') return undefined;
            throw error;
          });
          if (refunded) return refunded;
        }
        return main.refund(...parameters);
      }),
    openAndReserve: (caller, terms, key) =>
      withAppErrors(async () => prepaidOf(key).openAndReserve(caller, terms, key)),
    prepaid: {
      open: (...order) => withAppErrors(() => main.prepaid.open(...order)),
      read: (caller, key) => prepaidOf(key).prepaid.read(caller, key),
      topUp: (caller, key, token) =>
        withAppErrors(async () => prepaidOf(key).prepaid.topUp(caller, key, token)),
      refund: (caller, key) => withAppErrors(async () => prepaidOf(key).prepaid.refund(caller, key)),
      setBlocked: (id, isBlocked) =>
        (others().find(({ prepaid }) => prepaid.hasId(id)) ?? main).prepaid.setBlocked(id, isBlocked),
    },
    get: (caller, id) => bookOf(id).get(caller, id),
    sales,
    list(caller, { cursor, limit, ...filter }) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
      const found = [main, ...others()]
        .flatMap((book) => book.page(caller, before, limit + 1, filter))
        .sort((a, b) => b.number - a.number);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        charges: page.map(({ charge }) => charge),
        ...(found.length > limit && last ? { nextCursor: String(last.number) } : {}),
      };
    },
  };
};

/** Says how to get the sats of an early version's databases, which had one for each mint. */
const reportOldDatabases = async (walletDirectory: string, logger: Logger) => {
  const files = (await readdir(walletDirectory)).filter((name) => /^wallet-.+\.sqlite$/.test(name));
  if (files.length > 0)
    logger.warn(
      { files },
      'dot-mi doesn’t read these databases of an early version. To get their sats, open the wallet, choose Restore, and enter their backup words.',
    );
};

/** The name that an early version gave the mint of test money, whose sats had no proofs. */
const EARLY_TEST_MINT = 'simulated';

/** Says that the test sats of an early version aren't used. The tokens that may be real still are. */
const reportEarlyTestMoney = (database: WalletDatabase, logger: Logger) => {
  if (database.mintUrls().includes(EARLY_TEST_MINT))
    logger.info(
      {},
      'dot-mi doesn’t use the test sats of an early version. Tokens that it received and that may be real are kept.',
    );
};

/** Returns whether a wallet still has anything to keep or finish. */
const hasAnything = ({ postings, operations, proofs, charges }: WalletStore): boolean =>
  postings.sum('free') > 0 ||
  charges.hasUnfinished() ||
  operations.hasUnfinished() ||
  operations.nextRecheckAt() !== undefined ||
  proofs.nextDueAt() !== undefined;

/**
 * Opens a configuration's wallet, or creates it if it doesn't exist. In DEV_MODE, it's the one of test money.
 *
 * Throws {@link DatabaseUnavailableError} if its database or seed can't be used, and `VaultUnavailableError` while
 * the keychain is locked.
 */
export const openWallet = async (config: WalletConfig, deps: WalletDeps): Promise<OpenWallet> => {
  const { clock, logger, publish, onWalletEvent } = deps;
  const mintUrl = normalizeMintUrl(config.mintUrl);
  const { walletDirectory, devMode } = config;
  await mkdir(walletDirectory, { recursive: true, mode: 0o700 });
  if (!devMode) await reportOldDatabases(walletDirectory, logger);
  const database = devMode
    ? await openDevDatabase(walletDirectory, clock)
    : await openWalletDatabase(join(walletDirectory, DATABASE_NAME), clock);
  const sums = () => sumsOf(wallet.balance.read());
  const publishChange = (operation: Operation | null) => {
    publish({ ...sums(), operation: operation && summaryOf(operation) });
    if (operation) onWalletEvent?.({ name: 'operation', operation: reportOf(operation, store) });
    if (operation?.kind === 'restore' && operation.state === 'failed') restorer.goOn();
  };
  const onOtherChange = () => {
    wallet.balance.changed();
    publishChange(null);
  };
  /** The wallets of earlier MINT_URLs that still have anything to keep or finish. */
  const others: { wallet: MintWallet; book: ChargeBook }[] = [];
  const openAll = async () => {
    if (devMode) {
      reportEarlyTestMoney(database, logger);
      return openTestWallet(database, config, deps, { onChange: publishChange });
    }
    const opened = await openMintWallet(database, config, mintUrl, deps, {
      onChange: publishChange,
      otherMints: () =>
        others.map(({ wallet: { balance: view } }) => {
          const { mint: at, balance, pending } = view.read();
          return { mint: at, balance, pending };
        }),
      onMintHeard: (isReachable) => onWalletEvent?.({ name: 'mint', isReachable }),
    });
    for (const url of database.mintUrls()) {
      if (url === mintUrl || !hasAnything(database.ofMint(url))) continue;
      const hooks = {
        onChange: onOtherChange,
        otherMints: () => [],
        beforeClaim: () => opened.wallet.context.mint.keysets(true),
      };
      const other = await openMintWallet(database, config, url, deps, hooks).catch((error: unknown) => {
        logger.warn({ err: error, mint: url }, 'the wallet of another mint could not be opened');
      });
      if (other) others.push(other);
    }
    return opened;
  };
  const { wallet, seed, book } = await openAll().catch((error: unknown) => {
    database.close();
    throw error;
  });
  const { context } = wallet;
  const { store, mint, proofChecks, queue } = context;

  const restorer = createRestorer({
    store,
    mint,
    seed,
    receiver: wallet.receiver,
    checkProofs: proofChecks.checkFree,
    clock,
    logger,
    queue,
    publish: (restore) => publish({ ...sums(), operation: null, restore }),
    onChange: onOtherChange,
    onPending: proofChecks.schedule,
  });
  const sentStates = createSentStates({
    store,
    mint,
    clock,
    pausedForMs: wallet.watch.pausedForMs,
    // The mint of test money is in this process.
    askEveryMs: devMode ? 0 : undefined,
    onChange: publishChange,
  });
  const service: WalletService = createWalletService({
    context,
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
      redeem: (token) => service.receive(OPERATOR, token, undefined),
      logger,
    }),
    charges: joinBooks(book, () => others.map((other) => other.book), database.sales),
    balance: wallet.balance.read,
    balanceHistory: createBalanceHistory(store, clock),
    foreignKeysets: wallet.foreignKeysets,
    changeAddress: (from) => database.changeAddress(from, mintUrl),
    onChanged: onOtherChange,
  });

  return {
    service: devMode ? createTestMoney(service, context, mintUrl) : service,
    start() {
      const pending = store.operations.pending().map((operation) => reportOf(operation, store));
      onWalletEvent?.({ name: 'opened', mintUrl, isSimulated: devMode, pending });
      wallet.start();
      restorer.resume();
      for (const other of others) other.wallet.start();
    },
    async close() {
      const stopped = restorer.stop();
      // Close these first, because they report their balances to the main wallet.
      await Promise.all(others.map((other) => other.wallet.close()));
      await wallet.close();
      await stopped;
      database.close();
    },
  };
};
