import { join, sep } from 'node:path';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { OpenWallet } from './open-wallet.ts';
import { VaultUnavailableError } from './seed/seed-vault.ts';
import { DatabaseInUseError, DatabaseUnavailableError } from './store/sqlite.ts';
import type { WalletService } from './wallet.service.ts';

const RETRY_MS = 5_000;

interface UnlockDeps {
  /** The directory of the wallet's files. API responses never contain it. */
  walletDirectory: string;
  clock: Clock;
  logger: Logger;
  /** Called when a wallet that was locked at startup opens. */
  onUnlocked(service: WalletService): void;
}

const lockedError = () =>
  new AppError(
    'wallet_locked',
    'The system’s keychain didn’t open. It protects the wallet’s backup words, and nothing is lost. Unlock the keychain, then restart dot-mi.',
    { retryAfterSeconds: RETRY_MS / 1000 },
  );

/** SECURITY: the error contains only the names of the wallet's files, not their path. */
const damagedError = ({ message }: DatabaseUnavailableError, walletDirectory: string) =>
  new AppError(
    'wallet_damaged',
    `dot-mi can’t open the wallet: ${message.replaceAll(join(walletDirectory, sep), '')}. dot-mi tries again the next time it starts.`,
  );

/** Returns a service whose methods all throw. It's a proxy, so that later methods can't be forgotten. */
const standIn = (find: () => WalletService): WalletService =>
  new Proxy({} as WalletService, { get: (_target, name) => Reflect.get(find(), name) });

/**
 * Opens a wallet, now or once the keychain opens. At login, dot-mi may start before the keychain opens,
 * but agents and files must not wait for that. Until the wallet is open, its routes throw `wallet_locked`.
 *
 * If a wallet can't be opened at all, its routes throw `wallet_damaged`. Otherwise rejects like `open`, and also if
 * another process has the wallet open, which is the user's mistake.
 */
export const openWhenPossible = async (
  open: () => Promise<OpenWallet>,
  { walletDirectory, clock, logger, onUnlocked }: UnlockDeps,
): Promise<OpenWallet> => {
  let wallet: OpenWallet | undefined;
  let damage: AppError | undefined;
  let isStarted = false;
  let isClosed = false;
  let attempt: Promise<void> | undefined;
  let lastFailure: string | undefined;
  let cancelTimer = (): void => undefined;

  const tryToOpen = async (): Promise<void> => {
    try {
      wallet = await open();
    } catch (error) {
      const failure = error instanceof VaultUnavailableError ? undefined : String(error);
      damage = error instanceof DatabaseUnavailableError ? damagedError(error, walletDirectory) : undefined;
      // Log a repeated failure only once.
      if (failure !== undefined && failure !== lastFailure)
        logger.error({ err: error }, 'the wallet could not be opened after the keychain was locked');
      lastFailure = failure;
      if (!isClosed) cancelTimer = clock.after(RETRY_MS, retry);
      return;
    }
    logger.info({}, 'the keychain opened, and so did the wallet');
    if (isClosed) return;
    if (isStarted) wallet.start();
    onUnlocked(wallet.service);
  };
  const retry = () => {
    attempt = tryToOpen();
  };

  try {
    return await open();
  } catch (error) {
    if (error instanceof DatabaseUnavailableError && !(error instanceof DatabaseInUseError)) {
      logger.error(
        { err: error },
        'the wallet could not be opened, so its routes are off; everything else works',
      );
      const problem = damagedError(error, walletDirectory);
      return {
        problem: error.message,
        service: standIn(() => {
          throw problem;
        }),
        start: () => undefined,
        close: async () => undefined,
      };
    }
    if (!(error instanceof VaultUnavailableError)) throw error;
    logger.warn({}, 'the keychain is locked, so the wallet will open later');
  }
  cancelTimer = clock.after(RETRY_MS, retry);

  return {
    service: standIn(() => {
      if (!wallet) throw damage ?? lockedError();
      return wallet.service;
    }),
    start() {
      isStarted = true;
      wallet?.start();
    },
    async close() {
      isClosed = true;
      cancelTimer();
      await attempt;
      await wallet?.close();
    },
  };
};
