import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EventData } from '../../shared/api/events.ts';
import type { Balance } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { OnStep } from './attempt.ts';
import { createDevWallet } from './dev-wallet.ts';
import { createHistory } from './history.ts';
import { createIdempotency } from './idempotency.ts';
import type { Mint } from './mint.ts';
import { createMintThread } from './mint-thread.ts';
import { watchMint } from './mint-watch.ts';
import type { Operation } from './operation.ts';
import { createKeptOutputs } from './outputs.ts';
import { createRecovery } from './recovery.ts';
import { createRedeemer, type Engine, REQUEST_DEADLINE_MS } from './redeem.ts';
import { CONFIRM_AFTER_MS, createRunner } from './runner.ts';
import { openSeed } from './seed.ts';
import type { SeedVault } from './seed-vault.ts';
import { createSpender } from './spend.ts';
import { openDatabase } from './sqlite.ts';
import { normalizeMintUrl } from './token-text.ts';
import { createWalletService, type WalletService } from './wallet.service.ts';
import { WALLET_MIGRATIONS } from './wallet-schema.ts';
import { createWalletStore, type WalletStore } from './wallet-store.ts';

/** Which wallet to open. */
export interface WalletConfig {
  walletDirectory: string;
  mintUrl: string;
  devMode: boolean;
}

/** What a wallet needs of the server around it; the deadlines and steps are for tests. */
export interface WalletSurroundings {
  workerUrl: URL;
  clock: Clock;
  logger: Logger;
  publish(event: EventData<'wallet'>): void;
  mintTimeoutMs?: number | undefined;
  requestDeadlineMs?: number | undefined;
  confirmAfterMs?: number | undefined;
  onStep?: OnStep | undefined;
  seedVault?: (() => Promise<SeedVault | undefined>) | undefined;
}

/** An open wallet: nobody else can open it until it is closed. */
export interface OpenWallet {
  service: WalletService;
  /** Begins to bring to its end what an earlier process left. */
  start(): void;
  /** Ends the wallet; what is under way goes on at the next start. */
  close(): Promise<void>;
}

const MOVE_EXPIRING_AFTER_MS = 60_000;
const MOVE_EXPIRING_EVERY_MS = 6 * 60 * 60_000;

/** A file a mint, so that sats of two mints, or real and simulated ones, can never mix. */
const fileOf = ({ devMode, mintUrl }: WalletConfig): string => {
  if (devMode) return 'dev.sqlite';
  const { host, pathname } = new URL(mintUrl);
  const name = `${host}${pathname}`.replaceAll(/[^A-Za-z0-9.-]+/g, '-').replace(/-+$/, '');
  const hash = createHash('sha256').update(mintUrl).digest('hex').slice(0, 8);
  return `wallet-${name.slice(0, 60)}-${hash}.sqlite`;
};

/** The ids of the keysets that the mint listed last; undefined before it was asked. */
type ListedKeysets = ReadonlySet<string> | undefined;

/** The balance, made anew only after a change: the same frozen object is serialised once. */
const createBalance = (store: WalletStore, mint: string, devMode: boolean, listed: () => ListedKeysets) => {
  let current: Balance | undefined;

  const unlistedSats = (): number => {
    const known = listed();
    if (!known) return 0;
    const missing = store.countedKeysets().filter((id) => !known.has(id));
    return missing.reduce((sum, id) => sum + store.freeAmount(id), 0);
  };

  const make = (): Balance => {
    const unlisted = unlistedSats();
    return Object.freeze({
      balance: store.balance(),
      pending: store.pending(),
      mint,
      unit: 'sat',
      devMode,
      ...(unlisted > 0 ? { unlisted } : {}),
    });
  };

  return {
    read: (): Balance => {
      current ??= make();
      return current;
    },
    changed: () => {
      current = undefined;
    },
  };
};

/**
 * Opens the wallet of a configuration, and makes it when there is none. In DEV_MODE it is the simulated one.
 *
 * Throws {@link DatabaseUnavailableError} when its database or seed cannot be used.
 */
export const openWallet = async (config: WalletConfig, around: WalletSurroundings): Promise<OpenWallet> => {
  const { clock, logger, publish, workerUrl } = around;
  const { devMode, walletDirectory } = config;
  const mintUrl = normalizeMintUrl(config.mintUrl);
  const path = join(walletDirectory, fileOf({ ...config, mintUrl }));
  const store = createWalletStore(await openDatabase(path, WALLET_MIGRATIONS), clock);
  const thread = createMintThread(workerUrl, { mintUrl, timeoutMs: around.mintTimeoutMs });
  const watch = watchMint(thread, clock, () => onMintBack());
  const idempotency = createIdempotency(store);
  let onMintBack = (): void => undefined;

  let listed: ListedKeysets;
  const balance = createBalance(store, mintUrl, devMode, () => listed);
  const mint: Mint = {
    ...watch.mint,
    async keysets(refresh) {
      const keysets = await watch.mint.keysets(refresh);
      const ids = new Set(keysets.all.map(({ id }) => id));
      if (listed === undefined || [...ids, ...listed].some((id) => !ids.has(id) || !listed?.has(id))) {
        balance.changed();
      }
      listed = ids;
      return keysets;
    },
  };

  const tell = (operation: Operation | null) => {
    balance.changed();
    const { balance: sats, pending } = balance.read();
    const about = operation && { id: operation.id, kind: operation.kind, state: operation.state };
    publish({ balance: sats, pending, operation: about });
  };

  store.forgetOldAnswers();
  if (devMode) {
    const history = createHistory(store, undefined, clock, tell);
    return {
      service: createDevWallet({
        store,
        mint,
        mintUrl,
        idempotency,
        history,
        balance: balance.read,
        onChange: tell,
      }),
      start: () => undefined,
      async close() {
        await thread.close();
        store.close();
      },
    };
  }

  const openOwnSeed = async () => openSeed(walletDirectory, store, await around.seedVault?.());
  const seed = await openOwnSeed().catch((error: unknown) => {
    store.close();
    throw error;
  });
  const onStep: OnStep = around.onStep ?? (() => undefined);
  const keptOutputs = createKeptOutputs(store, mint, seed.mnemonic);
  const runner = createRunner({
    store,
    mint,
    keptOutputs,
    clock,
    logger,
    onStep,
    confirmAfterMs: around.confirmAfterMs ?? CONFIRM_AFTER_MS,
    onChange: tell,
  });
  const recovery = createRecovery({
    store,
    mint,
    runner,
    clock,
    logger,
    onProofsChanged: () => tell(null),
  });
  onMintBack = recovery.nudge;
  const engine: Engine = {
    store,
    mint,
    keptOutputs,
    runner,
    recovery,
    clock,
    requestDeadlineMs: around.requestDeadlineMs ?? REQUEST_DEADLINE_MS,
    onStep,
    onChange: tell,
    requireMint: watch.requireMint,
  };
  const spender = createSpender(engine);

  let callOffMove: (() => void) | undefined;
  const moveLater = (ms: number) => {
    callOffMove = clock.after(ms, () => {
      const moving = store.balance() > 0 ? spender.moveExpiring() : Promise.resolve();
      moving.catch((error: unknown) =>
        logger.debug({ err: error }, 'proofs could not be moved; tried again later'),
      );
      moveLater(MOVE_EXPIRING_EVERY_MS);
    });
  };

  return {
    service: createWalletService({
      engine,
      mintUrl,
      redeemer: createRedeemer(engine),
      spender,
      idempotency,
      history: createHistory(store, mint, clock, tell),
      watch,
      seed,
      balance: balance.read,
    }),
    start() {
      if (store.hasUnfinished()) void recovery.runNow();
      moveLater(MOVE_EXPIRING_AFTER_MS);
    },
    async close() {
      callOffMove?.();
      const ended = [recovery.stop(), runner.stop()];
      // Whatever waits for the mint hears that there is no answer, and leaves its operation as it is.
      await thread.close();
      await Promise.all(ended);
      store.close();
    },
  };
};
